"""DuckDB with its azure extension, from the package that ships it."""

from pathlib import Path

import duckdb
import duckdb_extension_azure
import pytest
from helpers import CONNECTION_STRING


@pytest.fixture(scope="module")
def database():
    extension = next(Path(duckdb_extension_azure.__file__).parent.glob("extensions/*/azure.duckdb_extension"))
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"CREATE SECRET (TYPE azure, CONNECTION_STRING '{CONNECTION_STRING}')")
        yield connection


def test_csv_and_json(database, make_container):
    home = make_container(
        {"a.csv": b"x,y\n1,2\n3,4\n", "b.csv": b"x,y\n5,6\n", "sub/c.csv": b"x,y\n7,8\n", "d.json": b'{"k": "v"}\n'}
    ).container_name
    assert database.execute(f"SELECT sum(x), sum(y) FROM read_csv('az://{home}/*.csv')").fetchall() == [(9, 12)]
    assert database.execute(f"SELECT count(*) FROM read_csv('azure://{home}/**/*.csv')").fetchall() == [(4,)]
    assert database.execute(f"SELECT k FROM read_json('az://{home}/d.json')").fetchall() == [("v",)]
    with pytest.raises(duckdb.Error):
        database.execute(f"SELECT * FROM read_csv('az://{home}/none.csv')")


def test_parquet_is_written_and_read_in_ranges(database, container):
    path = f"az://{container.container_name}/numbers.parquet"
    database.execute(f"COPY (SELECT range AS n, range % 7 AS k FROM range(500000)) TO '{path}' (ROW_GROUP_SIZE 50000)")
    assert database.execute(f"SELECT count(*), max(n) FROM '{path}'").fetchall() == [(500000, 499999)]
    assert database.execute(f"SELECT k, count(*) FROM '{path}' WHERE n >= 499000 GROUP BY k ORDER BY k LIMIT 2").fetchall() == [
        (0, 143),
        (1, 143),
    ]


def test_a_partitioned_copy(database, container):
    home = f"az://{container.container_name}/parts"
    database.execute(f"COPY (SELECT range AS n, range % 3 AS k FROM range(30)) TO '{home}' (FORMAT parquet, PARTITION_BY (k))")
    found = database.execute(f"SELECT count(*) FROM read_parquet('{home}/**/*.parquet', hive_partitioning = true) WHERE k = 2")
    assert found.fetchall() == [(10,)]
    assert len(list(container.list_blob_names(name_starts_with="parts/k="))) == 3
