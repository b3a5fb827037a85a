"""How tools find out whether an emulator is there: what they ask, and the one answer that they take."""

import socket
from urllib.parse import urlsplit

import pytest
import requests
from helpers import ACCOUNT, BLOB_URL, QUEUE_URL, TABLE_URL, account_sas, unique

VERSION = {"x-ms-version": "2021-12-02"}


def asked(base, query):
    return requests.get(f"{base}/?{query}&{account_sas()}", headers={**VERSION, "Accept": "application/json"}, timeout=10)


@pytest.mark.parametrize("base", [BLOB_URL, QUEUE_URL, TABLE_URL])
def test_the_port_is_open(base):
    """testcontainers and most compose files: a connection, and nothing said on it (`nc -z`)."""
    where = urlsplit(base)
    for _ in range(3):
        socket.create_connection((where.hostname, where.port), timeout=5).close()
    assert requests.get(base, timeout=10).headers["x-ms-request-id"]


def test_functions_core_tools():
    """The start-up scripts of Azure Functions Core Tools: a bare address must answer 400, and nothing else."""
    where = urlsplit(BLOB_URL)
    assert requests.get(f"{where.scheme}://{where.netloc}/", timeout=10).status_code == 400


def test_visual_studio_code():
    """The Functions extension, before it debugs: Get Blob Service Properties."""
    answer = asked(BLOB_URL, "restype=service&comp=properties")
    assert answer.status_code == 200 and "<StorageServiceProperties>" in answer.text


def test_aspire_health_checks():
    assert asked(BLOB_URL, "comp=list&maxresults=1").status_code == 200
    assert asked(QUEUE_URL, "comp=list&maxresults=1").status_code == 200
    tables = requests.get(f"{TABLE_URL}/Tables?$filter=false&{account_sas()}", headers={"Accept": "application/json"}, timeout=10)
    assert (tables.status_code, tables.json()["value"]) == (200, [])


def test_storage_explorer():
    for query in ("restype=account&comp=properties", "restype=service&comp=properties", "comp=list&include=metadata"):
        assert asked(BLOB_URL, query).status_code == 200, query
    for name in ("$logs", "$blobchangefeed", unique()):
        answer = requests.get(f"{BLOB_URL}/{name}?restype=container&{account_sas()}", headers=VERSION, timeout=10)
        assert (answer.status_code, answer.headers["x-ms-error-code"]) == (404, "ContainerNotFound"), name


def test_the_secondary():
    for base in (BLOB_URL, QUEUE_URL, TABLE_URL):
        assert base.endswith(ACCOUNT)
        answer = asked(f"{base}-secondary", "restype=service&comp=stats")
        assert answer.status_code == 200 and "<Status>live</Status>" in answer.text
