import hashlib

import pytest
from azure.storage.blob import BlobType, ContentSettings, SequenceNumberAction
from helpers import KIB, MIB, blob_sas, pattern, refused

PAGE = 512
A, B, C = (bytes([letter]) * PAGE for letter in b"abc")


@pytest.fixture
def disk(container):
    """An empty page blob of eight pages."""
    client = container.get_blob_client("disk")
    client.create_page_blob(8 * PAGE, ContentSettings(content_type="x-own/disk"), metadata={"kind": "disk"})
    return client


def ranges(client, **options):
    return [(part.start, part.end, part.cleared) for part in client.list_page_ranges(**options)]


def test_a_new_one_is_all_zeroes(disk):
    properties = disk.get_blob_properties()
    assert properties.blob_type == BlobType.PAGEBLOB
    assert properties.size == 8 * PAGE
    assert properties.page_blob_sequence_number == 0
    assert properties.content_settings.content_type == "x-own/disk"
    assert disk.download_blob().readall() == bytes(8 * PAGE)
    assert ranges(disk) == []


def test_a_size_is_in_pages(container):
    with refused(400, "InvalidHeaderValue"):
        container.get_blob_client("odd").create_page_blob(PAGE + 1, headers={"x-ms-blob-content-length": "513"})
    assert container.get_blob_client("empty").create_page_blob(0)["etag"]


def test_pages_are_written_and_cleared(disk):
    first = disk.upload_page(A + B, offset=PAGE, length=2 * PAGE)
    assert first["blob_sequence_number"] == 0
    disk.upload_page(C, offset=5 * PAGE, length=PAGE)
    assert ranges(disk) == [(PAGE, 3 * PAGE - 1, False), (5 * PAGE, 6 * PAGE - 1, False)]
    last = disk.clear_page(offset=2 * PAGE, length=PAGE)
    assert last["etag"] != first["etag"]
    assert disk.get_blob_properties().etag == last["etag"]
    assert ranges(disk) == [(PAGE, 2 * PAGE - 1, False), (5 * PAGE, 6 * PAGE - 1, False)]
    assert ranges(disk, offset=0, length=2 * PAGE) == [(PAGE, 2 * PAGE - 1, False)]
    assert disk.download_blob().readall() == bytes(PAGE) + A + bytes(3 * PAGE) + C + bytes(2 * PAGE)
    assert disk.download_blob(offset=PAGE - 1, length=3).readall() == b"\0aa"


def test_a_page_is_checked(disk):
    answer = disk.upload_page(A, offset=0, length=PAGE, validate_content=True)
    assert bytes(answer["content_md5"]) == hashlib.md5(A).digest()
    checked = disk.upload_page(A, offset=0, length=PAGE)
    assert checked["content_crc64"] or checked["content_md5"], "which of them depends on the version"


def test_pages_end_where_the_blob_ends(disk):
    with refused(416, "InvalidPageRange"):
        disk.upload_page(A, offset=8 * PAGE, length=PAGE)
    with refused(416, "InvalidPageRange"):
        disk.clear_page(offset=7 * PAGE, length=2 * PAGE)
    assert ranges(disk) == []


def test_only_a_page_blob_has_pages(blob):
    with refused(409, "InvalidBlobType"):
        blob.upload_page(A, offset=0, length=PAGE)
    with refused(409, "InvalidBlobType"):
        list(blob.list_page_ranges())


def test_an_upload_leaves_holes_where_there_is_nothing(container):
    data = pattern(MIB) + bytes(MIB) + pattern(64 * KIB)
    blob = container.upload_blob("disk", data, blob_type=BlobType.PAGEBLOB, max_concurrency=3)
    assert blob.download_blob(max_concurrency=3).readall() == data
    assert ranges(blob) == [(0, MIB - 1, False), (2 * MIB, 2 * MIB + 64 * KIB - 1, False)]


def test_ranges_come_page_by_page(disk):
    for place in (0, 2, 4, 6):
        disk.upload_page(A, offset=place * PAGE, length=PAGE)
    pages = [[part.start for part in page] for page in disk.list_page_ranges(results_per_page=3).by_page()]
    assert pages == [[0, 2 * PAGE, 4 * PAGE], [6 * PAGE]]


def test_what_changed_since_a_snapshot(disk):
    disk.upload_page(A + B + C, offset=0, length=3 * PAGE)
    snapshot = disk.create_snapshot()
    disk.upload_page(C, offset=PAGE, length=PAGE)
    disk.clear_page(offset=2 * PAGE, length=PAGE)
    disk.upload_page(A, offset=6 * PAGE, length=PAGE)
    changes = [
        (PAGE, 2 * PAGE - 1, False),
        (2 * PAGE, 3 * PAGE - 1, True),
        (6 * PAGE, 7 * PAGE - 1, False),
    ]
    found = ranges(disk, previous_snapshot=snapshot)
    assert sorted(found) == changes
    later = disk.create_snapshot()
    assert ranges(disk, previous_snapshot=later) == []


def test_it_grows_and_shrinks(disk):
    disk.upload_page(A, offset=0, length=PAGE)
    disk.upload_page(B, offset=7 * PAGE, length=PAGE)
    disk.resize_blob(PAGE)
    assert disk.download_blob().readall() == A
    disk.resize_blob(8 * PAGE)
    assert disk.download_blob().readall() == A + bytes(7 * PAGE)
    assert ranges(disk) == [(0, PAGE - 1, False)]


def test_sequence_numbers(disk):
    assert disk.set_sequence_number(SequenceNumberAction.UPDATE, "7")["blob_sequence_number"] == 7
    assert disk.set_sequence_number(SequenceNumberAction.MAX, "5")["blob_sequence_number"] == 7
    assert disk.set_sequence_number(SequenceNumberAction.INCREMENT)["blob_sequence_number"] == 8
    assert disk.get_blob_properties().page_blob_sequence_number == 8
    for condition in ({"if_sequence_number_lt": 8}, {"if_sequence_number_lte": 7}, {"if_sequence_number_eq": 9}):
        with refused(412, "SequenceNumberConditionNotMet"):
            disk.upload_page(A, offset=0, length=PAGE, **condition)
        with refused(412, "SequenceNumberConditionNotMet"):
            disk.clear_page(offset=0, length=PAGE, **condition)
    for condition in ({"if_sequence_number_lt": 9}, {"if_sequence_number_lte": 8}, {"if_sequence_number_eq": 8}):
        assert disk.upload_page(A, offset=0, length=PAGE, **condition)["blob_sequence_number"] == 8


def test_pages_come_from_other_blobs(container, disk):
    source = container.upload_blob("source", A + B + C)
    address = f"{source.url}?{blob_sas(source, 'r')}"
    answer = disk.upload_pages_from_url(address, offset=PAGE, length=2 * PAGE, source_offset=PAGE)
    assert answer["blob_sequence_number"] == 0
    assert disk.download_blob(offset=0, length=4 * PAGE).readall() == bytes(PAGE) + B + C + bytes(PAGE)
    with refused(400, "Md5Mismatch"):
        disk.upload_pages_from_url(address, offset=0, length=PAGE, source_offset=0, source_content_md5=bytes(16))
    with refused(404, "CannotVerifyCopySource", "BlobNotFound"):
        missing = address.replace("/source?", "/missing?")
        disk.upload_pages_from_url(missing, offset=0, length=PAGE, source_offset=0)
    assert ranges(disk) == [(PAGE, 3 * PAGE - 1, False)]


def test_a_copy_and_its_source_change_apart(container, disk):
    disk.upload_page(A, offset=0, length=PAGE)
    copy = container.get_blob_client("copy")
    copy.start_copy_from_url(disk.url)
    copy.upload_page(B, offset=0, length=PAGE)
    disk.upload_page(C, offset=PAGE, length=PAGE)
    assert disk.download_blob(offset=0, length=2 * PAGE).readall() == A + C
    assert copy.download_blob(offset=0, length=2 * PAGE).readall() == B + bytes(PAGE)
