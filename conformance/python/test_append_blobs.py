import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from azure.storage.blob import BlobType, ContentSettings
from helpers import MIB, blob_sas, pattern, refused


@pytest.fixture
def log(container):
    """An empty append blob."""
    client = container.get_blob_client("log")
    client.create_append_blob(ContentSettings(content_type="text/plain"), metadata={"kind": "log"})
    return client


def test_a_new_one_is_empty(log):
    properties = log.get_blob_properties()
    assert properties.blob_type == BlobType.APPENDBLOB
    assert properties.size == 0
    assert properties.append_blob_committed_block_count == 0
    assert properties.content_settings.content_type == "text/plain"
    assert properties.metadata == {"kind": "log"}
    assert not properties.is_append_blob_sealed


def test_blocks_go_to_the_end(log):
    first = log.append_block(b"one ")
    second = log.append_block(b"two ")
    assert (first["blob_append_offset"], first["blob_committed_block_count"]) == ("0", 1)
    assert (second["blob_append_offset"], second["blob_committed_block_count"]) == ("4", 2)
    assert second["etag"] != first["etag"]
    assert second["request_server_encrypted"] is True
    properties = log.get_blob_properties()
    assert (properties.size, properties.append_blob_committed_block_count) == (8, 2)
    assert properties.etag == second["etag"]
    assert log.download_blob().readall() == b"one two "
    assert log.download_blob(offset=2, length=4).readall() == b"e tw"


def test_an_upload_appends_until_told_otherwise(container):
    data = pattern(2 * MIB + 7)
    blob = container.upload_blob("log", data, blob_type=BlobType.APPENDBLOB)
    assert blob.get_blob_properties().append_blob_committed_block_count == 3
    blob.upload_blob(b"more", blob_type=BlobType.APPENDBLOB)
    assert blob.download_blob().readall() == data + b"more"
    blob.upload_blob(b"anew", blob_type=BlobType.APPENDBLOB, overwrite=True)
    assert blob.download_blob().readall() == b"anew"


def test_only_at_a_position(log):
    log.append_block(b"12345", appendpos_condition=0)
    with refused(412, "AppendPositionConditionNotMet"):
        log.append_block(b"x", appendpos_condition=0)
    log.append_block(b"678", appendpos_condition=5)
    assert log.download_blob().readall() == b"12345678"


def test_only_up_to_a_size(log):
    log.append_block(b"12345", maxsize_condition=5)
    with refused(412, "MaxBlobSizeConditionNotMet"):
        log.append_block(b"6", maxsize_condition=5)
    assert log.get_blob_properties().size == 5


def test_a_block_is_checked(log):
    answer = log.append_block(b"data", validate_content=True)
    assert bytes(answer["content_md5"]) == hashlib.md5(b"data").digest()
    assert log.append_block(b"data")["content_crc64"]


def test_a_sealed_one_is_only_read(container, log):
    log.append_block(b"data")
    with refused(412, "AppendPositionConditionNotMet"):
        log.seal_append_blob(appendpos_condition=3)
    sealed = log.seal_append_blob(appendpos_condition=4)
    assert sealed["blob_sealed"] is True
    assert log.seal_append_blob()["blob_sealed"] is True, "sealing twice is no fault"
    with refused(409, "BlobIsSealed"):
        log.append_block(b"more")
    assert log.get_blob_properties().is_append_blob_sealed
    assert log.download_blob().readall() == b"data"
    (listed,) = container.list_blobs()
    assert listed.is_append_blob_sealed
    log.set_blob_metadata({"still": "allowed"})
    copy = container.get_blob_client("copy")
    copy.start_copy_from_url(log.url, seal_destination_blob=False)
    copy.append_block(b"more")
    assert copy.download_blob().readall() == b"datamore"


def test_other_types_do_not_grow(container, blob):
    with refused(409, "InvalidBlobType"):
        blob.append_block(b"data")
    with refused(404, "BlobNotFound"):
        container.get_blob_client("missing").append_block(b"data")
    with refused(409, "InvalidBlobType"):
        blob.seal_append_blob()


def test_no_line_of_many_writers_is_lost(log):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: log.append_block(b"%03d\n" % i), range(64)))
    assert sorted(int(answer["blob_append_offset"]) for answer in answers) == list(range(0, 256, 4))
    lines = log.download_blob().readall().split()
    assert sorted(int(line) for line in lines) == list(range(64))
    for i, answer in enumerate(answers):
        assert int(lines[int(answer["blob_append_offset"]) // 4]) == i


def test_blocks_come_from_other_blobs(log, blob):
    source = f"{blob.url}?{blob_sas(blob, 'r')}"
    answer = log.append_block_from_url(source, source_offset=7, source_length=5)
    assert (answer["blob_append_offset"], answer["blob_committed_block_count"]) == ("0", 1)
    log.append_block_from_url(source, appendpos_condition=5)
    with refused(412, "AppendPositionConditionNotMet"):
        log.append_block_from_url(source, appendpos_condition=5)
    assert log.download_blob().readall() == b"worldhello, world"
    md5 = hashlib.md5(b"hello, world").digest()
    log.append_block_from_url(source, source_content_md5=bytearray(md5))
    with refused(400, "Md5Mismatch"):
        log.append_block_from_url(source, source_content_md5=bytearray(md5[::-1]))
    with refused(404, "CannotVerifyCopySource", "BlobNotFound"):
        log.append_block_from_url(source.replace("/hello.txt?", "/missing?"))
    assert log.get_blob_properties().append_blob_committed_block_count == 3
