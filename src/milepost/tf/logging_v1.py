"""`tf.compat.v1.logging`: levels and messages of the logger of `milepost.tf`."""

from __future__ import annotations

import logging
from typing import Any

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "get_verbosity",
    "info",
    "set_verbosity",
    "warn",
    "warning",
]

DEBUG, INFO, WARN, ERROR, FATAL = logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL
_logger = logging.getLogger("milepost.tf")


def set_verbosity(v: Any) -> None:
    """Show messages from this level on."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The level from which messages are shown."""
    return _logger.getEffectiveLevel()


debug, info, warn, warning, error, fatal = (
    _logger.debug,
    _logger.info,
    _logger.warning,
    _logger.warning,
    _logger.error,
    _logger.critical,
)
