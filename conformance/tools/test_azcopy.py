"""azcopy: copy and sync, up, down and between containers, with a SAS."""

import json
import os

import pytest
from azure.storage.blob import BlobType
from helpers import MIB, account_sas, azcopy, now, pattern, read_container, read_tree, tree, url

FILES = {"a.txt": b"a", "b.bin": pattern(3 * MIB), "folder/c d.txt": b"c d", "folder/deep/ä%+.txt": b"odd", "folder/empty": b""}


@pytest.fixture(scope="session")
def sas():
    return account_sas()


def test_copies_a_folder_up_and_down(container, sas, tmp_path):
    tree(tmp_path / "up", FILES)
    there = url(container.container_name, sas=sas)
    sent = azcopy("copy", tmp_path / "up" / "*", there, "--recursive", "--put-md5", "--from-to", "LocalBlob")
    assert (sent["TransfersCompleted"], sent["TransfersFailed"]) == (str(len(FILES)), "0")
    assert read_container(container) == FILES
    assert all(blob.content_settings.content_md5 for blob in container.list_blobs())
    azcopy(
        "copy",
        url(container.container_name, "*", sas),
        tmp_path / "down",
        "--recursive",
        "--check-md5",
        "FailIfDifferent",
        "--from-to",
        "BlobLocal",
    )
    assert read_tree(tmp_path / "down") == FILES


def test_large_files_go_in_blocks(container, sas, tmp_path):
    content = pattern(20 * MIB + 1)
    tree(tmp_path, {"large": content})
    there = url(container.container_name, "large", sas)
    azcopy("copy", tmp_path / "large", there, "--block-size-mb", "2", "--from-to", "LocalBlob")
    committed, _ = container.get_blob_client("large").get_block_list("all")
    assert [block.size for block in committed] == [2 * MIB] * 10 + [1]
    azcopy("copy", there, tmp_path / "back", "--block-size-mb", "1", "--from-to", "BlobLocal")
    assert (tmp_path / "back").read_bytes() == content


@pytest.mark.parametrize("kind", ["PageBlob", "AppendBlob"])
def test_the_other_kinds_of_blob(make_container, sas, tmp_path, kind):
    content = pattern(2 * MIB)
    tree(tmp_path, {"up.vhd": content})
    source, target = make_container(), make_container()
    azcopy("copy", tmp_path / "up.vhd", url(source.container_name, "up.vhd", sas), "--blob-type", kind, "--from-to", "LocalBlob")
    azcopy("copy", url(source.container_name, "up.vhd", sas), url(target.container_name, "up.vhd", sas), "--from-to", "BlobBlob")
    for one in (source, target):
        blob = one.get_blob_client("up.vhd")
        assert blob.get_blob_properties().blob_type == BlobType(kind)
        assert blob.download_blob().readall() == content


def test_copies_between_containers(make_container, sas):
    source, target = make_container(FILES), make_container()
    blob = source.get_blob_client("a.txt")
    blob.set_blob_metadata({"colour": "blue"})
    blob.set_blob_tags({"k": "v"})
    blob.set_standard_blob_tier("Cool")
    there = url(target.container_name, sas=sas)
    azcopy("copy", url(source.container_name, "*", sas), there, "--recursive", "--s2s-preserve-blob-tags", "--from-to", "BlobBlob")
    assert read_container(target) == FILES
    copied = target.get_blob_client("a.txt")
    properties = copied.get_blob_properties()
    assert (properties.metadata, properties.blob_tier, copied.get_blob_tags()) == ({"colour": "blue"}, "Cool", {"k": "v"})


def test_sync_up(container, sas, tmp_path):
    tree(tmp_path, {"same": b"same", "changed": b"before", "sub/gone": b"gone"})
    there = url(container.container_name, sas=sas)
    assert azcopy("sync", tmp_path, there, "--from-to", "LocalBlob")["TransfersCompleted"] == "3"
    later = now().timestamp() + 60
    tree(tmp_path, {"changed": b"after", "new": b"new"})
    (tmp_path / "sub/gone").unlink()
    for path, time in {"same": later - 3600, "changed": later, "new": later}.items():
        os.utime(tmp_path / path, (time, time))
    done = azcopy("sync", tmp_path, there, "--delete-destination", "true", "--from-to", "LocalBlob")
    assert (done["TransfersCompleted"], done["DeleteTransfersCompleted"]) == ("2", "1")
    assert read_container(container) == {"same": b"same", "changed": b"after", "new": b"new"}


def test_sync_down(make_container, sas, tmp_path):
    container = make_container({"a": b"a", "sub/b": b"b"})
    tree(tmp_path, {"mine": b"not there"})
    there = url(container.container_name, sas=sas)
    azcopy("sync", there, tmp_path, "--delete-destination", "true", "--from-to", "BlobLocal")
    assert read_tree(tmp_path) == {"a": b"a", "sub/b": b"b"}


def test_sync_between_containers(make_container, sas):
    source, target = make_container({"a": b"a", "sub/b": b"b"}), make_container({"old": b"old"})
    urls = [url(one.container_name, sas=sas) for one in (source, target)]
    azcopy("sync", *urls, "--delete-destination", "true", "--from-to", "BlobBlob")
    assert read_container(target) == {"a": b"a", "sub/b": b"b"}
    assert azcopy("sync", *urls, "--from-to", "BlobBlob")["TransfersCompleted"] == "0"


def test_lists_and_removes(make_container, sas):
    container = make_container(FILES)
    there = url(container.container_name, sas=sas)
    listed = [json.loads(line)["Path"] for line in azcopy("list", there, "--location", "Blob") if line.startswith("{")]
    assert sorted(listed) == sorted(FILES)
    removed = azcopy("remove", url(container.container_name, "folder", sas), "--recursive", "--from-to", "BlobTrash")
    assert removed["TransfersCompleted"] == "3"
    assert sorted(read_container(container)) == ["a.txt", "b.bin"]


def test_sets_properties(make_container, sas):
    container = make_container({"a": b"a"})
    there = url(container.container_name, "a", sas)
    azcopy("set-properties", there, "--block-blob-tier", "cold", "--metadata", "k=v", "--blob-tags", "t=1", "--from-to", "BlobNone")
    blob = container.get_blob_client("a")
    properties = blob.get_blob_properties()
    assert (properties.blob_tier, properties.metadata, blob.get_blob_tags()) == ("Cold", {"k": "v"}, {"t": "1"})


def test_a_signature_that_may_only_read_writes_nothing(container, tmp_path):
    tree(tmp_path, {"a": b"a"})
    there = url(container.container_name, "a", account_sas("r"))
    azcopy("copy", tmp_path / "a", there, "--from-to", "LocalBlob", fails=True)
    assert read_container(container) == {}
