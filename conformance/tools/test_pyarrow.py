"""pyarrow's own Azure file system, which stands on the C++ SDK."""

from urllib.parse import urlsplit

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from helpers import ACCOUNT, BLOB_URL, KEY, MIB, pattern
from pyarrow.fs import AzureFileSystem, FileSelector, FileType


@pytest.fixture(scope="session")
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


def test_files(files, container):
    home, content = container.container_name, pattern(11 * MIB)
    with files.open_output_stream(f"{home}/a/large", metadata={"Content-Type": "text/plain"}) as out:
        out.write(content)
    with files.open_input_file(f"{home}/a/large") as back:
        assert back.size() == len(content)
        assert back.read_at(100, 5 * MIB) == content[5 * MIB : 5 * MIB + 100]
        assert back.read() == content
    assert container.get_blob_client("a/large").get_blob_properties().content_settings.content_type == "text/plain"
    files.copy_file(f"{home}/a/large", f"{home}/b/copy")
    files.delete_file(f"{home}/a/large")
    with pytest.raises(FileNotFoundError):
        files.open_input_file(f"{home}/a/large")
    assert files.get_file_info(f"{home}/b/copy").size == len(content)


def test_folders(files, make_container):
    home = make_container({"a": b"a", "sub/b": b"b", "sub/deep/c": b"c"}).container_name
    files.create_dir(f"{home}/made/by/hand")
    found = {info.path.removeprefix(f"{home}/"): info.type for info in files.get_file_info(FileSelector(home, recursive=True))}
    assert {name for name, kind in found.items() if kind == FileType.File} == {"a", "sub/b", "sub/deep/c"}
    assert {"sub", "sub/deep", "made/by/hand"} <= {name for name, kind in found.items() if kind == FileType.Directory}
    files.delete_dir(f"{home}/sub")
    assert files.get_file_info(f"{home}/sub").type == FileType.NotFound
    assert files.get_file_info(f"{home}/a").type == FileType.File


def test_containers(files, container):
    name = container.container_name
    assert name in [info.path for info in files.get_file_info(FileSelector(""))]
    files.delete_dir(name)
    assert files.get_file_info(name).type == FileType.NotFound
    files.create_dir(name)
    assert container.exists()


def test_a_dataset(files, container):
    table = pyarrow.table({"n": list(range(1000)), "text": [str(n) for n in range(1000)]})
    home = container.container_name
    for part in range(3):
        pyarrow.parquet.write_table(table.slice(part * 300, 300), f"{home}/data/{part}.parquet", filesystem=files)
    dataset = pyarrow.dataset.dataset(f"{home}/data", filesystem=files)
    assert dataset.count_rows() == 900
    assert dataset.to_table(filter=pyarrow.dataset.field("n") >= 890)["text"].to_pylist() == [str(n) for n in range(890, 900)]
