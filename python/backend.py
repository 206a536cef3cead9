# SPDX-License-Identifier: Apache-2.0
"""The build backend of pyproject.toml (PEP 517): a wheel with the packages tremula, pva and libpvti, the libraries, codelets and commands.

The wheel has no extension module, so that one serves every Python 3; its tag names the machine and the C library that it was built with."""

import base64
import hashlib
import os
import platform
import re
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMANDS = ("popc", "pva", "tremula", "tremula-demo")


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return re.search(r"project\(tremula VERSION (\S+)", file.read()).group(1)


def tag():
    major, minor = platform.libc_ver()[1].split(".")[:2]
    return "py3-none-manylinux_%s_%s_%s" % (major, minor, platform.machine())


def metadata():
    with open(os.path.join(ROOT, "docs", "concepts", "python.md")) as file:
        description = file.read()
    return ("Metadata-Version: 2.1\nName: tremula\nVersion: %s\nSummary: Graph programs for tiled processors: an open implementation of the Poplar stack\n"
            "License: Apache-2.0\nRequires-Python: >=3.8\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n%s" % (version(), description))


def install(prefix):
    """Builds the libraries for every machine of this architecture, and installs them to a directory without the distribution's libraries."""
    build = os.path.join(ROOT, "build", "package")
    levels = "x86-64;x86-64-v3;x86-64-v4" if platform.machine() == "x86_64" else ""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_LIBDIR=lib", "-DTREMULA_INSTALL_PYTHONDIR=python", "-DTREMULA_PVA_CORE=OFF", "-DTREMULA_BUILD_TESTS=OFF", "-DTREMULA_BUILD_EXAMPLES=OFF", "-DTREMULA_BUILD_BENCH=OFF"]
    if levels:
        options.append("-DTREMULA_CODELET_LEVELS=" + levels)
    for command in (["cmake", "-S", ROOT, "-B", build, "-G", "Ninja"] + options, ["cmake", "--build", build, "--target", "product"],
                    ["cmake", "--install", build, "--prefix", prefix, "--strip"], [os.path.join(ROOT, "scripts", "bundle"), prefix]):
        done = subprocess.run(command, stdout=sys.stderr if "--build" in command else subprocess.DEVNULL, check=False)
        if done.returncode:
            raise SystemExit("tremula: '%s' failed; scripts/install-dependencies wheel installs what it needs" % " ".join(command))


class Wheel:
    """A zip file with a list of hashes at its end."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))  # the same bytes from the same sources
        info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16  # pip runs only what is a regular file
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append("%s,sha256=%s,%d" % (name, digest, len(data)))

    def close(self, information):
        self.record.append(information + "/RECORD,,")
        self.zip.writestr(information + "/RECORD", "\n".join(self.record) + "\n")
        self.zip.close()


def contents(prefix):
    """(name in the wheel, path) of every file of the installation that a program needs."""
    for top, place in (("lib", "tremula/prefix/lib"), ("bin", "tremula/prefix/bin"), ("libexec", "tremula/prefix/libexec"), ("include", "tremula/prefix/include"), ("python", ""),
                       ("share/tremula", "tremula/prefix/share/tremula"), ("share/doc/tremula/licences", "tremula/prefix/licences")):
        whole = os.path.join(prefix, top)
        for folder, folders, files in os.walk(whole):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(folder, name)
                inside = os.path.relpath(path, whole)
                if re.match(r"(cmake|pkgconfig)/", inside) or "__pycache__" in inside:
                    continue
                # A wheel has no links: the name that is loaded is kept (libpoplar.so.0), those of developers are not.
                if top == "lib" and re.search(r"\.so(\.\d+\.\d+\.\d+)?$", name) and re.match(r"lib(pop|gcl|pv|tremula)", name) and not re.search(r"\.so\.\d+$", name):
                    continue
                yield os.path.join(place, inside) if place else inside, path


def write_wheel(prefix, wheel_directory):
    """The wheel of an installation; returns its name."""
    information = "tremula-%s.dist-info" % version()
    name = "tremula-%s-%s.whl" % (version(), tag())
    path = os.path.join(wheel_directory, name)
    wheel = Wheel(path + ".new")
    for inside, file in contents(prefix):
        with open(file, "rb") as data:
            wheel.add(inside, data.read(), os.access(file, os.X_OK))
    wheel.add(information + "/METADATA", metadata().encode())
    wheel.add(information + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: tremula\nRoot-Is-Purelib: false\nTag: %s\n" % tag()).encode())
    commands = [command for command in COMMANDS if os.path.exists(os.path.join(prefix, "bin", command))]
    wheel.add(information + "/entry_points.txt", ("[console_scripts]\n" + "".join("%s = tremula.commands:%s\n" % (c, c.replace("-", "_")) for c in commands)).encode())
    wheel.close(information)
    os.replace(path + ".new", path)
    return name


def write_tarball(prefix, path):
    """The installation as a tarball with one directory at its top."""
    top = os.path.basename(path)[: -len(".tar.gz")]
    with tarfile.open(path + ".new", "w:gz") as tar:
        tar.add(prefix, top, filter=lambda member: None if "__pycache__" in member.name else member)
    os.replace(path + ".new", path)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as work:
        install(os.path.join(work, "prefix"))
        return write_wheel(os.path.join(work, "prefix"), wheel_directory)


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    """The files that git tracks."""
    name = "tremula-" + version()
    path = os.path.join(sdist_directory, name + ".tar.gz")
    subprocess.run(["git", "-C", ROOT, "archive", "--prefix", name + "/", "-o", path, "HEAD"], check=True)
    return name + ".tar.gz"


if __name__ == "__main__":
    # backend.py DIRECTORY [TARBALL]
    os.makedirs(sys.argv[1], exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        install(os.path.join(place, "prefix"))
        print(os.path.join(sys.argv[1], write_wheel(os.path.join(place, "prefix"), sys.argv[1])))
        if len(sys.argv) > 2:
            write_tarball(os.path.join(place, "prefix"), sys.argv[2])
            print(sys.argv[2])
