"""What the tests share: where the server is, names that nobody else has, programs that are run, and trees of files."""

import json
import os
import subprocess
from datetime import timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import requests
from azure.storage.blob import generate_account_sas

ACCOUNT = os.environ.get("AZURE_STORAGE_ACCOUNT", "devstoreaccount1")
KEY = os.environ.get(
    "AZURE_STORAGE_KEY",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
)
BLOB_URL = os.environ.get("BLOB_URL", f"http://127.0.0.1:10000/{ACCOUNT}")
QUEUE_URL = os.environ.get("QUEUE_URL", f"http://127.0.0.1:10001/{ACCOUNT}")
TABLE_URL = os.environ.get("TABLE_URL", f"http://127.0.0.1:10002/{ACCOUNT}")
FILE_URL = os.environ.get("FILE_URL", f"http://127.0.0.1:10003/{ACCOUNT}")
CONNECTION_STRING = (
    f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};"
    f"BlobEndpoint={BLOB_URL};QueueEndpoint={QUEUE_URL};TableEndpoint={TABLE_URL};FileEndpoint={FILE_URL};"
)

WORK = Path(__file__).parent.parent.resolve() / ".work" / "tools"
KIB = 1024
MIB = 1024 * KIB


def unique(stem="test"):
    return f"{stem}-{uuid4().hex}"


def now():
    """The server's time, which a suite before this one may have moved."""
    return parsedate_to_datetime(requests.get(BLOB_URL, timeout=10).headers["Date"])


def pattern(size):
    """Bytes that differ from place to place, so that a piece put in the wrong place shows."""
    block = b"".join(i.to_bytes(4, "big") for i in range(min(size, 64 * KIB) // 4 + 1))
    return (block * (size // len(block) + 1))[:size]


def environment(**more):
    """The environment of a program: the tools' own folder first, and nothing of the user's configuration."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AZURE_", "AZCOPY_", "RCLONE_"))}
    return {**kept, "PATH": f"{WORK / 'bin'}{os.pathsep}{kept.get('PATH', '')}", **more}


def run(command, env, text=None, fails=False):
    """What a program prints, if it ends well; what it complains of, if it is to fail."""
    done = subprocess.run(
        [str(word) for word in command], env=env, input=text, capture_output=True, text=True, timeout=300, check=False
    )
    said = f"{' '.join(str(word) for word in command)}\n{done.stdout}\n{done.stderr}"
    assert (done.returncode != 0) == fails, said
    return done.stdout + done.stderr if fails else done.stdout


def azcopy(*words, fails=False):
    """What a job of azcopy says at its end."""
    plans = WORK / "azcopy"
    env = environment(AZCOPY_LOG_LOCATION=str(plans), AZCOPY_JOB_PLAN_LOCATION=str(plans), AZCOPY_CONCURRENCY_VALUE="8")
    said = run(["azcopy", *words, "--output-type", "json"], env, fails=fails)
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    ends = [line["MessageContent"] for line in lines if line["MessageType"] == "EndOfJob"]
    return json.loads(ends[-1]) if ends and ends[-1].startswith("{") else [line["MessageContent"] for line in lines]


def parsed(output):
    return json.loads(output) if output.strip() else None


def tree(folder, files):
    """Writes files, by path and content, below a folder."""
    for path, content in files.items():
        place = Path(folder, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return Path(folder)


def read_tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def read_container(container):
    return {name: container.download_blob(name).readall() for name in container.list_blob_names()}


def account_sas(permission="rwdlacupitfx", services="bqtf"):
    return generate_account_sas(ACCOUNT, KEY, "sco", permission, now() + timedelta(hours=1), services=services)


def url(container, blob="", sas=""):
    return f"{BLOB_URL}/{container}" + (f"/{quote(blob, safe='/*')}" if blob else "") + (f"?{sas}" if sas else "")
