from concurrent.futures import ThreadPoolExecutor

import pytest
from azure.storage.blob import BlobPrefix, ContentSettings
from helpers import refused, unique

TREE = ["a/b/1", "a/b/2", "a/c", "b", "dir with space/x", "é/accent", "日本/語"]


@pytest.fixture
def tree(container):
    for name in TREE:
        container.upload_blob(name, name.encode())
    return container


TOP = ["a/", "b", "dir with space/", "é/", "日本/"]


def shown(items):
    return [item.name for item in items]


def walked(items):
    """The client hands out the directories of a page before its blobs; here both are in order of name."""
    return sorted(shown(items))


def test_nothing(container):
    assert list(container.list_blobs()) == []
    assert list(container.walk_blobs()) == []


def test_no_such_container(service):
    with refused(404, "ContainerNotFound"):
        list(service.get_container_client(unique()).list_blobs())


def test_flat_in_order(tree):
    assert shown(tree.list_blobs()) == sorted(TREE)
    assert list(tree.list_blob_names()) == sorted(TREE)


@pytest.mark.parametrize("prefix", ["a", "a/", "a/b/", "a/c", "dir with", "é", "nothing"])
def test_by_prefix(tree, prefix):
    assert shown(tree.list_blobs(name_starts_with=prefix)) == [name for name in sorted(TREE) if name.startswith(prefix)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_in_pages(tree, size):
    pages = [shown(page) for page in tree.list_blobs(results_per_page=size).by_page()]
    assert [name for page in pages for name in page] == sorted(TREE)
    assert all(len(page) == size for page in pages[:-1])


def test_a_page_can_be_come_back_to(tree):
    pages = tree.list_blobs(results_per_page=3).by_page()
    first = shown(next(pages))
    later = tree.list_blobs(results_per_page=3).by_page(continuation_token=pages.continuation_token)
    assert first + [name for page in later for name in shown(page)] == sorted(TREE)


def test_by_hierarchy(tree):
    assert walked(tree.walk_blobs()) == TOP
    assert {item.name for item in tree.walk_blobs() if isinstance(item, BlobPrefix)} == set(TOP) - {"b"}
    assert walked(tree.walk_blobs("a/")) == ["a/b/", "a/c"]
    assert walked(tree.walk_blobs("a/b/")) == ["a/b/1", "a/b/2"]
    assert walked(tree.walk_blobs("a")) == ["a/"]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_by_hierarchy_in_pages(tree, size):
    pages = [walked(page) for page in tree.walk_blobs(results_per_page=size).by_page()]
    assert [name for page in pages for name in page] == TOP
    assert all(len(page) == size for page in pages[:-1])


def test_any_delimiter_will_do(container):
    for name in ["x--1", "x--2", "y"]:
        container.upload_blob(name, b"")
    assert walked(container.walk_blobs(delimiter="--")) == ["x--", "y"]


def test_empty_steps_are_steps(container):
    for name in ["a//b", "a/b", "a/"]:
        container.upload_blob(name, b"")
    assert walked(container.walk_blobs("a/")) == ["a/", "a//", "a/b"]
    assert walked(container.walk_blobs("a//")) == ["a//b"]


def test_a_blob_and_a_directory_of_one_name(container):
    for name in ["a", "a/b", "a.b"]:
        container.upload_blob(name, b"")
    assert walked(container.walk_blobs()) == ["a", "a.b", "a/"]


def test_names_that_xml_cannot_say(container):
    name = "odd\ufffename"
    container.upload_blob(name, b"")
    assert [blob.name for blob in container.list_blobs()] == [name]


def test_a_listing_tells_what_the_properties_tell(container):
    settings = ContentSettings(
        content_type="text/plain",
        content_encoding="identity",
        content_language="en",
        content_disposition="inline",
        cache_control="no-cache",
    )
    blob = container.upload_blob("a", b"hello", content_settings=settings, metadata={"CamelCase": '<&> "x"'})
    properties = blob.get_blob_properties()
    (listed,) = container.list_blobs(include=["metadata"])
    assert listed.name == "a"
    assert listed.container == container.container_name
    assert listed.size == 5
    assert listed.blob_type == "BlockBlob"
    assert listed.etag == properties.etag.strip('"')
    assert listed.last_modified == properties.last_modified
    assert listed.creation_time == properties.creation_time
    assert listed.server_encrypted is True
    assert listed.metadata == properties.metadata == {"CamelCase": '<&> "x"'}
    assert (listed.lease.status, listed.lease.state) == ("unlocked", "available")
    for field in ("content_type", "content_encoding", "content_language", "content_disposition", "cache_control", "content_md5"):
        assert getattr(listed.content_settings, field) == getattr(properties.content_settings, field), field


def test_metadata_is_listed_only_when_asked_for(container):
    container.upload_blob("a", b"", metadata={"k": "v"})
    (listed,) = container.list_blobs()
    assert not listed.metadata


def test_uncommitted_blobs_are_listed_only_when_asked_for(container):
    container.get_blob_client("staged").stage_block("MQ==", b"data")
    container.upload_blob("whole", b"data")
    assert shown(container.list_blobs()) == ["whole"]
    assert shown(container.list_blobs(include=["uncommittedblobs"])) == ["staged", "whole"]


def test_tags_are_listed_when_asked_for(container):
    container.upload_blob("a", b"", tags={"colour": "blue", "size": "1"})
    (listed,) = container.list_blobs(include=["tags"])
    assert listed.tags == {"colour": "blue", "size": "1"}


def test_many_blobs(container):
    names = [f"{i:04}" for i in range(300)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: container.upload_blob(name, b""), names))
    assert list(container.list_blob_names(results_per_page=100)) == names
