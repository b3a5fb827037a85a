from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import ResourceExistsError, ResourceModifiedError
from helpers import MIB, pattern, refused

SECOND = timedelta(seconds=1)
WRONG = '"0x8D000000000000"'


def only_if(etag):
    return {"etag": etag, "match_condition": MatchConditions.IfNotModified}


def unless(etag):
    return {"etag": etag, "match_condition": MatchConditions.IfModified}


IF_PRESENT = {"match_condition": MatchConditions.IfPresent}
IF_MISSING = {"match_condition": MatchConditions.IfMissing}

READS = {
    "properties": lambda blob, **condition: blob.get_blob_properties(**condition),
    "download": lambda blob, **condition: blob.download_blob(**condition).readall(),
}
WRITES = {
    "upload": lambda blob, **condition: blob.upload_blob(b"new", overwrite=True, **condition),
    "headers": lambda blob, **condition: blob.set_http_headers(**condition),
    "metadata": lambda blob, **condition: blob.set_blob_metadata({"a": "b"}, **condition),
    "commit": lambda blob, **condition: blob.commit_block_list([], **condition),
    "delete": lambda blob, **condition: blob.delete_blob(**condition),
}
read = pytest.mark.parametrize("act", READS.values(), ids=READS)
write = pytest.mark.parametrize("act", WRITES.values(), ids=WRITES)


@read
def test_reading_by_etag(blob, act):
    etag = blob.get_blob_properties().etag
    act(blob, **only_if(etag))
    act(blob, **unless(WRONG))
    with refused(412, "ConditionNotMet"):
        act(blob, **only_if(WRONG))
    with refused(304, "ConditionNotMet"):
        act(blob, **unless(etag))


@read
def test_reading_by_date(blob, act):
    modified = blob.get_blob_properties().last_modified
    act(blob, if_modified_since=modified - SECOND)
    act(blob, if_unmodified_since=modified)
    with refused(304, "ConditionNotMet"):
        act(blob, if_modified_since=modified)
    with refused(412, "ConditionNotMet"):
        act(blob, if_unmodified_since=modified - SECOND)


@write
def test_writing_by_etag(blob, act):
    etag = blob.get_blob_properties().etag
    with refused(412, "ConditionNotMet") as caught:
        act(blob, **only_if(WRONG))
    assert isinstance(caught.value, ResourceModifiedError)
    with refused(412, "ConditionNotMet"):
        act(blob, **unless(etag))
    assert blob.get_blob_properties().etag == etag
    act(blob, **only_if(etag))


@write
def test_writing_by_date(blob, act):
    modified = blob.get_blob_properties().last_modified
    with refused(412, "ConditionNotMet"):
        act(blob, if_modified_since=modified)
    with refused(412, "ConditionNotMet"):
        act(blob, if_unmodified_since=modified - SECOND)
    act(blob, if_unmodified_since=modified)


@write
def test_writing_what_is_present(blob, act):
    act(blob, **IF_PRESENT)


def test_creating_only_what_is_missing(container):
    blob = container.get_blob_client("once")
    blob.upload_blob(b"first", overwrite=True, **IF_MISSING)
    with refused(409, "BlobAlreadyExists"):
        blob.upload_blob(b"second", overwrite=True, **IF_MISSING)
    blob.stage_block("MQ==", b"third")
    with refused(409, "BlobAlreadyExists"):
        blob.commit_block_list([], **IF_MISSING)
    assert blob.download_blob().readall() == b"first"


def test_replacing_only_what_is_present(container):
    with refused(412, "ConditionNotMet"):
        container.get_blob_client("never").upload_blob(b"data", overwrite=True, **IF_PRESENT)


def test_a_missing_blob_is_missing_whatever_the_condition(container):
    with refused(404, "BlobNotFound"):
        container.get_blob_client("missing").get_blob_properties(**only_if(WRONG))


def test_every_write_moves_the_etag(blob):
    etags = [blob.get_blob_properties().etag]
    etags.append(blob.set_blob_metadata({"a": "b"})["etag"])
    etags.append(blob.set_http_headers()["etag"])
    etags.append(blob.upload_blob(b"new", overwrite=True)["etag"])
    assert len(set(etags)) == 4
    assert blob.get_blob_properties().etag == etags[-1]


def test_a_download_sees_one_state_of_the_blob(container):
    data = pattern(3 * MIB)
    blob = container.upload_blob("a", data)
    download = blob.download_blob()
    blob.upload_blob(b"other", overwrite=True)
    with refused(412, "ConditionNotMet"):
        download.readall()


def test_one_of_many_creates_it(container):
    blob = container.get_blob_client("contended")

    def create(who):
        try:
            blob.upload_blob(str(who).encode())
            return who
        except ResourceExistsError:
            return None

    with ThreadPoolExecutor(8) as pool:
        (winner,) = [who for who in pool.map(create, range(16)) if who is not None]
    assert blob.download_blob().readall() == str(winner).encode()


def test_no_increment_is_lost(container):
    counter = container.upload_blob("counter", b"0")

    def increment(_):
        while True:
            seen = counter.download_blob()
            try:
                value = str(int(seen.readall()) + 1).encode()
                return counter.upload_blob(value, overwrite=True, **only_if(seen.properties.etag))
            except ResourceModifiedError:
                continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(increment, range(20)))
    assert counter.download_blob().readall() == b"20"


def test_tags_as_a_condition(container):
    blob = container.upload_blob("a", b"a", tags={"colour": "blue", "size": "7"})
    assert blob.get_blob_properties().tag_count == 2
    yes, no = "\"colour\" = 'blue' AND \"size\" > '5'", "\"colour\" = 'red'"
    assert blob.download_blob(if_tags_match_condition=yes).readall() == b"a"
    with refused(412, "ConditionNotMet"):
        blob.download_blob(if_tags_match_condition=no)
    with refused(412, "ConditionNotMet"):
        blob.set_blob_metadata({"a": "b"}, if_tags_match_condition=no)
    with refused(412, "ConditionNotMet"):
        blob.delete_blob(if_tags_match_condition=no)
    blob.delete_blob(if_tags_match_condition=yes)
