"""What the tests share: where the server is, names that nobody else has, tokens, and how a refusal is read."""

import os
from contextlib import contextmanager
from datetime import timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import quote
from uuid import uuid4

import pytest
import requests
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError
from azure.storage.blob import BlobServiceClient, generate_account_sas, generate_blob_sas, generate_container_sas

ACCOUNT = os.environ.get("AZURE_STORAGE_ACCOUNT", "devstoreaccount1")
KEY = os.environ.get(
    "AZURE_STORAGE_KEY",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
)
BLOB_URL = os.environ.get("BLOB_URL", f"http://127.0.0.1:10000/{ACCOUNT}")
QUEUE_URL = os.environ.get("QUEUE_URL", f"http://127.0.0.1:10001/{ACCOUNT}")
CONNECTION_STRING = os.environ.get(
    "AZURE_STORAGE_CONNECTION_STRING",
    f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={BLOB_URL};QueueEndpoint={QUEUE_URL};",
)
VERSIONED_BLOB_URL = os.environ.get("VERSIONED_BLOB_URL")
IMMUTABLE_BLOB_URL = os.environ.get("IMMUTABLE_BLOB_URL")
RETAINING_BLOB_URL = os.environ.get("RETAINING_BLOB_URL")
HIERARCHICAL_BLOB_URL = os.environ.get("HIERARCHICAL_BLOB_URL")
FILE_URL = os.environ.get("FILE_URL", f"http://127.0.0.1:10003/{ACCOUNT}")
RETAINING_FILE_URL = os.environ.get("RETAINING_FILE_URL")
SECURE_FILE_URL = os.environ.get("SECURE_FILE_URL")
SECURE_BLOB_URL = os.environ.get("SECURE_BLOB_URL")
SECURE_CERTIFICATE = os.environ.get("SECURE_CERTIFICATE")
BEARER_TOKEN = os.environ.get("BEARER_TOKEN")
CONTROL_URL = os.environ.get("LAZULI_CONTROL_URL")

# Of clients of the server that speaks https.
SECURE = {"retry_total": 0, "connection_verify": SECURE_CERTIFICATE}

KIB = 1024
MIB = 1024 * KIB


class Bearer:
    """Has one token, whatever it is asked for."""

    def __init__(self, token):
        self.token = token

    def get_token(self, *scopes, **options):
        return AccessToken(self.token, 4_102_444_800)


def unique(stem="test"):
    return f"{stem}-{uuid4().hex}"


def now(url=BLOB_URL):
    """The server's time, which a test may have moved: the date of an answer, whatever it says."""
    answer = requests.get(url, timeout=10, verify=SECURE_CERTIFICATE or True)
    return parsedate_to_datetime(answer.headers["Date"])


def in_an_hour(url=BLOB_URL):
    return now(url) + timedelta(hours=1)


def an_hour_ago(url=BLOB_URL):
    return now(url) - timedelta(hours=1)


def other_service(url):
    """Another account, with the same key."""
    account = url.rsplit("/", 1)[1]
    return BlobServiceClient(url, {"account_name": account, "account_key": KEY}, retry_total=0)


def pattern(size):
    """Bytes that differ from place to place, so that a piece put in the wrong place shows."""
    block = b"".join(i.to_bytes(4, "big") for i in range(min(size, 64 * KIB) // 4 + 1))
    return (block * (size // len(block) + 1))[:size]


@contextmanager
def refused(status, *codes):
    """The call inside is refused with this status (or one of several) and one of these error codes."""
    with pytest.raises(HttpResponseError) as caught:
        yield caught
    error = caught.value
    assert error.status_code in (status if isinstance(status, tuple) else (status,)), error
    # Some methods of the SDK leave the code in the answer's headers.
    code = getattr(error, "error_code", None) or error.response.headers.get("x-ms-error-code")
    assert code in codes, error


def account_sas(resource_types, permission, **fields):
    return generate_account_sas(
        ACCOUNT, account_key=KEY, resource_types=resource_types, permission=permission, **{"expiry": in_an_hour(), **fields}
    )


def container_sas(container, permission=None, **fields):
    if permission:
        fields = {"permission": permission, "expiry": in_an_hour(), **fields}
    return generate_container_sas(ACCOUNT, container.container_name, account_key=KEY, **fields)


def blob_sas(blob, permission=None, **fields):
    if permission:
        fields = {"permission": permission, "expiry": in_an_hour(), **fields}
    return generate_blob_sas(ACCOUNT, blob.container_name, blob.blob_name, account_key=KEY, **fields)


def url(container, blob=None, sas=None):
    """The address of a container or a blob, for plain HTTP."""
    path = f"{BLOB_URL}/{container}" + (f"/{quote(blob)}" if blob else "")
    return f"{path}?{sas}" if sas else path
