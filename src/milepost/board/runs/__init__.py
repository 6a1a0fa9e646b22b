"""Runs: the table of them, what people wrote about them, their hparams and their checkpoints."""
