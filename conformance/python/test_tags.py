import pytest
from azure.storage.blob import BlobClient
from helpers import blob_sas, refused, unique

# Too many, too long, empty, or made of other letters: the service has a code for each, and not always the one that fits.
TAG_CODES = "InvalidTag", "TagsTooLarge", "TagNameTooLong", "TagValueTooLong", "EmptyTagName", "DuplicateTagNames", "InvalidXmlDocument"


def test_tags_are_set_whole(container, blob):
    before = blob.get_blob_properties()
    assert blob.get_blob_tags() == {}
    blob.set_blob_tags({"colour": "blue", "size + shape": "large: round/oval"})
    assert blob.get_blob_tags() == {"colour": "blue", "size + shape": "large: round/oval"}
    after = blob.get_blob_properties()
    assert after.tag_count == 2
    assert after.etag == before.etag, "tags are beside the blob"
    (listed,) = container.list_blobs(include=["tags"])
    assert listed.tags == {"colour": "blue", "size + shape": "large: round/oval"}
    blob.set_blob_tags({"other": ""})
    assert blob.get_blob_tags() == {"other": ""}
    blob.set_blob_tags()
    assert blob.get_blob_tags() == {}
    assert blob.get_blob_properties().tag_count is None


@pytest.mark.parametrize(
    "tags",
    [
        {f"tag{i}": "x" for i in range(11)},
        {"x" * 129: "x"},
        {"x": "x" * 257},
        {"": "x"},
        {"x": "not!allowed"},
        {"größe": "x"},
    ],
    ids=["eleven", "long key", "long value", "no key", "odd value", "odd key"],
)
def test_tags_have_limits(blob, tags):
    blob.set_blob_tags({"kept": "1"})
    with refused(400, *TAG_CODES):
        blob.set_blob_tags(tags)
    assert blob.get_blob_tags() == {"kept": "1"}


def test_every_way_to_make_a_blob_takes_tags(container):
    tags = {"mark": "x y"}
    made = {
        "one request": lambda b: b.upload_blob(b"data", tags=tags),
        "blocks": lambda b: (b.stage_block("MQ==", b"x"), b.commit_block_list([], tags=tags)),
        "append": lambda b: b.create_append_blob(tags=tags),
        "pages": lambda b: b.create_page_blob(512, tags=tags),
    }
    for name, make in made.items():
        make(container.get_blob_client(name))
    assert {b.name: b.tags for b in container.list_blobs(include=["tags"])} == {name: tags for name in made}


def test_tags_come_with_a_copy_only_when_said(container, blob):
    blob.set_blob_tags({"from": "source"})
    copy = container.get_blob_client("copy")
    copy.start_copy_from_url(blob.url)
    assert copy.get_blob_tags() == {}
    copy.start_copy_from_url(blob.url, tags={"own": "1"})
    assert copy.get_blob_tags() == {"own": "1"}
    source = f"{blob.url}?{blob_sas(blob, 'rt')}"
    copy.start_copy_from_url(source, requires_sync=True, tags="COPY")
    assert copy.get_blob_tags() == {"from": "source"}


CONDITIONS = [
    ("colour = 'blue'", True),
    ("\"colour\" = 'red'", False),
    ("colour <> 'red'", True),
    ("missing = 'x'", False),
    ("colour >= 'a' AND colour < 'c'", True),
    ("colour = 'red' OR size = '2'", True),
]


@pytest.mark.parametrize("condition, holds", CONDITIONS)
@pytest.mark.parametrize(
    "act",
    [
        lambda b, **c: b.download_blob(**c).readall(),
        lambda b, **c: b.get_blob_properties(**c),
        lambda b, **c: b.get_blob_tags(**c),
        lambda b, **c: b.set_blob_metadata({"a": "b"}, **c),
        lambda b, **c: b.set_http_headers(**c),
        lambda b, **c: b.set_blob_tags({"colour": "blue", "size": "2"}, **c),
        lambda b, **c: b.upload_blob(b"new", overwrite=True, **c),
        lambda b, **c: b.create_snapshot(**c),
        lambda b, **c: b.set_standard_blob_tier("Cool", **c),
        lambda b, **c: b.delete_blob(delete_snapshots="include", **c),
    ],
    ids="download properties tags metadata headers set-tags upload snapshot tier delete".split(),
)
def test_tags_as_a_condition_of(container, act, condition, holds):
    blob = container.upload_blob("a", b"data", tags={"colour": "blue", "size": "2"})
    if holds:
        act(blob, if_tags_match_condition=condition)
    else:
        with refused(412, "ConditionNotMet"):
            act(blob, if_tags_match_condition=condition)
        assert blob.download_blob().readall() == b"data"


def test_a_search_spans_containers_and_pages(service, make_container):
    mark = unique("mark")
    made = [make_container() for _ in range(2)]
    wanted = set()
    for container in made:
        for i in range(7):
            container.upload_blob(f"b{i}", b"", tags={"mark": mark, "odd": str(i % 2)})
            if i % 2:
                wanted.add((container.container_name, f"b{i}"))
    search = f"\"mark\"='{mark}' AND \"odd\"='1'"
    for size in (1, 2, 4, 100):
        pages = [list(page) for page in service.find_blobs_by_tags(search, results_per_page=size).by_page()]
        found = [(b.container_name, b.name) for page in pages for b in page]
        assert len(found) == len(wanted) and set(found) == wanted, size
        assert found == sorted(found)
    only = made[0].container_name
    found = [b.name for b in service.find_blobs_by_tags(f"@container='{only}' AND \"mark\"='{mark}'")]
    assert found == [f"b{i}" for i in range(7)]
    assert [b.name for b in made[1].find_blobs_by_tags(search, results_per_page=1)] == ["b1", "b3", "b5"]


def test_a_search_must_be_one(service):
    for search in ("colour = blue", "colour <> 'x'", "colour = 'x' OR size = 'y'"):
        with refused(400, "InvalidQueryParameterValue", "InvalidInput"):
            list(service.find_blobs_by_tags(search))


def test_a_token_needs_a_letter_for_tags(blob):
    def client(letters):
        return BlobClient.from_blob_url(blob.url, credential=blob_sas(blob, letters), retry_total=0)

    client("t").set_blob_tags({"a": "b"})
    assert client("t").get_blob_tags() == {"a": "b"}
    with refused(403, "AuthorizationPermissionMismatch"):
        client("rw").set_blob_tags({"a": "c"})
    with refused(403, "AuthorizationPermissionMismatch"):
        client("rw").get_blob_tags()
    assert client("rt").get_blob_properties().tag_count == 1
