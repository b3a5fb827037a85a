"""The pytest plugin: what a test changes is undone, and a test sees and disturbs requests."""

import urllib.error
import urllib.request

import pytest

pytest_plugins = ["lazuli_pytest"]

ACCOUNT = "devstoreaccount1"


def send(server, method, path):
    sas = server.control("POST", "/sas", {"account": ACCOUNT})["sas"]
    base = server.url.removesuffix("/_lazuli")
    request = urllib.request.Request(f"{base}/{ACCOUNT}{path}&{sas}", method=method, data=b"" if method == "PUT" else None)
    with urllib.request.urlopen(request) as response:
        return response.status


@pytest.fixture(scope="session", autouse=True)
def fixtures(lazuli_server):
    send(lazuli_server, "PUT", "/fixture?restype=container")


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_finds_the_fixtures_and_nothing_else(lazuli, attempt):
    assert send(lazuli, "GET", "/fixture?restype=container") == 200
    assert send(lazuli, "PUT", "/new?restype=container") == 201
    lazuli.advance(60)


def test_faults_and_requests(lazuli):
    lazuli.fault(operation="Create Container", do={"error": {"code": "ServerBusy"}})
    with pytest.raises(urllib.error.HTTPError) as refused:
        send(lazuli, "PUT", "/new?restype=container")
    assert refused.value.code == 503
    assert lazuli.requests(operation="Create Container", status=503, wait=5)[0]["code"] == "ServerBusy"


def test_a_refusal_has_the_servers_message(lazuli):
    from lazuli_pytest import ControlError

    with pytest.raises(ControlError, match="did you mean .*Put Blob"):
        lazuli.fault(operation="PutBlob", do={"cut": "after"})


def test_faults_end_with_their_test(lazuli):
    assert send(lazuli, "PUT", "/new?restype=container") == 201
