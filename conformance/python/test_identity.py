"""Who shows a token of Entra instead of a key, and what they sign with the key that the account lends them."""

import json
from base64 import urlsafe_b64encode
from datetime import timedelta

import pytest
from azure.storage.blob import BlobClient, BlobServiceClient, ContainerClient, generate_blob_sas, generate_container_sas
from helpers import ACCOUNT, BEARER_TOKEN, KEY, SECURE, SECURE_BLOB_URL, Bearer, now, refused, unique

pytestmark = pytest.mark.skipif(
    not (SECURE_BLOB_URL and BEARER_TOKEN), reason="SECURE_BLOB_URL and BEARER_TOKEN are not both set"
)

HOUR = timedelta(hours=1)


def with_bearer(token):
    return BlobServiceClient(SECURE_BLOB_URL, Bearer(token), **SECURE)


@pytest.fixture(scope="module")
def service():
    with with_bearer(BEARER_TOKEN) as client:
        yield client


@pytest.fixture
def container(service):
    with service.create_container(unique()) as client:
        yield client
        client.delete_container()


@pytest.fixture(scope="module")
def lent(service):
    """A key of the user's, for an hour."""
    return service.get_user_delegation_key(now(SECURE_BLOB_URL) - HOUR, now(SECURE_BLOB_URL) + HOUR)


def by_blob_token(blob, lent, permission, **fields):
    fields = {"expiry": now(SECURE_BLOB_URL) + HOUR, **fields}
    sas = generate_blob_sas(
        ACCOUNT, blob.container_name, blob.blob_name, user_delegation_key=lent, permission=permission, **fields
    )
    return BlobClient.from_blob_url(blob.url, credential=sas, **SECURE)


def by_container_token(container, lent, permission, **fields):
    fields = {"expiry": now(SECURE_BLOB_URL) + HOUR, **fields}
    sas = generate_container_sas(ACCOUNT, container.container_name, user_delegation_key=lent, permission=permission, **fields)
    return ContainerClient.from_container_url(container.url, credential=sas, **SECURE)


def test_a_user_does_what_the_owner_does(service, container, blob):
    assert blob.download_blob().readall() == b"hello, world"
    blob.set_blob_metadata({"a": "b"})
    assert blob.get_blob_properties().metadata == {"a": "b"}
    assert [b.name for b in container.list_blobs()] == ["hello.txt"]
    assert [c.name for c in service.list_containers(name_starts_with=container.container_name)] == [container.container_name]
    blob.delete_blob()
    assert not blob.exists()


def made_up(**claims):
    """What looks like a token, and was issued by nobody."""
    parts = ({"typ": "JWT", "alg": "RS256"}, {"aud": "https://storage.azure.com", "exp": 4_102_444_800, **claims})
    return ".".join(urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + ".unsigned"


@pytest.mark.parametrize(
    "token",
    [
        "no-token",
        "a.b.c",
        made_up(iss="https://example.org/"),
        made_up(iss="https://sts.windows.net/t/", exp=1_700_000_000),
        made_up(iss="https://sts.windows.net/t/", aud="https://vault.azure.net"),
    ],
    ids=["no token", "no JSON", "a strange issuer", "expired", "for another service"],
)
def test_a_token_that_does_not_do(container, token):
    stranger = with_bearer(token).get_container_client(container.container_name)
    with refused(401, "InvalidAuthenticationInfo"):
        stranger.get_container_properties()


def test_the_key_says_whose_and_for_how_long_it_is(lent):
    assert lent.signed_oid and lent.signed_tid and lent.value
    assert lent.signed_service == "b"
    assert lent.signed_start < lent.signed_expiry


def test_a_key_is_for_seven_days_at_most(service):
    start = now(SECURE_BLOB_URL)
    service.get_user_delegation_key(start, start + timedelta(days=6))
    with refused(400, "InvalidXmlNodeValue", "InvalidXmlDocument"):
        service.get_user_delegation_key(start, start + timedelta(days=8))


def test_the_owner_has_no_use_for_one():
    owner = BlobServiceClient(SECURE_BLOB_URL, {"account_name": ACCOUNT, "account_key": KEY}, **SECURE)
    with refused(403, "AuthenticationFailed"):
        owner.get_user_delegation_key(now(SECURE_BLOB_URL), now(SECURE_BLOB_URL) + HOUR)


def test_a_blob_token(container, blob, lent):
    reader = by_blob_token(blob, lent, "r")
    assert reader.download_blob().readall() == b"hello, world"
    with refused(403, "AuthorizationPermissionMismatch"):
        reader.set_blob_metadata({})
    by_blob_token(blob, lent, "w").set_blob_metadata({"a": "b"})
    assert blob.get_blob_properties().metadata == {"a": "b"}
    typed = by_blob_token(blob, lent, "r", content_type="text/css")
    assert typed.get_blob_properties().content_settings.content_type == "text/css"


def test_a_snapshot_token(container, blob, lent):
    taken = blob.create_snapshot()
    blob.upload_blob(b"changed", overwrite=True)
    sas = generate_blob_sas(
        ACCOUNT,
        blob.container_name,
        blob.blob_name,
        snapshot=taken["snapshot"],
        user_delegation_key=lent,
        permission="r",
        expiry=now(SECURE_BLOB_URL) + HOUR,
    )
    kept = BlobClient.from_blob_url(blob.url, snapshot=taken["snapshot"], credential=sas, **SECURE)
    assert kept.download_blob().readall() == b"hello, world"
    with refused(403, "AuthenticationFailed", "AuthorizationFailure"):
        BlobClient.from_blob_url(blob.url, credential=sas, **SECURE).download_blob()


def test_a_container_token(container, blob, lent):
    lister = by_container_token(container, lent, "rl")
    assert [b.name for b in lister.list_blobs()] == ["hello.txt"]
    assert lister.download_blob("hello.txt").readall() == b"hello, world"
    with refused(403, "AuthorizationPermissionMismatch"):
        lister.upload_blob("new", b"")
    by_container_token(container, lent, "c").upload_blob("new", b"")
    assert container.get_blob_client("new").exists()


def test_a_token_with_its_encryption_scope(container, blob, lent):
    writer = by_container_token(container, lent, "rcw", encryption_scope="hard")
    assert writer.upload_blob("scoped", b"").get_blob_properties().encryption_scope == "hard"


def test_a_token_is_no_longer_good_than_it_says(container, blob, lent):
    with refused(403, "AuthenticationFailed"):
        by_blob_token(blob, lent, "r", expiry=now(SECURE_BLOB_URL) - HOUR).download_blob()


def test_a_key_that_was_not_lent(container, blob, lent, service):
    other = service.get_user_delegation_key(now(SECURE_BLOB_URL) - HOUR, now(SECURE_BLOB_URL) + 2 * HOUR)
    other.value = lent.value
    with refused(403, "AuthenticationFailed"):
        by_blob_token(blob, other, "r").download_blob()
