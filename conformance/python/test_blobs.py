import hashlib
import io

import pytest
from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.blob import ContentSettings
from helpers import KIB, MIB, pattern, refused, unique


def test_what_goes_up_comes_down(container):
    blob = container.upload_blob("hello.txt", b"hello, world")
    assert blob.download_blob().readall() == b"hello, world"


def test_text_is_text(container):
    blob = container.upload_blob("text", "grüße, 世界", encoding="utf-8")
    assert blob.download_blob(encoding="utf-8").readall() == "grüße, 世界"


def test_an_empty_blob(container):
    blob = container.upload_blob("empty", b"")
    properties = blob.get_blob_properties()
    assert properties.size == 0
    assert blob.download_blob().readall() == b""
    assert bytes(properties.content_settings.content_md5) == hashlib.md5(b"").digest()


@pytest.mark.parametrize("size", [1, 1 * MIB - 1, 1 * MIB, 1 * MIB + 1, 5 * MIB + 7])
def test_every_size_from_one_request_to_several_blocks(container, size):
    data = pattern(size)
    blob = container.upload_blob("data", data, max_concurrency=4)
    assert blob.get_blob_properties().size == size
    assert blob.download_blob(max_concurrency=4).readall() == data
    committed, uncommitted = blob.get_block_list("all")
    assert sum(block.size for block in committed) == (size if size > 1 * MIB else 0)
    assert uncommitted == []


def test_a_large_blob_in_parallel(container):
    data = pattern(48 * MIB + 1)
    blob = container.upload_blob("large", data, max_concurrency=8)
    committed, _ = blob.get_block_list("all")
    assert len(committed) == 49
    assert blob.download_blob(max_concurrency=8).readall() == data
    middle = blob.download_blob(offset=5 * MIB - 3, length=20 * MIB, max_concurrency=8)
    assert middle.readall() == data[5 * MIB - 3 : 25 * MIB - 3]


def test_a_stream_of_unknown_length(container):
    data = pattern(3 * MIB + 5)

    def pieces():
        for start in range(0, len(data), 100 * KIB):
            yield data[start : start + 100 * KIB]

    blob = container.upload_blob("stream", pieces())
    sink = io.BytesIO()
    assert blob.download_blob().readinto(sink) == len(data)
    assert sink.getvalue() == data


def test_a_blob_can_be_read_chunk_by_chunk(container):
    data = pattern(3 * MIB + 5)
    blob = container.upload_blob("chunks", data)
    chunks = list(blob.download_blob().chunks())
    assert len(chunks) > 1
    assert b"".join(chunks) == data


def test_ranges(container):
    data = pattern(4 * KIB)
    blob = container.upload_blob("ranges", data)
    assert blob.download_blob(offset=0, length=1).readall() == data[:1]
    assert blob.download_blob(offset=10, length=100).readall() == data[10:110]
    assert blob.download_blob(offset=4000).readall() == data[4000:]
    assert blob.download_blob(offset=4095, length=1).readall() == data[4095:]
    assert blob.download_blob(offset=4000, length=1000).readall() == data[4000:]


def test_a_range_past_the_end(container):
    blob = container.upload_blob("short", b"12345")
    with refused(416, "InvalidRange"):
        blob.download_blob(offset=5, length=1)


def test_content_is_validated_with_md5_on_the_way_up_and_down(container):
    data = pattern(2 * MIB + 3)
    blob = container.upload_blob("valid", data, validate_content=True)
    assert blob.download_blob(validate_content=True, max_concurrency=2).readall() == data
    small = container.upload_blob("small", b"small", validate_content=True)
    assert small.download_blob(offset=1, length=3, validate_content=True).readall() == b"mal"


def test_one_request_gets_an_md5_and_blocks_do_not(container):
    whole = container.upload_blob("whole", b"whole").get_blob_properties()
    assert bytes(whole.content_settings.content_md5) == hashlib.md5(b"whole").digest()
    blocks = container.upload_blob("blocks", pattern(2 * MIB)).get_blob_properties()
    assert blocks.content_settings.content_md5 is None


def test_overwriting_must_be_asked_for(blob):
    with refused(409, "BlobAlreadyExists") as caught:
        blob.upload_blob(b"again")
    assert isinstance(caught.value, ResourceExistsError)
    assert blob.download_blob().readall() == b"hello, world"
    blob.upload_blob(b"again", overwrite=True)
    assert blob.download_blob().readall() == b"again"


def test_overwriting_in_blocks_must_be_asked_for(blob):
    with refused(409, "BlobAlreadyExists"):
        blob.upload_blob(pattern(2 * MIB))
    assert blob.download_blob().readall() == b"hello, world"


def test_overwriting_keeps_nothing_but_the_creation_time(container):
    settings = ContentSettings(content_type="text/plain", cache_control="no-store")
    blob = container.upload_blob("a", b"one", metadata={"a": "b"}, content_settings=settings)
    first = blob.get_blob_properties()
    blob.upload_blob(b"two", overwrite=True)
    second = blob.get_blob_properties()
    assert second.metadata == {}
    assert second.content_settings.content_type == "application/octet-stream"
    assert second.content_settings.cache_control is None
    assert second.creation_time == first.creation_time
    assert second.etag != first.etag


def test_what_is_not_there(container):
    blob = container.get_blob_client("missing")
    assert not blob.exists()
    for attempt in (blob.get_blob_properties, blob.download_blob, blob.delete_blob):
        with refused(404, "BlobNotFound") as caught:
            attempt()
        assert isinstance(caught.value, ResourceNotFoundError)


def test_what_is_in_no_container(service):
    blob = service.get_blob_client(unique(), "blob")
    assert not blob.exists()
    for attempt in (blob.download_blob, blob.delete_blob, lambda: blob.upload_blob(b"")):
        with refused(404, "ContainerNotFound"):
            attempt()


def test_deleting(container, blob):
    blob.delete_blob()
    assert not blob.exists()
    assert list(container.list_blob_names()) == []
    with refused(404, "BlobNotFound"):
        blob.delete_blob()


def test_properties(container):
    settings = ContentSettings(
        content_type="text/plain; charset=utf-8",
        content_encoding="identity",
        content_language="de",
        content_disposition='attachment; filename="a b.txt"',
        cache_control="max-age=60",
    )
    blob = container.upload_blob("a", b"hello", content_settings=settings, metadata={"CamelCase": "x"})
    properties = blob.get_blob_properties()
    assert properties.name == "a"
    assert properties.container == container.container_name
    assert properties.size == 5
    assert properties.blob_type == "BlockBlob"
    assert properties.etag.startswith('"0x')
    assert properties.creation_time <= properties.last_modified
    assert properties.server_encrypted is True
    assert (properties.lease.status, properties.lease.state) == ("unlocked", "available")
    assert properties.metadata == {"CamelCase": "x"}
    got = properties.content_settings
    assert got.content_type == settings.content_type
    assert got.content_encoding == settings.content_encoding
    assert got.content_language == settings.content_language
    assert got.content_disposition == settings.content_disposition
    assert got.cache_control == settings.cache_control


def test_a_download_tells_the_properties_too(container):
    blob = container.upload_blob("a", b"0123456789", metadata={"k": "v"})
    downloaded = blob.download_blob(offset=2, length=3)
    assert downloaded.readall() == b"234"
    assert downloaded.properties.size == 3
    assert downloaded.size == 3
    assert downloaded.properties.metadata == {"k": "v"}
    assert downloaded.properties.etag == blob.get_blob_properties().etag


def test_setting_headers_clears_those_not_given(container):
    blob = container.upload_blob("a", b"a", content_settings=ContentSettings(content_type="text/css", cache_control="no-cache"))
    before = blob.get_blob_properties()
    blob.set_http_headers(ContentSettings(content_type="text/html"))
    after = blob.get_blob_properties()
    assert after.content_settings.content_type == "text/html"
    assert after.content_settings.cache_control is None
    assert after.content_settings.content_md5 is None
    assert after.etag != before.etag


def test_metadata_is_replaced_whole_and_keeps_its_case(container):
    blob = container.upload_blob("a", b"a", metadata={"First": "1"})
    blob.set_blob_metadata({"SecondName": "2", "third_name": "with spaces, and = signs"})
    assert blob.get_blob_properties().metadata == {"SecondName": "2", "third_name": "with spaces, and = signs"}
    blob.set_blob_metadata({})
    assert blob.get_blob_properties().metadata == {}
    assert blob.download_blob().readall() == b"a"


def test_large_metadata(container):
    metadata = {f"key{i}": "x" * 700 for i in range(10)}
    blob = container.upload_blob("a", b"a", metadata=metadata)
    assert blob.get_blob_properties().metadata == metadata


def test_too_large_metadata(blob):
    with refused(400, "MetadataTooLarge"):
        blob.set_blob_metadata({f"key{i}": "x" * 900 for i in range(10)})


def test_a_metadata_name_is_an_identifier(blob):
    with refused(400, "InvalidMetadata"):
        blob.set_blob_metadata({"not-a-name": "x"})


NAMES = [
    "a b",
    "a+b",
    "100%",
    "%20",
    "a//b",
    "..a",
    "a..b",
    "grüße",
    "世界/🦀",
    "q?m",
    "#h",
    "'q'",
    "<a>&b=c;d",
    "a:b@c",
    "~!$()*,",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_every_sort(container, name):
    blob = container.upload_blob(name, name.encode())
    assert list(container.list_blob_names()) == [name]
    assert blob.download_blob().readall() == name.encode()
    assert blob.get_blob_properties().name == name
    blob.delete_blob()
    assert list(container.list_blob_names()) == []


def test_a_name_can_be_long(container):
    name = "n" * 1024
    container.upload_blob(name, b"")
    assert list(container.list_blob_names()) == [name]


def test_names_differ_by_case(container):
    container.upload_blob("Name", b"upper")
    container.upload_blob("name", b"lower")
    assert container.download_blob("Name").readall() == b"upper"
    assert list(container.list_blob_names()) == ["Name", "name"]
