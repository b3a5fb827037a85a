"""Tools for data lakes, with an account that has a hierarchical namespace."""

import os
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import duckdb_extension_azure
import opendal
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from adlfs import AzureBlobFileSystem
from azure.storage.blob import BlobServiceClient, generate_account_sas
from deltalake import DeltaTable, write_deltalake
from helpers import KEY, MIB, WORK, azcopy, environment, now, parsed, pattern, read_tree, run, tree, unique
from pyarrow.fs import AzureFileSystem, FileSelector, FileType

BLOB_URL = os.environ.get("HIERARCHICAL_BLOB_URL", "")
DFS_URL = os.environ.get("HIERARCHICAL_DFS_URL", "")
ACCOUNT = BLOB_URL.rsplit("/", 1)[-1]
CONNECTION_STRING = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={BLOB_URL};"

pytestmark = pytest.mark.skipif(not (BLOB_URL and DFS_URL), reason="HIERARCHICAL_BLOB_URL and HIERARCHICAL_DFS_URL are not set")


@pytest.fixture
def container():
    """A file system, seen by the Blob client."""
    with BlobServiceClient.from_connection_string(CONNECTION_STRING, retry_total=0) as service:
        client = service.create_container(unique())
        yield client
        if client.exists():
            client.delete_container()


@pytest.fixture
def home(container):
    return container.container_name


def contents(container):
    """Files by name; a directory has no content to show."""
    files = [one.name for one in container.list_blobs(include=["metadata"]) if "hdi_isfolder" not in (one.metadata or {})]
    return {name: container.download_blob(name).readall() for name in files}


# pyarrow


@pytest.fixture
def files():
    where = urlsplit(BLOB_URL)
    return AzureFileSystem(
        account_name=ACCOUNT,
        account_key=KEY,
        blob_storage_authority=where.netloc,
        blob_storage_scheme=where.scheme,
        dfs_storage_authority=where.netloc,
        dfs_storage_scheme=where.scheme,
    )


def entries(files, path):
    return {info.path: info.type for info in files.get_file_info(FileSelector(path, recursive=True))}


def test_pyarrow_files(files, home):
    content = pattern(5 * MIB)
    with files.open_output_stream(f"{home}/a/large") as out:
        out.write(content)
    with files.open_input_file(f"{home}/a/large") as back:
        assert back.read() == content
    assert files.get_file_info(f"{home}/a/large").size == len(content)
    assert files.get_file_info(f"{home}/a").type == FileType.Directory
    files.copy_file(f"{home}/a/large", f"{home}/copy")
    files.delete_file(f"{home}/a/large")
    with pytest.raises(FileNotFoundError):
        files.open_input_file(f"{home}/a/large")
    with pytest.raises(FileNotFoundError):
        files.delete_file(f"{home}/a/large")
    assert entries(files, home) == {f"{home}/a": FileType.Directory, f"{home}/copy": FileType.File}


def test_pyarrow_directories(files, home):
    files.create_dir(f"{home}/a/b/c")
    files.create_dir(f"{home}/a/b/c")
    assert files.get_file_info(f"{home}/a/b").type == FileType.Directory
    with pytest.raises(FileNotFoundError):
        files.create_dir(f"{home}/no/parent", recursive=False)
    files.delete_dir_contents(f"{home}/a")
    assert entries(files, home) == {f"{home}/a": FileType.Directory}
    files.delete_dir(f"{home}/a")
    with pytest.raises(FileNotFoundError):
        files.delete_dir(f"{home}/a")


def test_pyarrow_moves(files, home):
    for name in ("a/1", "a/b/2", "other"):
        with files.open_output_stream(f"{home}/{name}") as out:
            out.write(name.encode())
    files.move(f"{home}/a", f"{home}/z")
    assert sorted(entries(files, home)) == [f"{home}/{name}" for name in ("other", "z", "z/1", "z/b", "z/b/2")]
    files.move(f"{home}/z/1", f"{home}/other")
    with files.open_input_file(f"{home}/other") as back:
        assert back.read() == b"a/1"
    files.create_dir(f"{home}/empty")
    files.move(f"{home}/empty", f"{home}/z/empty")
    with pytest.raises(OSError):
        files.move(f"{home}/z/empty", f"{home}/z/b")
    with pytest.raises(OSError):
        files.move(f"{home}/other", f"{home}/z")
    with pytest.raises(FileNotFoundError):
        files.move(f"{home}/absent", f"{home}/new")


def test_a_pyarrow_dataset(files, home):
    table = pyarrow.table({"n": list(range(900)), "part": [n % 3 for n in range(900)]})
    pyarrow.dataset.write_dataset(
        table, f"{home}/data", filesystem=files, format="parquet", partitioning=["part"], partitioning_flavor="hive"
    )
    dataset = pyarrow.dataset.dataset(f"{home}/data", filesystem=files, partitioning="hive")
    assert len(dataset.files) == 3
    assert sorted(dataset.to_table(filter=pyarrow.dataset.field("part") == 1)["n"].to_pylist()) == list(range(1, 900, 3))


# adlfs


def test_adlfs(home, tmp_path):
    files = AzureBlobFileSystem(connection_string=CONNECTION_STRING, skip_instance_cache=True, use_listings_cache=False)
    with files.open(f"{home}/a/b/c.txt", "wb") as out:
        out.write(b"hello, world")
    files.mkdir(f"{home}/empty")
    assert files.cat(f"abfs://{home}/a/b/c.txt") == b"hello, world"
    assert files.isdir(f"{home}/a/b") and files.isfile(f"{home}/a/b/c.txt")
    assert files.info(f"{home}/a")["type"] == "directory"
    assert sorted(files.find(home)) == [f"{home}/a/b/c.txt"]
    assert f"{home}/a" in files.ls(home, detail=False)
    tree(tmp_path, {"x": b"x", "y/z": b"z"})
    files.put(f"{tmp_path}/", f"{home}/up", recursive=True)
    files.get(f"{home}/up", str(tmp_path / "down"), recursive=True)
    assert read_tree(tmp_path / "down") == {"x": b"x", "y/z": b"z"}
    files.mv(f"{home}/up/x", f"{home}/moved")
    assert files.cat(f"{home}/moved") == b"x" and not files.exists(f"{home}/up/x")
    files.rm(f"{home}/a", recursive=True)
    assert not files.exists(f"{home}/a")
    table = pyarrow.table({"n": list(range(100))})
    pyarrow.parquet.write_table(table, f"{home}/data/t.parquet", filesystem=files)
    assert pyarrow.parquet.read_table(f"{home}/data", filesystem=files).num_rows == 100


# Delta Lake


def test_delta_tables(home, container):
    uri = f"abfss://{home}@{ACCOUNT}.dfs.core.windows.net/folder/table"
    options = {"azure_storage_account_key": KEY, "azure_storage_endpoint": BLOB_URL, "allow_http": "true"}
    write_deltalake(uri, pyarrow.table({"n": [1, 2, 3]}), storage_options=options)
    write_deltalake(uri, pyarrow.table({"n": [4]}), mode="append", storage_options=options)
    table = DeltaTable(uri, storage_options=options)
    assert (table.version(), sorted(table.to_pyarrow_table()["n"].to_pylist())) == (1, [1, 2, 3, 4])
    table.delete("n = 2")
    table.optimize.compact()
    table.create_checkpoint()
    assert table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert sorted(DeltaTable(uri, storage_options=options).to_pyarrow_table()["n"].to_pylist()) == [1, 3, 4]


# OpenDAL


def test_opendal(home, container):
    """Its deletes are for the Data Lake API, and do not say so: it needs a port of that API's own."""
    operator = opendal.Operator("azdls", endpoint=DFS_URL, filesystem=home, account_name=ACCOUNT, account_key=KEY)
    operator.write("a/b/c.txt", b"hello, world")
    assert operator.read("a/b/c.txt") == b"hello, world"
    stat = operator.stat("a/b/c.txt")
    assert (stat.content_length, stat.mode.is_file()) == (12, True)
    assert operator.stat("a/b/").mode.is_dir()
    operator.create_dir("empty/")
    assert sorted(entry.path for entry in operator.list("/")) in (["a/", "empty/"], ["/", "a/", "empty/"])
    assert [entry.path for entry in operator.list("a/b/")][-1] == "a/b/c.txt"
    operator.rename("a/b/c.txt", "a/b/d.txt")
    assert operator.read("a/b/d.txt") == b"hello, world"
    with pytest.raises(opendal.exceptions.NotFound):
        operator.read("a/b/c.txt")
    operator.write("large", pattern(3 * MIB))
    assert operator.read("large") == pattern(3 * MIB)
    operator.delete("a/b/d.txt")
    operator.delete("a/b/d.txt")
    operator.delete("empty/")
    assert not operator.exists("a/b/d.txt") and not operator.exists("empty/")


# The Azure CLI


def az(*words, fails=False):
    env = environment(
        AZURE_STORAGE_CONNECTION_STRING=CONNECTION_STRING,
        AZURE_CONFIG_DIR=str(WORK / "az-config"),
        AZURE_CORE_COLLECT_TELEMETRY="false",
        AZURE_CORE_NO_COLOR="true",
    )
    said = run(["az", "storage", "fs", *words, "--only-show-errors", "--output", "json"], env, fails=fails)
    return said if fails else parsed(said)


def test_az_file_systems():
    name = unique()
    az("create", "-n", name)
    assert az("exists", "-n", name) == {"exists": True}
    assert az("show", "-n", name)["name"] == name
    assert name in [one["name"] for one in az("list")]
    az("delete", "-n", name, "--yes")
    assert az("exists", "-n", name) == {"exists": False}


def test_az_files_and_directories(home, tmp_path):
    tree(tmp_path, {"up.txt": b"hello, world"})
    az("directory", "create", "-f", home, "-n", "a/b")
    assert az("directory", "exists", "-f", home, "-n", "a/b") == {"exists": True}
    az("file", "upload", "-f", home, "-p", "a/b/up.txt", "-s", tmp_path / "up.txt")
    assert az("file", "show", "-f", home, "-p", "a/b/up.txt")["size"] == 12
    az("file", "append", "-f", home, "-p", "a/b/up.txt", "--content", "!")
    az("file", "download", "-f", home, "-p", "a/b/up.txt", "-d", tmp_path / "down.txt")
    assert (tmp_path / "down.txt").read_bytes() == b"hello, world!"
    again = az("file", "upload", "-f", home, "-p", "a/b/up.txt", "-s", tmp_path / "up.txt", fails=True)
    assert "existing non-empty file" in again, "what the service answers to a flush at a length that is committed"
    az("file", "move", "-f", home, "-p", "a/b/up.txt", "--new-path", f"{home}/a/moved.txt")
    assert [one["name"] for one in az("file", "list", "-f", home)] == ["a", "a/b", "a/moved.txt"]
    az("directory", "move", "-f", home, "-n", "a", "--new-directory", f"{home}/z")
    assert [one["name"] for one in az("directory", "list", "-f", home)] == ["z", "z/b"]
    az("file", "delete", "-f", home, "-p", "z/moved.txt", "--yes")
    az("directory", "delete", "-f", home, "-n", "z", "--yes")
    assert "PathNotFound" in az("file", "delete", "-f", home, "-p", "z/moved.txt", "--yes", fails=True)


def test_az_access(home, container):
    container.upload_blob("d/file", b"x")
    az("access", "set", "-f", home, "-p", "d/file", "--permissions", "rwxr-x--x")
    assert az("access", "show", "-f", home, "-p", "d/file")["permissions"] == "rwxr-x--x"
    user = "user:11111111-1111-1111-1111-111111111111"
    counters = az("access", "update-recursive", "-f", home, "-p", "d", "--acl", f"{user}:r-x")["counters"]
    assert (counters["directoriesSuccessful"], counters["filesSuccessful"]) == (1, 1)
    assert f"{user}:r-x" in az("access", "show", "-f", home, "-p", "d/file")["acl"]
    az("access", "remove-recursive", "-f", home, "-p", "d", "--acl", user)
    assert user not in az("access", "show", "-f", home, "-p", "d/file")["acl"]


# azcopy

FILES = {"a.txt": b"a", "b.bin": pattern(3 * MIB), "folder/c d.txt": b"c d", "folder/deep/ä%+.txt": b"odd", "folder/empty": b""}


def test_azcopy(home, container, tmp_path):
    sas = generate_account_sas(ACCOUNT, KEY, "sco", "rwdlacupmeop", now() + timedelta(hours=1), services="b")
    there = f"{BLOB_URL}/{home}"
    tree(tmp_path / "up", FILES)
    sent = azcopy("copy", tmp_path / "up" / "*", f"{there}?{sas}", "--recursive", "--from-to", "LocalBlobFS")
    # Directories count too: it writes their properties.
    assert (sent["TransfersCompleted"], sent["TransfersFailed"]) == (str(len(FILES) + 2), "0")
    assert contents(container) == FILES
    azcopy("copy", f"{there}/*?{sas}", tmp_path / "down", "--recursive", "--from-to", "BlobFSLocal")
    assert read_tree(tmp_path / "down") == FILES
    azcopy("remove", f"{there}/folder?{sas}", "--recursive", "--from-to", "BlobFSTrash")
    assert sorted(contents(container)) == ["a.txt", "b.bin"]
    azcopy("copy", f"{there}/absent?{sas}", tmp_path / "none", "--from-to", "BlobFSLocal", fails=True)


# DuckDB


def test_duckdb(home, container):
    container.upload_blob("d/a.csv", b"x,y\n1,2\n3,4\n")
    container.upload_blob("d/sub/b.csv", b"x,y\n5,6\n")
    extension = next(Path(duckdb_extension_azure.__file__).parent.glob("extensions/*/azure.duckdb_extension"))
    with duckdb.connect() as database:
        database.execute(f"LOAD '{extension}'")
        database.execute(f"CREATE SECRET (TYPE azure, CONNECTION_STRING '{CONNECTION_STRING}')")
        assert database.execute(f"SELECT sum(x) FROM read_csv('az://{home}/d/**/*.csv')").fetchall() == [(9,)]
        database.execute(f"COPY (SELECT range AS n FROM range(1000)) TO 'az://{home}/out/numbers.parquet'")
        assert database.execute(f"SELECT count(*) FROM 'az://{home}/out/*.parquet'").fetchall() == [(1000,)]


@pytest.mark.parametrize("endpoint", [BLOB_URL, DFS_URL])
def test_duckdb_on_the_data_lake_api(home, container, endpoint):
    extension = next(Path(duckdb_extension_azure.__file__).parent.glob("extensions/*/azure.duckdb_extension"))
    container.upload_blob("d/a.csv", b"x,y\n1,2\n3,4\n")
    with duckdb.connect() as database:
        database.execute(f"LOAD '{extension}'")
        database.execute(f"CREATE SECRET (TYPE azure, CONNECTION_STRING '{CONNECTION_STRING}DfsEndpoint={endpoint};')")
        assert database.execute(f"SELECT sum(x) FROM read_csv('abfss://{home}/d/*.csv')").fetchall() == [(4,)]
        parts = f"abfss://{home}/parts"
        database.execute(f"COPY (SELECT range AS n, range % 3 AS k FROM range(30)) TO '{parts}' (FORMAT parquet, PARTITION_BY (k))")
        found = database.execute(f"SELECT count(*) FROM read_parquet('{parts}/**', hive_partitioning = true) WHERE k = 2")
        assert found.fetchall() == [(10,)]
        with pytest.raises(duckdb.Error):
            database.execute(f"SELECT * FROM 'abfss://{home}/absent.csv'")
    kinds = {one.name: "hdi_isfolder" in (one.metadata or {}) for one in container.list_blobs(include=["metadata"])}
    assert kinds["parts/k=2"] and not kinds["parts/k=2/data_0.parquet"]
