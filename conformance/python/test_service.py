import pytest
import requests
from azure.storage.blob import BlobAnalyticsLogging, BlobServiceClient, CorsRule, Metrics, RetentionPolicy, StaticWebsite
from helpers import ACCOUNT, BLOB_URL, KEY, refused, url

ORIGIN = "http://example.test"


@pytest.fixture
def restored(service):
    """The account's properties are put back as they were."""
    before = service.get_service_properties()
    yield service
    service.set_service_properties(
        analytics_logging=before["analytics_logging"],
        hour_metrics=before["hour_metrics"],
        minute_metrics=before["minute_metrics"],
        cors=before["cors"] or [],
        static_website=before["static_website"],
    )


def test_the_account(service, container, blob):
    account = service.get_account_information()
    assert account["account_kind"] == "StorageV2"
    assert account["sku_name"].startswith("Standard_")
    for client in (container, blob):
        information = client.get_account_information()
        assert (information["account_kind"], information["sku_name"]) == (account["account_kind"], account["sku_name"])


def test_the_secondary_endpoint_only_reads(blob):
    key = {"account_name": ACCOUNT, "account_key": KEY}
    secondary = BlobServiceClient(f"{BLOB_URL}-secondary", key, retry_total=0)
    copy = secondary.get_blob_client(blob.container_name, blob.blob_name)
    assert copy.download_blob().readall() == b"hello, world"
    with refused(403, "InsufficientAccountPermissions"):
        copy.upload_blob(b"new", overwrite=True)


def test_properties_of_a_new_account(service):
    properties = service.get_service_properties()
    assert properties["analytics_logging"].read is False
    assert properties["hour_metrics"] is not None
    assert properties["cors"] == []
    assert properties["delete_retention_policy"].enabled is False
    assert properties["static_website"].enabled is False


def test_what_is_set_is_kept_and_the_rest_is_left(restored):
    logging = BlobAnalyticsLogging(read=True, write=True, delete=True, retention_policy=RetentionPolicy(enabled=True, days=5))
    restored.set_service_properties(analytics_logging=logging)
    metrics = Metrics(enabled=True, include_apis=True, retention_policy=RetentionPolicy(enabled=True, days=7))
    restored.set_service_properties(hour_metrics=metrics)

    properties = restored.get_service_properties()
    kept = properties["analytics_logging"]
    assert (kept.read, kept.write, kept.delete) == (True, True, True)
    assert (kept.retention_policy.enabled, kept.retention_policy.days) == (True, 5)
    kept = properties["hour_metrics"]
    assert (kept.enabled, kept.include_apis, kept.retention_policy.days) == (True, True, 7)


def test_a_website_gets_its_container(restored):
    site = StaticWebsite(enabled=True, index_document="index.html", error_document404_path="404.html")
    restored.set_service_properties(static_website=site)
    kept = restored.get_service_properties()["static_website"]
    assert (kept.enabled, kept.index_document, kept.error_document404_path) == (True, "index.html", "404.html")
    web = restored.get_container_client("$web")
    blob = web.upload_blob("index.html", b"home", overwrite=True)
    assert "$web" in [container.name for container in restored.list_containers()]
    blob.delete_blob()


def test_cors_rules_are_kept_and_removed(restored):
    rules = [
        CorsRule(
            [ORIGIN],
            ["GET", "PUT"],
            allowed_headers=["x-ms-meta-*", "content-type"],
            exposed_headers=["x-ms-*"],
            max_age_in_seconds=60,
        ),
        CorsRule(["*"], ["GET"]),
    ]
    restored.set_service_properties(cors=rules)
    kept = restored.get_service_properties()["cors"]
    assert [rule.allowed_origins for rule in kept] == [ORIGIN, "*"]
    assert [rule.allowed_methods for rule in kept] == ["GET,PUT", "GET"]
    assert kept[0].allowed_headers == "content-type,x-ms-meta-*", "names in full come first"
    assert kept[0].exposed_headers == "x-ms-*"
    assert [rule.max_age_in_seconds for rule in kept] == [60, 0]
    restored.set_service_properties(cors=[])
    assert restored.get_service_properties()["cors"] == []


def preflight(target, origin, method, headers=None):
    asked = {"Origin": origin, "Access-Control-Request-Method": method}
    if headers:
        asked["Access-Control-Request-Headers"] = headers
    return requests.options(target, headers=asked, timeout=10)


def test_a_browser_asks_first(restored, container, blob):
    target = url(container.container_name, blob.blob_name)
    assert preflight(target, ORIGIN, "GET").status_code == 403

    restored.set_service_properties(cors=[CorsRule([ORIGIN], ["GET", "PUT"], allowed_headers=["x-ms-*"], max_age_in_seconds=60)])
    answer = preflight(target, ORIGIN, "PUT", "x-ms-blob-type")
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"]
    assert "x-ms-blob-type" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Access-Control-Max-Age"] == "60"
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"

    for refusal in (
        preflight(target, "http://other.test", "PUT"),
        preflight(target, ORIGIN, "DELETE"),
        preflight(target, ORIGIN, "PUT", "x-own"),
    ):
        assert refusal.status_code == 403
        assert "<Code>CorsPreflightFailure</Code>" in refusal.text


def test_a_browser_may_read_the_answer(restored, make_container):
    container = make_container(public_access="blob")
    container.upload_blob("a", b"data", metadata={"k": "v"})
    restored.set_service_properties(cors=[CorsRule([ORIGIN], ["GET"], exposed_headers=["x-ms-meta-*"])])
    target = url(container.container_name, "a")

    answer = requests.get(target, headers={"Origin": ORIGIN}, timeout=10)
    assert (answer.status_code, answer.content) == (200, b"data")
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "x-ms-meta-k" in answer.headers["Access-Control-Expose-Headers"].lower()

    answer = requests.get(target, headers={"Origin": "http://other.test"}, timeout=10)
    assert (answer.status_code, answer.content) == (200, b"data")
    assert "Access-Control-Allow-Origin" not in answer.headers
