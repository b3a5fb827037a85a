"""Tables, entities of every type, queries, pages, transactions and tokens, as azure-data-tables sees them."""

import os
import re
from datetime import datetime, timedelta, timezone
from uuid import UUID, uuid4

import pytest
from azure.core import MatchConditions
from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError, ResourceNotFoundError
from azure.data.tables import (
    AccountSasPermissions,
    EdmType,
    EntityProperty,
    RequestTooLargeError,
    ResourceTypes,
    TableAccessPolicy,
    TableClient,
    TableSasPermissions,
    TableServiceClient,
    TableTransactionError,
    UpdateMode,
    generate_account_sas,
    generate_table_sas,
)
from helpers import ACCOUNT, KEY, in_an_hour

TABLE_URL = os.environ.get("TABLE_URL", f"http://127.0.0.1:10002/{ACCOUNT}")
CREDENTIAL = AzureNamedKeyCredential(ACCOUNT, KEY)


def unique():
    return f"test{uuid4().hex}"


@pytest.fixture(scope="module")
def tables():
    with TableServiceClient(TABLE_URL, credential=CREDENTIAL, retry_total=0) as client:
        yield client


@pytest.fixture
def table(tables):
    client = tables.create_table(unique())
    yield client
    client.delete_table()


def keys(row="r", partition="p"):
    return {"PartitionKey": partition, "RowKey": row}


def code_of(caught):
    """The error code: the client has it as an attribute, or in its message, or shows what the service said."""
    found = getattr(caught.value, "error_code", None)
    found = found or re.search(r'ErrorCode:(\w+)|"code":\s*"(\w+)"', str(caught.value)).expand(r"\1\2")
    return getattr(found, "value", found)


def rows(entities):
    return [entity["RowKey"] for entity in entities]


def test_tables_are_made_listed_and_deleted(tables):
    names = [unique() for _ in range(3)]
    for name in names:
        tables.create_table(name)
    with pytest.raises(ResourceExistsError) as caught:
        tables.create_table(names[0].upper())
    assert code_of(caught) == "TableAlreadyExists"
    wanted = " or ".join(f"TableName eq '{name}'" for name in names)
    pages = tables.query_tables(wanted, results_per_page=2).by_page()
    assert [len(list(page)) for page in pages] == [2, 1]
    assert sorted(item.name for item in tables.query_tables(wanted)) == sorted(names)
    assert set(names) <= {item.name for item in tables.list_tables(results_per_page=2)}
    for name in names:
        tables.delete_table(name)
    assert list(tables.query_tables(wanted)) == []
    with pytest.raises(ValueError):
        tables.create_table("1-bad")
    with pytest.raises(ResourceNotFoundError):
        tables.get_table_client(names[0]).create_entity(keys())


def test_every_type_comes_back(table):
    entity = {
        **keys(),
        "text": "é'\"\\\n啊😀",
        "empty": "",
        "small": 39,
        "large": EntityProperty(2**62, EdmType.INT64),
        "ratio": 3.5,
        "even": 3.0,
        "tiny": 1.5e-300,
        "infinite": float("inf"),
        "yes": True,
        "no": False,
        "born": datetime(1973, 10, 4, 1, 2, 3, 456789, tzinfo=timezone.utc),
        "id": UUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
        "bytes": bytes(range(256)),
    }
    table.create_entity({**entity, "none": None})
    got = table.get_entity("p", "r")
    assert "none" not in got
    for name, value in entity.items():
        assert got[name] == value, name
    assert got["large"].edm_type == EdmType.INT64
    nan = table.upsert_entity({**keys("nan"), "odd": float("nan")})
    assert nan["etag"]
    assert str(table.get_entity("p", "nan")["odd"]) == "nan"


@pytest.mark.parametrize("row", ["it's", "a b", "%41+&=:@,;$!*()", "é啊😀", "''", "(RowKey='x')", ""])
def test_odd_keys(table, row):
    table.create_entity({**keys(row, "p'q"), "n": 1})
    table.update_entity({**keys(row, "p'q"), "n": 2})
    assert table.get_entity("p'q", row)["n"] == 2
    found = table.query_entities("PartitionKey eq @p and RowKey eq @r", parameters={"p": "p'q", "r": row})
    assert rows(found) == [row]
    table.delete_entity("p'q", row)
    with pytest.raises(ResourceNotFoundError):
        table.get_entity("p'q", row)


@pytest.mark.parametrize("row", ["a/b", "a\\b", "a#b", "a?b", "a\tb"])
def test_keys_that_cannot_be(table, row):
    with pytest.raises(HttpResponseError) as caught:
        table.create_entity(keys(row))
    assert caught.value.status_code == 400


def test_inserts_and_upserts(table):
    table.create_entity({**keys(), "a": 1, "b": 2})
    with pytest.raises(ResourceExistsError) as caught:
        table.create_entity(keys())
    assert code_of(caught) == "EntityAlreadyExists"
    table.upsert_entity({**keys(), "b": 3, "c": 4}, mode=UpdateMode.MERGE)
    got = table.get_entity("p", "r")
    assert (got["a"], got["b"], got["c"]) == (1, 3, 4)
    table.upsert_entity({**keys(), "d": 5}, mode=UpdateMode.REPLACE)
    assert set(table.get_entity("p", "r")) == {"PartitionKey", "RowKey", "d"}
    for mode in UpdateMode:
        with pytest.raises(ResourceNotFoundError):
            table.update_entity(keys("none"), mode=mode)
        table.upsert_entity(keys(f"new-{mode.value}"), mode=mode)


@pytest.mark.parametrize("mode", list(UpdateMode))
def test_etags(table, mode):
    table.create_entity({**keys(), "n": 1})
    first = table.get_entity("p", "r").metadata["etag"]
    match = {"match_condition": MatchConditions.IfNotModified}
    table.update_entity({**keys(), "n": 2}, mode=mode, etag=first, **match)
    with pytest.raises(ResourceModifiedError) as caught:
        table.update_entity({**keys(), "n": 3}, mode=mode, etag=first, **match)
    assert code_of(caught) == "UpdateConditionNotSatisfied"
    with pytest.raises(ResourceModifiedError):
        table.delete_entity("p", "r", etag=first, **match)
    second = table.get_entity("p", "r")
    assert second["n"] == 2 and second.metadata["timestamp"] is not None
    table.delete_entity("p", "r", etag=second.metadata["etag"], **match)
    table.delete_entity("p", "r")  # the client takes a missing entity for deleted


def test_filters_select_and_order(table):
    for number in range(10):
        table.create_entity(
            {
                **keys(f"{number}"),
                "number": number,
                "large": EntityProperty(number, EdmType.INT64),
                "text": f"{number}",
                "even": number % 2 == 0,
                "ratio": number / 2,
                "day": datetime(2020, 1, 1 + number, tzinfo=timezone.utc),
                "id": UUID(int=number),
                "bytes": bytes([number]),
            }
        )
    for filter, parameters, expected in [
        ("number gt @n", {"n": 7}, "89"),
        ("large ge 8L", None, "89"),
        ("text lt @t", {"t": "2"}, "01"),
        ("even eq @e and number lt 4", {"e": True}, "02"),
        ("ratio eq @r", {"r": 2.5}, "5"),
        ("day le @d", {"d": datetime(2020, 1, 2, tzinfo=timezone.utc)}, "01"),
        ("id eq @i", {"i": UUID(int=3)}, "3"),
        ("bytes eq @b", {"b": bytes([4])}, "4"),
        ("number eq 1 or number eq 2 and text eq 'x'", None, "1"),
        ("not (even eq true) and number gt 4", None, "579"),
        ("text eq @n", {"n": 5}, ""),
        ("missing eq 1", None, ""),
        ("PartitionKey eq 'p' and RowKey ge '3' and RowKey lt '5'", None, "34"),
    ]:
        assert "".join(rows(table.query_entities(filter, parameters=parameters))) == expected, filter
    some = list(table.query_entities("number lt 2", select=["RowKey", "number"]))
    assert [dict(entity) for entity in some] == [{"RowKey": "0", "number": 0}, {"RowKey": "1", "number": 1}]
    with pytest.raises(HttpResponseError) as caught:
        list(table.query_entities("aaa bbb ccc"))
    assert code_of(caught) == "InvalidInput"


def test_pages(table):
    for start in range(0, 1200, 100):
        table.submit_transaction([("create", keys(f"{number:04}")) for number in range(start, start + 100)])
    expected = [f"{number:04}" for number in range(1200)]
    assert rows(table.list_entities()) == expected
    pages = table.list_entities(results_per_page=500).by_page()
    assert [len(list(page)) for page in pages] == [500, 500, 200]
    first = table.list_entities(results_per_page=3).by_page()
    next(first)
    again = table.list_entities(results_per_page=3).by_page(continuation_token=first.continuation_token)
    assert rows(next(again)) == ["0003", "0004", "0005"]


def test_transactions(table):
    table.create_entity({**keys("old"), "n": 1})
    etag = table.get_entity("p", "old").metadata["etag"]
    answers = table.submit_transaction(
        [
            ("create", {**keys("a"), "n": 1}),
            ("upsert", {**keys("b"), "n": 2}),
            ("upsert", {**keys("it's"), "n": 2}, {"mode": UpdateMode.REPLACE}),
            ("update", {**keys("old"), "m": 2}, {"mode": UpdateMode.MERGE, "etag": etag, "match_condition": MatchConditions.IfNotModified}),
        ]
    )
    assert len(answers) == 4 and all(answer["etag"] for answer in answers)
    assert rows(table.list_entities()) == ["a", "b", "it's", "old"]
    for operations, index, code in [
        ([("create", keys("c")), ("create", keys("a"))], 1, "EntityAlreadyExists"),
        ([("create", keys("c")), ("delete", keys("none"))], 1, "ResourceNotFound"),
        ([("upsert", keys("c")), ("upsert", keys("c"))], 1, "InvalidDuplicateRow"),
        ([("update", keys("old"), {"etag": etag, "match_condition": MatchConditions.IfNotModified})], 0, "UpdateConditionNotSatisfied"),
    ]:
        with pytest.raises(TableTransactionError) as caught:
            table.submit_transaction(operations)
        assert (caught.value.index, code_of(caught)) == (index, code)
    assert rows(table.list_entities()) == ["a", "b", "it's", "old"]
    with pytest.raises(ValueError):  # the client's own check
        table.submit_transaction([("create", keys("x", "p")), ("create", keys("x", "q"))])
    with pytest.raises(TableTransactionError) as caught:
        table.submit_transaction([("create", keys(f"{n}")) for n in range(101)])
    assert code_of(caught) == "InvalidInput"
    with pytest.raises(RequestTooLargeError):
        table.submit_transaction([("create", {**keys(f"{n}"), "big": "x" * 32000, "more": "y" * 32000}) for n in range(80)])
    table.submit_transaction([("delete", keys(row)) for row in ["a", "b", "it's", "old"]])
    assert list(table.list_entities()) == []


def test_limits(table):
    for more, code in [
        ({f"p{n}": n for n in range(253)}, "TooManyProperties"),
        ({"n" * 256: 1}, "PropertyNameTooLong"),
        ({"text": "x" * (32 * 1024 + 1)}, "PropertyValueTooLarge"),
        ({f"t{n}": "x" * 32 * 1024 for n in range(17)}, "EntityTooLarge"),
    ]:
        with pytest.raises(HttpResponseError) as caught:
            table.create_entity({**keys(), **more})
        assert code_of(caught) == code
    table.create_entity({**keys(), **{f"p{n}": n for n in range(252)}})


def with_sas(table, sas):
    return TableClient(TABLE_URL, table.table_name, credential=AzureSasCredential(sas), retry_total=0)


def table_sas(table, **fields):
    return generate_table_sas(CREDENTIAL, table.table_name, **fields)


def test_tokens_of_a_table(table):
    table.create_entity(keys("a"))
    table.create_entity(keys("c"))
    reader = with_sas(table, table_sas(table, permission=TableSasPermissions(read=True), expiry=in_an_hour()))
    assert rows(reader.list_entities()) == ["a", "c"]
    with pytest.raises(HttpResponseError) as caught:
        reader.create_entity(keys("b"))
    assert code_of(caught) == "AuthorizationPermissionMismatch"
    everything = TableSasPermissions(read=True, add=True, update=True, delete=True)
    bounds = {"start_pk": "p", "start_rk": "b", "end_pk": "p", "end_rk": "c"}
    bounded = with_sas(table, table_sas(table, permission=everything, expiry=in_an_hour(), **bounds))
    assert rows(bounded.list_entities()) == ["c"]
    bounded.upsert_entity(keys("b"))
    bounded.submit_transaction([("upsert", keys("bb"))])
    for change in [lambda: bounded.upsert_entity(keys("a")), lambda: bounded.create_entity(keys("d"))]:
        with pytest.raises(HttpResponseError) as caught:
            change()
        assert code_of(caught) == "AuthorizationFailure"
    assert rows(table.list_entities()) == ["a", "b", "bb", "c"]


def test_tokens_under_a_policy(table):
    table.create_entity(keys())
    policy = TableAccessPolicy(permission="r", expiry=in_an_hour(), start=in_an_hour() - timedelta(hours=2))
    table.set_table_access_policy({"readers": policy, "empty": None})
    stored = table.get_table_access_policy()
    assert stored["readers"].permission == "r" and stored["empty"] is None
    named = with_sas(table, table_sas(table, policy_id="readers"))
    assert rows(named.list_entities()) == ["r"]
    table.set_table_access_policy({})
    with pytest.raises(HttpResponseError) as caught:
        list(named.list_entities())
    assert caught.value.status_code == 403
    with pytest.raises(ValueError):  # so the client says it when the service refuses
        table.set_table_access_policy({f"id{n}": policy for n in range(6)})


def test_tokens_of_the_account(tables, table):
    table.create_entity(keys())
    sas = generate_account_sas(
        CREDENTIAL, ResourceTypes(object=True), AccountSasPermissions(read=True), expiry=in_an_hour()
    )
    client = with_sas(table, sas)
    assert rows(client.list_entities()) == ["r"]
    with pytest.raises(HttpResponseError) as caught:
        client.delete_table()
    assert caught.value.status_code == 403


def test_service_properties(tables):
    before = tables.get_service_properties()
    assert before["analytics_logging"].version == "1.0"
    tables.set_service_properties(cors=[])
    assert tables.get_service_properties()["cors"] == []
