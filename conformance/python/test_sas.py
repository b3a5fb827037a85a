from datetime import timedelta

import pytest
from azure.storage.blob import AccessPolicy, BlobClient, BlobServiceClient, ContainerClient, Services
from helpers import BLOB_URL, account_sas, an_hour_ago, blob_sas, container_sas, in_an_hour, now, refused, unique


def with_account_token(*fields, **more):
    return BlobServiceClient(BLOB_URL, credential=account_sas(*fields, **more), retry_total=0)


def with_container_token(container, *fields, **more):
    return ContainerClient.from_container_url(container.url, credential=container_sas(container, *fields, **more), retry_total=0)


def with_blob_token(blob, *fields, **more):
    return BlobClient.from_blob_url(blob.url, credential=blob_sas(blob, *fields, **more), retry_total=0)


# Account tokens


def test_an_account_token_does_what_its_letters_say():
    service = with_account_token("sco", "rwdlac")
    container = service.create_container(unique())
    blob = container.upload_blob("a", b"data")
    assert blob.download_blob().readall() == b"data"
    assert [b.name for b in container.list_blobs()] == ["a"]
    assert [c.name for c in service.list_containers(name_starts_with=container.container_name)] == [container.container_name]
    container.delete_container()


@pytest.mark.parametrize(
    "letters, act",
    [
        ("wdlac", lambda blob: blob.download_blob()),
        ("wdlac", lambda blob: blob.get_blob_properties()),
        ("rdl", lambda blob: blob.upload_blob(b"new", overwrite=True)),
        ("rdlc", lambda blob: blob.upload_blob(b"new", overwrite=True)),
        ("rwlac", lambda blob: blob.delete_blob()),
        ("rdlac", lambda blob: blob.set_blob_metadata({})),
    ],
)
def test_an_account_token_does_nothing_else(blob, letters, act):
    client = with_account_token("sco", letters).get_blob_client(blob.container_name, blob.blob_name)
    with refused(403, "AuthorizationPermissionMismatch", "UnauthorizedBlobOverwrite"):
        act(client)


def test_an_account_token_is_for_some_kinds_of_resource(blob):
    objects = with_account_token("o", "rwdl")
    assert objects.get_blob_client(blob.container_name, blob.blob_name).download_blob().readall()
    with refused(403, "AuthorizationResourceTypeMismatch"):
        list(objects.get_container_client(blob.container_name).list_blobs())
    with refused(403, "AuthorizationResourceTypeMismatch"):
        list(objects.list_containers())


def test_an_account_token_is_for_some_services(blob):
    queues = with_account_token("sco", "r", services=Services(queue=True))
    with refused(403, "AuthorizationServiceMismatch"):
        queues.get_blob_client(blob.container_name, blob.blob_name).download_blob()


# Container tokens


def test_a_container_token(container, blob):
    client = with_container_token(container, "racwdl")
    assert [b.name for b in client.list_blobs()] == ["hello.txt"]
    new = client.upload_blob("new", b"data")
    assert new.download_blob().readall() == b"data"
    new.delete_blob()
    with refused(403, "AuthorizationFailure", "AuthorizationPermissionMismatch"):
        client.delete_container()


def test_a_container_token_without_list(container, blob):
    client = with_container_token(container, "r")
    assert client.download_blob("hello.txt").readall() == b"hello, world"
    with refused(403, "AuthorizationPermissionMismatch"):
        list(client.list_blobs())


def test_a_container_token_is_for_its_container(container, make_container):
    other = make_container()
    stranger = ContainerClient.from_container_url(other.url, credential=container_sas(container, "rl"), retry_total=0)
    with refused(403, "AuthenticationFailed"):
        list(stranger.list_blobs())


def test_creating_is_not_overwriting(container, blob):
    client = with_container_token(container, "c")
    client.upload_blob("new", b"data")
    with refused(403, "UnauthorizedBlobOverwrite"):
        client.upload_blob("hello.txt", b"data", overwrite=True)


# Blob tokens


def test_a_blob_token(blob):
    client = with_blob_token(blob, "rw")
    assert client.download_blob().readall() == b"hello, world"
    client.upload_blob(b"new", overwrite=True)
    with refused(403, "AuthorizationPermissionMismatch"):
        client.delete_blob()


def test_a_blob_token_is_for_its_blob(container, blob):
    other = container.upload_blob("other", b"data")
    stranger = BlobClient.from_blob_url(other.url, credential=blob_sas(blob, "r"), retry_total=0)
    with refused(403, "AuthenticationFailed"):
        stranger.download_blob()


@pytest.mark.parametrize("name", ["a b/c", "a+b", "100%", "grüße", "世界", "q?m#h"])
def test_a_blob_token_for_any_name(container, name):
    blob = container.upload_blob(name, b"data")
    assert with_blob_token(blob, "r").download_blob().readall() == b"data"


def test_a_blob_token_writes_tags_with_the_letter_for_tags(container):
    blob = container.get_blob_client("tagged")
    with refused(403, "AuthorizationPermissionMismatch"):
        with_blob_token(blob, "cw").upload_blob(b"data", tags={"a": "b"})
    with_blob_token(blob, "cwt").upload_blob(b"data", tags={"a": "b"})


def test_a_token_overrides_the_headers_of_the_answer(blob):
    client = with_blob_token(
        blob,
        "r",
        cache_control="no-store",
        content_disposition="attachment; filename=x",
        content_encoding="identity",
        content_language="fr",
        content_type="text/x-own",
    )
    for settings in (client.get_blob_properties().content_settings, client.download_blob().properties.content_settings):
        assert settings.cache_control == "no-store"
        assert settings.content_disposition == "attachment; filename=x"
        assert settings.content_encoding == "identity"
        assert settings.content_language == "fr"
        assert settings.content_type == "text/x-own"


# Where and when


def test_an_expired_token(blob):
    with refused(403, "AuthenticationFailed"):
        with_blob_token(blob, "r", expiry=now() - timedelta(minutes=1)).download_blob()


def test_a_token_before_its_time(blob):
    with refused(403, "AuthenticationFailed"):
        with_blob_token(blob, "r", start=in_an_hour(), expiry=in_an_hour() + timedelta(hours=1)).download_blob()


def test_a_token_in_its_time(blob):
    assert with_blob_token(blob, "r", start=an_hour_ago()).download_blob().readall()


def test_a_token_for_some_addresses(blob):
    assert with_blob_token(blob, "r", ip="0.0.0.0-255.255.255.255").download_blob().readall()
    for elsewhere in ("203.0.113.7", "203.0.113.0-203.0.113.255"):
        with refused(403, "AuthorizationSourceIPMismatch"):
            with_blob_token(blob, "r", ip=elsewhere).download_blob()


def test_a_token_for_some_protocols(blob):
    assert with_blob_token(blob, "r", protocol="https,http").download_blob().readall()
    if BLOB_URL.startswith("http:"):
        with refused(403, "AuthorizationProtocolMismatch"):
            with_blob_token(blob, "r", protocol="https").download_blob()


def test_a_forged_token(blob):
    token = blob_sas(blob, "r").replace("sp=r", "sp=rw")
    with refused(403, "AuthenticationFailed"):
        BlobClient.from_blob_url(blob.url, credential=token, retry_total=0).download_blob()


# Stored policies


def policy(permission, **times):
    return AccessPolicy(permission=permission, **{"start": an_hour_ago(), "expiry": in_an_hour(), **times})


def test_a_stored_policy_grants(container, blob):
    container.set_container_access_policy(signed_identifiers={"readers": policy("rl")})
    client = with_container_token(container, policy_id="readers")
    assert [b.name for b in client.list_blobs()] == ["hello.txt"]
    with refused(403, "AuthorizationPermissionMismatch"):
        client.upload_blob("new", b"data")
    assert with_blob_token(blob, policy_id="readers").download_blob().readall() == b"hello, world"


def test_a_stored_policy_is_revoked(container, blob):
    container.set_container_access_policy(signed_identifiers={"readers": policy("r")})
    client = with_blob_token(blob, policy_id="readers")
    assert client.download_blob().readall()
    container.set_container_access_policy(signed_identifiers={})
    with refused(403, "AuthenticationFailed"):
        client.download_blob()


def test_a_stored_policy_and_a_token_share_the_fields(container, blob):
    container.set_container_access_policy(signed_identifiers={"timeless": AccessPolicy(permission="r")})
    assert with_blob_token(blob, policy_id="timeless", expiry=in_an_hour()).download_blob().readall()
    with refused(403, "AuthenticationFailed"):
        with_blob_token(blob, "r", policy_id="timeless").download_blob()


def test_an_expired_stored_policy(container, blob):
    container.set_container_access_policy(signed_identifiers={"old": policy("r", expiry=now() - timedelta(minutes=1))})
    with refused(403, "AuthenticationFailed"):
        with_blob_token(blob, policy_id="old").download_blob()
