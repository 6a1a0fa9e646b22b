"""What bytes mean. Nothing here opens a file or reads a clock."""
