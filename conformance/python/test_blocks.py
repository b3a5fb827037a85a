import pytest
from azure.storage.blob import BlobBlock, ContentSettings
from helpers import MIB, pattern, refused


def ids(blocks):
    return [(block.id, block.size) for block in blocks]


def test_stage_and_commit(container):
    blob = container.get_blob_client("blocks")
    for name, data in [("a", b"alpha "), ("b", b"beta "), ("c", b"gamma")]:
        blob.stage_block(name, data)
    assert not blob.exists()
    committed, uncommitted = blob.get_block_list("all")
    assert committed == []
    assert sorted(ids(uncommitted)) == [("a", 6), ("b", 5), ("c", 5)]

    blob.commit_block_list([BlobBlock("c"), BlobBlock("a")])
    assert blob.download_blob().readall() == b"gammaalpha "
    committed, uncommitted = blob.get_block_list("all")
    assert ids(committed) == [("c", 5), ("a", 6)]
    assert uncommitted == []


def test_the_list_that_is_asked_for(container):
    blob = container.get_blob_client("blocks")
    blob.stage_block("a", b"1")
    blob.commit_block_list([BlobBlock("a")])
    blob.stage_block("b", b"22")
    assert [ids(blocks) for blocks in blob.get_block_list("committed")] == [[("a", 1)], []]
    assert [ids(blocks) for blocks in blob.get_block_list("uncommitted")] == [[], [("b", 2)]]
    assert [ids(blocks) for blocks in blob.get_block_list("all")] == [[("a", 1)], [("b", 2)]]


def test_committed_blocks_can_be_used_again(container):
    blob = container.get_blob_client("blocks")
    blob.stage_block("a", b"one ")
    blob.stage_block("b", b"two ")
    blob.commit_block_list([BlobBlock("a"), BlobBlock("b")])
    blob.stage_block("c", b"three ")
    blob.commit_block_list([BlobBlock("b"), BlobBlock("c"), BlobBlock("b")])
    assert blob.download_blob().readall() == b"two three two "
    assert ids(blob.get_block_list()[0]) == [("b", 4), ("c", 6), ("b", 4)]


def test_the_latest_block_of_an_id_wins(container):
    blob = container.get_blob_client("blocks")
    blob.stage_block("a", b"old")
    blob.commit_block_list([BlobBlock("a")])
    blob.stage_block("a", b"newer")
    blob.stage_block("a", b"newest")
    blob.commit_block_list([BlobBlock("a")])
    assert blob.download_blob().readall() == b"newest"


def test_an_unknown_block(container):
    blob = container.get_blob_client("blocks")
    blob.stage_block("a", b"data")
    with refused(400, "InvalidBlockList"):
        blob.commit_block_list([BlobBlock("a"), BlobBlock("b")])
    assert not blob.exists()
    blob.commit_block_list([BlobBlock("a")])


def test_ids_are_of_one_length(container):
    blob = container.get_blob_client("blocks")
    blob.stage_block("a", b"data")
    with refused(400, "InvalidBlobOrBlock"):
        blob.stage_block("longer", b"data")


def test_an_empty_list_makes_an_empty_blob(container):
    blob = container.get_blob_client("blocks")
    blob.commit_block_list([])
    assert blob.get_blob_properties().size == 0
    assert blob.download_blob().readall() == b""


def test_an_upload_drops_what_was_staged(container):
    blob = container.get_blob_client("blocks")
    blob.stage_block("a", b"staged")
    blob.upload_blob(b"uploaded", overwrite=True)
    assert [ids(blocks) for blocks in blob.get_block_list("all")] == [[], []]
    with refused(400, "InvalidBlockList"):
        blob.commit_block_list([BlobBlock("a")])


def test_a_commit_sets_properties_and_replaces_the_old_ones(container):
    blob = container.upload_blob("blocks", b"old", metadata={"old": "1"})
    blob.stage_block("a", b"data")
    settings = ContentSettings(content_type="text/plain", content_md5=bytearray(range(16)))
    answer = blob.commit_block_list([BlobBlock("a")], content_settings=settings, metadata={"New": "2"})
    properties = blob.get_blob_properties()
    assert properties.etag == answer["etag"]
    assert properties.metadata == {"New": "2"}
    assert properties.content_settings.content_type == "text/plain"
    assert properties.content_settings.content_md5 == bytearray(range(16))


def test_no_blob_no_list(container):
    with refused(404, "BlobNotFound"):
        container.get_blob_client("missing").get_block_list("all")


@pytest.mark.parametrize("count", [1, 200])
def test_many_blocks(container, count):
    blob = container.get_blob_client("blocks")
    names = [f"{i:05}" for i in range(count)]
    for name in names:
        blob.stage_block(name, name.encode())
    blob.commit_block_list([BlobBlock(name) for name in names])
    assert blob.download_blob().readall() == "".join(names).encode()
    assert blob.download_blob(offset=count * 5 - 3, length=2).readall() == names[-1].encode()[2:4]


def test_a_range_across_blocks(container):
    data = pattern(3 * MIB)
    blob = container.get_blob_client("blocks")
    for i in range(3):
        blob.stage_block(str(i), data[i * MIB : (i + 1) * MIB], validate_content=True)
    blob.commit_block_list([BlobBlock(str(i)) for i in range(3)])
    assert blob.download_blob(offset=MIB - 10, length=MIB + 20).readall() == data[MIB - 10 : 2 * MIB + 10]
