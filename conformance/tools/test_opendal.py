"""Apache OpenDAL's azblob."""

import asyncio
from urllib.parse import urlsplit

import opendal
import pytest
import requests
from helpers import ACCOUNT, BLOB_URL, KEY, MIB, account_sas, pattern


@pytest.fixture
def operator(container):
    return opendal.Operator(
        "azblob", endpoint=BLOB_URL, container=container.container_name, account_name=ACCOUNT, account_key=KEY, root="/root"
    )


def test_reads_and_writes(operator, container):
    operator.write("a/b.txt", b"hello, world", content_type="text/plain", cache_control="no-cache")
    assert operator.read("a/b.txt") == b"hello, world"
    stat = operator.stat("a/b.txt")
    assert (stat.content_length, stat.content_type, stat.mode.is_file()) == (12, "text/plain", True)
    assert container.get_blob_client("root/a/b.txt").get_blob_properties().content_settings.cache_control == "no-cache"
    assert operator.exists("a/b.txt") and operator.exists("a/")
    operator.delete("a/b.txt")
    operator.delete("a/b.txt")
    assert not operator.exists("a/b.txt")
    with pytest.raises(opendal.exceptions.NotFound):
        operator.read("a/b.txt")


def test_writes_only_what_is_not_there(operator):
    operator.write("once", b"1", if_not_exists=True)
    with pytest.raises(opendal.exceptions.ConditionNotMatch):
        operator.write("once", b"2", if_not_exists=True)
    assert operator.read("once") == b"1"


def test_large_files_go_in_blocks(operator, container):
    content = pattern(10 * MIB + 1)
    operator.write("large", content, chunk=MIB, concurrent=4)
    assert len(container.get_blob_client("root/large").get_block_list("committed")[0]) == 11
    with operator.open("large", "rb") as file:
        file.seek(3 * MIB)
        assert file.read(10) == content[3 * MIB : 3 * MIB + 10]
    assert operator.read("large") == content


def test_lists_and_removes(operator):
    for name in ("a", "sub/b", "sub/deep/c"):
        operator.write(name, name.encode())
    assert sorted(entry.path for entry in operator.list("") if entry.path != "/") == ["a", "sub/"]
    assert {"a", "sub/b", "sub/deep/c"} <= {entry.path for entry in operator.list("", recursive=True)}
    operator.remove_all("sub/")
    assert [entry.path for entry in operator.list("", recursive=True) if entry.path != "/"] == ["a"]


def test_copies(operator):
    operator.write("from", b"copied")
    operator.copy("from", "to/here")
    assert operator.read("to/here") == b"copied"


def test_a_signature_is_enough(container):
    container.upload_blob("a", b"a")
    only_reads = opendal.Operator(
        "azblob", endpoint=BLOB_URL, container=container.container_name, account_name=ACCOUNT, sas_token=account_sas("rl")
    )
    assert only_reads.read("a") == b"a"
    with pytest.raises(opendal.exceptions.PermissionDenied):
        only_reads.write("b", b"b")


def test_links_for_others(container):
    """It signs the path that it sees, so that the account must be in the host."""
    container.upload_blob("a", b"for whoever has the link")
    where = urlsplit(BLOB_URL)
    host = f"{ACCOUNT}.blob.localhost:{where.port}"

    async def link():
        operator = opendal.AsyncOperator(
            "azblob",
            endpoint=f"http://{host}",
            container=container.container_name,
            account_name=ACCOUNT,
            account_key=KEY,
        )
        return (await operator.presign_read("a", 600)).url

    there = urlsplit(asyncio.run(link()))
    assert there.netloc == host
    answer = requests.get(there._replace(netloc=where.netloc).geturl(), headers={"Host": host}, timeout=10)
    assert answer.content == b"for whoever has the link"
