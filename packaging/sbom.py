"""Writes what a release is made of: sbom.py VERSION TARGET SBOM LICENCES

SBOM is a CycloneDX document (JSON, version 1.6) of the crates that are linked into the binary, LICENCES the texts of their licences.
Both come from `cargo metadata` and the sources that cargo has.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

version, target, sbom, licences = sys.argv[1:]
metadata = json.loads(
    subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform", target], check=True, stdout=subprocess.PIPE
    ).stdout
)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
root = metadata["resolve"]["root"]
checksums = {}
for entry in re.split(r"^\[\[package\]\]$", pathlib.Path("Cargo.lock").read_text(), flags=re.M)[1:]:
    fields = dict(re.findall(r'^(name|version|checksum) = "(.*)"$', entry, flags=re.M))
    checksums[fields["name"], fields["version"]] = fields.get("checksum")


def linked(node):
    """The dependencies that end up in the binary, or that generate its code: neither those of tests nor those of build scripts."""
    return [dep["pkg"] for dep in nodes[node]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]


reached, pending = {root}, [root]
while pending:
    for dependency in linked(pending.pop()):
        if dependency not in reached:
            reached.add(dependency)
            pending.append(dependency)


def purl(node):
    return f"pkg:cargo/{packages[node]['name']}@{packages[node]['version']}"


def component(node):
    package = packages[node]
    entry = {"type": "library", "bom-ref": purl(node), "name": package["name"], "version": package["version"], "purl": purl(node)}
    if package["description"]:
        entry["description"] = " ".join(package["description"].split())
    if package["license"]:
        # Old crates separate alternatives by a slash.
        entry["licenses"] = [{"expression": re.sub(r"\s*/\s*", " OR ", package["license"])}]
    if checksum := checksums.get((package["name"], package["version"])):
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if (package["repository"] or "").startswith("http"):
        entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return entry


order = sorted(reached - {root}, key=lambda node: (packages[node]["name"], packages[node]["version"]))
when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "version": 1,
    "metadata": {
        "timestamp": when.isoformat().replace("+00:00", "Z"),
        "component": {
            "type": "application",
            "bom-ref": purl(root),
            "name": "lazuli-storage",
            "version": version,
            "licenses": [{"expression": "MIT"}],
        },
    },
    "components": [component(node) for node in order],
    "dependencies": [
        {"ref": purl(node), "dependsOn": sorted({purl(dependency) for dependency in linked(node)})} for node in [root, *order]
    ],
}
# The number is that of the contents, so that the same commit gives the same document.
document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(json.dumps(document).encode()).hexdigest()).urn
pathlib.Path(sbom).write_text(json.dumps(document, indent=1) + "\n")

texts, without = {}, []
for node in order:
    package = packages[node]
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if re.match(r"(licen[sc]e|copying|notice|unlicense)", path.name, re.I) and path.is_file())
    label = f"{package['name']} {package['version']} ({package['license']})"
    if not files:
        without.append(label)
    for file in files:
        texts.setdefault(file.read_text(errors="replace").strip(), []).append(label)
with open(licences, "w") as out:
    out.write("Lazuli contains code of these packages, each under its own licence.\n\n")
    if without:
        out.write("These name their licence in their metadata and have no text of it:\n\n")
        out.writelines(f"  {label}\n" for label in without)
        out.write("\n")
    for text, labels in texts.items():
        out.write("=" * 80 + "\n" + "".join(f"{label}\n" for label in dict.fromkeys(labels)) + "-" * 80 + f"\n{text}\n\n")
