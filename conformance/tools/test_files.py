"""Shares with the Azure CLI (`az storage share`, `directory`, `file`) and with rclone's azurefiles."""

import pytest
from helpers import ACCOUNT, FILE_URL, KEY, MIB, environment, pattern, read_tree, run, tree, unique
from test_az import az


@pytest.fixture
def share():
    name = unique()
    assert az("share", "create", "--name", name, "--quota", "10", "--metadata", "a=1") == {"created": True}
    yield name
    az("share", "delete", "--name", name, "--delete-snapshots", "include")


def test_shares(share):
    assert az("share", "create", "--name", share) == {"created": False}
    assert az("share", "exists", "--name", share) == {"exists": True}
    assert az("share", "metadata", "show", "--name", share) == {"a": "1"}
    az("share", "metadata", "update", "--name", share, "--metadata", "b=2")
    az("share", "update", "--name", share, "--quota", "20")
    shown = az("share", "show", "--name", share)
    assert (shown["properties"]["quota"], shown["metadata"]) == (20, {"b": "2"})
    listed = az("share", "list", "--prefix", share, "--include-metadata")
    assert [(one["name"], one["metadata"]) for one in listed] == [(share, {"b": "2"})]
    az("share", "policy", "create", "--share-name", share, "--name", "readers", "--permissions", "r")
    assert list(az("share", "policy", "list", "--share-name", share)) == ["readers"]
    taken = az("share", "snapshot", "--name", share)["snapshot"]
    assert az("share", "show", "--name", share, "--snapshot", taken)["snapshot"] == taken
    # In GiB, rounded up.
    assert az("share", "stats", "--name", share) == "1"
    az("share", "list-handle", "--name", share)
    assert "ShareHasSnapshots" in az("share", "delete", "--name", share, "--fail-not-exist", fails=True)


def test_directories(share):
    where = ["--share-name", share]
    assert az("directory", "create", *where, "--name", "a") == {"created": True}
    assert az("directory", "create", *where, "--name", "a/b", "--metadata", "k=v") == {"created": True}
    assert az("directory", "exists", *where, "--name", "A/B") == {"exists": True}
    assert az("directory", "show", *where, "--name", "a/b")["metadata"] == {"k": "v"}
    az("directory", "metadata", "update", *where, "--name", "a/b", "--metadata", "l=w")
    assert az("directory", "metadata", "show", *where, "--name", "a/b") == {"l": "w"}
    assert [one["name"] for one in az("directory", "list", *where, "--name", "a")] == ["b"]
    assert "DirectoryNotEmpty" in az("directory", "delete", *where, "--name", "a", "--fail-not-exist", fails=True)
    az("directory", "delete", *where, "--name", "a/b")
    assert az("directory", "exists", *where, "--name", "a/b") == {"exists": False}


def test_a_file(share, tmp_path):
    content = pattern(5 * MIB + 3)
    here = tree(tmp_path, {"up.bin": content})
    where = ["--share-name", share, "--path", "folder/up.bin"]
    az("directory", "create", "--share-name", share, "--name", "folder")
    az("file", "upload", "--share-name", share, "--path", "folder/up.bin", "--source", here / "up.bin", "--metadata", "a=1")
    shown = az("file", "show", *where)
    assert (shown["properties"]["contentLength"], shown["metadata"]) == (len(content), {"a": "1"})
    az("file", "download", *where, "--dest", here / "down.bin")
    assert (here / "down.bin").read_bytes() == content
    assert az("file", "exists", *where) == {"exists": True}
    az("file", "update", *where, "--content-type", "text/plain")
    assert az("file", "show", *where)["properties"]["contentSettings"]["contentType"] == "text/plain"
    az("file", "resize", *where, "--size", "10")
    az("file", "metadata", "update", *where, "--metadata", "b=2")
    assert az("file", "metadata", "show", *where) == {"b": "2"}
    there = ["--destination-share", share, "--destination-path", "copy.bin"]
    az("file", "copy", "start", "--source-share", share, "--source-path", "folder/up.bin", *there)
    copied = az("file", "show", "--share-name", share, "--path", "copy.bin")["properties"]["copy"]
    assert copied["status"] == "success"
    refused = az("file", "copy", "cancel", *there, "--copy-id", copied["id"], fails=True)
    assert "NoPendingCopyOperation" in refused
    listed = az("file", "list", "--share-name", share)
    assert sorted((one["name"], one["type"]) for one in listed) == [("copy.bin", "file"), ("folder", "dir")]
    assert az("file", "url", *where) == f"{FILE_URL}/{share}/folder/up.bin"
    az("file", "delete", *where)
    assert az("file", "exists", *where) == {"exists": False}


def test_files_together(share, tmp_path):
    files = {"a.txt": b"a", "b.bin": pattern(100_000), "c/d e.txt": b"d", "c/deep/f.txt": b"f"}
    here = tree(tmp_path / "up", files)
    az("file", "upload-batch", "--source", here, "--destination", share)
    az("file", "download-batch", "--source", share, "--destination", tmp_path)
    assert {name: content for name, content in read_tree(tmp_path).items() if not name.startswith("up/")} == files
    az("file", "delete-batch", "--source", share, "--pattern", "c/*")
    assert az("file", "exists", "--share-name", share, "--path", "c/d e.txt") == {"exists": False}


def rclone(share, *words):
    env = environment(
        RCLONE_CONFIG="/dev/null",
        RCLONE_CONFIG_FILES_TYPE="azurefiles",
        RCLONE_CONFIG_FILES_ACCOUNT=ACCOUNT,
        RCLONE_CONFIG_FILES_KEY=KEY,
        RCLONE_CONFIG_FILES_ENDPOINT=FILE_URL,
        RCLONE_CONFIG_FILES_SHARE_NAME=share,
    )
    return run(["rclone", *words, "--retries", "1", "--low-level-retries", "1", "--transfers", "8", "--checkers", "8"], env)


def test_a_tree_goes_there_and_back(share, tmp_path):
    """Two thousand files, some empty, some of several requests, in folders of many and of few."""
    files = {f"folder {at % 40}/deeper/ä{at % 7}/file {at}.bin": pattern(at * 13 % 5000) for at in range(1998)}
    files |= {"large.bin": pattern(9 * MIB + 1), "folder 1/empty": b""}
    up = tree(tmp_path / "up", files)
    there = "files:tree"
    rclone(share, "sync", up, there)
    rclone(share, "check", up, there)
    rclone(share, "check", "--download", up, there)
    rclone(share, "sync", there, tmp_path / "down")
    assert read_tree(tmp_path / "down") == files
    # What has not changed is left alone, and what is gone goes.
    tree(up, {"large.bin": b"small now", "new": b"new"})
    (up / "folder 1/empty").unlink()
    rclone(share, "sync", up, there)
    rclone(share, "check", up, there)
    rclone(share, "moveto", f"{there}/large.bin", f"{there}/folder 2/moved.bin")
    assert rclone(share, "cat", f"{there}/folder 2/moved.bin") == "small now"
    rclone(share, "purge", there)
    assert rclone(share, "lsf", "files:") == ""
