"""Packs a folder as .tar.gz or .zip, the same bytes for the same contents: archive.py PARENT FOLDER FILE"""

import gzip
import os
import pathlib
import sys
import tarfile
import time
import zipfile

parent, folder, out = sys.argv[1:]
when = max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800)  # the first time that a zip can hold
files = sorted(path for path in pathlib.Path(parent, folder).rglob("*") if path.is_file())


def mode(path):
    return 0o755 if os.access(path, os.X_OK) else 0o644


if out.endswith(".zip"):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(parent).as_posix(), time.gmtime(when)[:6])
            entry.external_attr = (0o100000 | mode(path)) << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
else:
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=when) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path in files:
                entry = tarfile.TarInfo(path.relative_to(parent).as_posix())
                entry.size, entry.mode, entry.mtime = path.stat().st_size, mode(path), when
                with path.open("rb") as contents:
                    archive.addfile(entry, contents)
