"""Uses the installed module as a test suite does."""

import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import lazuli_storage
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient

begin = time.monotonic()
with lazuli_storage.Server() as server:
    print(f"Server() is ready in {time.monotonic() - begin:.3f} s")
    blobs = BlobServiceClient.from_connection_string(server.connection_string)
    container = blobs.create_container("cats")
    container.upload_blob("tom.txt", b"hello")
    assert server.endpoint("blob") == container.url.rsplit("/", 1)[0], (server.endpoint("blob"), container.url)
    assert server.endpoint("table").endswith("/devstoreaccount1")
    TableServiceClient.from_connection_string(server.connection_string).create_table("cats")
    lease = container.acquire_lease(15)
    server.advance(16)
    container.acquire_lease(15)
    server.reset()
    assert not container.exists()
    assert "Create Container" in server.log, server.log
    begin = time.monotonic()
print(f"and stopped in {time.monotonic() - begin:.3f} s")

try:
    server.connection_string
except lazuli_storage.ServerError as error:
    assert "does not run" in str(error)
else:
    raise AssertionError("a server that is stopped has no connection string")

# On disk, with accounts of its own, started again.
with tempfile.TemporaryDirectory() as location:
    server = lazuli_storage.Server(location=location, accounts=["first:c2VjcmV0", "second:c2VjcmV0,versioning"])
    for start in (1, 2):
        with server:
            assert server.endpoint("queue").endswith("/first") and server.endpoint("queue", "second").endswith("/second")
            container = BlobServiceClient.from_connection_string(server.connection_string).get_container_client("dogs")
            if start == 1:
                container.create_container()
                container.upload_blob("rex.txt", b"hello")
                try:
                    lazuli_storage.Server(location=location).start()
                except lazuli_storage.ServerError as error:
                    print("a second server in the same place:", error)
                    assert "exit code" in str(error) and location in str(error)
                else:
                    raise AssertionError("two servers in one directory")
            assert container.download_blob("rex.txt").readall() == b"hello"

# A server that dies is noticed by who uses it.
with lazuli_storage.Server() as server:
    assert server._process is not None
    server._process.kill()
    server._process.wait()
    try:
        server.connection_string
    except lazuli_storage.ServerError as error:
        assert "ended with exit code" in str(error)
    else:
        raise AssertionError("a dead server has no connection string")

try:
    with lazuli_storage.Server(arguments=["--no-such-flag"]):
        raise AssertionError("it started")
except lazuli_storage.ServerError as error:
    print("a flag that is wrong:", error)
    assert "exit code 2" in str(error) and "--no-such-flag is not a flag" in str(error)

# A killed process leaves no server behind.
program = """
import lazuli_storage, time
server = lazuli_storage.Server().start()
print(server.endpoint("blob"), flush=True)
time.sleep(600)
"""
with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
    assert parent.stdout is not None
    url = urllib.parse.urlsplit(parent.stdout.readline())
    parent.kill()
end = time.monotonic() + 30
while True:
    try:
        socket.create_connection((url.hostname, url.port)).close()
    except ConnectionRefusedError:
        break
    assert time.monotonic() < end, "the server outlives the process that was killed"
    time.sleep(0.05)

# One that nobody stops ends with the interpreter.
left = lazuli_storage.Server().start()
