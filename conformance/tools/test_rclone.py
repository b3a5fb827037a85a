"""rclone's azureblob, with the account's key and with a SAS."""

import pytest
from azure.storage.blob import StandardBlobTier
from helpers import ACCOUNT, BLOB_URL, KEY, MIB, account_sas, environment, parsed, pattern, read_container, read_tree, run, tree

FILES = {"a.txt": b"a", "b.bin": pattern(5 * MIB + 1), "folder/c d.txt": b"c d", "folder/deep/ä%+.txt": b"odd", "folder/empty": b""}


def rclone(*words, text=None, fails=False):
    env = environment(
        RCLONE_CONFIG="/dev/null",
        RCLONE_CONFIG_KEY_TYPE="azureblob",
        RCLONE_CONFIG_KEY_ACCOUNT=ACCOUNT,
        RCLONE_CONFIG_KEY_KEY=KEY,
        RCLONE_CONFIG_KEY_ENDPOINT=BLOB_URL,
        RCLONE_CONFIG_SAS_TYPE="azureblob",
        RCLONE_CONFIG_SAS_SAS_URL=f"{BLOB_URL}?{account_sas()}",
    )
    small = ["--azureblob-chunk-size", "1Mi", "--multi-thread-cutoff", "2Mi", "--retries", "1", "--low-level-retries", "1"]
    return run(["rclone", *words, *small], env, text=text, fails=fails)


@pytest.mark.parametrize("remote", ["key", "sas"])
def test_copies_up_and_down(container, tmp_path, remote):
    tree(tmp_path / "up", FILES)
    there = f"{remote}:{container.container_name}"
    rclone("copy", tmp_path / "up", there)
    assert read_container(container) == FILES
    assert rclone("lsf", "-R", "--files-only", there).splitlines() == sorted(FILES)
    rclone("check", "--download", tmp_path / "up", there)
    rclone("copy", there, tmp_path / "down")
    assert read_tree(tmp_path / "down") == FILES
    committed, _ = container.get_blob_client("b.bin").get_block_list("all")
    assert len(committed) == 6


def test_syncs(container, tmp_path):
    tree(tmp_path, {"same": b"same", "changed": b"before", "sub/gone": b"gone"})
    there = f"key:{container.container_name}/below"
    rclone("sync", tmp_path, there)
    kept = container.get_blob_client("below/same").get_blob_properties().etag
    tree(tmp_path, {"changed": b"after it", "new": b"new"})
    (tmp_path / "sub/gone").unlink()
    rclone("sync", tmp_path, there)
    assert read_container(container) == {"below/same": b"same", "below/changed": b"after it", "below/new": b"new"}
    # What has not changed is left alone: its time and MD5 are kept with it.
    assert container.get_blob_client("below/same").get_blob_properties().etag == kept


def test_copies_between_containers(make_container):
    source, target = make_container(FILES), make_container()
    rclone("sync", f"key:{source.container_name}", f"key:{target.container_name}")
    assert read_container(target) == FILES
    rclone("moveto", f"key:{target.container_name}/a.txt", f"key:{target.container_name}/folder/moved.txt")
    assert sorted(read_container(target)) == sorted([*FILES, "folder/moved.txt"])[1:]


def test_streams(container):
    there = f"key:{container.container_name}/streamed"
    text = "0123456789abcdef" * (200 * 1024)
    rclone("rcat", there, text=text)
    assert rclone("cat", there) == text
    assert rclone("cat", "--offset", "1048570", "--count", "20", there) == text[1048570:1048590]


def test_lists(make_container):
    container = make_container(FILES)
    listed = parsed(rclone("lsjson", f"key:{container.container_name}"))
    assert [(one["Name"], one["IsDir"], one["Size"]) for one in listed] == [
        ("a.txt", False, 1),
        ("b.bin", False, len(FILES["b.bin"])),
        ("folder", True, 0 if listed[2]["Size"] == 0 else -1),
    ]
    assert f"{container.container_name}/" in rclone("lsf", "key:").splitlines()
    assert "directory not found" in rclone("lsf", f"key:{container.container_name}-absent", fails=True)


def test_tiers_and_the_end(container, tmp_path):
    there = f"key:{container.container_name}"
    tree(tmp_path, {"a": b"a"})
    rclone("copy", "--azureblob-access-tier", "Cool", tmp_path, there)
    assert container.get_blob_client("a").get_blob_properties().blob_tier == StandardBlobTier.COOL
    rclone("purge", there)
    assert not container.exists()
    rclone("mkdir", there)
    assert container.exists()
