"""Blobs and blocks whose bytes the service fetches itself."""

import hashlib

import pytest
from azure.storage.blob import BlobClient, ContentSettings, StandardBlobTier
from helpers import MIB, blob_sas, pattern, refused

WRONG = '"0x8D000000000000"'
HIDDEN = (401, 403, 404), "CannotVerifyCopySource", "NoAuthenticationInformation"


@pytest.fixture
def source(container):
    """Where to read a blob with everything: its address with a token."""
    blob = container.upload_blob(
        "source",
        b"hello, world",
        metadata={"k": "v"},
        tags={"t": "1"},
        content_settings=ContentSettings(content_type="text/plain", cache_control="no-cache"),
        standard_blob_tier=StandardBlobTier.COOL,
    )
    return f"{blob.url}?{blob_sas(blob, 'rt')}"


def test_a_blob(container, source):
    blob = container.get_blob_client("blob")
    answer = blob.upload_blob_from_url(source)
    assert blob.download_blob().readall() == b"hello, world"
    properties = blob.get_blob_properties()
    assert properties.etag == answer["etag"]
    assert properties.content_settings.content_type == "text/plain"
    assert properties.content_settings.cache_control == "no-cache"
    assert properties.copy.id is None, "it is a blob of its own, and no copy"
    assert blob.get_blob_tags() == {}


def test_a_blob_with_properties_of_its_own(container, source):
    blob = container.get_blob_client("blob")
    blob.upload_blob_from_url(
        source,
        include_source_blob_properties=False,
        content_settings=ContentSettings(content_type="text/html"),
        metadata={"own": "1"},
        tags={"own": "2"},
        standard_blob_tier=StandardBlobTier.HOT,
    )
    properties = blob.get_blob_properties()
    assert properties.content_settings.content_type == "text/html"
    assert properties.content_settings.cache_control is None
    assert (properties.metadata, properties.blob_tier) == ({"own": "1"}, "Hot")
    assert blob.get_blob_tags() == {"own": "2"}


def test_a_blob_is_not_overwritten_unless_asked(container, source):
    blob = container.upload_blob("blob", b"older")
    with refused(409, "BlobAlreadyExists"):
        blob.upload_blob_from_url(source)
    assert blob.download_blob().readall() == b"older"
    blob.upload_blob_from_url(source, overwrite=True)
    assert blob.download_blob().readall() == b"hello, world"


def test_the_content_is_checked(container, source):
    blob = container.get_blob_client("blob")
    md5 = hashlib.md5(b"hello, world").digest()
    with refused(400, "Md5Mismatch"):
        blob.upload_blob_from_url(source, source_content_md5=bytearray(md5[::-1]))
    assert not blob.exists()
    answer = blob.upload_blob_from_url(source, source_content_md5=bytearray(md5))
    assert bytes(answer["content_md5"]) == md5


def test_conditions_on_the_source(container, source):
    blob = container.get_blob_client("blob")
    with refused((304, 412), "SourceConditionNotMet", "CannotVerifyCopySource"):
        blob.upload_blob_from_url(source, headers={"x-ms-source-if-match": WRONG})
    etag = container.get_blob_client("source").get_blob_properties().etag
    blob.upload_blob_from_url(source, headers={"x-ms-source-if-match": etag})


def test_a_source_that_may_not_be_read(container, source):
    blob = container.get_blob_client("blob")
    writer = BlobClient.from_blob_url(blob.url, credential=blob_sas(blob, "cw"), retry_total=0)
    with refused(*HIDDEN):
        writer.upload_blob_from_url(source.split("?")[0])
    with refused(*HIDDEN):
        writer.stage_block_from_url("MQ==", source.split("?")[0])
    with refused(*HIDDEN):
        writer.upload_blob_from_url(source.replace("sp=rt", "sp=rwt"))
    with refused(404, "CannotVerifyCopySource", "BlobNotFound"):
        blob.upload_blob_from_url(source.replace("/source?", "/missing?"))
    assert not blob.exists()


def test_blocks(container):
    data = pattern(2 * MIB)
    origin = container.upload_blob("origin", data)
    address = f"{origin.url}?{blob_sas(origin, 'r')}"
    blob = container.get_blob_client("blob")
    blob.stage_block_from_url("MQ==", address, source_offset=MIB, source_length=MIB)
    blob.stage_block_from_url("Mg==", address, source_offset=0, source_length=10)
    blob.stage_block("Mw==", b"own")
    _, staged = blob.get_block_list("uncommitted")
    assert sorted(block.size for block in staged) == [3, 10, MIB]
    blob.commit_block_list(["Mw==", "Mg==", "MQ=="])
    assert blob.download_blob().readall() == b"own" + data[:10] + data[MIB:]


def test_a_copy_that_is_waited_for(container, source):
    blob = container.get_blob_client("blob")
    answer = blob.start_copy_from_url(source, requires_sync=True)
    assert answer["copy_status"] == "success"
    properties = blob.get_blob_properties()
    assert (properties.copy.status, properties.metadata) == ("success", {"k": "v"})
    assert properties.copy.id == answer["copy_id"]
    assert blob.download_blob().readall() == b"hello, world"
    with refused(412, "SourceConditionNotMet", "CannotVerifyCopySource"):
        blob.start_copy_from_url(source, requires_sync=True, headers={"x-ms-source-if-match": WRONG})
    with refused(409, "BlobAlreadyExists"):
        blob.start_copy_from_url(source, requires_sync=True, headers={"If-None-Match": "*"})
