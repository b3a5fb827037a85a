"""What no SDK would send, or would hide: plain HTTP with a token in the address."""

from base64 import b64encode
from hashlib import md5
from xml.etree import ElementTree

import pytest
import requests
from helpers import BLOB_URL, account_sas, url

VERSION = "2021-12-02"


@pytest.fixture
def ask(container):
    """One request about a blob of the container, by a token that may do everything."""
    token = account_sas("sco", "rwdlact")

    def send(method, name=None, query="", **options):
        headers = {"x-ms-version": VERSION, **options.pop("headers", {})}
        target = url(container.container_name, name, token) + query
        return requests.request(method, target, headers=headers, timeout=10, **options)

    return send


def put(ask, name, data, **headers):
    answer = ask("PUT", name, data=data, headers={"x-ms-blob-type": "BlockBlob", **headers})
    assert answer.status_code == 201, answer.text
    return answer


def code(answer):
    return answer.status_code, answer.headers.get("x-ms-error-code")


def test_every_answer_names_itself(ask):
    put(ask, "a", b"data")
    answer = ask("GET", "a", headers={"x-ms-client-request-id": "my-own-id"})
    assert answer.headers["x-ms-version"] == VERSION
    assert answer.headers["x-ms-client-request-id"] == "my-own-id"
    assert len(answer.headers["x-ms-request-id"]) == 36
    assert answer.headers["Date"].endswith("GMT")
    assert answer.headers["Server"]


def test_a_refusal_is_told_in_xml_and_in_a_header(ask):
    answer = ask("GET", "missing", headers={"x-ms-client-request-id": "my-own-id"})
    assert code(answer) == (404, "BlobNotFound")
    assert answer.headers["x-ms-client-request-id"] == "my-own-id"
    assert answer.headers["Content-Type"] == "application/xml"
    error = ElementTree.fromstring(answer.content)
    assert error.tag == "Error"
    assert error.findtext("Code") == "BlobNotFound"
    assert answer.headers["x-ms-request-id"] in error.findtext("Message")


def test_a_head_has_no_body(ask):
    put(ask, "a", b"data")
    answer = ask("HEAD", "a")
    assert (answer.status_code, answer.headers["Content-Length"], answer.content) == (200, "4", b"")
    answer = ask("HEAD", "missing")
    assert (code(answer), answer.content) == ((404, "BlobNotFound"), b"")


def test_ranges(ask):
    put(ask, "a", b"0123456789")
    answer = ask("GET", "a", headers={"Range": "bytes=2-4"})
    assert (answer.status_code, answer.content, answer.headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")
    assert answer.headers["Content-Length"] == "3"
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["x-ms-blob-content-md5"] == b64encode(md5(b"0123456789").digest()).decode()
    assert "Content-MD5" not in answer.headers
    answer = ask("GET", "a", headers={"Range": "bytes=0-1", "x-ms-range": "bytes=8-100"})
    assert (answer.status_code, answer.content, answer.headers["Content-Range"]) == (206, b"89", "bytes 8-9/10")
    answer = ask("GET", "a", headers={"x-ms-range": "bytes=0-3", "x-ms-range-get-content-md5": "true"})
    assert answer.headers["Content-MD5"] == b64encode(md5(b"0123").digest()).decode()
    answer = ask("GET", "a", headers={"Range": "bytes=10-"})
    assert code(answer) == (416, "InvalidRange")
    assert answer.headers["Content-Range"] == "bytes */10"


def test_a_wrong_checksum_is_refused(ask):
    wrong = b64encode(md5(b"something else").digest()).decode()
    answer = ask("PUT", "a", data=b"data", headers={"x-ms-blob-type": "BlockBlob", "Content-MD5": wrong})
    assert code(answer) == (400, "Md5Mismatch")
    answer = ask("PUT", "a", data=b"data", headers={"x-ms-blob-type": "BlockBlob", "Content-MD5": "nonsense"})
    assert code(answer) == (400, "InvalidMd5")
    assert ask("HEAD", "a").status_code == 404


def test_a_right_checksum_is_said_back(ask):
    right = b64encode(md5(b"data").digest()).decode()
    assert put(ask, "a", b"data", **{"Content-MD5": right}).headers["Content-MD5"] == right
    assert ask("GET", "a").headers["Content-MD5"] == right


def test_what_nobody_knows_overwrites_nothing(ask):
    put(ask, "a", b"data")
    answer = ask("PUT", "a", "&comp=nonsense", data=b"other", headers={"x-ms-blob-type": "BlockBlob"})
    assert code(answer) == (400, "InvalidQueryParameterValue")
    assert ask("GET", "a").content == b"data"


def test_a_blob_has_a_type(ask):
    assert code(ask("PUT", "a", data=b"data")) == (400, "MissingRequiredHeader")


def test_pages_have_bounds(ask):
    listing = "&restype=container&comp=list"
    for name in "abc":
        put(ask, name, b"")
    answer = ask("GET", query=listing + "&maxresults=2")
    page = ElementTree.fromstring(answer.content)
    assert page.tag == "EnumerationResults"
    assert [name.text for name in page.iter("Name")] == ["a", "b"]
    assert page.findtext("MaxResults") == "2"
    assert page.findtext("NextMarker")
    assert ask("GET", query=listing + "&maxresults=0").status_code == 400


def test_an_address_without_an_account_is_refused():
    root = BLOB_URL.rsplit("/", 1)[0]
    assert requests.get(f"{root}/", timeout=10).status_code == 400
