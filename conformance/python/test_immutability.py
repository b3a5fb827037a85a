"""In an account with immutable storage: what nobody changes before its time."""

from datetime import timedelta

import pytest
from azure.storage.blob import BlobImmutabilityPolicyMode, ImmutabilityPolicy
from helpers import IMMUTABLE_BLOB_URL, now, other_service, refused, unique

pytestmark = pytest.mark.skipif(not IMMUTABLE_BLOB_URL, reason="IMMUTABLE_BLOB_URL is not set")

BY_POLICY = 409, "BlobImmutableDueToPolicy"
BY_HOLD = 409, "BlobImmutableDueToLegalHold"


@pytest.fixture
def container():
    with other_service(IMMUTABLE_BLOB_URL).create_container(unique()) as client:
        yield client
        for kept in client.list_blobs(include=["versions", "immutabilitypolicy"]):
            version = client.get_blob_client(kept.name, version_id=kept.version_id)
            version.set_legal_hold(False)
            if (kept.immutability_policy.policy_mode or "").lower() == "unlocked":
                version.delete_immutability_policy()
        for blob in client.list_blobs():
            client.delete_blob(blob.name)
        for kept in client.list_blobs(include=["versions"]):
            client.get_blob_client(kept.name, version_id=kept.version_id).delete_blob()
        client.delete_container()


def policy(mode=BlobImmutabilityPolicyMode.UNLOCKED, **ahead):
    return ImmutabilityPolicy(expiry_time=now().replace(microsecond=0) + timedelta(**ahead), policy_mode=mode)


def told(blob):
    properties = blob.get_blob_properties()
    kept = properties.immutability_policy
    return kept.expiry_time, kept.policy_mode, properties.has_legal_hold


def test_the_container_says_so(container):
    assert container.get_container_properties().immutable_storage_with_versioning_enabled


def test_a_policy_is_set_changed_and_deleted(container, blob):
    for days in (2, 1):
        given = policy(days=days)
        answer = blob.set_immutability_policy(given)
        assert answer["immutability_policy_until_date"] == given.expiry_time
        assert answer["immutability_policy_mode"].lower() == "unlocked"
        assert told(blob)[0] == given.expiry_time
        assert told(blob)[1].lower() == "unlocked"
    (listed,) = container.list_blobs(include=["immutabilitypolicy"])
    assert listed.immutability_policy.expiry_time == given.expiry_time
    with refused(*BY_POLICY):
        blob.set_blob_metadata({"a": "b"})
    blob.delete_immutability_policy()
    assert told(blob)[:2] == (None, None)
    blob.set_blob_metadata({"a": "b"})


def test_a_hold_is_set_and_taken_off(container, blob):
    assert blob.set_legal_hold(True)["legal_hold"] is True
    assert told(blob)[2] is True
    (listed,) = container.list_blobs(include=["legalhold"])
    assert listed.has_legal_hold is True
    with refused(*BY_HOLD):
        blob.set_blob_metadata({"a": "b"})
    assert blob.set_legal_hold(False)["legal_hold"] is False
    assert told(blob)[2] is False
    blob.set_blob_metadata({"a": "b"})


def test_a_blob_is_made_with_both(container):
    given = policy(days=1)
    blob = container.get_blob_client("new")
    blob.upload_blob(b"data", immutability_policy=given, legal_hold=True)
    until, mode, held = told(blob)
    assert (until, mode.lower(), held) == (given.expiry_time, "unlocked", True)


def test_what_is_overwritten_or_deleted_stays_as_a_version(container, blob):
    kept = blob.get_blob_properties().version_id
    blob.set_immutability_policy(policy(days=1))
    blob.upload_blob(b"new", overwrite=True)
    blob.delete_blob()
    version = container.get_blob_client(blob.blob_name, version_id=kept)
    with refused(*BY_POLICY):
        version.delete_blob()
    assert version.download_blob().readall() == b"hello, world"


def test_a_locked_policy_is_only_made_longer(container, blob, advance):
    locked = BlobImmutabilityPolicyMode.LOCKED
    blob.set_immutability_policy(policy(days=1))
    given = policy(locked, days=1)
    blob.set_immutability_policy(given)
    until, mode, _ = told(blob)
    assert (until, mode.lower()) == (given.expiry_time, "locked")
    with refused(409, "ImmutabilityPolicyDeleteOnLockedPolicy"):
        blob.delete_immutability_policy()
    with refused(409, "ImmutabilityPolicyDeleteOnLockedPolicy", "BlobImmutableDueToPolicy"):
        blob.set_immutability_policy(policy(locked, hours=1))
    longer = policy(locked, days=2)
    blob.set_immutability_policy(longer)
    assert told(blob)[0] == longer.expiry_time
    advance(2 * 24 * 60 * 60 + 60)
    blob.delete_blob()


def test_a_date_that_has_passed(container, blob):
    with refused(400, "InvalidHeaderValue"):
        blob.set_immutability_policy(policy(days=-1))


def test_a_container_that_holds_something_is_not_deleted(container, blob):
    with refused(409, "BlobImmutableDueToPolicy"):
        container.delete_container()
