"""What Terraform's azurerm backend does with a state: the calls of its client, one by one."""

import base64
import json
from uuid import uuid4

import pytest
import requests
from helpers import account_sas, url

VERSION = "2021-12-02"


@pytest.fixture
def state(container):
    """Sends a call about the state's blob."""
    there, sas = url(container.container_name, "prod.terraform.tfstate"), account_sas()

    def call(method, query="", body=None, **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return requests.request(method, f"{there}?{query}&{sas}", data=body, headers={"x-ms-version": VERSION, **names}, timeout=10)

    return call


def lease(state, **headers):
    return state("PUT", "comp=lease", x_ms_lease_action="acquire", x_ms_lease_duration="-1", **headers)


def held(state, who):
    """Locks: the blob is there first, then a lease without end, then who has it."""
    if state("HEAD").status_code == 404:
        assert state("PUT", body=b"", x_ms_blob_type="BlockBlob", content_type="application/json").status_code == 201
    key = str(uuid4())
    acquired = lease(state, x_ms_proposed_lease_id=key)
    assert (acquired.status_code, acquired.headers["x-ms-lease-id"]) == (201, key)
    info = base64.b64encode(json.dumps({"ID": key, "Who": who}).encode()).decode()
    written = state("PUT", "comp=metadata", x_ms_meta_terraformlockid=info, x_ms_lease_id=key)
    assert written.status_code == 200
    return key


def test_a_lock_keeps_others_out(state):
    assert state("GET").status_code == 404
    ann = held(state, "ann")
    refused = lease(state, x_ms_proposed_lease_id=str(uuid4()))
    assert (refused.status_code, refused.headers["x-ms-error-code"]) == (409, "LeaseAlreadyPresent")
    shown = state("HEAD").headers
    assert json.loads(base64.b64decode(shown["x-ms-meta-terraformlockid"])) == {"ID": ann, "Who": "ann"}
    assert (shown["x-ms-lease-state"], shown["x-ms-lease-status"], shown["x-ms-lease-duration"]) == ("leased", "locked", "infinite")

    # The state is written under the lease, with the metadata that was there: by its holder alone.
    described = {"x_ms_blob_type": "BlockBlob", "content_type": "application/json"}
    for key, status, code in ((None, 412, "LeaseIdMissing"), (str(uuid4()), 412, "LeaseIdMismatchWithBlobOperation")):
        shown_key = {"x_ms_lease_id": key} if key else {}
        refused = state("PUT", body=b"{}", **described, **shown_key)
        assert (refused.status_code, refused.headers["x-ms-error-code"]) == (status, code)
    kept = {"x_ms_meta_terraformlockid": shown["x-ms-meta-terraformlockid"]}
    assert state("PUT", body=b'{"serial": 1}', x_ms_lease_id=ann, **described, **kept).status_code == 201
    assert state("GET").json() == {"serial": 1}

    # Unlocking takes the metadata away, then the lease; then it is another's turn.
    assert state("PUT", "comp=metadata", x_ms_lease_id=ann).status_code == 200
    assert state("PUT", "comp=lease", x_ms_lease_action="release", x_ms_lease_id=ann).status_code == 200
    assert "x-ms-meta-terraformlockid" not in state("HEAD").headers
    bob = held(state, "bob")
    assert state("GET").json() == {"serial": 1}

    # force-unlock, as it is done by hand: the lease is broken at once.
    assert state("PUT", "comp=lease", x_ms_lease_action="break", x_ms_lease_break_period="0").status_code == 202
    gone = state("PUT", "comp=lease", x_ms_lease_action="renew", x_ms_lease_id=bob)
    assert (gone.status_code, gone.headers["x-ms-error-code"]) == (409, "LeaseIsBrokenAndCannotBeRenewed")
    held(state, "ann")


def test_workspaces_are_listed(container, state):
    for name in ("prod.terraform.tfstateenv:blue", "prod.terraform.tfstateenv:green"):
        container.upload_blob(name, b"{}")
    listed = requests.get(
        f"{url(container.container_name)}?restype=container&comp=list&prefix=prod.terraform.tfstateenv%3A&{account_sas()}",
        timeout=10,
    )
    assert listed.status_code == 200
    assert listed.text.count("<Name>prod.terraform.tfstateenv:") == 2
    assert state("DELETE").status_code == 404
