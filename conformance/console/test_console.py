"""Each thing that a person does with the console, once, in a real browser."""

import base64
import json
import re
import urllib.error
import urllib.request

import pytest
from conftest import CONTROL
from playwright.sync_api import expect

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="240" height="150"><rect width="240" height="150" fill="#1d44b8"/><circle cx="180" cy="45" r="20" fill="#f0c25a"/><path d="M0 150l70-70 45 45 40-30 85 55z" fill="#0d1f52"/></svg>'


def row(page, text):
    return page.locator("#main .window .row").filter(has_text=text)


def note(page, text):
    expect(page.locator("#notes")).to_contain_text(text)


def submit(page, **values):
    dialog = page.locator("dialog[open]")
    for name, value in values.items():
        control = dialog.locator(f"[name={name}]").first
        control.select_option(value) if control.evaluate("e => e.tagName") == "SELECT" else control.fill(value)
    dialog.locator("button[type=submit]").click()
    expect(dialog).to_have_count(0)


# The first minute


def test_a_blank_account_shows_what_to_do_next(console, server):
    page = console.open(server.first)
    expect(page.get_by_role("heading", name="This account is empty")).to_be_visible()
    for language in ["JavaScript", "C#", "Go", "Python"]:
        page.get_by_role("tab", name=language, exact=True).click()
        expect(page.get_by_role("tabpanel")).to_contain_text("hello")
    console.shot("blank-account")
    page.get_by_role("button", name="Copy connection string").click()
    note(page, "connection string copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == server.accounts[server.first]["connection_string"] and "AccountKey=" in copied
    assert copied not in page.inner_text("#main .secret")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files([{"name": "first.txt", "mimeType": "text/plain", "buffer": b"first"}])
    submit(page, name="uploads")
    expect(row(page, "first.txt")).to_be_visible()
    assert server.send("blob", server.first, "/uploads/first.txt", method="GET") == b"first"


def test_the_tree_has_accounts_services_and_resources_and_its_keys(console, server):
    server.container("alpha")
    server.container("beta")
    page = console.open(server.first)
    tree = page.get_by_role("tree")
    for name in server.accounts:
        expect(tree.get_by_role("link", name=name).or_(tree.locator("a", has_text=name)).first).to_be_visible()
    page.locator("#tree-nav a", has_text=server.first).first.focus()
    for key in ["ArrowDown", "ArrowRight"]:
        page.keyboard.press(key)
    expect(page.locator("#tree-nav a", has_text="beta")).to_be_visible()
    for key in ["ArrowDown", "ArrowDown", "Enter"]:
        page.keyboard.press(key)
    expect(page.locator(".crumbs h1")).to_have_text("beta")
    console.shot("tree")


def test_an_account_with_data_shows_numbers_sizes_and_rates(console, server):
    for name, size in [("small", 2_000), ("large", 90_000)]:
        server.container(name)
        server.blob(f"{name}/one.bin", b"x" * size)
    page = console.open(server.first)
    expect(page.locator(".tile").first).to_contain_text("2")
    expect(page.locator(".size-row")).to_have_text([re.compile("large.*87.9 KiB"), re.compile("small.*2.0 KiB")])
    expect(page.locator(".rates svg.plot")).to_have_count(4)
    expect(page.locator(".rates figcaption").first).to_contain_text(re.compile("[1-9][0-9,]* requests"))
    console.shot("account")


# Blobs


def test_containers_are_created_restored_and_deleted(console, server):
    account = server.account_with("container-retention")
    page = console.open(account, "blob")
    page.keyboard.press("n")
    submit(page, name="letters", access="container")
    expect(page.locator(".crumbs h1")).to_have_text("letters")
    page = console.open(account, "blob")
    with urllib.request.urlopen(f"{CONTROL}/api/blob/{account}/letters?restype=container&comp=list") as answer:
        assert answer.status == 200
    row(page, "letters").click()
    page.keyboard.press("d")
    submit(page)
    expect(row(page, "letters")).to_have_count(0)
    page.locator(".toggle", has_text="Deleted").click()
    row(page, "letters").click()
    console.shot("container-deleted")
    # The name of a deleted container is free after half a minute.
    server.control("clock?seconds=60", "POST")
    page.get_by_role("button", name="Restore").click()
    note(page, "letters restored")
    assert server.status("blob", account, "/letters?restype=container", method="GET") == 200


def test_files_are_uploaded_by_dropping_them(console, server):
    server.container("drop")
    page = console.open(server.first, "blob", "drop")
    data = page.evaluate_handle(
        """() => {
            const transfer = new DataTransfer();
            transfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
            transfer.items.add(new File([new Uint8Array(40 * 1024 * 1024)], "large.bin"));
            return transfer;
        }"""
    )
    page.dispatch_event("#main .view", "dragenter", {"dataTransfer": data})
    expect(page.locator(".view.dropping")).to_be_visible()
    page.dispatch_event("#main .view", "drop", {"dataTransfer": data})
    note(page, "2 files uploaded")
    expect(row(page, "large.bin")).to_contain_text("40.0 MiB")
    assert server.send("blob", server.first, "/drop/dropped.txt", method="GET") == b"dropped"
    # The large one was sent in blocks.
    blocks = server.send("blob", server.first, "/drop/large.bin?comp=blocklist", method="GET")
    assert blocks.count(b"<Block>") == 5


def test_a_blob_has_properties_metadata_tags_tier_and_a_preview(console, server):
    server.container("photos")
    server.blob("photos/2026/sea.svg", PICTURE, content_type="image/svg+xml", x_ms_meta_camera="X100", x_ms_tags="album=summer")
    page = console.open(server.first, "blob", "photos")
    row(page, "2026/").dblclick()
    row(page, "sea.svg").click()
    pane = page.locator("#pane")
    expect(pane.locator("img")).to_be_visible()
    assert pane.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") == 240
    expect(pane).to_contain_text("image/svg+xml")
    expect(pane.get_by_label("Value").first).to_have_value("X100")
    console.shot("blob")

    metadata = pane.locator("details", has_text="Metadata")
    metadata.get_by_role("button", name="Add").click()
    metadata.get_by_label("Name").last.fill("author")
    metadata.get_by_label("Value").last.fill("Ada")
    metadata.get_by_role("button", name="Save").click()
    note(page, "Saved")
    tags = pane.locator("details", has_text="Tags")
    tags.get_by_label("Value").first.fill("winter")
    tags.get_by_role("button", name="Save").click()
    pane.locator("summary", has_text="Tier").click()
    pane.locator("select[name=tier]").select_option("Cool")
    note(page, "Tier set")
    pane.get_by_role("button", name="Edit properties").click()
    page.locator("dialog [name=cache-control]").fill("no-cache")
    submit(page)
    expect(pane).to_contain_text("no-cache")
    expect(pane.get_by_label("Value").nth(1)).to_have_value("X100")
    tagged = server.send("blob", server.first, "/photos/2026/sea.svg?comp=tags", method="GET").decode()
    assert "<Value>winter</Value>" in tagged
    expect(row(page, "sea.svg")).to_contain_text("Cool")


def test_leases_are_acquired_and_broken(console, server):
    server.container("leased")
    server.blob("leased/a b.txt", b"text")
    page = console.open(server.first, "blob", "leased")
    row(page, "a b.txt").click()
    pane = page.locator("#pane")
    pane.get_by_role("button", name="Acquire lease").click()
    submit(page, seconds="30")
    note(page, "Lease acquired")
    assert re.fullmatch(r"[0-9a-f-]{36}", page.evaluate("navigator.clipboard.readText()"))
    assert server.status("blob", server.first, "/leased/a%20b.txt", method="DELETE") == 412
    pane.get_by_role("button", name="Break lease").click()
    note(page, "Lease broken")
    expect(pane.get_by_role("button", name="Acquire lease")).to_be_visible()
    page.keyboard.press("c")
    note(page, "URL copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith("/leased/a%20b.txt")
    page = console.open(server.first, "blob")
    row(page, "leased").click()
    pane.get_by_role("button", name="Acquire lease").click()
    submit(page, seconds="-1")
    expect(pane.get_by_role("button", name="Break lease")).to_be_visible()


def test_a_text_is_created_edited_and_downloaded(console, server):
    server.container("notes")
    page = console.open(server.first, "blob", "notes")
    page.keyboard.press("n")
    submit(page, name="a b/ü & ?.txt", text="one")
    page.locator("#main .window .row", has_text="a b/").dblclick()
    row(page, "ü & ?.txt").click()
    expect(page.locator("#pane pre.preview")).to_have_text("one")
    page.keyboard.press("e")
    submit(page, text="two <b>&")
    expect(page.locator("#pane pre.preview")).to_have_text("two <b>&")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").last.click()
    assert download.value.suggested_filename == "ü & ?.txt" or download.value.suggested_filename.endswith(".txt")
    with open(download.value.path(), "rb") as saved:
        assert saved.read() == b"two <b>&"
    assert server.send("blob", server.first, "/notes/a%20b/%C3%BC%20%26%20%3F.txt", method="GET") == b"two <b>&"
    console.shot("text")


def test_an_edit_does_not_overwrite_a_change_of_somebody_else(console, server):
    server.container("notes")
    server.blob("notes/shared.txt", b"one")
    page = console.open(server.first, "blob", "notes")
    row(page, "shared.txt").click()
    expect(page.locator("#pane pre.preview")).to_have_text("one")
    page.keyboard.press("e")
    page.locator("dialog textarea").fill("mine")
    server.blob("notes/shared.txt", b"theirs")
    page.locator("dialog button[type=submit]").click()
    expect(page.locator("dialog .problem")).to_contain_text("ConditionNotMet")
    assert server.send("blob", server.first, "/notes/shared.txt", method="GET") == b"theirs"


def test_a_deleted_blob_is_shown_and_restored(console, server):
    server.container("trash")
    server.blob("trash/kept.txt", b"kept")
    page = console.open(server.first)
    page.get_by_label("Retention of deleted blobs").select_option("7")
    note(page, "Soft delete set")
    page = console.open(server.first, "blob", "trash")
    row(page, "kept.txt").click()
    page.keyboard.press("d")
    submit(page)
    expect(row(page, "kept.txt")).to_have_count(0)
    page.locator(".toggle", has_text="Deleted").click()
    row(page, "kept.txt").click()
    console.shot("blob-deleted")
    page.get_by_role("button", name="Undelete").click()
    note(page, "kept.txt restored")
    assert server.send("blob", server.first, "/trash/kept.txt", method="GET") == b"kept"


def test_snapshots_and_versions_are_listed_and_become_current_again(console, server):
    account = server.account_with("versioning")
    server.container("docs", account)
    for text in [b"first", b"second"]:
        server.blob("docs/plan.txt", text, account)
    page = console.open(account, "blob", "docs")
    row(page, "plan.txt").click()
    page.get_by_role("button", name="Snapshot").click()
    note(page, "Snapshot created")
    history = page.locator("#pane .history li")
    expect(history).not_to_have_count(0)
    page.locator(".toggle", has_text="History").click()
    expect(row(page, "snapshot")).to_have_count(1)
    row(page, "version").last.click()
    console.shot("versions")
    expect(page.locator("#pane pre.preview")).to_be_visible()
    past = page.locator("#pane pre.preview").inner_text()
    page.get_by_role("button", name="Make current").click()
    note(page, "current now")
    assert server.send("blob", account, "/docs/plan.txt", method="GET") == past.encode()


def test_a_million_blobs_do_not_freeze_it(console, server):
    total, largest = 1_000_000, 5000
    requests = []

    def page_of_blobs(route):
        query = dict(re.findall(r"([a-z]+)=([^&]*)", route.request.url))
        start, size = int(query.get("marker", 0)), min(int(query["maxresults"]), largest)
        requests.append((start, size))
        names = "".join(
            f"<Blob><Name>blob-{at:07}</Name><Properties><Content-Length>{at}</Content-Length><Last-Modified>Fri, 02 Jan 2026 00:00:00 GMT</Last-Modified><BlobType>BlockBlob</BlobType></Properties></Blob>"
            for at in range(start, start + size)
        )
        following = start + size if start + size < total else ""
        route.fulfill(content_type="application/xml", body=f"<EnumerationResults><Blobs>{names}</Blobs><NextMarker>{following}</NextMarker></EnumerationResults>")

    server.container("many")
    console.page.route(re.compile(r"/many\?.*comp=list"), page_of_blobs)
    page = console.open(server.first, "blob", "many")
    expect(row(page, "blob-0000000")).to_be_visible()
    assert len(requests) <= 2
    for _ in range(8):
        page.keyboard.press("End")
        page.wait_for_timeout(150)
    page.wait_for_function("() => Number(document.querySelector('#main .status').textContent.replace(/[^0-9]/g, '')) >= 20000")
    assert all(size <= largest for _, size in requests)
    assert page.locator("#main .window .row").count() < 100
    page.keyboard.press("End")
    page.keyboard.press("k")
    expect(page.locator("#main .row.cursor")).to_be_visible()
    page.keyboard.press("Home")
    expect(row(page, "blob-0000000")).to_be_visible()
    console.shot("many-blobs")


def test_names_are_filtered_by_the_server(console, server):
    server.container("names")
    for name in ["apple", "apricot", "banana"]:
        server.blob(f"names/{name}", b"x")
    page = console.open(server.first, "blob", "names")
    page.keyboard.press("/")
    with page.expect_request(re.compile(r"prefix=ap\b|prefix=ap&")):
        page.keyboard.type("ap")
    expect(page.locator("#main .window .row")).to_have_count(2)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator("#main .row.cursor")).to_contain_text("apple")


def test_several_are_marked_and_deleted(console, server):
    server.container("several")
    for at in range(5):
        server.blob(f"several/{at}.txt", b"x")
    page = console.open(server.first, "blob", "several")
    expect(row(page, "0.txt")).to_be_visible()
    for key in ["j", "x", "j", "x"]:
        page.keyboard.press(key)
    expect(page.locator("#main .status")).to_contain_text("2 marked")
    page.keyboard.press("d")
    submit(page)
    expect(page.locator("#main .window .row")).to_have_count(3)


# Queues, tables, shares, Data Lake


def test_messages_are_peeked_added_dequeued_and_cleared(console, server):
    server.send("queue", server.first, "/orders")
    text = base64.b64encode(b'{"order": 7}').decode()
    server.send("queue", server.first, "/orders/messages", method="POST", body=f"<QueueMessage><MessageText>{text}</MessageText></QueueMessage>".encode())
    page = console.open(server.first, "queue", "orders")
    row(page, '"order": 7').click()
    expect(page.locator("#pane")).to_contain_text("Base64")
    console.shot("messages")
    page.keyboard.press("n")
    submit(page, text="<second> & last")
    expect(row(page, "<second> & last")).to_be_visible()
    page.keyboard.press("t")
    note(page, "The first message was removed")
    expect(page.locator("#main .window .row")).to_have_count(1)
    page.keyboard.press("d")
    submit(page)
    expect(page.get_by_text("No message is visible")).to_be_visible()


def test_entities_are_queried_and_edited(console, server):
    server.send("table", server.first, "/Tables", method="POST", body=b'{"TableName":"people"}', content_type="application/json", accept="application/json")
    for at in range(12):
        entity = {"PartitionKey": "it's", "RowKey": f"{at:02}", "Age": 20 + at, "Visits": str(2**40), "Visits@odata.type": "Edm.Int64"}
        server.send("table", server.first, "/people", method="POST", body=json.dumps(entity).encode(), content_type="application/json", accept="application/json")
    page = console.open(server.first, "table", "people")
    expect(page.locator("#main .status")).to_contain_text("12 entities")
    page.keyboard.press("/")
    page.keyboard.type("PartitionKey eq 'it''s' and Age gt 29")
    page.keyboard.press("Enter")
    expect(page.locator("#main .status")).to_have_text("2 entities")
    page.locator("#main .window .row").last.click()
    console.shot("entities")
    page.keyboard.press("e")
    page.get_by_label("Value of Age").fill("99")
    submit(page)
    note(page, "Entity replaced")
    key = "/people(PartitionKey='it''s',RowKey='11')"
    stored = json.loads(server.send("table", server.first, key, method="GET", accept="application/json;odata=fullmetadata"))
    assert (stored["Age"], stored["Visits"], stored["Visits@odata.type"]) == (99, str(2**40), "Edm.Int64")
    page.keyboard.press("n")
    for label, value in [("Value of PartitionKey", "new"), ("Value of RowKey", "1")]:
        page.get_by_label(label).fill(value)
    submit(page)
    page.locator("#main input[type=search]").fill("Age gt (")
    page.keyboard.press("Enter")
    expect(page.locator("#alerts")).to_contain_text("400")


def test_a_share_has_directories_and_files(console, server):
    server.send("file", server.first, "/documents?restype=share")
    page = console.open(server.first, "file", "documents")
    page.get_by_role("button", name="New directory").first.click()
    submit(page, name="letters")
    row(page, "letters").dblclick()
    expect(page.locator(".crumbs h1")).to_have_text("letters")
    page.keyboard.press("n")
    submit(page, name="mum.txt", text="Dear mum")
    row(page, "mum.txt").click()
    expect(page.locator("#pane pre.preview")).to_have_text("Dear mum")
    console.shot("share")
    page.keyboard.press("e")
    submit(page, text="Dear Mum,")
    expect(page.locator("#pane pre.preview")).to_have_text("Dear Mum,")
    assert server.send("file", server.first, "/documents/letters/mum.txt", method="GET") == b"Dear Mum,"
    page = console.open(server.first, "file", "documents")
    row(page, "letters").click()
    page.keyboard.press("d")
    submit(page)
    expect(row(page, "letters")).to_have_count(0)


def test_paths_of_data_lake_have_owners_and_access_control_lists(console, server):
    account = server.account_with("hns")
    server.container("lake", account)
    page = console.open(account, "blob", "lake")
    page.get_by_role("button", name="New directory").click()
    submit(page, name="raw")
    row(page, "raw/").click()
    pane = page.locator("#pane")
    expect(pane.get_by_label("Owner", exact=True)).to_have_value("$superuser")
    pane.get_by_placeholder("Object id").fill("4d2e2e0c-6f5b-4a39-9d0b-0c1f6f2d3a77")
    pane.get_by_role("button", name="Add", exact=True).click()
    pane.locator(".acl-row", has_text="4d2e2e0c").get_by_label("w").check()
    pane.locator("details", has_text="Access control").get_by_role("button", name="Save").click()
    note(page, "Access control set")
    console.shot("data-lake")
    server_acl = pane.locator(".acl-row", has_text="4d2e2e0c").get_by_label("w")
    page.reload()
    row(page, "raw/").click()
    expect(server_acl).to_be_checked()
    expect(row(page, "raw/")).to_contain_text("+")
    pane.get_by_role("button", name="Rename").click()
    submit(page, to="cooked")
    expect(row(page, "cooked/")).to_be_visible()


# Signatures


def test_a_sas_opens_what_its_letters_allow(console, server):
    server.container("shared")
    server.blob("shared/read.txt", b"readable")
    page = console.open(server.first, "blob", "shared")
    row(page, "read.txt").click()
    page.locator("#pane").get_by_role("button", name="SAS").click()
    page.get_by_role("button", name="Generate SAS").click()
    url = page.locator("dialog .result", has_text="URL").locator("code").inner_text()
    with urllib.request.urlopen(url) as answer:
        assert answer.read() == b"readable"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(url, method="DELETE"))
    assert refused.value.code == 403
    page = console.open(server.first, "sas")
    page.get_by_role("button", name="Generate SAS").click()
    expect(page.locator(".result", has_text="Connection string")).to_contain_text("SharedAccessSignature=sv=")
    console.shot("sas")


# The server


def test_the_journal_shows_refusals_with_their_reasons_live(console, server):
    page = console.open("server", "journal")
    expect(page.locator(".live.on").first).to_be_visible()
    server.container("seen")
    url = f"{CONTROL}/api/blob/{server.first}/seen/x?sv=2021-12-02&sp=r&sr=b&se=2100-01-01&sig=AAAA"
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(url)
    expect(row(page, "403")).to_contain_text("AuthenticationFailed")
    expect(row(page, "Create Container")).to_be_visible()
    row(page, "403").click()
    expect(page.locator("#pane .reason-box")).not_to_be_empty()
    assert "AAAA" not in page.content()
    console.shot("journal")
    page.locator(".toggle", has_text="Refused only").click()
    expect(row(page, "Create Container")).to_have_count(0)


def test_the_clock_moves_and_the_console_gets_a_new_sas(console, server):
    server.container("later")
    page = console.open(server.first, "blob", "later")
    expect(page.get_by_text("This container is empty")).to_be_visible()
    page.evaluate("location.hash = '#/server/control'")
    page.get_by_role("button", name="+ 7 days").click()
    expect(page.get_by_text("7 d ahead of this machine")).to_be_visible()
    # The SAS of the page expired with that.
    page.evaluate("account => (location.hash = `#/${account}/blob/later`)", server.first)
    expect(page.get_by_text("This container is empty")).to_be_visible()
    expect(page.locator("#alerts")).to_be_empty()


def test_a_checkpoint_is_saved_and_restored(console, server):
    server.container("before")
    page = console.open("server", "control")
    page.get_by_role("button", name="Save a checkpoint").click()
    submit(page, name="clean")
    server.container("after")
    page.locator(".rules li", has_text="clean").get_by_role("button", name="Restore").click()
    note(page, "clean restored")
    listed = server.send("blob", server.first, "/?comp=list", method="GET").decode()
    assert "<Name>before</Name>" in listed and "<Name>after</Name>" not in listed


def test_faults_are_switches(console, server):
    server.container("faulty")
    page = console.open("server", "control")
    page.get_by_role("switch", name="Throttling").check()
    expect(page.locator(".rules li", has_text="throttled")).to_be_visible()
    assert server.status("blob", server.first, "/faulty?restype=container", method="GET") == 503
    expect(page.locator(".rules li", has_text="throttled")).to_contain_text(re.compile("[1-9][0-9]* of"))
    console.shot("control")
    page.get_by_role("switch", name="Throttling").uncheck()
    expect(page.locator(".rules li", has_text="throttled")).to_have_count(0)
    assert server.status("blob", server.first, "/faulty?restype=container", method="GET") == 200
    page.keyboard.press("n")
    submit(page, action="error", value="OperationTimedOut", operation="Get Blob", times="1")
    expect(page.locator(".rules li", has_text="OperationTimedOut")).to_contain_text("Get Blob, 1 times")


# The page itself


def test_the_shell_has_landmarks_names_and_shortcuts(console, server):
    server.container("named")
    page = console.open(server.first, "blob")
    for role in ["main", "navigation"]:
        expect(page.get_by_role(role).first).to_be_visible()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a, input, select, textarea")].filter((e) => e.offsetParent !== null)
            .filter((e) => !(e.getAttribute("aria-label") || e.innerText || e.labels?.length || e.querySelector("img[alt]"))).map((e) => e.outerHTML)"""
    )
    assert nameless == []
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    console.shot("shortcuts")
    page.keyboard.press("Escape")
    for keys, heading in [("gq", "Queues"), ("gt", "Tables"), ("gf", "File shares"), ("gj", "Journal"), ("gb", "Blob containers")]:
        for key in keys:
            page.keyboard.press(key)
        expect(page.locator(".crumbs h1")).to_have_text(heading)
    # Enter opens a row, Backspace goes up again.
    expect(row(page, "named")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".crumbs h1")).to_have_text("named")
    page.keyboard.press("Backspace")
    expect(page.locator(".crumbs h1")).to_have_text("Blob containers")


def test_a_narrow_dark_screen_has_everything(narrow, server):
    server.container("photos")
    server.blob("photos/sea.svg", PICTURE, content_type="image/svg+xml")
    page = narrow.open(server.first)
    narrow.shot("narrow-account")
    page.get_by_role("button", name="Menu").click()
    page.locator("#tree-nav a", has_text="Blob containers").first.click()
    row(page, "photos").get_by_role("link").click()
    row(page, "sea.svg").click()
    expect(page.locator("#pane img")).to_be_visible()
    narrow.shot("narrow-blob")
    page.keyboard.press("Escape")
    narrow.shot("narrow-blobs")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_stored_pages_do_not_run_at_the_origin_of_the_console(console, server):
    server.container("pages")
    server.blob("pages/evil.html", b"<title>quiet</title><script>document.title = 'loud'</script>", content_type="text/html")
    sas = server.control("sas", "POST", {"account": server.first})["sas"]
    console.page.goto(f"{CONTROL}/api/blob/{server.first}/pages/evil.html?{sas}")
    assert console.page.title() == "quiet"
    assert console.page.evaluate("self.origin") == "null"
    # The browser reports the script that it did not run.
    assert len(console.errors) == 1 and "sandbox" in console.errors.pop()


def test_a_stored_page_has_no_power_over_the_server(console, server):
    """At the port of its service a stored page has the origin of the console. It gets neither the key of the page nor an answer."""
    server.send("blob", server.first, "/public?restype=container", x_ms_blob_public_access="blob")
    server.blob("public/evil.html", b"<title>evil</title><script>document.title = 'loud'</script>", content_type="text/html")
    origin = CONTROL.rsplit("/", 1)[0]
    page = console.page
    page.goto(f"{origin}/{server.first}/public/evil.html")
    assert page.title() == "loud" and page.evaluate("self.origin") == origin
    post = "(path) => fetch(`/_lazuli/${path}`, {method: 'POST', body: '{}'}).then((answer) => answer.status)"
    for path in ["sas", "reset", "clock?seconds=1", "checkpoints/one"]:
        assert page.evaluate(post, path) == 403, path
    read = "(path, options) => fetch(`/_lazuli/${path}`, options).then((answer) => answer.status)"
    assert page.evaluate(read, "server") == 403 and page.evaluate(read, "requests") == 403
    found = "() => fetch('/_lazuli/', {cache: 'force-cache'}).then((answer) => answer.text())"
    assert 'name="page-key" content=""' in page.evaluate(found)
    # A window that it opens is cut off from it.
    with page.expect_popup() as opened:
        page.evaluate("() => { window.opened = window.open('/_lazuli/') }")
    expect(opened.value.locator("#main .view")).to_be_visible()
    assert len(opened.value.evaluate("document.querySelector('meta[name=page-key]').content")) == 64
    assert page.evaluate("() => window.opened.closed") and opened.value.evaluate("() => window.opener") is None
    assert 'name="page-key" content=""' in page.evaluate(found), "no cache has the page"
    # A frame stays empty.
    page.evaluate("() => { document.body.append(Object.assign(document.createElement('iframe'), {src: '/_lazuli/'})) }")
    page.wait_for_function("() => { try { return frames[0].document === null } catch { return true } }")
    console.errors.clear()


def test_a_stored_script_is_no_service_worker_of_the_console(console, server):
    """A worker answers with any headers. A page with the opener policy of the console would keep access to a console that it opens."""
    server.send("blob", server.first, "/public?restype=container", x_ms_blob_public_access="blob")
    server.blob("public/page.html", b"<title>page</title>", content_type="text/html")
    server.blob("public/worker.js", b"", content_type="text/javascript")
    origin = CONTROL.rsplit("/", 1)[0]
    page = console.page
    page.goto(f"{origin}/{server.first}/public/page.html")
    register = "(path) => navigator.serviceWorker.register(path).then(() => 'registered', (error) => error.name)"
    for path in [f"/{server.first}/public/worker.js", f"/_lazuli/api/blob/{server.first}/public/worker.js"]:
        assert page.evaluate(register, path) == "TypeError", path
    console.errors.clear()


def test_a_browser_at_the_root_of_a_port_finds_the_console(console, server):
    origin = CONTROL.rsplit("/", 1)[0]
    answer = console.page.goto(f"{origin}/")
    assert answer.status == 400
    console.shot("root")
    console.page.get_by_role("link", name="Open the console").click()
    expect(console.page.locator("#main .view")).to_be_visible()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{origin}/")
    assert refused.value.code == 400 and b"<Error>" in refused.value.read()
