"""Where is Chromium? Prints its path. With --install, and as root on a Debian-like machine, installs it when it is missing.

Browser tests drive an installed Chromium; a test tool's own browser download is neither needed nor tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find() -> str | None:
    chosen = os.environ.get("MILEPOST_CHROMIUM")
    return chosen or next((path for name in NAMES if (path := shutil.which(name))), None)


def install() -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], env=environment, check=False)


if __name__ == "__main__":
    if find() is None and "--install" in sys.argv:
        install()
    print(find() or "no Chromium here: browser tests will not run; install it, e.g. `apt-get install chromium`")
