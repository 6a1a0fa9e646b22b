"""`python -m milepost` is `milepost`."""

from milepost.cli.main import main

main()
