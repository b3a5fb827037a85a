import pytest
from azure.storage.blob import BlobType, PremiumPageBlobTier, RehydratePriority, StandardBlobTier
from helpers import refused

HOUR = 60 * 60


@pytest.mark.parametrize("tier", ["Hot", "Cool", "Cold"])
def test_a_blob_is_moved(container, blob, tier):
    before = blob.get_blob_properties()
    assert (before.blob_tier, before.blob_tier_inferred) == ("Hot", True)
    blob.set_standard_blob_tier(tier)
    after = blob.get_blob_properties()
    assert (after.blob_tier, after.etag) == (tier, before.etag)
    assert not after.blob_tier_inferred
    assert after.blob_tier_change_time >= before.last_modified
    (listed,) = container.list_blobs()
    assert (listed.blob_tier, listed.blob_tier_inferred) == (tier, None)
    assert blob.download_blob().readall() == b"hello, world"


def test_a_blob_is_made_in_a_tier(container):
    blob = container.upload_blob("a", b"data", standard_blob_tier=StandardBlobTier.COOL)
    assert blob.get_blob_properties().blob_tier == "Cool"
    blob.stage_block("MQ==", b"x")
    blob.commit_block_list([], standard_blob_tier=StandardBlobTier.COLD)
    assert blob.get_blob_properties().blob_tier == "Cold"
    copy = container.get_blob_client("copy")
    copy.start_copy_from_url(blob.url, standard_blob_tier=StandardBlobTier.COOL)
    assert copy.get_blob_properties().blob_tier == "Cool"


def test_the_archive_is_shut(container, blob):
    blob.set_standard_blob_tier(StandardBlobTier.ARCHIVE)
    properties = blob.get_blob_properties()
    assert (properties.blob_tier, properties.archive_status, properties.size) == ("Archive", None, 12)
    with refused(409, "BlobArchived"):
        blob.download_blob()
    with refused(409, "BlobArchived"):
        blob.create_snapshot()
    blob.upload_blob(b"anew", overwrite=True)
    assert blob.download_blob().readall() == b"anew"


def test_the_archive_gives_back_slowly(container, blob, advance):
    blob.set_standard_blob_tier("Archive")
    blob.set_standard_blob_tier("Cool", rehydrate_priority=RehydratePriority.standard)
    properties = blob.get_blob_properties()
    assert (properties.blob_tier, properties.archive_status) == ("Archive", "rehydrate-pending-to-cool")
    assert properties.rehydrate_priority == "Standard"
    (listed,) = container.list_blobs()
    assert (listed.blob_tier, listed.archive_status) == ("Archive", "rehydrate-pending-to-cool")
    with refused(409, "BlobArchived", "BlobBeingRehydrated"):
        blob.download_blob()
    with refused(409, "BlobBeingRehydrated"):
        blob.set_standard_blob_tier("Hot")
    blob.set_standard_blob_tier("Cool", rehydrate_priority=RehydratePriority.high)
    assert blob.get_blob_properties().rehydrate_priority == "High"
    advance(16 * HOUR)
    properties = blob.get_blob_properties()
    assert (properties.blob_tier, properties.archive_status, properties.rehydrate_priority) == ("Cool", None, None)
    assert blob.download_blob().readall() == b"hello, world"


def test_what_is_no_tier_of_this_blob(container, blob):
    with refused(400, "InvalidHeaderValue"):
        blob.set_standard_blob_tier("Lukewarm")
    log = container.upload_blob("log", b"x", blob_type=BlobType.APPENDBLOB)
    with refused((400, 409), "InvalidBlobType", "AccessTierNotSupportedForBlobType", "BlobTierInadequateForContentLength"):
        log.set_standard_blob_tier("Cool")
    with refused((400, 409), "InvalidBlobTier", "InvalidHeaderValue", "InvalidBlobType", "AccessTierNotSupportedForBlobType"):
        blob.set_premium_page_blob_tier(PremiumPageBlobTier.P4)
    with refused(404, "BlobNotFound"):
        container.get_blob_client("missing").set_standard_blob_tier("Cool")
    assert blob.get_blob_properties().blob_tier == "Hot"
