import atexit
import collections
import os
import pathlib
import re
import subprocess
import threading
import urllib.request
import weakref
from types import TracebackType
from typing import Deque, Dict, List, Optional, Sequence, Type, Union

_READY = re.compile(r"Lazuli (Blob|Queue|Table|File|Web) service is listening at (\S+)")
_CONNECTION_STRING = re.compile(r"Connection string(?: of (\S+))?: (\S+)")
_SERVICES = ("blob", "queue", "table", "file")


class ServerError(RuntimeError):
    """The server did not start, or ended. The message has the last lines that it wrote."""


def executable() -> str:
    """The path of the executable in this package."""
    name = "lazuli.exe" if os.name == "nt" else "lazuli"
    path = pathlib.Path(__file__).with_name("bin") / name
    if not path.is_file():
        raise ServerError(f"{path} is missing: install lazuli-storage again, from a wheel for this platform")
    return str(path)


class Server:
    """A server in a process of its own, on free ports, from the `with` statement, or `start()`, to its end, or `stop()`.

    location:   the directory that keeps the data. Without it, data is in memory and is lost at the end.
    accounts:   accounts as the flag `--account` takes them: "name", "name:key", "name:key,versioning". Without any, there is
                `devstoreaccount1` with the key that every emulator has. The first account is that of `connection_string`.
    arguments:  more flags of the command line, such as "--oauth=dev" or "--blob-port=10000".
    timeout:    how many seconds the server may take until it listens, and until it stops.

    The server stops when this process ends, even if it is killed. Environment variables of Lazuli and Azurite have no effect on it.
    """

    def __init__(
        self,
        *,
        location: Union[str, "os.PathLike[str]", None] = None,
        accounts: Sequence[str] = (),
        arguments: Sequence[str] = (),
        timeout: float = 30.0,
    ) -> None:
        if isinstance(accounts, str) or isinstance(arguments, str):
            raise TypeError("accounts and arguments are sequences of strings, not a string")
        self._command: List[str] = [executable(), "--control", "--stop-with-stdin"]
        for service in _SERVICES:
            self._command.append(f"--{service}-port=0")
        if location is not None:
            self._command.append(f"--location={os.fspath(location)}")
        self._command += [f"--account={account}" for account in accounts]
        self._command += arguments
        self._timeout = timeout
        self._process: Optional["subprocess.Popen[str]"] = None
        self._account = ""
        self._connection_string = ""
        self._urls: Dict[str, str] = {}
        self._lines: Deque[str] = collections.deque(maxlen=500)
        self._ready = threading.Event()

    def start(self) -> "Server":
        """Starts the server and waits until it listens. Raises ServerError if it does not."""
        if self._process is not None:
            raise ServerError("the server runs already")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LAZULI_", "AZURITE_"))}
        self._lines.clear()
        self._urls.clear()
        self._ready.clear()
        self._connection_string = ""
        self._process = subprocess.Popen(
            self._command,
            env=environment,
            # The end of this process closes the pipe, however it ends, and the server stops.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        _running.add(self)
        self._reader = threading.Thread(target=self._read, args=(self._process,), name="lazuli-output", daemon=True)
        self._reader.start()
        in_time = self._ready.wait(self._timeout)
        if not self._connection_string:
            code = self._process.poll()
            if code is None and in_time:
                # The output ended, and so does the process.
                code = self._wait(self._process)
            self.stop()
            what = f"ended with exit code {code}" if code is not None else f"did not listen within {self._timeout:g} seconds"
            raise ServerError(f"the server {what}{self._last_lines()}")
        return self

    def stop(self) -> None:
        """Stops the server and waits for its end. Does nothing if it does not run."""
        process, self._process = self._process, None
        _running.discard(self)
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        if os.name != "nt":
            # On Windows this would kill the server. Elsewhere a copy of this process may hold the pipe open.
            process.terminate()
        if self._wait(process) is None:
            process.kill()
            process.wait()
        self._reader.join()
        if process.stdout is not None:
            process.stdout.close()

    @property
    def connection_string(self) -> str:
        """The connection string of the first account, for clients of every service."""
        self._check()
        return self._connection_string

    def endpoint(self, service: str, account: Optional[str] = None) -> str:
        """The URL of a service ("blob", "queue", "table" or "file") with the account in its path: the first, unless one is named."""
        if service not in _SERVICES:
            raise ValueError(f"{service!r} is not a service; there are {', '.join(_SERVICES)}")
        self._check()
        return f"{self._urls[service]}/{account or self._account}"

    @property
    def log(self) -> str:
        """The last lines that the server wrote."""
        return "\n".join(self._lines)

    def advance(self, seconds: int) -> None:
        """Moves the server's clock on, so that leases, signatures and the like expire without waiting."""
        self._control(f"clock?seconds={int(seconds)}")

    def reset(self) -> None:
        """Empties every account and puts the clock back."""
        self._control("reset")

    def checkpoint(self, name: str = "checkpoint") -> None:
        """Saves the state of all accounts under a name. Nothing is copied."""
        self._control(f"checkpoints/{name}")

    def restore(self, name: str = "checkpoint") -> None:
        """Makes all accounts, and the clock, what they were at a checkpoint."""
        self._control(f"checkpoints/{name}/restore")

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()

    def _control(self, what: str) -> None:
        self._check()
        if not self._urls["blob"].startswith("http:"):
            raise ServerError("the clock and the reset are not available over https here; send the request with a client of your own")
        request = urllib.request.Request(f"{self._urls['blob']}/_lazuli/{what}", method="POST")
        # Not by way of a proxy that the environment names.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=self._timeout):
            pass

    def _check(self) -> None:
        if self._process is None:
            raise ServerError("the server does not run: use it in a `with` statement, or call start()")
        if self._process.poll() is not None:
            raise ServerError(f"the server ended with exit code {self._process.returncode}{self._last_lines()}")

    def _read(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            line = line.rstrip()
            self._lines.append(line)
            if self._ready.is_set():
                continue
            if listening := _READY.match(line):
                self._urls[listening[1].lower()] = listening[2].rstrip("/")
            elif found := _CONNECTION_STRING.match(line):
                self._connection_string = found[2]
                name = re.search(r"AccountName=([^;]+)", found[2])
                self._account = name[1] if name else ""
                self._ready.set()
        self._ready.set()

    def _wait(self, process: "subprocess.Popen[str]") -> Optional[int]:
        try:
            return process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            return None

    def _last_lines(self) -> str:
        lines = list(self._lines)[-20:]
        return ":\n" + "\n".join(f"  {line}" for line in lines) if lines else ""


_running: "weakref.WeakSet[Server]" = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    for server in list(_running):
        server.stop()
