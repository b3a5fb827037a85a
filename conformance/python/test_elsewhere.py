"""Copies from other accounts and from any web server, and copies of one snapshot of a page blob after another."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest
from azure.storage.blob import generate_blob_sas
from helpers import BLOB_URL, KEY, VERSIONED_BLOB_URL, blob_sas, in_an_hour, other_service, pattern, refused, unique

on_this_machine = pytest.mark.skipif(
    not BLOB_URL.startswith("http://127.0.0.1"), reason="the server is elsewhere and does not see a web server of this machine"
)
CONTENT = pattern(64 * 1024)


class Web(BaseHTTPRequestHandler):
    """Has one file. Of it, a first half comes at once, and the rest when `rest` is set."""

    protocol_version = "HTTP/1.1"
    rest = None

    def do_HEAD(self):
        self.head()

    def do_GET(self):
        if not self.head():
            return
        half = len(self.content()) // 2
        self.wfile.write(self.content()[:half])
        self.wfile.flush()
        self.rest.wait(60)
        self.wfile.write(self.content()[half:])

    def head(self):
        found = self.path == "/file"
        self.send_response((206 if "Range" in self.headers else 200) if found else 404)
        if found:
            self.send_header("Content-Type", "text/css")
            self.send_header("ETag", '"of the file"')
            self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        if found and "Range" in self.headers:
            start, end = self.span()
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(CONTENT)}")
        self.send_header("Content-Length", str(len(self.content()) if found else 0))
        self.end_headers()
        return found

    def span(self):
        start, end = self.headers["Range"].removeprefix("bytes=").split("-")
        return int(start), min(int(end or len(CONTENT)), len(CONTENT) - 1)

    def content(self):
        if "Range" not in self.headers:
            return CONTENT
        start, end = self.span()
        return CONTENT[start : end + 1]

    def log_message(self, *args):
        pass


@contextmanager
def web(rest):
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("WebOfATest", (Web,), {"rest": rest}))
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/file"
    finally:
        rest.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def file():
    """The address of a file on a web server."""
    rest = Event()
    rest.set()
    with web(rest) as address:
        yield address


@pytest.fixture
def slow():
    """The address of a file that comes half, and what makes the rest come."""
    rest = Event()
    with web(rest) as address:
        yield address, rest


def ended(blob):
    """The properties of a copy once it is no longer pending."""
    while (properties := blob.get_blob_properties()).copy.status == "pending":
        pass
    return properties


@on_this_machine
def test_a_file_becomes_a_blob(container, file):
    copy = container.get_blob_client("copy")
    started = copy.start_copy_from_url(file, metadata={"a": "b"})
    assert started["copy_status"] in ("pending", "success")
    properties = ended(copy)
    assert (properties.copy.id, properties.copy.status) == (started["copy_id"], "success")
    assert properties.copy.progress == f"{len(CONTENT)}/{len(CONTENT)}"
    assert properties.copy.source == file
    assert properties.content_settings.content_type == "text/css"
    assert properties.metadata == {"a": "b"}
    assert copy.download_blob().readall() == CONTENT


@on_this_machine
def test_while_a_copy_is_pending(container, slow):
    address, rest = slow
    copy = container.get_blob_client("copy")
    started = copy.start_copy_from_url(address)
    assert started["copy_status"] == "pending"
    properties = copy.get_blob_properties()
    assert (properties.copy.id, properties.copy.status) == (started["copy_id"], "pending")
    assert properties.size == len(CONTENT)
    assert properties.copy.progress.endswith(f"/{len(CONTENT)}")
    (listed,) = container.list_blobs(include=["copy"])
    assert (listed.copy.id, listed.copy.status) == (started["copy_id"], "pending")
    with refused(409, "PendingCopyOperation"):
        copy.upload_blob(b"new", overwrite=True)
    with refused(409, "PendingCopyOperation"):
        copy.delete_blob()
    rest.set()
    assert ended(copy).copy.status == "success"
    assert copy.download_blob().readall() == CONTENT


@on_this_machine
def test_a_copy_is_aborted(container, slow):
    address, _ = slow
    copy = container.get_blob_client("copy")
    started = copy.start_copy_from_url(address, metadata={"a": "b"})
    with refused(409, "CopyIdMismatch"):
        copy.abort_copy("b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a")
    copy.abort_copy(started["copy_id"])
    properties = copy.get_blob_properties()
    assert (properties.copy.status, properties.size, properties.metadata) == ("aborted", 0, {"a": "b"})
    with refused(409, "NoPendingCopyOperation"):
        copy.abort_copy(started["copy_id"])
    copy.upload_blob(b"new", overwrite=True)


@on_this_machine
def test_a_file_that_is_not_there(container, file):
    copy = container.get_blob_client("copy")
    with refused(404, "CannotVerifyCopySource"):
        copy.start_copy_from_url(f"{file}-of-another-name")
    with refused(404, "CannotVerifyCopySource"):
        copy.upload_blob_from_url(f"{file}-of-another-name")
    assert not copy.exists()


@on_this_machine
def test_bytes_of_a_file(container, file):
    whole = container.get_blob_client("whole")
    whole.upload_blob_from_url(file)
    assert whole.download_blob().readall() == CONTENT

    blocks = container.get_blob_client("blocks")
    blocks.stage_block_from_url("1", file, source_offset=1024, source_length=512)
    blocks.stage_block_from_url("2", file, source_offset=0, source_length=16)
    blocks.commit_block_list(["1", "2"])
    assert blocks.download_blob().readall() == CONTENT[1024:1536] + CONTENT[:16]

    log = container.get_blob_client("log")
    log.create_append_blob()
    log.append_block_from_url(file, source_offset=100, source_length=50)
    assert log.download_blob().readall() == CONTENT[100:150]

    disk = container.get_blob_client("disk")
    disk.create_page_blob(1024)
    disk.upload_pages_from_url(file, offset=512, length=512, source_offset=2048)
    assert disk.download_blob().readall() == bytes(512) + CONTENT[2048:2560]


@pytest.fixture
def foreign():
    """A blob of another account."""
    with other_service(VERSIONED_BLOB_URL).create_container(unique()) as container:
        yield container.upload_blob("source", b"from another account", metadata={"of": "the source"}, tags={"k": "v"})
        container.delete_container()


@pytest.mark.skipif(not VERSIONED_BLOB_URL, reason="VERSIONED_BLOB_URL is not set")
def test_a_blob_of_another_account(container, foreign):
    copy = container.get_blob_client("copy")
    # Its owner's key is not the key of this account.
    with refused((401, 403, 404), "CannotVerifyCopySource"):
        copy.start_copy_from_url(foreign.url)
    sas = generate_blob_sas(
        foreign.account_name, foreign.container_name, foreign.blob_name, account_key=KEY, permission="rt", expiry=in_an_hour()
    )
    source = f"{foreign.url}?{sas}"
    copy.start_copy_from_url(source)
    properties = ended(copy)
    assert (properties.copy.status, properties.metadata) == ("success", {"of": "the source"})
    assert properties.copy.source.startswith(foreign.url)
    assert "sig=" not in properties.copy.source
    assert copy.download_blob().readall() == b"from another account"

    tagged = container.get_blob_client("tagged")
    tagged.start_copy_from_url(source, requires_sync=True, tags="COPY")
    assert tagged.get_blob_tags() == {"k": "v"}


def test_one_snapshot_of_a_disk_after_another(container):
    disk = container.get_blob_client("disk")
    disk.create_page_blob(2048)
    disk.upload_page(b"a" * 512, 0, 512)
    copy = container.get_blob_client("copy")
    kept = []
    for write in (lambda: None, lambda: disk.upload_page(b"b" * 512, 1024, 512)):
        write()
        snapshot = disk.create_snapshot()["snapshot"]
        source = f"{disk.url}?snapshot={snapshot}&{blob_sas(disk, 'r')}"
        started = copy.start_copy_from_url(source, incremental_copy=True)
        assert started["copy_status"] in ("pending", "success")
        properties = ended(copy)
        assert (properties.copy.id, properties.copy.status) == (started["copy_id"], "success")
        assert properties.copy.incremental_copy
        assert properties.copy.destination_snapshot
        kept.append(properties.copy.destination_snapshot)
    first, second = (container.get_blob_client("copy", snapshot=taken) for taken in kept)
    assert first.download_blob().readall() == b"a" * 512 + bytes(1536)
    assert second.download_blob().readall() == b"a" * 512 + bytes(512) + b"b" * 512 + bytes(512)
    listed = [b.snapshot for b in container.list_blobs(name_starts_with="copy", include=["snapshots"])]
    assert listed == [*kept, None]

    with refused(409, "IncrementalCopySourceMustBeSnapshot"):
        copy.start_copy_from_url(disk.url, incremental_copy=True)
    with refused(409, "OperationNotAllowedOnIncrementalCopyBlob"):
        copy.upload_page(b"c" * 512, 0, 512)
