"""The Data Lake client, with an account that has a hierarchical namespace."""

import asyncio
from datetime import timedelta

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import AzureError
from azure.storage.filedatalake import (
    ContentSettings,
    DataLakeDirectoryClient,
    DataLakeFileClient,
    DataLakeLeaseClient,
    DataLakeServiceClient,
    DelimitedTextDialect,
    FileSystemClient,
    RetentionPolicy,
    generate_directory_sas,
    generate_file_sas,
    generate_file_system_sas,
)
from azure.storage.filedatalake.aio import DataLakeServiceClient as AsyncDataLakeServiceClient
from helpers import (
    BEARER_TOKEN,
    HIERARCHICAL_BLOB_URL,
    KEY,
    KIB,
    MIB,
    SECURE,
    SECURE_BLOB_URL,
    Bearer,
    in_an_hour,
    now,
    other_service,
    pattern,
    refused,
    unique,
)

pytestmark = pytest.mark.skipif(not HIERARCHICAL_BLOB_URL, reason="HIERARCHICAL_BLOB_URL is not set")

ACCOUNT = (HIERARCHICAL_BLOB_URL or "").rsplit("/", 1)[-1]
CREDENTIAL = {"account_name": ACCOUNT, "account_key": KEY}
ALICE = "11111111-1111-1111-1111-111111111111"
BOB = "22222222-2222-2222-2222-222222222222"


@pytest.fixture(scope="module")
def lake():
    with DataLakeServiceClient(HIERARCHICAL_BLOB_URL, CREDENTIAL, retry_total=0) as client:
        yield client


@pytest.fixture
def make_file_system(lake):
    made = []

    def make(**options):
        made.append(lake.create_file_system(unique(), **options))
        return made[-1]

    yield make
    for client in made:
        if client.exists():
            client.delete_file_system()


@pytest.fixture
def home(make_file_system):
    return make_file_system()


@pytest.fixture
def file(home):
    return write(home, "folder/hello.txt", b"hello, world")


def write(home, path, content=b"content"):
    client = home.get_file_client(path)
    client.upload_data(content, overwrite=True)
    return client


def read(home, path):
    return home.get_file_client(path).download_file().readall()


def paths(home, path=None, **options):
    """The names below a directory, those of directories with a slash."""
    return [one.name + "/" * one.is_directory for one in home.get_paths(path, **options)]


def acl(path):
    return path.get_access_control()["acl"]


# File systems


def test_a_file_system_comes_and_goes(lake):
    home = lake.get_file_system_client(unique())
    assert not home.exists()
    home.create_file_system(metadata={"colour": "red"})
    with refused(409, "ContainerAlreadyExists", "FilesystemAlreadyExists"):
        home.create_file_system()
    assert home.exists()
    assert home.get_file_system_properties().metadata == {"colour": "red"}
    home.set_file_system_metadata({"size": "3"})
    assert home.get_file_system_properties().metadata == {"size": "3"}
    (listed,) = lake.list_file_systems(name_starts_with=home.file_system_name, include_metadata=True)
    assert (listed.name, listed.metadata) == (home.file_system_name, {"size": "3"})
    home.delete_file_system()
    assert not home.exists()
    with refused(404, "ContainerNotFound", "FilesystemNotFound"):
        home.get_file_system_properties()


def test_file_systems_are_listed_page_by_page(lake, make_file_system):
    stem = unique("list")
    made = [lake.create_file_system(f"{stem}-{n}") for n in range(3)]
    pages = lake.list_file_systems(name_starts_with=stem, results_per_page=2).by_page()
    assert [[one.name for one in page] for page in pages] == [[f"{stem}-0", f"{stem}-1"], [f"{stem}-2"]]
    for one in made:
        one.delete_file_system()


def test_a_file_system_with_a_lease(home):
    lease = home.acquire_lease(60)
    with refused(412, "LeaseIdMissing"):
        home.delete_file_system()
    home.delete_file_system(lease=lease)
    assert not home.exists()


def test_stored_policies(home):
    home.set_file_system_access_policy({})
    assert home.get_file_system_access_policy()["signed_identifiers"] == []


def test_operations_on_a_file_system_that_does_not_exist(lake):
    absent = lake.get_file_system_client(unique())
    with refused(404, "FilesystemNotFound"):
        absent.create_directory("a")
    with refused(404, "FilesystemNotFound"):
        list(absent.get_paths())
    with refused(404, "FilesystemNotFound"):
        absent.delete_file("a")


# Directories and files


def test_directories(home):
    directory = home.create_directory("a/b/c", metadata={"k": "v"})
    found = directory.get_directory_properties()
    assert (found.name, found.metadata["k"], found.metadata["hdi_isfolder"]) == ("a/b/c", "v", "true")
    assert paths(home) == ["a/", "a/b/", "a/b/c/"]
    assert home.get_directory_client("a").exists() and not home.get_directory_client("x").exists()
    directory.create_sub_directory("d")
    directory.create_file("e")
    assert paths(home, "a/b/c") == ["a/b/c/d/", "a/b/c/e"]
    directory.delete_sub_directory("d")
    home.delete_directory("a/b")
    assert paths(home) == ["a/"]


def test_a_directory_keeps_its_children_when_it_is_created_again(home):
    directory = home.create_directory("a", metadata={"k": "1"})
    directory.create_file("child")
    directory.create_directory(metadata={"k": "2"})
    assert paths(home) == ["a/", "a/child"]
    assert directory.get_directory_properties().metadata["k"] == "2"
    with refused(409, "PathAlreadyExists"):
        directory.create_directory(match_condition=MatchConditions.IfMissing)


def test_files(home):
    file = home.create_file(
        "a/b.txt", content_settings=ContentSettings(content_type="text/plain", content_language="fr"), metadata={"k": "v"}
    )
    found = file.get_file_properties()
    assert (found.size, found.metadata) == (0, {"k": "v"})
    assert (found.content_settings.content_type, found.content_settings.content_language) == ("text/plain", "fr")
    file.set_metadata({"n": "1"})
    file.set_http_headers(ContentSettings(cache_control="no-cache"))
    found = file.get_file_properties()
    assert (found.metadata, found.content_settings.cache_control) == ({"n": "1"}, "no-cache")
    with refused(409, "PathAlreadyExists"):
        file.create_file(match_condition=MatchConditions.IfMissing)
    file.delete_file()
    assert not file.exists()
    with refused(404, "PathNotFound"):
        file.delete_file()
    with refused(404, "BlobNotFound", "PathNotFound"):
        file.get_file_properties()
    with refused(404, "BlobNotFound", "PathNotFound"):
        file.download_file()


def test_names_with_anything_in_them(home):
    names = ["ä ö/ü+%.txt", "a b/[c]{d}", "x'y&z=1;~!@#$^(),", "日本/語"]
    for name in names:
        write(home, name, name.encode())
    for name in names:
        assert read(home, name) == name.encode()
    assert [name for name in paths(home) if not name.endswith("/")] == sorted(names)


def test_a_file_is_no_directory(home, file):
    with refused(409, "PathConflict", "PathAlreadyExists"):
        home.create_directory("folder/hello.txt")
    with refused(409, "PathConflict"):
        home.create_file("folder/hello.txt/below")


def test_a_directory_that_is_not_empty(home, file):
    """The client always deletes recursively: the Blob client of the same account does not."""
    blobs = other_service(HIERARCHICAL_BLOB_URL).get_container_client(home.file_system_name)
    with refused(409, "DirectoryIsNotEmpty"):
        blobs.delete_blob("folder")
    home.delete_directory("folder")
    assert paths(home) == []


# Content


def test_appends_count_after_a_flush(home):
    file = home.create_file("log")
    file.append_data(b"hello, ", 0)
    file.append_data(b"world", 7, validate_content=True)
    assert file.get_file_properties().size == 0
    done = file.flush_data(12)
    assert file.get_file_properties().etag == done["etag"]
    assert read(home, "log") == b"hello, world"
    file.append_data(b"!", 12, flush=True)
    assert read(home, "log") == b"hello, world!"


def test_appends_in_any_order(home):
    file = home.create_file("log")
    file.append_data(b"world", 7)
    file.append_data(b"hello, ", 0)
    file.flush_data(7, retain_uncommitted_data=True)
    assert read(home, "log") == b"hello, "
    file.flush_data(12, close=True)
    assert read(home, "log") == b"hello, world"


def test_flushes_that_do_not_fit(home):
    file = home.create_file("log")
    file.append_data(b"abc", 0)
    with refused(400, "InvalidFlushPosition"):
        file.flush_data(4)
    file.append_data(b"xyz", 10)
    with refused(400, "InvalidFlushPosition"):
        file.flush_data(13)
    with refused(412, "ConditionNotMet"):
        file.flush_data(3, etag='"0x8D0000000000000"', match_condition=MatchConditions.IfNotModified)
    file.flush_data(3)
    assert read(home, "log") == b"abc"


def test_appends_to_what_does_not_exist(home):
    absent = home.get_file_client("absent")
    with refused(404, "PathNotFound"):
        absent.append_data(b"a", 0)
    with refused(404, "PathNotFound"):
        absent.flush_data(0)


@pytest.mark.parametrize("size", [1, 5 * MIB + 7])
def test_uploads_and_downloads(home, size):
    content = pattern(size)
    file = home.get_file_client("large")
    file.upload_data(content, overwrite=True, chunk_size=MIB, max_concurrency=3, metadata={"k": "v"})
    download = file.download_file(max_concurrency=3)
    assert (download.size, download.readall()) == (size, content)
    assert download.properties.metadata == {"k": "v"}
    if size > 1:
        assert file.download_file(offset=size // 2, length=100).readall() == content[size // 2 : size // 2 + 100]


def test_an_upload_replaces_only_when_allowed(home, file):
    # The client's flush has the condition, which the service judges as that of a read.
    with refused(304, "ConditionNotMet"):
        file.upload_data(b"other")
    file.upload_data(b"other", overwrite=True, content_settings=ContentSettings(content_type="text/x"))
    assert read(home, "folder/hello.txt") == b"other"
    assert file.get_file_properties().content_settings.content_type == "text/x"


def test_conditions(file):
    first = file.get_file_properties().etag
    file.set_metadata({"n": "1"}, etag=first, match_condition=MatchConditions.IfNotModified)
    for call in (file.get_file_properties, file.delete_file, file.download_file):
        with refused(412, "ConditionNotMet"):
            call(etag=first, match_condition=MatchConditions.IfNotModified)
    second = file.get_file_properties().etag
    with refused(304, "ConditionNotMet"):
        file.get_file_properties(etag=second, match_condition=MatchConditions.IfModified)
    with refused(412, "ConditionNotMet"):
        file.delete_file(etag=second, match_condition=MatchConditions.IfModified)
    file.delete_file(etag=second, match_condition=MatchConditions.IfNotModified)
    assert not file.exists()


def test_queries(home):
    file = write(home, "people.csv", b"name,age\nAda,36\nGrace,85\n")
    headed = DelimitedTextDialect(has_header=True)
    answer = file.query_file("SELECT name from DataLakeStorage WHERE CAST(age AS INT) > 40", file_format=headed)
    assert answer.readall() == b"name\nGrace\n"


def test_expiry(home, advance):
    file = write(home, "short", b"lived")
    file.set_file_expiry("RelativeToNow", expires_on=60_000)
    expiry = file.get_file_properties().expiry_time
    assert expiry is not None
    assert read(home, "short") == b"lived"
    advance(61)
    assert not file.exists()
    assert paths(home) == []


def test_what_the_blob_client_writes(home):
    blobs = other_service(HIERARCHICAL_BLOB_URL).get_container_client(home.file_system_name)
    blobs.upload_blob("a/b/c.txt", b"by blob")
    assert paths(home) == ["a/", "a/b/", "a/b/c.txt"]
    assert read(home, "a/b/c.txt") == b"by blob"
    write(home, "a/d.txt", b"by lake")
    assert blobs.download_blob("a/d.txt").readall() == b"by lake"
    assert [one.name for one in blobs.walk_blobs("a/")] == ["a/b/", "a/d.txt"]
    assert blobs.get_blob_client("a/b").get_blob_properties().metadata == {"hdi_isfolder": "true"}


# Renames


def test_a_file_is_renamed(home, file):
    before = file.get_file_properties()
    renamed = file.rename_file(f"{home.file_system_name}/folder/new name.txt")
    assert paths(home) == ["folder/", "folder/new name.txt"]
    after = renamed.get_file_properties()
    assert (after.etag, after.last_modified, after.creation_time) == (before.etag, before.last_modified, before.creation_time)
    assert renamed.download_file().readall() == b"hello, world"


def test_a_directory_is_renamed_with_everything_in_it(home):
    for name in ("a/1", "a/b/2", "a/b/c/3"):
        write(home, name, name.encode())
    renamed = home.get_directory_client("a").rename_directory(f"{home.file_system_name}/z")
    assert paths(home) == ["z/", "z/1", "z/b/", "z/b/2", "z/b/c/", "z/b/c/3"]
    assert renamed.get_file_client("b/c/3").download_file().readall() == b"a/b/c/3"
    assert not home.get_directory_client("a").exists()


def test_renames_between_file_systems(home, file, make_file_system):
    other = make_file_system()
    file.rename_file(f"{other.file_system_name}/there.txt")
    assert read(other, "there.txt") == b"hello, world"
    assert paths(home) == ["folder/"]


def test_a_file_is_renamed_onto_another(home, file):
    write(home, "other", b"other")
    file.rename_file(f"{home.file_system_name}/other")
    assert read(home, "other") == b"hello, world"


def test_a_directory_is_renamed_onto_another(home, file):
    """Onto an empty one: the client's renames do not move into it."""
    target = home.create_directory("target")
    home.get_directory_client("folder").rename_directory(f"{home.file_system_name}/target")
    assert paths(home) == ["target/", "target/hello.txt"]
    home.create_directory("again")
    with refused(409, "DirectoryNotEmpty", "PathAlreadyExists"):
        home.get_directory_client("again").rename_directory(f"{home.file_system_name}/target")
    assert target.exists()


def test_renames_that_are_refused(home, file):
    here = home.file_system_name
    with refused(404, "SourcePathNotFound"):
        home.get_file_client("absent").rename_file(f"{here}/new")
    with refused(404, "RenameDestinationParentPathNotFound"):
        file.rename_file(f"{here}/no/such/parent")
    with refused(409, "InvalidRenameSourcePath"):
        home.get_directory_client("folder").rename_directory(f"{here}/folder/below")
    with refused(409, "InvalidSourceOrDestinationResourceType"):
        file.rename_file(f"{here}/folder")
    write(home, "there", b"there")
    with refused(409, "PathAlreadyExists"):
        file.rename_file(f"{here}/there", match_condition=MatchConditions.IfMissing)
    with refused(412, "SourceConditionNotMet"):
        file.rename_file(f"{here}/new", source_etag='"0x8D0000000000000"', source_match_condition=MatchConditions.IfNotModified)
    with refused(412, "ConditionNotMet"):
        file.rename_file(f"{here}/there", etag='"0x8D0000000000000"', match_condition=MatchConditions.IfNotModified)
    assert paths(home) == ["folder/", "folder/hello.txt", "there"]


# Leases


def test_leases(home, file):
    lease = file.acquire_lease(30)
    found = file.get_file_properties().lease
    assert (found.state, found.status, found.duration) == ("leased", "locked", "fixed")
    for call in (
        lambda: file.append_data(b"x", 12),
        lambda: file.flush_data(12),
        lambda: file.delete_file(),
        lambda: file.create_file(),
        lambda: file.set_metadata({}),
        lambda: file.rename_file(f"{home.file_system_name}/new"),
    ):
        with refused(412, "LeaseIdMissing"):
            call()
    with refused(412, "LeaseIdMismatch", "LeaseIdMismatchWithBlobOperation"):
        file.append_data(b"x", 12, lease=DataLakeLeaseClient(file, lease_id=ALICE))
    file.append_data(b"!", 12, lease=lease)
    file.flush_data(13, lease=lease)
    lease.renew()
    lease.change(BOB)
    with refused(409, "LeaseAlreadyPresent"):
        file.acquire_lease(30)
    assert lease.break_lease(lease_break_period=0) == 0
    file.delete_file()


def test_a_lease_that_is_not_there(home, file):
    absent = DataLakeLeaseClient(file, lease_id=ALICE)
    with refused(412, "LeaseNotPresent", "LeaseNotPresentWithBlobOperation"):
        file.append_data(b"x", 12, lease=absent)
    with refused(412, "LeaseNotPresent", "LeaseNotPresentWithBlobOperation"):
        file.delete_file(lease=absent)


def test_appends_take_leases(home):
    file = home.create_file("log")
    file.append_data(b"abc", 0, lease_action="acquire", lease_duration=60, lease=ALICE)
    assert file.get_file_properties().lease.state == "leased"
    file.append_data(b"def", 3, lease_action="release", lease=ALICE, flush=True)
    assert file.get_file_properties().lease.state == "available"
    assert read(home, "log") == b"abcdef"


def test_a_file_is_created_with_a_lease(home):
    file = home.create_file("leased", lease_id=ALICE, lease_duration=-1)
    found = file.get_file_properties().lease
    assert (found.state, found.duration) == ("leased", "infinite")
    with refused(412, "LeaseIdMissing"):
        file.delete_file()
    file.delete_file(lease=ALICE)


def test_a_directory_with_a_lease(home):
    directory = home.create_directory("d")
    lease = directory.acquire_lease()
    with refused(412, "LeaseIdMissing"):
        directory.delete_directory()
    renamed = directory.rename_directory(f"{home.file_system_name}/e", source_lease=lease)
    renamed.delete_directory(lease=lease.id)


# Access control


def test_permissions(home):
    file = home.create_file("f", permissions="0640", umask="0000")
    found = file.get_access_control()
    assert (found["owner"], found["group"], found["permissions"]) == ("$superuser", "$superuser", "rw-r-----")
    assert home.create_directory("d").get_access_control()["permissions"] == "rwxr-x---"
    assert home.create_file("g").get_access_control()["permissions"] == "rw-r-----"
    assert home.create_directory("e", permissions="0777", umask="0057").get_access_control()["acl"] == "user::rwx,group::-w-,other::---"
    file.set_access_control(permissions="rwxr-x--x")
    assert acl(file) == "user::rwx,group::r-x,other::--x"
    file.set_access_control(owner=ALICE, group=BOB)
    found = file.get_access_control()
    assert (found["owner"], found["group"]) == (ALICE, BOB)
    root = home.get_directory_client("/")
    assert root.get_access_control()["permissions"] == "rwxr-x---"
    with refused(400, "InvalidPermission"):
        file.set_access_control(permissions="asdf")
    with refused(404, "PathNotFound"):
        home.get_file_client("absent").get_access_control()


def test_access_control_lists(home):
    file = home.create_file("f")
    file.set_access_control(acl=f"user::rwx,user:{ALICE}:rwx,group::r--,mask::r-x,other::---")
    found = file.get_access_control()
    assert found["acl"] == f"user::rwx,user:{ALICE}:rwx,group::r--,mask::r-x,other::---"
    assert found["permissions"] == "rwxr-x---+"
    before = file.get_file_properties().etag
    file.set_access_control(permissions="0700")
    assert acl(file) == f"user::rwx,user:{ALICE}:rwx,group::r--,mask::---,other::---"
    assert file.get_file_properties().etag == before
    with refused(400, "InvaldAccessControlList"):
        file.set_access_control(acl="asdf")
    with refused(412, "ConditionNotMet"):
        file.set_access_control(permissions="0700", etag='"0x8D0000000000000"', match_condition=MatchConditions.IfNotModified)


def test_children_inherit_default_entries(home):
    directory = home.create_directory("d")
    directory.set_access_control(
        acl=f"user::rwx,group::r-x,other::---,default:user::rwx,default:user:{ALICE}:rwx,default:group::r-x,default:other::---"
    )
    assert acl(directory).endswith(f"default:user:{ALICE}:rwx,default:group::r-x,default:mask::rwx,default:other::---")
    below = directory.create_sub_directory("e")
    assert f"default:user:{ALICE}:rwx" in acl(below)
    assert f"user:{ALICE}:rwx" in acl(directory.create_file("f"))


def test_recursive_access_control(home):
    directory = home.create_directory("d")
    for name in ("a", "b", "sub/c", "sub/deep/e"):
        write(home, f"d/{name}")
    entry = f"user::rwx,user:{ALICE}:r-x,group::r-x,other::---"
    result = directory.set_access_control_recursive(entry)
    counters = result.counters
    assert (counters.directories_successful, counters.files_successful, counters.failure_count) == (3, 4, 0)
    assert result.continuation is None
    assert acl(home.get_file_client("d/sub/deep/e")) == f"user::rwx,user:{ALICE}:r-x,group::r-x,mask::r-x,other::---"
    counters = directory.update_access_control_recursive(f"user:{BOB}:rw-").counters
    assert (counters.directories_successful, counters.files_successful) == (3, 4)
    assert f"user:{BOB}:rw-" in acl(home.get_file_client("d/a"))
    counters = directory.remove_access_control_recursive(f"user:{ALICE},default:user:{ALICE}").counters
    assert (counters.directories_successful, counters.files_successful) == (3, 4)
    assert ALICE not in acl(home.get_file_client("d/a"))
    assert home.get_file_client("d/a").set_access_control_recursive(entry).counters.files_successful == 1
    with refused(404, "PathNotFound"):
        raises_its_cause(lambda: home.get_directory_client("absent").set_access_control_recursive(entry))


def raises_its_cause(call):
    """The client wraps what the service says about a recursive change."""
    try:
        call()
    except AzureError as error:
        raise getattr(error, "__cause__", None) or error from None


def test_recursive_access_control_batch_by_batch(home):
    for n in range(5):
        write(home, f"d/{n}")
    seen = []
    directory = home.get_directory_client("d")
    result = directory.set_access_control_recursive(
        "user::rwx,group::r-x,other::---", batch_size=2, max_batches=2, progress_hook=lambda one: seen.append(one.batch_counters)
    )
    assert [one.directories_successful + one.files_successful for one in seen] == [2, 2]
    assert result.continuation
    rest = directory.set_access_control_recursive(
        "user::rwx,group::r-x,other::---", batch_size=2, continuation_token=result.continuation
    )
    assert (rest.counters.files_successful, rest.continuation) == (2, None)


# Lists


def test_paths(home):
    write(home, "a/1", b"1")
    write(home, "a/z/2", b"22")
    write(home, "a-b", b"333")
    home.create_directory("empty")
    assert paths(home) == ["a/", "a/1", "a/z/", "a/z/2", "a-b", "empty/"]
    assert paths(home, recursive=False) == ["a/", "a-b", "empty/"]
    assert paths(home, "a", recursive=False) == ["a/1", "a/z/"]
    one = next(iter(home.get_paths("a")))
    found = home.get_file_client("a/1").get_file_properties()
    assert (one.name, one.content_length, one.owner, one.permissions) == ("a/1", 1, "$superuser", "rw-r-----")
    assert (one.etag.strip('"'), one.last_modified) == (found.etag.strip('"'), found.last_modified.replace(tzinfo=one.last_modified.tzinfo))
    assert one.creation_time
    with refused(404, "PathNotFound"):
        list(home.get_paths("absent"))


def test_paths_page_by_page(home):
    for n in range(7):
        home.create_file(f"f{n}")
    for size in (1, 3, 7, 100):
        pages = [[one.name for one in page] for page in home.get_paths(max_results=size).by_page()]
        assert [name for page in pages for name in page] == [f"f{n}" for n in range(7)]
        assert all(len(page) <= size for page in pages)
    first = home.get_paths(max_results=3).by_page()
    assert len(list(next(first))) == 3
    rest = home.get_paths(max_results=3).by_page(first.continuation_token)
    assert [one.name for page in rest for one in page] == ["f3", "f4", "f5", "f6"]


# Soft delete


@pytest.fixture
def retention(lake):
    lake.set_service_properties(delete_retention_policy=RetentionPolicy(enabled=True, days=7))
    yield
    lake.set_service_properties(delete_retention_policy=RetentionPolicy(enabled=False))


def test_deleted_paths_come_back(retention, home, file):
    etag = file.get_file_properties().etag
    file.delete_file()
    assert not file.exists()
    (deleted,) = home.list_deleted_paths()
    assert (deleted.name, deleted.remaining_retention_days in (6, 7)) == ("folder/hello.txt", True)
    # Public in the clients of other languages; `az storage fs undelete-path` calls it too.
    back = home._undelete_path(deleted.name, deleted.deletion_id)
    assert isinstance(back, DataLakeFileClient)
    assert (back.get_file_properties().etag, read(home, "folder/hello.txt")) == (etag, b"hello, world")


def test_a_deleted_directory_comes_back_whole(retention, home, file):
    write(home, "folder/sub/other")
    home.delete_directory("folder")
    assert paths(home) == []
    (deleted,) = home.list_deleted_paths()
    assert deleted.name == "folder"
    assert isinstance(home._undelete_path(deleted.name, deleted.deletion_id), DataLakeDirectoryClient)
    assert paths(home) == ["folder/", "folder/hello.txt", "folder/sub/", "folder/sub/other"]
    assert list(home.list_deleted_paths()) == []


# Shared access signatures


def with_sas(kind, home, sas, *path):
    return kind(HIERARCHICAL_BLOB_URL, home.file_system_name, *path, credential=sas, retry_total=0)


def test_a_signature_for_a_file_system(home, file):
    sas = generate_file_system_sas(ACCOUNT, home.file_system_name, KEY, permission="racwdl", expiry=in_an_hour())
    signed = with_sas(FileSystemClient, home, sas)
    assert paths(signed) == ["folder/", "folder/hello.txt"]
    write(signed, "folder/new", b"new")
    signed.get_file_client("folder/new").rename_file(f"{home.file_system_name}/folder/newer?{sas}")
    assert read(signed, "folder/newer") == b"new"
    signed.delete_directory("folder")
    only_reads = with_sas(
        FileSystemClient, home, generate_file_system_sas(ACCOUNT, home.file_system_name, KEY, permission="r", expiry=in_an_hour())
    )
    with refused(403, "AuthorizationPermissionMismatch"):
        only_reads.create_directory("d")
    with refused(403, "AuthorizationPermissionMismatch"):
        list(only_reads.get_paths())


def test_a_signature_for_a_directory(home, file):
    write(home, "folder/sub/deep", b"deep")
    write(home, "elsewhere", b"not yours")
    sas = generate_directory_sas(ACCOUNT, home.file_system_name, "folder", KEY, permission="rwl", expiry=in_an_hour())
    assert read(with_sas(FileSystemClient, home, sas), "folder/sub/deep") == b"deep"
    with refused(403, "AuthenticationFailed"):
        with_sas(DataLakeFileClient, home, sas, "elsewhere").download_file()
    with refused(403, "AuthorizationPermissionMismatch"):
        with_sas(DataLakeFileClient, home, sas, "folder/hello.txt").delete_file()
    assert paths(with_sas(FileSystemClient, home, sas), "folder") == ["folder/hello.txt", "folder/sub/", "folder/sub/deep"]


def test_a_signature_for_a_file(home, file):
    sas = generate_file_sas(ACCOUNT, home.file_system_name, "folder", "hello.txt", KEY, permission="r", expiry=in_an_hour())
    signed = with_sas(DataLakeFileClient, home, sas, "folder/hello.txt")
    assert signed.download_file().readall() == b"hello, world"
    with refused(403, "AuthorizationPermissionMismatch"):
        signed.append_data(b"x", 12)
    with refused(403, "AuthorizationPermissionMismatch"):
        signed.set_access_control(permissions="0777")


def test_an_expired_signature(home, file):
    sas = generate_file_system_sas(ACCOUNT, home.file_system_name, KEY, permission="r", expiry=now() - timedelta(hours=1))
    with refused(403, "AuthenticationFailed"):
        with_sas(DataLakeFileClient, home, sas, "folder/hello.txt").download_file()


# Principals: a user delegation key signs for a user whom the access control lists limit (`suoid`), or whom the signer trusts (`saoid`).


@pytest.fixture(scope="module")
def secure_lake():
    if not (SECURE_BLOB_URL and BEARER_TOKEN):
        pytest.skip("SECURE_BLOB_URL and BEARER_TOKEN are not both set")
    with DataLakeServiceClient(f"{SECURE_BLOB_URL.rsplit('/', 1)[0]}/{ACCOUNT}", Bearer(BEARER_TOKEN), **SECURE) as client:
        yield client


@pytest.fixture
def secure_home(secure_lake):
    home = secure_lake.create_file_system(unique())
    yield home
    home.delete_file_system()


@pytest.fixture
def signed_for(secure_lake, secure_home):
    """A client for a user, by a signature of the file system or, with `directory`, of a directory."""

    def make(directory=None, permission="racwdlmeop", **agent):
        at = now(SECURE_BLOB_URL)
        lent = secure_lake.get_user_delegation_key(at - timedelta(hours=1), at + timedelta(hours=1))
        options = {"permission": permission, "expiry": at + timedelta(hours=1), **agent}
        if directory:
            sas = generate_directory_sas(ACCOUNT, secure_home.file_system_name, directory, lent, **options)
        else:
            sas = generate_file_system_sas(ACCOUNT, secure_home.file_system_name, lent, **options)
        return FileSystemClient(secure_lake.url.split("?")[0], secure_home.file_system_name, credential=sas, **SECURE)

    return make


def test_a_user_who_is_trusted_owns_what_they_create(secure_home, signed_for):
    trusted = signed_for(preauthorized_agent_object_id=ALICE)
    trusted.create_directory("d").create_file("f")
    assert secure_home.get_file_client("d/f").get_access_control()["owner"] == ALICE


def test_a_signature_for_a_directory_by_a_delegation_key(secure_home, signed_for):
    write(secure_home, "a/b/file", b"hello, world")
    write(secure_home, "elsewhere")
    signed = signed_for("a/b", "rl")
    assert read(signed, "a/b/file") == b"hello, world"
    with refused(403, "AuthenticationFailed"):
        read(signed, "elsewhere")


def test_access_control_lists_limit_a_user(secure_home, signed_for):
    write(secure_home, "d/open", b"open")
    write(secure_home, "d/closed", b"closed")
    limited = signed_for(agent_object_id=BOB)
    with refused(403, "AuthorizationPermissionMismatch"):
        read(limited, "d/open")
    secure_home.get_directory_client("/").set_access_control(acl=f"user::rwx,user:{BOB}:--x,group::r-x,other::---")
    secure_home.get_directory_client("d").set_access_control(acl=f"user::rwx,user:{BOB}:r-x,group::r-x,other::---")
    secure_home.get_file_client("d/open").set_access_control(acl=f"user::rw-,user:{BOB}:r--,group::r--,other::---")
    assert read(limited, "d/open") == b"open"
    assert paths(limited, "d") == ["d/closed", "d/open"]
    for call in (
        lambda: read(limited, "d/closed"),
        lambda: paths(limited),
        lambda: limited.create_file("d/new"),
        lambda: limited.delete_file("d/open"),
        lambda: limited.get_file_client("d/open").append_data(b"x", 4),
        lambda: limited.get_file_client("d/open").set_access_control(permissions="0777"),
        lambda: limited.get_file_client("d/open").rename_file(f"{secure_home.file_system_name}/d/renamed"),
    ):
        with refused(403, "AuthorizationPermissionMismatch"):
            call()
    secure_home.get_directory_client("d").set_access_control(acl=f"user::rwx,user:{BOB}:rwx,group::r-x,other::---")
    limited.create_file("d/new")
    assert secure_home.get_file_client("d/new").get_access_control()["owner"] == BOB
    limited.delete_file("d/closed")
    assert paths(secure_home) == ["d/", "d/new", "d/open"]


def test_recursive_access_control_tells_what_it_could_not_change(secure_home, signed_for):
    """Only an owner changes an access control list."""
    secure_home.create_directory("d").set_access_control(owner=BOB)
    for name, owner in (("1", BOB), ("2", ALICE), ("3", BOB)):
        secure_home.create_file(f"d/{name}").set_access_control(owner=owner)
    secure_home.get_directory_client("/").set_access_control(permissions="0755")
    directory = signed_for(agent_object_id=BOB).get_directory_client("d")
    entries = "user::rwx,group::r-x,other::---"
    stopped = directory.set_access_control_recursive(entries)
    assert (stopped.counters.directories_successful, stopped.counters.files_successful, stopped.counters.failure_count) == (1, 1, 1)
    failures = []
    result = directory.set_access_control_recursive(
        entries, continue_on_failure=True, progress_hook=lambda one: failures.extend(one.batch_failures)
    )
    assert (result.counters.directories_successful, result.counters.files_successful, result.counters.failure_count) == (1, 2, 1)
    ((name, is_directory),) = ((one.name, one.is_directory) for one in failures)
    assert (name, is_directory) == ("d/2", False)


# asyncio


def test_the_client_for_asyncio():
    async def check():
        async with AsyncDataLakeServiceClient(HIERARCHICAL_BLOB_URL, CREDENTIAL, retry_total=0) as lake:
            home = await lake.create_file_system(unique())
            try:
                directory = await home.create_directory("a")
                file = await directory.create_file("b")
                await file.append_data(b"hello", 0)
                await file.flush_data(5)
                await file.upload_data(pattern(300 * KIB), overwrite=True, chunk_size=100 * KIB, max_concurrency=2)
                assert await (await file.download_file()).readall() == pattern(300 * KIB)
                renamed = await directory.rename_directory(f"{home.file_system_name}/z")
                assert [one.name async for one in home.get_paths()] == ["z", "z/b"]
                result = await renamed.set_access_control_recursive("user::rwx,group::r-x,other::---")
                assert result.counters.files_successful == 1
                with refused(409, "PathAlreadyExists"):
                    await renamed.create_file("b", match_condition=MatchConditions.IfMissing)
            finally:
                await home.delete_file_system()

    asyncio.run(check())
