"""Azure Files: shares, directories, files, ranges, leases, snapshots, handles and signatures."""

import io
import time
from datetime import datetime, timezone

import pytest
from azure.core.exceptions import HttpResponseError
from azure.storage.blob import BlobServiceClient, generate_blob_sas
from azure.storage.fileshare import (
    AccessPolicy,
    ContentSettings,
    CorsRule,
    FileSasPermissions,
    Metrics,
    NTFSAttributes,
    RetentionPolicy,
    ShareClient,
    ShareFileClient,
    ShareLeaseClient,
    ShareProtocolSettings,
    ShareSasPermissions,
    ShareServiceClient,
    ShareSmbSettings,
    SmbMultichannel,
    generate_account_sas,
    generate_file_sas,
    generate_share_sas,
)
from helpers import ACCOUNT, BLOB_URL, FILE_URL, KEY, KIB, MIB, in_an_hour, pattern, refused, unique

KEY_OF = {"account_name": ACCOUNT, "account_key": KEY}
SDDL = "O:SYG:BAD:(A;;FA;;;SY)(A;;FA;;;BA)S:NO_ACCESS_CONTROL"


@pytest.fixture(scope="module")
def files():
    with ShareServiceClient(FILE_URL, credential=KEY_OF, retry_total=0) as client:
        yield client


@pytest.fixture
def make_share(files):
    """Creates shares that are gone after the test, snapshots, leases and all."""
    made = []

    def make(**options):
        client = files.get_share_client(unique())
        client.create_share(**options)
        made.append(client)
        return client

    yield make
    for client in made:
        try:
            client.delete_share(delete_snapshots="include")
        except HttpResponseError as error:
            if error.error_code == "LeaseIdMissing":
                ShareLeaseClient(client).break_lease(lease_break_period=0)
                client.delete_share(delete_snapshots="include")
            elif error.error_code != "ShareNotFound":
                raise


@pytest.fixture
def share(make_share):
    return make_share()


def a_file(share, path="file.txt", data=b"hello, world"):
    client = share.get_file_client(path)
    client.upload_file(data)
    return client


def test_a_share_comes_and_goes(files, make_share):
    share = make_share(metadata={"color": "red"}, quota=7)
    properties = share.get_share_properties()
    assert (properties.quota, properties.metadata, properties.access_tier) == (7, {"color": "red"}, "TransactionOptimized")
    with refused(409, "ShareAlreadyExists"):
        share.create_share()
    share.set_share_quota(8)
    share.set_share_metadata({"size": "3"})
    share.set_share_properties(access_tier="Cool")
    properties = share.get_share_properties()
    assert (properties.quota, properties.metadata, properties.access_tier) == (8, {"size": "3"}, "Cool")
    assert share.get_share_stats() == 0
    share.delete_share()
    with refused(404, "ShareNotFound"):
        share.get_share_properties()
    with refused(400, "InvalidResourceName"):
        files.create_share("No-Such-Name")


def test_shares_are_listed(files, make_share):
    made = sorted(make_share(metadata={"n": str(n)}).share_name for n in range(3))
    listed = {item.name: item for item in files.list_shares(name_starts_with="test-", include_metadata=True)}
    assert [listed[name].quota for name in made] == [5120] * 3
    assert sorted(listed[name].metadata["n"] for name in made) == ["0", "1", "2"]
    pages = list(files.list_shares(name_starts_with="test-", results_per_page=2).by_page())
    assert len(list(pages[0])) == 2


def test_policies_and_permissions(share):
    share.set_share_access_policy({"reader": AccessPolicy(permission="rl", expiry=in_an_hour())})
    [policy] = share.get_share_access_policy()["signed_identifiers"]
    assert (policy.id, policy.access_policy.permission) == ("reader", "rl")
    key = share.create_permission_for_share(SDDL)
    assert share.get_permission_for_share(key) == SDDL
    with refused(400, "FileInvalidPermission"):
        share.create_permission_for_share("nonsense")


def test_a_directory_comes_and_goes(share):
    directory = share.create_directory("Dir", metadata={"k": "v"}, file_attributes=NTFSAttributes(hidden=True))
    properties = share.get_directory_client("dIR").get_directory_properties()
    assert properties.metadata == {"k": "v"}
    assert "Hidden" in properties.file_attributes and "Directory" in properties.file_attributes
    assert directory.exists() and not share.get_directory_client("none").exists()
    sub = directory.create_subdirectory("sub")
    directory.upload_file("f", b"x")
    directory.set_directory_metadata({"n": "1"})
    directory.set_http_headers(file_attributes="none", file_creation_time=datetime(2020, 1, 2, tzinfo=timezone.utc))
    assert directory.get_directory_properties().creation_time == datetime(2020, 1, 2, tzinfo=timezone.utc)
    with refused(409, "DirectoryNotEmpty"):
        directory.delete_directory()
    with refused(404, "ParentNotFound"):
        share.create_directory("none/sub")
    sub.delete_directory()
    directory.delete_file("f")
    directory.delete_directory()
    with refused(404, "ResourceNotFound"):
        directory.get_directory_properties()


def test_what_is_in_a_directory_is_listed(share):
    directory = share.create_directory("d")
    for name in ("b", "A", "c"):
        directory.upload_file(name, name.encode() * 3)
    directory.create_subdirectory("sub")
    listed = sorted(directory.list_directories_and_files(), key=lambda item: item.name)  # the client puts directories first
    assert [(item.name, item.is_directory) for item in listed] == [("A", False), ("b", False), ("c", False), ("sub", True)]
    assert listed[0].size == 3
    full = list(
        directory.list_directories_and_files(
            name_starts_with="a", include=["timestamps", "Etag", "Attributes", "PermissionKey"], include_extended_info=True
        )
    )
    assert [item.name for item in full] == ["A"]
    assert full[0].file_id and full[0].etag and full[0].permission_key and full[0].last_write_time
    pages = [{item.name for item in page} for page in directory.list_directories_and_files(results_per_page=3).by_page()]
    assert pages == [{"A", "b", "c"}, {"sub"}]


@pytest.mark.parametrize("size", [0, 1, 5 * KIB, 4 * MIB, 9 * MIB + 7])
def test_a_file_comes_back_as_it_was_uploaded(share, size):
    data = pattern(size)
    file = share.get_file_client("file")
    file.upload_file(data, max_concurrency=3)
    assert file.get_file_properties().size == size
    assert file.download_file(max_concurrency=3).readall() == data
    file.upload_file(io.BytesIO(data), length=size, validate_content=True)
    assert file.download_file(validate_content=True).readall() == data
    if size > 10:
        assert file.download_file(offset=3, length=5).readall() == data[3:8]


def test_a_files_properties(share):
    file = share.get_file_client("f")
    file.create_file(10, metadata={"k": "v"}, file_attributes=NTFSAttributes(read_only=False, temporary=True))
    properties = file.get_file_properties()
    assert (properties.size, properties.metadata) == (10, {"k": "v"})
    assert properties.file_attributes == "Archive | Temporary"
    assert properties.content_settings.content_type == "application/octet-stream"
    file.resize_file(20)
    file.set_file_metadata({"n": "1"})
    assert file.get_file_properties().size == 20
    file.set_http_headers(ContentSettings(content_type="text/plain", content_language="fr"))
    properties = file.get_file_properties()
    assert (properties.content_settings.content_type, properties.content_settings.content_language) == ("text/plain", "fr")
    assert properties.metadata == {"n": "1"}
    assert file.exists()
    file.delete_file()
    assert not file.exists()


def test_ranges(share):
    file = share.get_file_client("f")
    file.create_file(4 * KIB)
    file.upload_range(b"a" * 512, offset=512, length=512)
    file.upload_range(b"b" * 512, offset=2048, length=512, validate_content=True)
    assert file.get_ranges() == [{"start": 512, "end": 1023}, {"start": 2048, "end": 2559}]
    snapshot = share.create_snapshot()
    file.clear_range(offset=512, length=512)
    file.upload_range(b"c" * 512, offset=3072, length=512)
    assert file.download_file(offset=500, length=30).readall() == bytes(30)
    written, cleared = file.get_ranges_diff(snapshot)
    assert written == [{"start": 3072, "end": 3583}]
    assert cleared == [{"start": 512, "end": 1023}]
    with refused(416, "InvalidRange"):
        file.upload_range(b"x" * 512, offset=4096, length=512)
    with pytest.raises(HttpResponseError) as caught:
        file.upload_range(pattern(4 * MIB + 512), offset=0, length=4 * MIB + 512)
    assert caught.value.status_code == 413


def test_a_range_from_a_url(share):
    source = a_file(share, "source", pattern(2 * KIB))
    token = generate_file_sas(ACCOUNT, share.share_name, ["source"], KEY, permission="r", expiry=in_an_hour())
    target = share.get_file_client("target")
    target.create_file(1 * KIB)
    target.upload_range_from_url(f"{source.url}?{token}", offset=0, length=512, source_offset=1024)
    assert target.download_file(offset=0, length=512).readall() == pattern(2 * KIB)[1024:1536]


def test_a_copy(share):
    source = a_file(share, "source", pattern(3000))
    target = share.get_file_client("target")
    copy = target.start_copy_from_url(source.url, metadata={"n": "1"}, file_attributes="source", file_permission=SDDL)
    assert copy["copy_status"] == "success"
    properties = target.get_file_properties()
    assert (properties.copy.id, properties.copy.status, properties.copy.progress) == (copy["copy_id"], "success", "3000/3000")
    assert target.download_file().readall() == pattern(3000)
    with refused(409, "NoPendingCopyOperation"):
        target.abort_copy(copy["copy_id"])


def test_a_copy_from_a_blob(share):
    """A blob is another service's: its bytes come in the background."""
    with BlobServiceClient(BLOB_URL, KEY_OF, retry_total=0) as blobs, blobs.create_container(unique()) as container:
        blob = container.upload_blob("b", pattern(300 * KIB), metadata={"a": "b"})
        sas = generate_blob_sas(ACCOUNT, container.container_name, "b", account_key=KEY, permission="r", expiry=in_an_hour())
        file = share.get_file_client("from-a-blob")
        with refused(401, "CannotVerifyCopySource"):
            file.start_copy_from_url(blob.url)
        assert file.start_copy_from_url(f"{blob.url}?{sas}")["copy_status"] == "pending"
        deadline = time.monotonic() + 30
        while (copy := file.get_file_properties().copy).status == "pending" and time.monotonic() < deadline:
            pass
        assert (copy.status, copy.source, copy.progress) == ("success", blob.url, f"{300 * KIB}/{300 * KIB}")
        assert file.get_file_properties().metadata == {"a": "b"}
        assert file.download_file().readall() == pattern(300 * KIB)
        with refused(409, "NoPendingCopyOperation"):
            file.abort_copy(copy.id)
        part = share.get_file_client("part")
        part.create_file(4 * KIB)
        part.upload_range_from_url(f"{blob.url}?{sas}", offset=0, length=KIB, source_offset=3 * KIB)
        assert part.download_file(0, KIB).readall() == pattern(300 * KIB)[3 * KIB : 4 * KIB]
        container.delete_container()


def test_checksums(share):
    file = share.get_file_client("checked")
    file.create_file(10 * KIB)
    for kind in ["md5", "crc64"]:
        file.upload_range(pattern(4 * KIB), 0, 4 * KIB, validate_content=kind)
        assert file.download_file(0, 4 * KIB, validate_content=kind).readall() == pattern(4 * KIB)


def test_renames(share):
    file = a_file(share, "old")
    renamed = file.rename_file("new")
    assert renamed.download_file().readall() == b"hello, world"
    assert not file.exists()
    other = a_file(share, "other")
    with refused(409, "ResourceAlreadyExists"):
        renamed.rename_file("other")
    renamed = renamed.rename_file("other", overwrite=True)
    directory = share.create_directory("d")
    directory.upload_file("inside", b"x")
    moved = directory.rename_directory("e")
    assert moved.get_file_client("inside").download_file().readall() == b"x"
    assert not directory.exists() and other.exists()


def test_leases(share):
    lease = share.acquire_lease(lease_duration=15)
    lease.renew()
    lease.change("aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")
    with refused(412, "LeaseIdMissing"):
        share.delete_share()
    assert share.get_share_properties().lease.state == "leased"
    lease.release()
    file = a_file(share)
    held = file.acquire_lease("bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb")
    with refused(412, "LeaseIdMissing"):
        file.upload_range(b"x", offset=0, length=1)
    file.upload_range(b"x", offset=0, length=1, lease=held)
    held.change("aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")
    with refused(412, "LeaseIdMismatchWithFileOperation"):
        file.get_file_properties(lease="cccccccc-cccc-cccc-cccc-cccccccccccc")
    held.break_lease()
    file.delete_file()


def test_snapshots(files, share):
    file = a_file(share, data=b"old")
    snapshot = share.create_snapshot(metadata={"n": "1"})
    file.upload_file(b"new")
    then = ShareClient(FILE_URL, share.share_name, snapshot=snapshot, credential=KEY_OF)
    assert then.get_file_client("file.txt").download_file().readall() == b"old"
    assert then.get_share_properties().metadata == {"n": "1"}
    assert [item.name for item in then.list_directories_and_files()] == ["file.txt"]
    listed = [item for item in files.list_shares(share.share_name, include_snapshots=True)]
    assert [bool(item.snapshot) for item in listed] == [True, False]
    with refused(409, "ShareHasSnapshots"):
        share.delete_share()
    then.delete_share()
    share.delete_share()


def test_handles(share):
    directory = share.create_directory("d")
    file = a_file(share, "d/f")
    assert list(directory.list_handles(recursive=True)) == [] == list(file.list_handles())
    closed = directory.close_all_handles(recursive=True)
    assert closed == {"closed_handles_count": 0, "failed_handles_count": 0}
    assert file.close_handle("1") == {"closed_handles_count": 0, "failed_handles_count": 0}


def test_links(make_share):
    share = make_share(protocols="NFS", root_squash="NoRootSquash")
    file = share.get_file_client("f")
    file.create_file(3, owner="345", group="123", file_mode="7777")
    properties = file.get_file_properties()
    assert (properties.owner, properties.group, properties.file_mode) == ("345", "123", "7777")
    assert (properties.nfs_file_type, properties.link_count) == ("Regular", 1)
    hard = share.get_file_client("hard").create_hardlink(target="/f")
    assert hard["link_count"] == 2
    link = share.get_file_client("link")
    link.create_symlink(target="f", owner="345")
    assert link.get_symlink()["link_text"] == "f"


def test_service_properties(files):
    before = files.get_service_properties()
    metrics = Metrics(enabled=True, include_apis=True, retention_policy=RetentionPolicy(enabled=True, days=5))
    cors = [CorsRule(["https://a.example"], ["GET"], max_age_in_seconds=5)]
    protocol = ShareProtocolSettings(smb=ShareSmbSettings(multichannel=SmbMultichannel(enabled=True)))
    try:
        files.set_service_properties(hour_metrics=metrics, cors=cors, protocol=protocol)
        after = files.get_service_properties()
        assert after["hour_metrics"].retention_policy.days == 5
        assert "https://a.example" in after["cors"][0].allowed_origins
        assert after["protocol"].smb.multichannel.enabled
    finally:
        files.set_service_properties(hour_metrics=before["hour_metrics"], cors=[], protocol=before["protocol"])


def test_signatures(files, share):
    a_file(share, "f", b"data")
    account = generate_account_sas(ACCOUNT, KEY, resource_types="sco", permission="rwdlc", expiry=in_an_hour())
    assert ShareServiceClient(FILE_URL, credential=account).get_share_client(share.share_name).get_share_properties()
    token = generate_share_sas(ACCOUNT, share.share_name, KEY, permission=ShareSasPermissions(read=True, list=True), expiry=in_an_hour())
    reader = ShareClient(FILE_URL, share.share_name, credential=token)
    assert reader.get_file_client("f").download_file().readall() == b"data"
    assert [item.name for item in reader.list_directories_and_files()] == ["f"]
    with refused(403, "AuthorizationPermissionMismatch"):
        reader.get_file_client("f").delete_file()
    token = generate_file_sas(
        ACCOUNT, share.share_name, ["f"], KEY, permission=FileSasPermissions(write=True), expiry=in_an_hour()
    )
    writer = ShareFileClient(FILE_URL, share.share_name, "f", credential=token)
    writer.upload_range(b"D", offset=0, length=1)
    with refused(403, "AuthorizationPermissionMismatch"):
        writer.download_file()
    share.set_share_access_policy({"reader": AccessPolicy(permission="r", expiry=in_an_hour())})
    token = generate_share_sas(ACCOUNT, share.share_name, KEY, policy_id="reader")
    assert ShareFileClient(FILE_URL, share.share_name, "f", credential=token).download_file().readall() == b"Data"


def test_names(share):
    for name in ["a b", "ümlaut", "ß$&'()+,;=@[]^_`{}~!#%", "\u555f\u9f84", "dot."]:
        client = share.get_file_client(name)
        client.upload_file(b"x")
        assert client.download_file().readall() == b"x"
    kept = ShareClient(FILE_URL, share.share_name, credential=KEY_OF, allow_trailing_dot=True)
    assert kept.get_file_client("dot").exists() and not kept.get_file_client("dot.").exists()
    kept.get_file_client("dot.").upload_file(b"y")
    assert share.get_file_client("dot.").download_file().readall() == b"x"
    with refused(400, "InvalidResourceName"):
        share.get_file_client("con").create_file(1)
