"""Queues and their messages, as azure-storage-queue uses them."""

import pytest
from azure.core.credentials import AzureNamedKeyCredential
from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.queue import (
    AccessPolicy,
    BinaryBase64DecodePolicy,
    BinaryBase64EncodePolicy,
    CorsRule,
    QueueAnalyticsLogging,
    QueueClient,
    QueueSasPermissions,
    QueueServiceClient,
    RetentionPolicy,
    TextBase64DecodePolicy,
    TextBase64EncodePolicy,
    generate_account_sas,
    generate_queue_sas,
)
from helpers import ACCOUNT, CONNECTION_STRING, KEY, QUEUE_URL, an_hour_ago, in_an_hour, refused, unique


@pytest.fixture(scope="module")
def queues():
    with QueueServiceClient.from_connection_string(CONNECTION_STRING, retry_total=0) as client:
        yield client


@pytest.fixture
def make_queue(queues):
    """Creates queues that are gone after the test."""
    made = []

    def make(name=None, **options):
        client = queues.get_queue_client(name or unique("queue"), **options)
        client.create_queue()
        made.append(client)
        return client

    yield make
    for client in made:
        try:
            client.delete_queue()
        except ResourceNotFoundError:
            pass


@pytest.fixture
def queue(make_queue):
    return make_queue()


def texts(messages):
    return [message.content for message in messages]


# --- queues


def test_a_queue_comes_and_goes(queues):
    queue = queues.get_queue_client(unique("queue"))
    queue.create_queue(metadata={"a": "1", "b": "two"})
    with pytest.raises(ResourceExistsError) as same:  # a success, which this SDK makes an error of
        queue.create_queue(metadata={"b": "two", "a": "1"})
    assert same.value.status_code == 204
    with refused(409, "QueueAlreadyExists"):
        queue.create_queue(metadata={"a": "2"})
    properties = queue.get_queue_properties()
    assert (properties.metadata, properties.approximate_message_count) == ({"a": "1", "b": "two"}, 0)
    queue.set_queue_metadata({"c": "3"})
    assert queue.get_queue_properties().metadata == {"c": "3"}
    queue.delete_queue()
    for call in (queue.delete_queue, queue.get_queue_properties, queue.get_queue_access_policy, queue.clear_messages):
        with refused(404, "QueueNotFound"):
            call()
    with refused(404, "QueueNotFound"):
        queue.send_message("nobody is there")


@pytest.mark.parametrize("name", ["UPPERCASE", "a--b", "啊齄丂狛狜", "-ab"])
def test_a_bad_name_is_refused(queues, name):
    with refused(400, "InvalidResourceName"):
        queues.create_queue(name)


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_queues_are_listed_page_by_page(queues, make_queue, size):
    stem = unique("list")
    for letter in "cab":
        make_queue(f"{stem}-{letter}").set_queue_metadata({"letter": letter})
    pages = [list(page) for page in queues.list_queues(stem, include_metadata=True, results_per_page=size).by_page()]
    assert all(len(page) <= size for page in pages)
    assert [(q.name[-1], q.metadata) for page in pages for q in page] == [(c, {"letter": c}) for c in "abc"]


def test_policies_are_kept(queue):
    assert queue.get_queue_access_policy() == {}
    start, expiry = an_hour_ago(), in_an_hour()
    queue.set_queue_access_policy({"id": AccessPolicy(QueueSasPermissions(read=True), expiry, start), "empty": AccessPolicy()})
    policies = queue.get_queue_access_policy()
    assert set(policies) == {"id", "empty"}
    assert policies["id"].permission == "r"
    queue.set_queue_access_policy({})
    assert queue.get_queue_access_policy() == {}


# --- messages


@pytest.mark.parametrize(
    "text", ["message1", " mess\t age1\n", "啊齄丂狛狜 😀", "<message1>&'\"</message1>", "x" * 64 * 1024, "line\nline\n", "]]>"]
)
def test_texts_come_back(queue, text):
    sent = queue.send_message(text)
    assert (sent.content, sent.dequeue_count) == (text, None)
    assert texts(queue.peek_messages()) == [text]
    got = queue.receive_message()
    assert (got.content, got.id, got.dequeue_count) == (text, sent.id, 1)
    assert got.pop_receipt != sent.pop_receipt


def test_bytes_and_texts_in_base64(make_queue):
    binary = make_queue(message_encode_policy=BinaryBase64EncodePolicy(), message_decode_policy=BinaryBase64DecodePolicy())
    binary.send_message(bytes(range(256)))
    assert texts(binary.receive_messages()) == [bytes(range(256))]
    text = make_queue(message_encode_policy=TextBase64EncodePolicy(), message_decode_policy=TextBase64DecodePolicy())
    text.send_message("\u0001 is fine in base64")
    assert texts(text.receive_messages()) == ["\u0001 is fine in base64"]


def test_what_is_too_large_or_no_text_is_refused(queue):
    with refused(413, "RequestBodyTooLarge"):
        queue.send_message("x" * (64 * 1024 + 1))
    with refused(400, "InvalidXmlDocument"):
        queue.send_message("\u0001")
    assert queue.get_queue_properties().approximate_message_count == 0


def test_messages_come_in_order_and_by_the_page(queue):
    for n in range(10):
        queue.send_message(str(n))
    assert texts(queue.peek_messages(max_messages=32)) == [str(n) for n in range(10)]
    pages = [texts(page) for page in queue.receive_messages(messages_per_page=4, visibility_timeout=20).by_page()]
    assert [text for page in pages for text in page] == [str(n) for n in range(10)]
    assert queue.peek_messages() == []
    assert queue.get_queue_properties().approximate_message_count == 10
    queue.clear_messages()
    assert queue.get_queue_properties().approximate_message_count == 0


def test_nobody_gets_more_than_32(queue):
    with refused(400, "OutOfRangeQueryParameterValue"):
        next(queue.receive_messages(messages_per_page=33))


def test_a_message_is_hidden_for_a_while(queue, advance):
    queue.send_message("late", visibility_timeout=10, time_to_live=60)
    assert queue.receive_message() is None
    advance(10)
    assert queue.receive_message(visibility_timeout=20).content == "late"
    assert queue.receive_message() is None
    advance(20)
    assert queue.receive_message(visibility_timeout=1).dequeue_count == 2
    advance(60)
    assert queue.get_queue_properties().approximate_message_count == 0
    assert queue.receive_message() is None


def test_times_have_bounds(queue):
    for options, code in [
        ({"visibility_timeout": 604801}, "OutOfRangeQueryParameterValue"),
        ({"time_to_live": 0}, "OutOfRangeQueryParameterValue"),
        ({"visibility_timeout": 604800}, "InvalidQueryParameterValue"),
    ]:
        with refused(400, code):
            queue.send_message("x", **options)
    assert queue.send_message("for ever", time_to_live=-1).expires_on.year == 9999
    assert queue.send_message("for long", time_to_live=2**30).expires_on.year > 2050


def test_who_holds_a_message_may_change_it(queue):
    queue.send_message("before")
    got = queue.receive_message(visibility_timeout=60)
    updated = queue.update_message(got, visibility_timeout=0, content="after")
    with refused(404, "MessageNotFound"):
        queue.update_message(got.id, got.pop_receipt, visibility_timeout=0)
    with refused(404, "MessageNotFound"):
        queue.delete_message(got.id, got.pop_receipt)
    again = queue.receive_message()
    assert (again.content, again.dequeue_count) == ("after", 2)
    with refused(404, "MessageNotFound"):
        queue.delete_message(again.id, updated.pop_receipt)
    with refused(400, "InvalidQueryParameterValue"):
        queue.delete_message(again.id, "nonsense")
    queue.delete_message(again)
    with refused(404, "MessageNotFound"):
        queue.delete_message(again)


# --- tokens


def with_token(queue, token):
    return QueueClient(QUEUE_URL, queue.queue_name, credential=token, retry_total=0)


def test_a_queue_token_does_what_it_says(queue):
    def holder(**permissions):
        permission = QueueSasPermissions(**permissions)
        return with_token(queue, generate_queue_sas(ACCOUNT, queue.queue_name, KEY, permission, in_an_hour()))

    holder(add=True).send_message("by token")
    assert texts(holder(read=True).peek_messages()) == ["by token"]
    got = holder(process=True).receive_message()
    got = holder(update=True).update_message(got, visibility_timeout=0, content="changed")
    holder(process=True).delete_message(got)
    for call in (
        lambda: holder(read=True).send_message("x"),
        lambda: holder(add=True).peek_messages(),
        lambda: holder(read=True, add=True, update=True).receive_message(),
    ):
        with refused(403, "AuthorizationPermissionMismatch"):
            call()
    with refused(403, "AuthorizationFailure"):
        holder(read=True, add=True, update=True, process=True).delete_queue()


def test_a_stored_policy_says_what_a_token_may(queue):
    queue.set_queue_access_policy({"readers": AccessPolicy(QueueSasPermissions(read=True), in_an_hour(), an_hour_ago())})
    holder = with_token(queue, generate_queue_sas(ACCOUNT, queue.queue_name, KEY, policy_id="readers"))
    assert holder.peek_messages() == []
    with refused(403, "AuthorizationPermissionMismatch"):
        holder.send_message("x")
    queue.set_queue_access_policy({})
    with refused(403, "AuthenticationFailed"):
        holder.peek_messages()


def test_an_account_token(queue):
    token = generate_account_sas(ACCOUNT, KEY, resource_types="sco", permission="rl", expiry=in_an_hour(), services="q")
    holder = QueueServiceClient(QUEUE_URL, credential=token, retry_total=0)
    assert queue.queue_name in [q.name for q in holder.list_queues(queue.queue_name)]
    assert holder.get_queue_client(queue.queue_name).peek_messages() == []
    with refused(403, "AuthorizationPermissionMismatch"):
        holder.create_queue(unique("queue"))


def test_a_wrong_key(queue):
    other = QueueClient(QUEUE_URL, queue.queue_name, credential=AzureNamedKeyCredential(ACCOUNT, "c2Vjb25k"), retry_total=0)
    with refused(403, "AuthenticationFailed"):
        other.peek_messages()


# --- the service


def test_properties_and_statistics(queues):
    logging = QueueAnalyticsLogging(read=True, write=True, delete=True, retention_policy=RetentionPolicy(enabled=True, days=5))
    queues.set_service_properties(analytics_logging=logging, cors=[CorsRule(["http://example.test"], ["GET"])])
    try:
        properties = queues.get_service_properties()
        assert properties["analytics_logging"].retention_policy.days == 5
        assert properties["cors"][0].allowed_origins == "http://example.test"
    finally:
        queues.set_service_properties(analytics_logging=QueueAnalyticsLogging(), cors=[])
    # The SDK changes the host for the secondary's and leaves the path, which is where the account is here.
    host = QUEUE_URL.split("/")[2]
    with QueueServiceClient(f"{QUEUE_URL}-secondary", AzureNamedKeyCredential(ACCOUNT, KEY), secondary_hostname=host) as client:
        assert client.get_service_stats()["geo_replication"]["status"] == "live"
