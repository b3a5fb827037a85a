from datetime import timedelta

from azure.storage.blob import BlobClient, ContentSettings
from helpers import BLOB_URL, MIB, blob_sas, pattern, refused, unique

SECOND = timedelta(seconds=1)


def test_a_copy_has_everything_of_its_source(container):
    data = pattern(2 * MIB)
    source = container.upload_blob(
        "source",
        data,
        metadata={"CamelCase": "kept"},
        content_settings=ContentSettings(content_type="text/plain", cache_control="no-cache"),
    )
    copy = container.get_blob_client("a copy")
    started = copy.start_copy_from_url(source.url)
    assert started["copy_status"] == "success"
    assert started["copy_id"]

    properties = copy.get_blob_properties()
    assert properties.metadata == {"CamelCase": "kept"}
    assert properties.content_settings.content_type == "text/plain"
    assert properties.content_settings.cache_control == "no-cache"
    assert properties.etag != source.get_blob_properties().etag
    assert properties.copy.id == started["copy_id"]
    assert properties.copy.status == "success"
    assert properties.copy.source == source.url
    assert properties.copy.progress == f"{len(data)}/{len(data)}"
    assert properties.copy.completion_time
    assert copy.download_blob().readall() == data


def test_metadata_of_its_own(container, blob):
    copy = container.get_blob_client("copy")
    copy.start_copy_from_url(blob.url, metadata={"own": "1"})
    assert copy.get_blob_properties().metadata == {"own": "1"}


def test_a_copy_is_apart_from_its_source(container, blob):
    copy = container.get_blob_client("copy")
    copy.start_copy_from_url(blob.url)
    blob.upload_blob(b"changed", overwrite=True)
    assert copy.download_blob().readall() == b"hello, world"
    blob.delete_blob()
    assert copy.download_blob().readall() == b"hello, world"


def test_to_another_container_over_an_older_blob(make_container, blob):
    copy = make_container().upload_blob("copy", b"older", metadata={"older": "1"})
    copy.start_copy_from_url(blob.url)
    assert copy.download_blob().readall() == b"hello, world"
    assert copy.get_blob_properties().metadata == {}


def test_names_that_need_escaping(container):
    source = container.upload_blob("größe + 100% #1.txt", b"data")
    copy = container.get_blob_client("copy of größe + 100% #1.txt")
    copy.start_copy_from_url(source.url)
    assert copy.download_blob().readall() == b"data"


def test_a_copy_onto_itself_sets_metadata(blob):
    blob.start_copy_from_url(blob.url, metadata={"touched": "1"})
    assert blob.get_blob_properties().metadata == {"touched": "1"}
    assert blob.download_blob().readall() == b"hello, world"


def test_a_source_that_is_not_there(container):
    copy = container.get_blob_client("copy")
    with refused(404, "BlobNotFound"):
        copy.start_copy_from_url(f"{BLOB_URL}/{container.container_name}/missing")
    with refused(404, "ContainerNotFound"):
        copy.start_copy_from_url(f"{BLOB_URL}/{unique()}/missing")
    assert not copy.exists()


def test_conditions_on_both_ends(container, blob):
    copy = container.upload_blob("copy", b"older")
    modified = blob.get_blob_properties().last_modified
    wrong = '"0x8D000000000000"'
    with refused(412, "SourceConditionNotMet"):
        copy.start_copy_from_url(blob.url, source_if_unmodified_since=modified - SECOND)
    with refused(412, "SourceConditionNotMet"):
        copy.start_copy_from_url(blob.url, headers={"x-ms-source-if-match": wrong})
    with refused(412, "TargetConditionNotMet"):
        copy.start_copy_from_url(blob.url, headers={"If-Match": wrong})
    with refused(409, "BlobAlreadyExists"):
        copy.start_copy_from_url(blob.url, headers={"If-None-Match": "*"})
    assert copy.download_blob().readall() == b"older"
    copy.start_copy_from_url(blob.url, source_if_unmodified_since=modified)


def test_a_leased_target(container, blob):
    copy = container.upload_blob("copy", b"older")
    lease = copy.acquire_lease()
    with refused(412, "LeaseIdMissing"):
        copy.start_copy_from_url(blob.url)
    copy.start_copy_from_url(blob.url, destination_lease=lease)
    assert copy.download_blob().readall() == b"hello, world"


def test_a_token_reads_the_source(container, blob):
    """Who may only write the target needs leave to read the source."""
    target = container.get_blob_client("copy")
    writer = BlobClient.from_blob_url(target.url, credential=blob_sas(target, "cw"), retry_total=0)
    with refused((401, 403, 404), "CannotVerifyCopySource"):
        writer.start_copy_from_url(blob.url)
    writer.start_copy_from_url(f"{blob.url}?{blob_sas(blob, 'r')}")
    assert target.download_blob().readall() == b"hello, world"
    assert "sig=" not in target.get_blob_properties().copy.source


def test_an_ended_copy_cannot_be_aborted(container, blob):
    copy = container.get_blob_client("copy")
    started = copy.start_copy_from_url(blob.url)
    with refused(409, "NoPendingCopyOperation"):
        copy.abort_copy(started["copy_id"])


def test_a_copy_that_was_never_begun_cannot_be_aborted(blob):
    with refused(400, "InvalidQueryParameterValue"):
        blob.abort_copy("no-id")
    with refused(409, "NoPendingCopyOperation"):
        blob.abort_copy("11111111-2222-3333-4444-555555555555")


def test_every_type_and_its_properties(container):
    log = container.get_blob_client("log")
    log.create_append_blob(ContentSettings(content_language="de"))
    log.append_block(b"line")
    disk = container.get_blob_client("disk")
    disk.create_page_blob(1024, sequence_number=7)
    disk.upload_page(b"x" * 512, 512, 512)
    for source in (log, disk):
        copy = container.get_blob_client(f"copy of {source.blob_name}")
        copy.start_copy_from_url(source.url)
        told, kept = copy.get_blob_properties(), source.get_blob_properties()
        for field in ("blob_type", "size", "page_blob_sequence_number", "append_blob_committed_block_count"):
            assert told[field] == kept[field], field
        assert told.content_settings == kept.content_settings
        assert copy.download_blob().readall() == source.download_blob().readall()
    listed = {b.name: b.copy.status for b in container.list_blobs(include=["copy"])}
    assert listed == {"copy of disk": "success", "copy of log": "success", "disk": None, "log": None}


def test_another_type_is_not_copied_over(container, blob):
    log = container.get_blob_client("log")
    log.create_append_blob()
    with refused(409, "InvalidBlobType"):
        log.start_copy_from_url(blob.url)
    assert log.get_blob_properties().blob_type == "AppendBlob"
