"""Fills the Homebrew formula and the winget manifest from the archives of a release: manifests.py VERSION DIST"""

import datetime
import hashlib
import os
import pathlib
import re
import sys

version, dist = sys.argv[1], pathlib.Path(sys.argv[2])
here = pathlib.Path(__file__).parent
date = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).date().isoformat()
results = {
    "homebrew/lazuli-storage.rb.in": "homebrew/lazuli-storage.rb",
    "winget/version.yaml.in": "winget/LazuliStorage.Lazuli.yaml",
    "winget/installer.yaml.in": "winget/LazuliStorage.Lazuli.installer.yaml",
    "winget/locale.en-US.yaml.in": "winget/LazuliStorage.Lazuli.locale.en-US.yaml",
}


def digest(target):
    ending = "zip" if "windows" in target else "tar.gz"
    return hashlib.sha256((dist / f"lazuli-storage-{version}-{target}.{ending}").read_bytes()).hexdigest()


for source, result in results.items():
    text = (here / source).read_text().replace("@VERSION@", version).replace("@DATE@", date)
    path = dist / result
    path.unlink(missing_ok=True)
    try:
        text = re.sub(r"@SHA256:([^@]+)@", lambda found: digest(found[1]), text)
    except FileNotFoundError as error:
        print(f"packaging/build: {result} is not written, because there is no {pathlib.Path(error.filename).name}", file=sys.stderr)
        continue
    if source.startswith("winget/installer"):
        text = re.sub(r"(?<=InstallerSha256: )\w+", lambda found: found[0].upper(), text)
    path.write_text(text)
