"""A pytest plugin: an Azure Storage server for tests, which every test finds as its fixtures left it.

Use it with `pytest_plugins = ["lazuli_pytest"]` in conftest.py. A test that takes the fixture `lazuli` has a connection string, and what it
changed is undone afterwards. Fixtures of a wider scope that fill the server take `lazuli_server`.
"""

import json
import os
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest


class ControlError(Exception):
    """A control request that the server refused."""


class Server:
    """A server with --control: one that LAZULI_CONNECTION_STRING names, or a process of its own."""

    def __init__(self):
        self._process = None
        self.connection_string = os.environ.get("LAZULI_CONNECTION_STRING") or self._start()
        blob = re.search(r"BlobEndpoint=([^;]+)", self.connection_string)[1]
        self.url = "{0.scheme}://{0.netloc}/_lazuli".format(urllib.parse.urlsplit(blob))

    def _start(self):
        ports = [f"--{service}-port=0" for service in ("blob", "queue", "table", "file")]
        command = [os.environ.get("LAZULI_BIN", "lazuli"), "--control", "--silent", "--stop-with-stdin", *ports]
        # The end of this process closes the pipe, and the server stops.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LAZULI_")}
        try:
            self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except FileNotFoundError as error:
            raise RuntimeError(f"{command[0]} is not a program: put lazuli on the path, or name it in LAZULI_BIN") from error
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            found = re.match(r"Connection string[^:]*: (.*)", line)
            if found:
                return found[1]
        raise RuntimeError(f"{command[0]} did not start: its standard error says why. {''.join(lines)}".strip())

    def stop(self):
        """Stops a server that this object started."""
        if self._process:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()

    def control(self, method, path, document=None, timeout=60):
        """Sends a control request, and returns the answer. A refusal is a ControlError with the server's message."""
        body = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(self.url + path, method=method, data=body)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise ControlError(f"{method} {path}: {error.code} {error.read().decode().strip()}") from None

    def checkpoint(self, name="test"):
        """Saves the state of all accounts, and forgets the requests so far."""
        self.control("POST", f"/checkpoints/{name}")
        self.control("DELETE", "/requests")

    def restore(self, name="test"):
        """Returns to a checkpoint, and removes all faults."""
        self.control("DELETE", "/faults")
        self.control("POST", f"/checkpoints/{name}/restore")

    def advance(self, seconds):
        """Moves the clock forward: leases, signatures and messages expire without waiting."""
        self.control("POST", f"/clock?seconds={int(seconds)}")

    def fault(self, **rule):
        """Adds a fault: `fault(operation="Put Blob", times=1, do={"cut": "after"})`."""
        return self.control("POST", "/faults", rule)["faults"][0]["id"]

    def requests(self, wait=0, **filters):
        """The latest requests that match. With `wait`, waits so many seconds until one does."""
        query = urllib.parse.urlencode({**filters, "wait": wait})
        return self.control("GET", f"/requests?{query}", timeout=wait + 60)["requests"]


@pytest.fixture(scope="session")
def lazuli_server():
    """The server of all tests. What is stored in it directly is there for every test."""
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def lazuli(lazuli_server):
    """The server for one test: what the test changes is undone afterwards."""
    lazuli_server.checkpoint()
    yield lazuli_server
    lazuli_server.restore()
