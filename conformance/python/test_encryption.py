"""Keys that the client provides, which clients send over https alone, and encryption scopes."""

import os
from base64 import b64encode
from hashlib import sha256

import pytest
from azure.storage.blob import BlobServiceClient, ContainerEncryptionScope, CustomerProvidedEncryptionKey
from helpers import ACCOUNT, KEY, MIB, SECURE_BLOB_URL, SECURE_CERTIFICATE, blob_sas, pattern, refused, unique

over_https = pytest.mark.skipif(not SECURE_BLOB_URL, reason="SECURE_BLOB_URL is not set")
USES = 409, "BlobUsesCustomerSpecifiedEncryption"
OTHER = 409, "BlobCustomerSpecifiedEncryptionMismatch", "BlobUsesCustomerSpecifiedEncryption"


def new_key():
    key = os.urandom(32)
    return CustomerProvidedEncryptionKey(b64encode(key).decode(), b64encode(sha256(key).digest()).decode())


@pytest.fixture(scope="module")
def secure_service():
    with BlobServiceClient(
        SECURE_BLOB_URL,
        {"account_name": ACCOUNT, "account_key": KEY},
        retry_total=0,
        connection_verify=SECURE_CERTIFICATE,
        max_single_put_size=MIB,
        max_block_size=MIB,
    ) as client:
        yield client


@pytest.fixture
def secure(secure_service):
    with secure_service.create_container(unique()) as client:
        yield client
        client.delete_container()


@over_https
def test_who_has_the_key_reads(secure):
    cpk = new_key()
    blob = secure.get_blob_client("a")
    put = blob.upload_blob(b"secret", metadata={"a": "b"}, cpk=cpk)
    assert put["encryption_key_sha256"] == cpk.key_hash
    assert put["request_server_encrypted"] is True
    assert blob.download_blob(cpk=cpk).readall() == b"secret"
    assert blob.download_blob(cpk=cpk, offset=2, length=3).readall() == b"cre"
    properties = blob.get_blob_properties(cpk=cpk)
    assert (properties.encryption_key_sha256, properties.metadata) == (cpk.key_hash, {"a": "b"})


@over_https
def test_who_has_not_does_not(secure):
    blob = secure.get_blob_client("a")
    blob.upload_blob(b"secret", cpk=new_key())
    for cpk, refusal in ((None, USES), (new_key(), OTHER)):
        with refused(*refusal):
            blob.download_blob(cpk=cpk)
        with refused(*refusal):
            blob.set_blob_metadata({"a": "b"}, cpk=cpk)
        with refused(*refusal):
            blob.create_snapshot(cpk=cpk)
        # the answer to a HEAD has no body, and clients tell its error code from a header
        with refused(*refusal):
            blob.get_blob_properties(cpk=cpk)
    plain = secure.upload_blob("plain", b"data")
    with refused(409, "BlobDoesNotUseCustomerSpecifiedEncryption"):
        plain.download_blob(cpk=new_key())


@over_https
def test_in_blocks_appended_and_in_pages(secure):
    cpk = new_key()
    data = pattern(2 * MIB + 3)
    large = secure.get_blob_client("large")
    large.upload_blob(data, cpk=cpk)
    assert large.download_blob(cpk=cpk).readall() == data
    with refused(*USES):
        large.download_blob()

    log = secure.get_blob_client("log")
    log.create_append_blob(cpk=cpk)
    assert log.append_block(b"line", cpk=cpk)["encryption_key_sha256"] == cpk.key_hash
    with refused(*USES):
        log.append_block(b"line")

    disk = secure.get_blob_client("disk")
    disk.create_page_blob(512, cpk=cpk)
    assert disk.upload_page(b"x" * 512, 0, 512, cpk=cpk)["encryption_key_sha256"] == cpk.key_hash
    with refused(*OTHER):
        disk.upload_page(b"y" * 512, 0, 512, cpk=new_key())
    assert disk.download_blob(cpk=cpk).readall() == b"x" * 512


@over_https
def test_a_snapshot_needs_the_key_of_its_blob(secure):
    cpk = new_key()
    blob = secure.get_blob_client("a")
    blob.upload_blob(b"secret", cpk=cpk)
    taken = blob.create_snapshot(cpk=cpk)
    snapshot = secure.get_blob_client("a", snapshot=taken)
    assert snapshot.download_blob(cpk=cpk).readall() == b"secret"
    with refused(*USES):
        snapshot.download_blob()


@over_https
def test_a_blob_from_a_url_has_a_key_of_its_own(secure):
    cpk = new_key()
    source = secure.upload_blob("source", b"data")
    blob = secure.get_blob_client("a")
    blob.upload_blob_from_url(f"{source.url}?{blob_sas(source, 'r')}", cpk=cpk)
    assert blob.download_blob(cpk=cpk).readall() == b"data"
    with refused(*USES):
        blob.download_blob()


@over_https
def test_a_listing_hides_what_the_key_hides(secure):
    cpk = new_key()
    secure.get_blob_client("a").upload_blob(b"secret", metadata={"a": "b"}, cpk=cpk)
    (listed,) = secure.list_blobs(include=["metadata"])
    assert (listed.name, listed.size) == ("a", 6)
    assert not listed.metadata
    assert listed.encrypted_metadata


def test_a_scope_is_told(container):
    blob = container.upload_blob("a", b"data", encryption_scope="my-scope")
    assert blob.get_blob_properties().encryption_scope == "my-scope"
    assert blob.download_blob().readall() == b"data"
    (listed,) = container.list_blobs()
    assert listed.encryption_scope == "my-scope"


def test_a_container_sets_the_scope_of_its_blobs(make_container):
    container = make_container(container_encryption_scope=ContainerEncryptionScope("soft"))
    assert container.get_container_properties().encryption_scope.default_encryption_scope == "soft"
    assert container.upload_blob("a", b"a").get_blob_properties().encryption_scope == "soft"
    assert container.upload_blob("b", b"b", encryption_scope="other").get_blob_properties().encryption_scope == "other"


def test_a_container_may_allow_no_other_scope(make_container):
    hard = ContainerEncryptionScope("hard", prevent_encryption_scope_override=True)
    container = make_container(container_encryption_scope=hard)
    told = container.get_container_properties().encryption_scope
    assert (told.default_encryption_scope, told.prevent_encryption_scope_override) == ("hard", True)
    with refused(403, "RequestForbiddenByContainerEncryptionPolicy"):
        container.upload_blob("a", b"a", encryption_scope="other")
    assert container.upload_blob("a", b"a").get_blob_properties().encryption_scope == "hard"
