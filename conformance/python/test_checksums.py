"""CRC-64 of what goes up and comes down, checked by client and server: in a header, or with every segment of a structured message."""

import io

import pytest
from helpers import KIB, MIB, pattern


@pytest.mark.parametrize("size", [0, 1, 512 * KIB, 2 * MIB + 3])
def test_a_stream_goes_up_and_comes_down_in_structured_messages(container, size):
    data = pattern(size)
    blob = container.upload_blob("valid", io.BytesIO(data), length=size, validate_content="crc64")
    assert blob.download_blob(validate_content="crc64", max_concurrency=2).readall() == data
    # What is stored is the content, not the message.
    assert blob.get_blob_properties().size == size
    assert blob.download_blob().readall() == data


def test_a_range_comes_in_a_structured_message(container):
    blob = container.upload_blob("range", b"0123456789", validate_content="crc64")
    assert blob.download_blob(offset=3, length=4, validate_content="crc64").readall() == b"3456"


def test_blocks_appends_and_pages(container):
    block = container.get_blob_client("block")
    block.stage_block("AAAA", io.BytesIO(b"hello"), length=5, validate_content="crc64")
    block.commit_block_list(["AAAA"])
    append = container.get_blob_client("append")
    append.create_append_blob()
    append.append_block(io.BytesIO(b"hello"), length=5, validate_content="crc64")
    page = container.get_blob_client("page")
    page.create_page_blob(1024)
    page.upload_page(b"x" * 512, 512, 512, validate_content="crc64")
    for blob, content in [(block, b"hello"), (append, b"hello"), (page, bytes(512) + b"x" * 512)]:
        assert blob.download_blob(validate_content="crc64").readall() == content
