"""The projector: tables of points under the logdir, their labels and thumbnails, seen in three dimensions."""
