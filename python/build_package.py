"""Builds the wheel and the source distribution of tender_sync with nothing but the standard library, and the same bytes
from the same files: what pip calls (PEP 517), and a program. Usage: python3 build_package.py FOLDER"""

import base64
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
# The moment that all entries bear: what is built does not depend on when.
MOMENT = (2020, 1, 1, 0, 0, 0)
MOMENT_SECONDS = 1577836800


def _read(path):
    with open(os.path.join(HERE, path), "rb") as file:
        return file.read()


def _facts():
    text = _read("pyproject.toml").decode("utf-8")
    found = dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.MULTILINE))
    return found["name"].replace("-", "_"), found


def _license():
    return _read("LICENSE" if os.path.exists(os.path.join(HERE, "LICENSE")) else os.path.join("..", "LICENSE"))


def _modules(name):
    folder = os.path.join(HERE, "src", name)
    return sorted(each for each in os.listdir(folder) if each.endswith(".py") or each == "py.typed")


def _metadata(facts):
    # pages of the service are not part of the package
    about = re.sub(r"\[([^\]]+)\]\(\.\.[^)]*\)", r"\1", _read("README.md").decode("utf-8"))
    lines = [
        "Metadata-Version: 2.1",
        "Name: " + facts["name"],
        "Version: " + facts["version"],
        "Summary: " + facts["description"],
        "License: Apache-2.0",
        "Requires-Python: " + facts["requires-python"],
        "Classifier: Typing :: Typed",
        "Description-Content-Type: text/markdown",
        "",
        about,
    ]
    return "\n".join(lines).encode("utf-8")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, facts = _facts()
    info = "%s-%s.dist-info/" % (name, facts["version"])
    wheel = "Wheel-Version: 1.0\nGenerator: build_package\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    entries = [("%s/%s" % (name, each), _read(os.path.join("src", name, each))) for each in _modules(name)]
    entries += [(info + "LICENSE", _license()), (info + "METADATA", _metadata(facts)), (info + "WHEEL", wheel.encode())]
    record = ""
    for path, content in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(content))
    entries.append((info + "RECORD", (record + info + "RECORD,,\n").encode()))
    file = "%s-%s-py3-none-any.whl" % (name, facts["version"])
    # not compressed: the bytes do not depend on the library that would do it
    with zipfile.ZipFile(os.path.join(wheel_directory, file), "w", zipfile.ZIP_STORED) as out:
        for path, content in entries:
            entry = zipfile.ZipInfo(path, MOMENT)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            out.writestr(entry, content)
    return file


def build_sdist(sdist_directory, config_settings=None):
    name, facts = _facts()
    root = "%s-%s/" % (name, facts["version"])
    entries = [(each, _read(each)) for each in ("README.md", "build_package.py", "pyproject.toml")]
    entries += [("LICENSE", _license()), ("PKG-INFO", _metadata(facts))]
    entries += [("src/%s/%s" % (name, each), _read(os.path.join("src", name, each))) for each in _modules(name)]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as out:
        for path, content in sorted(entries):
            entry = tarfile.TarInfo(root + path)
            entry.size, entry.mtime, entry.mode = len(content), MOMENT_SECONDS, 0o644
            out.addfile(entry, io.BytesIO(content))
    file = "%s-%s.tar.gz" % (name, facts["version"])
    with open(os.path.join(sdist_directory, file), "wb") as target:
        with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=target, mtime=0) as zipped:
            zipped.write(packed.getvalue())
    return file


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    print(build_wheel(folder))
    print(build_sdist(folder))
