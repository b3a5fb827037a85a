"""A browser, a page for each test, and a client that stores what the tests look at."""

import base64
import json
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

CONTROL = os.environ["LAZULI_CONTROL_URL"]
SCREENS = Path(__file__).parent.parent / ".work" / "console" / "screens"


class Server:
    """Requests to the server, as the console sends them: below its origin, with a SAS."""

    def __init__(self, address=CONTROL):
        self.address = address
        self.signatures = {}
        self.accounts = {account["name"]: account for account in self.control("server")["accounts"]}

    def control(self, path, method="GET", body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/{path}", data=data, method=method, headers={"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"{}")

    def send(self, service, account, path, method="PUT", body=b"", **headers):
        if account not in self.signatures:
            self.signatures[account] = self.control("sas", "POST", {"account": account})["sas"]
        separator = "&" if "?" in path else "?"
        url = f"{self.address}/api/{service}/{account}{path}{separator}{self.signatures[account]}"
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(url, data=None if method in ("GET", "HEAD") else body, method=method)
        for name, value in {"x-ms-version": "2025-11-05", **headers}.items():
            request.add_header(name, value)
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def status(self, *args, **named):
        try:
            self.send(*args, **named)
            return 200
        except urllib.error.HTTPError as error:
            return error.code

    def account_with(self, option):
        return next(name for name, account in self.accounts.items() if any(one.startswith(option) for one in account["options"]))

    @property
    def first(self):
        return next(iter(self.accounts))

    def empty(self):
        """Nothing is left of an earlier test, and the clock is that of the machine."""
        self.control("reset", "POST")
        self.control("faults", "DELETE")
        self.control("requests", "DELETE")
        self.signatures = {}

    def container(self, name, account=None):
        self.send("blob", account or self.first, f"/{name}?restype=container")

    def blob(self, path, content, account=None, content_type="text/plain", **headers):
        target = urllib.parse.quote(path)
        self.send("blob", account or self.first, f"/{target}", body=content, x_ms_blob_type="BlockBlob", x_ms_blob_content_type=content_type, **headers)


@pytest.fixture(scope="session")
def browser():
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    with sync_playwright() as driver:
        # A container has no user namespaces, and its /dev/shm can be small.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture
def server():
    server = Server()
    server.empty()
    return server


class Console:
    """A page with the console."""

    def __init__(self, browser, address=CONTROL, **options):
        self.address = address
        self.server = Server(address)
        options = {"viewport": {"width": 1360, "height": 820}, "color_scheme": "light", **options}
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"], origin="/".join(address.split("/")[:3]))
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.errors = []
        self.elsewhere = []
        origin = address.rsplit("/", 1)[0]
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        # A refusal by a policy is an error of the page; a refusal by the server is not.
        self.page.on("console", lambda message: message.type == "error" and "Failed to load resource" not in message.text and self.errors.append(message.text))
        self.page.on("request", lambda request: request.url.startswith(("http:", "https:")) and not request.url.startswith(origin) and self.elsewhere.append(request.url))

    def open(self, *route):
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/#/" + "/".join(route))
        self.page.wait_for_selector("#main .view")
        return self.page

    def shot(self, name):
        SCREENS.mkdir(parents=True, exist_ok=True)
        # Requests that are under way are finished, and what moves has come to rest.
        self.page.wait_for_function("() => !document.querySelector('#main .status')?.textContent.startsWith('Loading')")
        self.page.screenshot(path=SCREENS / f"{name}.png", animations="disabled")

    def webp(self):
        """The page as a picture, which the driver writes as PNG and JPEG only."""
        session = self.context.new_cdp_session(self.page)
        return base64.b64decode(session.send("Page.captureScreenshot", {"format": "webp", "quality": 90})["data"])

    def close(self):
        self.context.close()
        assert self.errors == []
        assert self.elsewhere == []


@pytest.fixture
def console(browser, server):
    console = Console(browser)
    yield console
    console.close()


@pytest.fixture
def narrow(browser, server):
    console = Console(browser, viewport={"width": 400, "height": 800}, color_scheme="dark", has_touch=True)
    yield console
    console.close()
