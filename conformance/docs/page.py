"""Runs the blocks of one page, from the first to the last, in one empty directory: page.py PAGE DIRECTORY.

The blocks share the directory, the exported variables and one server, as if a reader typed them in one terminal. README.md has the markers.
"""

import difflib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import traceback

import yaml

from blocks import PageError, blocks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUITES = HERE.parent
WORK = SUITES / ".work"
BINARY = os.environ["LAZULI_BIN"]
SECONDS = 240
READY = re.compile(r"^(Connection string|Azurite (Table|Queue|Blob) service is successfully listening)", re.MULTILINE)

# Suites that have Python packages: where these are installed, and the file that pins them.
PACKAGES = {
    "python": ("python/bin", "python/requirements.txt"),
    "tools": ("tools/python/bin", "tools/requirements-python.txt"),
    "spark": ("spark/bin", "spark/requirements.txt"),
}

# What differs from run to run, and how it is compared.
VARYING = [
    ("\ufeff", ""),
    (r"\x1b\[[0-9;]*m", ""),
    (r"\d{4}-\d\d-\d\d[T ]\d\d(?::|%3A)\d\d(?::|%3A)\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "<time>"),
    (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", "<date>"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<id>"),
    (r"0x[0-9A-F]{10,}", "<etag>"),
    (r"\d+(\.\d+)? ?(ms|µs)\b", "<duration>"),
    (r"\bsig=[A-Za-z0-9%+/=]+", "sig=<signature>"),
]


def normal(text):
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def matches(shown, printed):
    """Whether the lines printed are those shown. `…` stands for anything in a line, and alone in a line for any number of lines."""
    pattern = ""
    for line in normal(shown):
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("…")) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in normal(printed))) is not None


def difference(shown, printed):
    lines = difflib.unified_diff(normal(shown), normal(printed), "the page", "printed", lineterm="")
    return "the page shows another output:\n" + "\n".join(lines)


class Page:
    def __init__(self, path, work, packages):
        self.path = path
        installed, pinned = PACKAGES[packages]
        self.python, self.requirements = WORK / installed, SUITES / pinned
        self.work = work / "page"
        self.aside = work / "aside"
        self.home = work / "home"
        for folder in (self.work, self.aside, self.home / ".local/bin"):
            folder.mkdir(parents=True)
        self.state = self.aside / "state"
        self.groups = []
        self.server = None
        self.log = None
        self.printed = None
        self.skipped = False
        self.environment = self.clean_environment()

    def clean_environment(self):
        commands = self.aside / "bin"
        commands.mkdir()
        for name in ("lazuli", "lazuli-storage"):
            (commands / name).symlink_to(BINARY)
        # The Python package, as its wheel lays it out.
        module = self.aside / "python/lazuli_storage"
        shutil.copytree(ROOT / "packaging/pypi/lazuli_storage", module, ignore=shutil.ignore_patterns("__pycache__", "bin"))
        (module / "bin").mkdir()
        (module / "bin/lazuli").symlink_to(BINARY)
        path = [self.home / ".local/bin", commands, self.python, WORK / "tools/bin"]
        kept = ("LANG", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME", "CARGO_TARGET_DIR", "PYENV_VERSION", "PYENV_ROOT")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        user = pathlib.Path.home()
        environment.setdefault("RUSTUP_HOME", str(user / ".rustup"))
        environment.setdefault("CARGO_HOME", str(user / ".cargo"))
        return environment | {
            "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]]),
            "HOME": str(self.home),
            "PYTHONPATH": str(self.aside / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "GOFLAGS": "-mod=mod",
            "GOPROXY": "off",
            "GONOSUMDB": "*",
            "AZURE_CORE_COLLECT_TELEMETRY": "no",
            "AZURE_CORE_NO_COLOR": "yes",
            "AZURE_CORE_ONLY_SHOW_ERRORS": "yes",
            "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
            "DOTNET_NOLOGO": "1",
            "REPOSITORY": str(ROOT),
        }

    # Processes

    def spawn(self, command, **options):
        process = subprocess.Popen(
            command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, start_new_session=True, **options
        )
        self.groups.append(process.pid)
        return process

    def run(self, command, expected=0):
        """Runs a command to its end; what it wrote is compared with the output on the page."""
        self.skipped = False
        output = self.aside / "output"
        with output.open("wb") as file:
            process = self.spawn(command, stdout=file, stderr=subprocess.STDOUT)
            try:
                code = process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                code = f"none after {SECONDS} s"
        self.printed = output.read_text(encoding="utf-8", errors="replace")
        if code != expected:
            raise PageError(f"exit code {code}, expected {expected}; it printed:\n{self.printed}")

    def script(self, text, keep=True):
        """The bash script of a block: it has the variables and the directory of the blocks before it."""
        # A marker of the shell's own would be part of the output, so the state goes to a file.
        lines = ["set -euo pipefail"]
        if self.state.exists():
            lines.append(f". {shlex.quote(str(self.state))}")
        if keep:
            lines.append(f"trap '{{ declare -px | grep -v \" SHLVL=\\| OLDPWD=\"; echo cd \"$(printf %q \"$PWD\")\"; }} >{shlex.quote(str(self.state))}' EXIT")
        return ["bash", "-c", "\n".join([*lines, text])]

    def start(self, text):
        """Runs a block that starts a server, which replaces the one before it, and waits until it listens."""
        self.stop_server()
        self.log = self.aside / f"server-{len(self.groups)}.log"
        with self.log.open("wb") as file:
            self.server = self.spawn(self.script(text, keep=False), stdout=file, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 30
        while not READY.search(self.log.read_text(errors="replace")):
            if self.server.poll() is not None or time.monotonic() > deadline:
                raise PageError(f"the server does not listen:\n{self.log.read_text(errors='replace')}")
            time.sleep(0.02)
        self.printed = self.log.read_text(errors="replace")

    def stop_server(self):
        if self.server is not None:
            os.killpg(self.server.pid, signal.SIGTERM)
            self.server.wait(20)
            self.server = None

    def end(self):
        for group in self.groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass

    # Blocks

    def perform(self, block):
        name = block.markers.get("file")
        if name is not None:
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text(block.text, encoding="utf-8")
        if "before" in block.markers:
            self.run(self.script(block.markers["before"]))
        action = getattr(self, "run_" + block.action.replace("-", "_"), None)
        if action is None:
            raise PageError(f"there is no way to run '{block.action}'")
        return action(block)

    def expected(self, block):
        return int(block.markers.get("exit", 0))

    def program(self, block, default):
        """Saves a program: under the name that the page gives it, or another."""
        file = self.work / block.markers.get("file", default)
        file.write_text(block.text, encoding="utf-8")
        return file.name

    def run_skip(self, block):
        self.printed = None
        self.skipped = True
        return "skipped: " + block.markers["skip"]

    def run_file(self, block):
        if "file" not in block.markers:
            raise PageError("the marker 'file' is missing")

    def run_sh(self, block):
        self.run(self.script(block.text), self.expected(block))

    def run_server(self, block):
        self.start(block.text)

    def run_output(self, block):
        if self.skipped:
            return "skipped with the block before it"
        if self.printed is None:
            raise PageError("there is no block before it whose output this could be")
        if not matches(block.text, self.printed):
            raise PageError(difference(block.text, self.printed))

    def run_log(self, block):
        """The lines are in the server's log, one after the other."""
        pattern = "…\n" + block.text + "…\n"
        deadline = time.monotonic() + 5
        while not matches(pattern, self.log.read_text(errors="replace")):
            if time.monotonic() > deadline:
                raise PageError(difference(block.text, self.log.read_text(errors="replace")))
            time.sleep(0.05)

    def run_printed(self, block):
        """The file that the marker names has this content."""
        content = (self.work / block.markers["file"]).read_text(encoding="utf-8")
        if not matches(block.text, content):
            raise PageError(difference(block.text, content))

    def run_python(self, block):
        self.run(self.script("exec python3 " + shlex.quote(self.program(block, "program.py"))), self.expected(block))

    def run_js(self, block):
        modules = self.work / "node_modules"
        if not modules.exists():
            modules.symlink_to(SUITES / "node/node_modules")
        self.run(self.script("exec node " + shlex.quote(self.program(block, "program.mjs"))), self.expected(block))

    def run_go(self, block):
        go = subprocess.run(["go", "env", "GOMODCACHE", "GOCACHE"], cwd=SUITES / "go", capture_output=True, text=True, check=True)
        self.environment |= dict(zip(("GOMODCACHE", "GOCACHE"), go.stdout.split()))
        folder = self.aside / f"go-{len(self.groups)}"
        folder.mkdir()
        for name in ("go.mod", "go.sum"):
            shutil.copy(SUITES / "go" / name, folder)
        (folder / "main.go").write_text(block.text, encoding="utf-8")
        self.run(self.script(f"cd {shlex.quote(str(folder))}; go run .", keep=False), self.expected(block))

    def run_java(self, block):
        name = self.program(block, "Hello.java")
        # Netty warns if no network interface has a hardware address, as in a network of one's own.
        options = ["-XX:TieredStopAtLevel=1", "-Dio.netty.machineId=02:00:00:00:00:00:00:01", "-cp", str(WORK / "java/dependency/*")]
        self.run(self.script(shlex.join(["exec", "java", *options, name])), self.expected(block))

    def run_rust(self, block):
        tests = "#[test]" in block.text or "#[tokio::test]" in block.text
        if not tests and "fn main(" not in block.text:
            raise PageError("neither a program nor a test")
        file, binary = self.aside / "program.rs", self.aside / f"program-{len(self.groups)}"
        file.write_text(block.text, encoding="utf-8")
        self.run(["rustc", "--edition", "2024", *rust_crates(), *(["--test"] if tests else []), "-o", str(binary), str(file)])
        if self.printed.strip():
            raise PageError(f"the compiler warns:\n{self.printed}")
        self.run(self.script(f"exec {shlex.quote(str(binary))}"), self.expected(block))

    def run_csharp(self, block):
        if shutil.which("dotnet") is None:
            self.printed = None
            self.skipped = True
            return "skipped: .NET is not installed"
        folder = self.aside / f"csharp-{len(self.groups)}"
        folder.mkdir()
        shutil.copy(SUITES / "dotnet/Conformance.csproj", folder)
        (folder / "Program.cs").write_text(block.text, encoding="utf-8")
        self.run(self.script(f"exec dotnet run --project {shlex.quote(str(folder))}"), self.expected(block))

    def run_json(self, block):
        json.loads(block.text)

    def run_yaml(self, block):
        yaml.safe_load(block.text)

    def run_compose(self, block):
        """Health checks run against the server of the page, which listens where that of the service does. Variables are those of Lazuli."""
        content = yaml.safe_load(block.text)
        known = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
        for service in content["services"].values():
            for name in service.get("environment", {}):
                if name.startswith("LAZULI_") and f"`{name}`" not in known:
                    raise PageError(f"there is no variable {name}")
            check = service.get("healthcheck", {}).get("test")
            if check:
                if check[0] != "CMD":
                    raise PageError("the health check is not a command")
                self.run(["env", *check[1:]])

    def run_workflow(self, block):
        """The steps of a workflow: commands run, and inputs of the action are those that action.yml has."""
        content = yaml.safe_load(block.text)
        jobs = content["jobs"].values() if isinstance(content, dict) else [{"steps": content}]
        inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
        for job in jobs:
            for service in job.get("services", {}).values():
                check = re.search(r'--health-cmd "([^"]*)"', service.get("options", ""))
                if check:
                    self.service(check[1])
            for step in job["steps"]:
                if step.get("uses", "").startswith("lazuli-storage/lazuli@"):
                    unknown = set(step.get("with", {})) - set(inputs)
                    if unknown:
                        raise PageError(f"action.yml has no input {', '.join(unknown)}")
                if "run" in step and "npm " not in step["run"]:
                    self.run(self.script(step["run"]))

    def service(self, check):
        """Runs the health check of a service container against a server of its own."""
        idle = self.server is None
        if idle:
            self.start("exec lazuli")
        self.run(self.script(check))
        if idle:
            self.stop_server()

    def run_installed(self, block):
        """The packages are those that the suites pin, and with which the programs of this page run."""
        for line in block.text.splitlines():
            line = re.sub(r" --features \S+", "", line)
            words = shlex.split(line, comments=True)
            tool, packages = words[:2], words[2:]
            if tool == ["pip", "install"]:
                pinned = self.requirements.read_text().lower().replace("_", "-")
                for package in packages:
                    self.require([package], pinned, "\n{}" if "==" in package else "\n{}==")
            elif tool == ["npm", "install"]:
                self.require(packages, (SUITES / "node/package.json").read_text(), '"{}"')
            elif tool == ["go", "get"]:
                self.require(packages, (SUITES / "go/go.mod").read_text(), "\t{} v")
            elif tool == ["cargo", "add"]:
                self.require(packages, (ROOT / "Cargo.toml").read_text(), "\n{} = ")
            elif tool == ["dotnet", "add"]:
                self.require(words[3:], (SUITES / "dotnet/Conformance.csproj").read_text(), 'Include="{}"')
            elif words and words[0].startswith("com.azure:"):
                self.require([word.split(":")[1] for word in words], (SUITES / "java/pom.xml").read_text(), "<artifactId>{}</artifactId>")
            elif words[:2] != ["go", "mod"] and words:
                raise PageError(f"not a line that installs packages: {line}")

    def require(self, packages, pinned, form):
        for package in packages:
            if form.format(package) not in f"\n{pinned}":
                raise PageError(f"{package} is not installed by the suites")


def rust_crates():
    """The arguments of rustc for the crates that the example of this repository uses, which setup builds."""
    build = subprocess.run(
        ["cargo", "build", "--quiet", "--offline", "--locked", "--example", "in_process", "--message-format=json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if build.returncode != 0:
        raise PageError(build.stderr)
    wanted = {"lazuli", "tokio", "azure_core", "azure_storage_blob", "azure_storage_queue", "futures", "object_store"}
    arguments, folders = [], set()
    for line in build.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") != "compiler-artifact" or "lib" not in message["target"]["kind"]:
            continue
        library = [name for name in message["filenames"] if name.endswith(".rlib")]
        folders.update(str(pathlib.Path(name).parent) for name in library)
        if message["target"]["name"] in wanted:
            arguments += ["--extern", f"{message['target']['name']}={library[0]}"]
    for folder in folders:
        arguments += ["-L", f"dependency={folder}", "-L", f"dependency={pathlib.Path(folder) / 'deps'}"]
    return arguments


def main():
    path, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        whole, found = blocks(path)
    except PageError as error:
        print(error)
        return 1
    page = Page(path, work, whole.get("packages", "python"))
    needs_server = any(block.action not in ("skip", "json", "yaml", "installed", "file") for block in found)
    try:
        if needs_server and whole.get("server") != "none" and found[0].action != "server":
            page.start(f"exec lazuli {whole.get('server', '')}")
            page.printed = None
        for block in found:
            began = time.monotonic()
            try:
                note = page.perform(block)
            except Exception as error:
                print(f"{path.name}:{block.line}: {block.action}: {type(error).__name__}: {error}")
                if not isinstance(error, PageError):
                    traceback.print_exc()
                if page.log is not None:
                    print("The end of the server's log:", *page.log.read_text(errors="replace").splitlines()[-15:], sep="\n")
                return 1
            print(f"{path.name}:{block.line}: {block.action}: {note or 'ok'} ({time.monotonic() - began:.1f} s)")
        if page.server is not None and page.server.poll() is not None:
            print(f"the server ended with {page.server.returncode}:", page.log.read_text(errors="replace"))
            return 1
        return 0
    finally:
        page.end()


sys.exit(main())
