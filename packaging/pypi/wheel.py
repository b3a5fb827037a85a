"""Writes a wheel: wheel.py VERSION PLATFORM-TAGS BINARY LICENCES FOLDER

The wheel is a zip with a few files of metadata (the Binary Distribution Format of the Python Packaging User Guide), so that nothing has
to be installed to write one, and the same input gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

version, tags, binary, licences, out = sys.argv[1:]
here = pathlib.Path(__file__).parent
root = here.parent.parent
# Python's form of a pre-release: 1.0.0-rc.1 is 1.0.0rc1.
version = re.sub(r"-(alpha|beta|rc)\.?(\d+)$", lambda found: {"alpha": "a", "beta": "b", "rc": "rc"}[found[1]] + found[2], version)
info = f"lazuli_storage-{version}.dist-info"

metadata = f"""\
Metadata-Version: 2.4
Name: lazuli-storage
Version: {version}
Summary: An Azure Storage server for a laptop and for CI: Blob, Data Lake, Queue, Table and File in one small binary
Keywords: azure,storage,emulator,blob,queue,table,azurite,testing
License-Expression: MIT
License-File: LICENSE
License-File: THIRD-PARTY-LICENSES.txt
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Developers
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Rust
Classifier: Topic :: Software Development :: Testing
Classifier: Typing :: Typed
Requires-Python: >=3.8
Project-URL: Homepage, https://github.com/lazuli-storage/lazuli
Project-URL: Changelog, https://github.com/lazuli-storage/lazuli/blob/main/CHANGELOG.md
Project-URL: Issues, https://github.com/lazuli-storage/lazuli/issues
Description-Content-Type: text/markdown

{(here / "README.md").read_text(encoding="utf-8")}"""
wheel = "Wheel-Version: 1.0\nGenerator: lazuli-storage\nRoot-Is-Purelib: false\n"
wheel += "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
commands = "[console_scripts]\nlazuli = lazuli_storage.__main__:main\nlazuli-storage = lazuli_storage.__main__:main\n"

files = {}
for path in sorted((here / "lazuli_storage").iterdir()):
    if path.is_file() and path.suffix in (".py", ".typed"):
        text = path.read_bytes()
        if path.name == "__init__.py":
            text = text.replace(b'__version__ = "0.0.0"', f'__version__ = "{version}"'.encode())
        files[f"lazuli_storage/{path.name}"] = text, 0o644
files[f"lazuli_storage/bin/{pathlib.Path(binary).name}"] = pathlib.Path(binary).read_bytes(), 0o755
files[f"{info}/METADATA"] = metadata.encode(), 0o644
files[f"{info}/WHEEL"] = wheel.encode(), 0o644
files[f"{info}/entry_points.txt"] = commands.encode(), 0o644
files[f"{info}/licenses/LICENSE"] = (root / "LICENSE").read_bytes(), 0o644
files[f"{info}/licenses/THIRD-PARTY-LICENSES.txt"] = pathlib.Path(licences).read_bytes(), 0o644


def digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode().rstrip("=")


record = "".join(f"{name},sha256={digest(text)},{len(text)}\n" for name, (text, _) in files.items()) + f"{info}/RECORD,,\n"
files[f"{info}/RECORD"] = record.encode(), 0o644

target = pathlib.Path(out, f"lazuli_storage-{version}-py3-none-{tags}.whl")
when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name, (text, mode) in files.items():
        entry = zipfile.ZipInfo(name, when)
        entry.external_attr = (0o100000 | mode) << 16
        archive.writestr(entry, text, zipfile.ZIP_DEFLATED)
