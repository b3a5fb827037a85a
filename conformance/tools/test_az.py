"""The Azure CLI: `az storage`, without a login."""

import pytest
import requests
from helpers import CONNECTION_STRING, WORK, environment, parsed, pattern, read_container, read_tree, run, tree, unique


def az(*words, fails=False):
    """What `az storage` answers, as JSON; what it complains of, if it is to fail."""
    env = environment(
        AZURE_STORAGE_CONNECTION_STRING=CONNECTION_STRING,
        AZURE_CONFIG_DIR=str(WORK / "az-config"),
        AZURE_CORE_COLLECT_TELEMETRY="false",
        AZURE_CORE_NO_COLOR="true",
    )
    command = ["az", "storage", *words, "--only-show-errors", "--output", "json"]
    said = run(command, env, fails=fails)
    return said if fails else parsed(said)


@pytest.fixture
def named():
    """Names of things that are removed by these words after the test."""
    made = []

    def name(kind, stem="test"):
        made.append((kind, unique(stem).replace("-", "") if kind == "table" else unique(stem)))
        return made[-1][1]

    yield name
    for kind, one in made:
        az(kind, "delete", "--name", one)


def test_containers(named):
    name = named("container")
    assert az("container", "exists", "--name", name) == {"exists": False}
    assert az("container", "create", "--name", name, "--metadata", "a=1") == {"created": True}
    assert az("container", "create", "--name", name) == {"created": False}
    assert "ContainerAlreadyExists" in az("container", "create", "--name", name, "--fail-on-exist", fails=True)
    assert az("container", "exists", "--name", name) == {"exists": True}
    assert az("container", "metadata", "show", "--name", name) == {"a": "1"}
    az("container", "metadata", "update", "--name", name, "--metadata", "b=2", "c=3")
    listed = az("container", "list", "--prefix", name, "--include-metadata", "true")
    assert [(one["name"], one["metadata"]) for one in listed] == [(name, {"b": "2", "c": "3"})]
    az("container", "set-permission", "--name", name, "--public-access", "blob")
    assert az("container", "show-permission", "--name", name) == {"publicAccess": "blob"}
    assert az("container", "show", "--name", name)["properties"]["publicAccess"] == "blob"


def test_container_policies(container):
    name = container.container_name
    az("container", "policy", "create", "-c", name, "-n", "readers", "--permissions", "r", "--expiry", "2035-01-01T00:00Z")
    assert list(az("container", "policy", "list", "-c", name)) == ["readers"]
    assert az("container", "policy", "show", "-c", name, "-n", "readers")["permission"] == "r"
    az("container", "policy", "delete", "-c", name, "-n", "readers")
    assert az("container", "policy", "list", "-c", name) == {}


def test_a_blob(container, tmp_path):
    name, content = container.container_name, pattern(100_000)
    here = tree(tmp_path, {"up.json": content})
    where = ["--container-name", name, "--name", "folder/up.json"]
    sent = az("blob", "upload", *where, "--file", here / "up.json", "--metadata", "a=1", "--tags", "k=v")
    shown = az("blob", "show", *where)
    properties = shown["properties"]
    assert (properties["etag"].strip('"'), shown["metadata"]) == (sent["etag"].strip('"'), {"a": "1"})
    assert (properties["contentLength"], properties["blobType"]) == (len(content), "BlockBlob")
    assert properties["contentSettings"]["contentType"] == "application/json"
    assert "BlobAlreadyExists" in az("blob", "upload", *where, "--file", here / "up.json", fails=True)
    az("blob", "download", *where, "--file", here / "down.json")
    assert (here / "down.json").read_bytes() == content
    assert az("blob", "exists", *where) == {"exists": True}
    assert container.get_blob_client("folder/up.json").get_blob_tags() == {"k": "v"}
    az("blob", "set-tier", *where, "--tier", "Cool")
    az("blob", "update", *where, "--content-type", "text/plain")
    shown = az("blob", "show", *where)["properties"]
    assert (shown["blobTier"], shown["contentSettings"]["contentType"]) == ("Cool", "text/plain")
    snapshot = az("blob", "snapshot", *where)["snapshot"]
    assert "SnapshotsPresent" in az("blob", "delete", *where, fails=True)
    listed = az("blob", "list", "--container-name", name, "--include", "s", "--prefix", "folder/")
    assert [one["snapshot"] for one in listed] == [snapshot, None]
    az("blob", "delete", *where, "--delete-snapshots", "include")
    assert az("blob", "exists", *where) == {"exists": False}
    assert "BlobNotFound" in az("blob", "download", *where, "--file", here / "gone.json", fails=True)


@pytest.mark.parametrize(("kind", "shown"), [("append", "AppendBlob"), ("page", "PageBlob")])
def test_the_other_kinds_of_blob(container, tmp_path, kind, shown):
    content = pattern(8 * 512)
    here = tree(tmp_path, {"up.bin": content})
    where = ["--container-name", container.container_name, "--name", kind]
    az("blob", "upload", *where, "--type", kind, "--file", here / "up.bin")
    assert az("blob", "show", *where)["properties"]["blobType"] == shown
    az("blob", "download", *where, "--file", here / "down.bin", "--start-range", "512", "--end-range", "1023")
    assert (here / "down.bin").read_bytes() == content[512:1024]


def test_a_lease(container):
    container.upload_blob("leased", b"1")
    where = ["--container-name", container.container_name, "--blob-name", "leased"]
    lease = az("blob", "lease", "acquire", *where, "--lease-duration", "60")
    refused = az("blob", "delete", "-c", container.container_name, "-n", "leased", fails=True)
    assert "LeaseIdMissing" in refused
    assert az("blob", "lease", "renew", *where, "--lease-id", lease) == lease
    az("blob", "lease", "release", *where, "--lease-id", lease)
    az("blob", "delete", "-c", container.container_name, "-n", "leased")


def test_many_at_once(make_container, tmp_path):
    source, target = make_container(), make_container()
    files = {f"{folder}{n}.{kind}": f"{folder}{n}".encode() for folder in ("", "sub/") for n in range(3) for kind in ("txt", "log")}
    tree(tmp_path / "up", files)
    sent = az("blob", "upload-batch", "--destination", source.container_name, "--source", tmp_path / "up", "--pattern", "*.txt")
    wanted = {name: content for name, content in files.items() if name.endswith(".txt")}
    assert len(sent) == len(wanted) and read_container(source) == wanted
    az("blob", "copy", "start-batch", "--source-container", source.container_name, "--destination-container", target.container_name)
    assert read_container(target) == wanted
    (tmp_path / "down").mkdir()
    az("blob", "download-batch", "--source", target.container_name, "--destination", tmp_path / "down")
    assert read_tree(tmp_path / "down") == wanted
    az("blob", "delete-batch", "--source", target.container_name, "--pattern", "sub/*")
    assert sorted(read_container(target)) == ["0.txt", "1.txt", "2.txt"]
    listed = az("blob", "list", "--container-name", source.container_name, "--delimiter", "/")
    assert [one["name"] for one in listed] == ["sub/", "0.txt", "1.txt", "2.txt"]  # folders first
    page = az("blob", "list", "--container-name", source.container_name, "--num-results", "4", "--show-next-marker")
    marker = page[-1]["nextMarker"]
    rest = az("blob", "list", "--container-name", source.container_name, "--marker", marker)
    assert [one["name"] for one in page[:4] + rest] == sorted(wanted)


def test_copies(container):
    container.upload_blob("from", b"to be copied")
    name = container.container_name
    source = container.get_blob_client("from").url
    assert az("blob", "copy", "start", "-c", name, "-b", "to", "--source-uri", source)["copy_status"] == "success"
    assert container.download_blob("to").readall() == b"to be copied"
    # Of a container and a name it makes the address at Azure, whatever the connection string says.
    az("blob", "copy", "start", "-c", name, "-b", "again", "--source-container", name, "--source-blob", "to")
    assert container.download_blob("again").readall() == b"to be copied"
    absent = container.get_blob_client("absent").url
    assert "BlobNotFound" in az("blob", "copy", "start", "-c", name, "-b", "x", "--source-uri", absent, fails=True)


def test_signatures(container):
    container.upload_blob("shared", b"for whoever has the link")
    where = ["-c", container.container_name, "-n", "shared"]
    link = az("blob", "generate-sas", *where, "--permissions", "r", "--expiry", "2035-01-01T00:00Z", "--full-uri")
    assert requests.get(link, timeout=10).content == b"for whoever has the link"
    assert requests.delete(link, timeout=10).status_code == 403
    token = az("container", "generate-sas", "-n", container.container_name, "--permissions", "l", "--expiry", "2035-01-01T00:00Z")
    listed = requests.get(f"{container.url}?restype=container&comp=list&{token}", timeout=10)
    assert listed.status_code == 200 and "<Name>shared</Name>" in listed.text
    assert requests.get(f"{az('blob', 'url', *where)}?{token}", timeout=10).status_code == 403


def test_queues(named):
    name = named("queue")
    assert az("queue", "create", "--name", name, "--metadata", "a=1") == {"created": True}
    assert az("queue", "exists", "--name", name) == {"exists": True}
    assert name in [one["name"] for one in az("queue", "list", "--prefix", name)]
    assert az("queue", "metadata", "show", "--name", name) == {"a": "1"}
    for text in ("one", "two", "three"):
        az("message", "put", "--queue-name", name, "--content", text)
    assert [one["content"] for one in az("message", "peek", "--queue-name", name, "--num-messages", "5")] == ["one", "two", "three"]
    taken = az("message", "get", "--queue-name", name, "--visibility-timeout", "30")[0]
    assert taken["content"] == "one"
    held = ["--queue-name", name, "--id", taken["id"], "--pop-receipt"]
    updated = az("message", "update", *held, taken["popReceipt"], "--content", "uno", "--visibility-timeout", "0")
    assert "MessageNotFound" in az("message", "delete", *held, taken["popReceipt"], fails=True)
    az("message", "delete", *held, updated["popReceipt"])
    assert len(az("message", "peek", "--queue-name", name, "--num-messages", "5")) == 2
    az("message", "clear", "--queue-name", name)
    assert az("message", "peek", "--queue-name", name) == []


def test_tables(named):
    name = named("table")
    assert az("table", "create", "--name", name) == {"created": True}
    assert az("table", "exists", "--name", name) == {"exists": True}
    assert name in [one["name"] for one in az("table", "list")]
    for row, number in (("a", 1), ("b", 20), ("c", 300)):
        entity = ["PartitionKey=p", f"RowKey={row}", f"number={number}", "number@odata.type=Edm.Int32", f"text={row}{row}"]
        az("entity", "insert", "--table-name", name, "--entity", *entity)
    again = az("entity", "insert", "--table-name", name, "--entity", "PartitionKey=p", "RowKey=a", fails=True)
    assert "The specified entity already exists." in again
    found = az("entity", "query", "--table-name", name, "--filter", "PartitionKey eq 'p' and number gt 1 and number lt 300")
    assert [(one["RowKey"], one["number"], one["text"]) for one in found["items"]] == [("b", 20, "bb")]
    key = ["--table-name", name, "--partition-key", "p", "--row-key", "a"]
    az("entity", "merge", "--table-name", name, "--entity", "PartitionKey=p", "RowKey=a", "more=yes")
    shown = az("entity", "show", *key)
    assert (shown["number"], shown["text"], shown["more"]) == (1, "aa", "yes")
    az("entity", "replace", "--table-name", name, "--entity", "PartitionKey=p", "RowKey=a", "only=this")
    shown = az("entity", "show", *key)
    assert shown["only"] == "this" and "text" not in shown
    az("entity", "delete", *key)
    assert "The specified resource does not exist." in az("entity", "show", *key, fails=True)
    page = az("entity", "query", "--table-name", name, "--num-results", "1")
    assert [one["RowKey"] for one in page["items"]] == ["b"] and page["nextMarker"]


def test_cors_rules_and_service_properties():
    az("cors", "add", "--services", "b", "--methods", "GET", "--origins", "https://example.org", "--max-age", "60")
    try:
        rules = [one for one in az("cors", "list", "--services", "b") if one["AllowedOrigins"] == "https://example.org"]
        assert [(one["AllowedMethods"], one["MaxAgeInSeconds"]) for one in rules] == [("GET", 60)]
    finally:
        az("cors", "clear", "--services", "b")
    assert az("cors", "list", "--services", "b") == []
    assert az("blob", "service-properties", "show")["staticWebsite"]["enabled"] is False
