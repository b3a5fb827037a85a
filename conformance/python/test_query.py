import io
import json

import pytest
from azure.storage.blob import BlobQueryError, DelimitedJsonDialect, DelimitedTextDialect
from helpers import refused

PEOPLE = b"name,city,age\nAda,London,36\nGrace,New York,85\nAlan,London,41\n\"Doe, Jane\",Paris,20\n"
HEADED = DelimitedTextDialect(has_header=True)
LINES = b"".join(json.dumps(row).encode() + b"\n" for row in [{"a": 1, "b": {"c": "x"}}, {"a": 2, "b": {"c": "y"}}])


@pytest.fixture
def people(container):
    return container.upload_blob("people.csv", PEOPLE)


def ask(blob, query, **options):
    troubles = []
    answer = blob.query_blob(query, on_error=troubles.append, **options).readall()
    return answer, troubles


def test_everything(people):
    assert ask(people, "SELECT * FROM BlobStorage") == (PEOPLE, [])


@pytest.mark.parametrize(
    "query, rows",
    [
        ("SELECT name FROM BlobStorage WHERE city = 'London'", b"name\nAda\nAlan\n"),
        ("SELECT name, age FROM BlobStorage WHERE CAST(age AS INT) > 40", b"name,age\nGrace,85\nAlan,41\n"),
        ("SELECT _1 FROM BlobStorage WHERE _2 LIKE '%on'", b"_1\nAda\nAlan\n"),
        ("SELECT name FROM BlobStorage LIMIT 1", b"name\nAda\n"),
        ("SELECT name FROM BlobStorage WHERE city IN ('Paris', 'Rome')", b'name\n"Doe, Jane"\n'),
        ("SELECT COUNT(*) FROM BlobStorage", b"4\n"),
        ("SELECT name FROM BlobStorage WHERE city = 'Nowhere'", b"name\n"),
    ],
)
def test_rows_and_columns(people, query, rows):
    assert ask(people, query, blob_format=HEADED) == (rows, [])


def test_another_dialect_out(people):
    own = DelimitedTextDialect(delimiter=";", lineterminator="|", quotechar="'")
    answer, _ = ask(people, "SELECT name, city FROM BlobStorage WHERE age = '36'", blob_format=HEADED, output_format=own)
    assert answer == b"Ada;London|"


def test_from_json_and_to_json(container, people):
    blob = container.upload_blob("lines.json", LINES)
    dialect = DelimitedJsonDialect()
    answer, troubles = ask(blob, "SELECT a, b.c FROM BlobStorage WHERE a > 1", blob_format=dialect)
    assert (json.loads(answer), troubles) == ({"a": 2, "c": "y"}, [])
    answer, _ = ask(people, "SELECT name, age FROM BlobStorage LIMIT 1", blob_format=HEADED, output_format=dialect)
    assert json.loads(answer) == {"name": "Ada", "age": "36"}
    answer, _ = ask(blob, "SELECT b.c FROM BlobStorage", blob_format=dialect, output_format=DelimitedTextDialect())
    assert answer == b"x\ny\n"


def test_a_large_blob_as_records_and_into_a_stream(container):
    rows = [b"%06d,%s" % (i, b"x" * (i % 50)) for i in range(30_000)]
    blob = container.upload_blob("large.csv", b"\n".join(rows) + b"\n")
    reader = blob.query_blob("SELECT _1 FROM BlobStorage WHERE _2 = ''")
    assert [record for record in reader.records() if record] == [b"%06d" % i for i in range(0, 30_000, 50)]
    sink = io.BytesIO()
    reader = blob.query_blob("SELECT * FROM BlobStorage")
    reader.readinto(sink)
    assert sink.getvalue() == b"\n".join(rows) + b"\n"
    assert len(reader) == len(sink.getvalue())


def test_a_row_that_is_no_row_is_told_and_passed_over(container):
    blob = container.upload_blob("lines.json", b'{"a": 1}\n{"a": \n{"a": 3}\n')
    answer, troubles = ask(blob, "SELECT a FROM BlobStorage", blob_format=DelimitedJsonDialect())
    assert b"1" in answer
    assert troubles and isinstance(troubles[0], BlobQueryError)
    assert troubles[0].error and troubles[0].description


def test_a_query_must_be_one(people):
    with refused(400, "InvalidXmlNodeValue", "InvalidInput"):
        people.query_blob("SELEKT nonsense")


def test_it_reads_as_any_reading(container, people):
    etag = people.get_blob_properties().etag
    assert ask(people, "SELECT * FROM BlobStorage", headers={"If-Match": etag})[0] == PEOPLE
    with refused(412, "ConditionNotMet"):
        people.query_blob("SELECT * FROM BlobStorage", headers={"If-Match": '"0x8D000000000000"'})
    taken = people.create_snapshot()
    people.upload_blob(b"changed\n", overwrite=True)
    snapshot = container.get_blob_client("people.csv", snapshot=taken)
    assert ask(snapshot, "SELECT * FROM BlobStorage")[0] == PEOPLE
    with refused(404, "BlobNotFound"):
        container.get_blob_client("missing").query_blob("SELECT * FROM BlobStorage")
