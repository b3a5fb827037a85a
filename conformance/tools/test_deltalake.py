"""Delta tables: commits that exclude each other by a conditional put."""

from concurrent.futures import ThreadPoolExecutor

import pyarrow
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError
from helpers import ACCOUNT, BLOB_URL, KEY

OPTIONS = {
    "azure_storage_account_name": ACCOUNT,
    "azure_storage_account_key": KEY,
    "azure_storage_endpoint": BLOB_URL,
    "allow_http": "true",
}


@pytest.fixture
def table(container):
    uri = f"az://{container.container_name}/table"
    write_deltalake(uri, pyarrow.table({"n": [1, 2, 3]}), storage_options=OPTIONS)
    return uri


def numbers(table, **more):
    return sorted(DeltaTable(table, storage_options=OPTIONS, **more).to_pyarrow_table()["n"].to_pylist())


def test_writes_and_travels(table):
    write_deltalake(table, pyarrow.table({"n": [4]}), mode="append", storage_options=OPTIONS)
    write_deltalake(table, pyarrow.table({"n": [9]}), mode="overwrite", storage_options=OPTIONS)
    assert [numbers(table, version=version) for version in range(3)] == [[1, 2, 3], [1, 2, 3, 4], [9]]
    with pytest.raises(DeltaError):
        write_deltalake(table, pyarrow.table({"n": [1]}), mode="error", storage_options=OPTIONS)


def test_deletes_updates_merges_and_tidies(table, container):
    delta = DeltaTable(table, storage_options=OPTIONS)
    delta.delete("n = 2")
    delta.update(updates={"n": "n * 10"}, predicate="n = 3")
    merge = delta.merge(pyarrow.table({"n": [1, 7]}), predicate="t.n = s.n", source_alias="s", target_alias="t")
    merge.when_matched_delete().when_not_matched_insert_all().execute()
    assert numbers(table) == [7, 30]
    delta.optimize.compact()
    delta.create_checkpoint()
    assert "table/_delta_log/_last_checkpoint" in list(container.list_blob_names())
    gone = delta.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert gone and numbers(table) == [7, 30]
    left = list(container.list_blob_names())
    assert not [name for name in gone if f"table/{name}" in left]


def test_many_append_at_once(table, container):
    """Each commit takes the next free number: two that want the same are told apart by the server alone."""

    # Whoever comes second tries the next number, as often as there are others.
    patient = CommitProperties(max_commit_retries=100)

    def append(n):
        row = pyarrow.table({"n": [n]})
        write_deltalake(table, row, mode="append", storage_options=OPTIONS, commit_properties=patient)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(append, range(100, 124)))
    assert numbers(table) == [1, 2, 3, *range(100, 124)]
    commits = [name for name in container.list_blob_names() if name.endswith(".json") and "/_delta_log/" in name]
    assert len(commits) == 25


def test_one_of_two_that_contradict_each_other_wins(table):
    first, second = DeltaTable(table, storage_options=OPTIONS), DeltaTable(table, storage_options=OPTIONS)
    first.delete("n = 1")
    with pytest.raises(CommitFailedError):
        second.delete("n = 1")
    assert numbers(table) == [2, 3]
