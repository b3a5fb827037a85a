"""fsspec's adlfs, and pyarrow through it."""

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from adlfs import AzureBlobFileSystem
from helpers import CONNECTION_STRING, MIB, account_sas, pattern, read_container, read_tree, tree


@pytest.fixture
def files():
    # fsspec keeps file systems, and these their listings: every test has its own.
    return AzureBlobFileSystem(connection_string=CONNECTION_STRING, skip_instance_cache=True, use_listings_cache=False)


def test_files(files, container):
    home = container.container_name
    with files.open(f"{home}/folder/a.txt", "wb") as out:
        out.write(b"hello, ")
        out.write(b"world")
    assert files.cat(f"{home}/folder/a.txt") == b"hello, world"
    assert files.cat_file(f"{home}/folder/a.txt", start=7, end=10) == b"wor"
    info = files.info(f"{home}/folder/a.txt")
    assert (info["type"], info["size"]) == ("file", 12)
    assert files.isdir(f"{home}/folder") and files.isfile(f"{home}/folder/a.txt")
    assert not files.exists(f"{home}/folder/b.txt")
    with pytest.raises(FileNotFoundError):
        files.open(f"{home}/folder/b.txt")


def test_large_files_go_in_blocks(files, container):
    content, path = pattern(9 * MIB + 7), f"{container.container_name}/large"
    with files.open(path, "wb", blocksize=4 * MIB) as out:
        for at in range(0, len(content), MIB):
            out.write(content[at : at + MIB])
    with files.open(path, "rb", block_size=MIB) as back:
        back.seek(5 * MIB - 3)
        assert back.read(10) == content[5 * MIB - 3 : 5 * MIB + 7]
        back.seek(0)
        assert back.read() == content
    blocks, _ = container.get_blob_client("large").get_block_list("committed")
    assert sum(block.size for block in blocks) == len(content)


def test_appends(files, container):
    path = f"{container.container_name}/log"
    for line in (b"one\n", b"two\n"):
        with files.open(path, "ab") as out:
            out.write(line)
    assert files.cat(path) == b"one\ntwo\n"


def test_trees(files, make_container, tmp_path):
    content = {"a.txt": b"a", "sub/b.txt": b"b", "sub/deep/c.log": b"c"}
    home = make_container(content).container_name
    assert sorted(files.find(home)) == sorted(f"{home}/{name}" for name in content)
    assert sorted(files.ls(home, detail=False)) == [f"{home}/a.txt", f"{home}/sub"]
    assert sorted(files.glob(f"{home}/**/*.txt")) == [f"{home}/a.txt", f"{home}/sub/b.txt"]
    assert [(folder, sorted(names)) for folder, _, names in files.walk(f"{home}/sub")] == [
        (f"{home}/sub", ["b.txt"]),
        (f"{home}/sub/deep", ["c.log"]),
    ]
    files.get(f"{home}/sub", str(tmp_path / "down"), recursive=True)
    assert read_tree(tmp_path / "down") == {"b.txt": b"b", "deep/c.log": b"c"}
    files.rm(f"{home}/sub", recursive=True)
    assert files.find(home) == [f"{home}/a.txt"]


def test_puts_copies_and_moves(files, container, tmp_path):
    home = container.container_name
    tree(tmp_path, {"x": b"x", "y/z": b"z"})
    files.put(f"{tmp_path}/", f"{home}/up", recursive=True)
    files.cp_file(f"{home}/up/x", f"{home}/copy")
    files.mv(f"{home}/up/x", f"{home}/moved")
    assert read_container(container) == {"up/y/z": b"z", "copy": b"x", "moved": b"x"}


def test_a_signature_is_enough(container):
    container.upload_blob("a", b"a")
    without_key = ";".join(part for part in CONNECTION_STRING.split(";") if not part.startswith("Account"))
    files = AzureBlobFileSystem(
        connection_string=f"{without_key}SharedAccessSignature={account_sas('rl')}", skip_instance_cache=True
    )
    assert files.cat(f"{container.container_name}/a") == b"a"
    with pytest.raises(Exception, match="AuthorizationPermissionMismatch"):
        files.pipe(f"{container.container_name}/b", b"b")


def test_a_partitioned_dataset(files, container):
    table = pyarrow.table({"n": list(range(3000)), "part": [n % 3 for n in range(3000)]})
    home = f"{container.container_name}/dataset"
    pyarrow.dataset.write_dataset(
        table, home, filesystem=files, format="parquet", partitioning=["part"], partitioning_flavor="hive"
    )
    dataset = pyarrow.dataset.dataset(home, filesystem=files, partitioning="hive")
    assert len(dataset.files) == 3
    assert sorted(dataset.to_table(filter=pyarrow.dataset.field("part") == 1)["n"].to_pylist()) == list(range(1, 3000, 3))
    assert pyarrow.parquet.read_table(home, filesystem=files).num_rows == 3000
