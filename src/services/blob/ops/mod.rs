//! The operations of the blob service.

use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::lease_blob::LeasedBlob;
use crate::services::blob::ops::lease_container::LeasedContainer;
use crate::services::shared::lease::{Acquire, Break, Change, Release, Renew};
use crate::services::shared::{delegation, described, lease, listing, preflight, restore, service_properties, statistics};

mod spec;

operations! { Blobs:
    + listing::operation("List Containers");
    find_blobs { FIND_BLOBS, FIND_BLOBS_IN_CONTAINER }
    batch { BATCH, PATH_STYLE_BATCH, CONTAINER_BATCH }
    + service_properties::get("Get Blob Service Properties");
    set_service_properties { SET_SERVICE_PROPERTIES }
    + statistics::get("Get Blob Service Stats");
    account_information { GET_ACCOUNT_INFORMATION, GET_CONTAINER_ACCOUNT_INFORMATION, GET_BLOB_ACCOUNT_INFORMATION }
    + delegation::operation();
    + preflight::operation("Preflight Blob Request");
    create_container { CREATE_CONTAINER }
    container_properties { GET_CONTAINER_PROPERTIES }
    + described::get_metadata("Get Container Metadata");
    + described::set_metadata("Set Container Metadata");
    + described::get_acl("Get Container ACL");
    + described::set_acl("Set Container ACL");
    lease_container {}
    + lease::operation::<LeasedContainer, Acquire>("Acquire Container Lease");
    + lease::operation::<LeasedContainer, Renew>("Renew Container Lease");
    + lease::operation::<LeasedContainer, Change>("Change Container Lease");
    + lease::operation::<LeasedContainer, Release>("Release Container Lease");
    + lease::operation::<LeasedContainer, Break>("Break Container Lease");
    rename_container { RENAME_CONTAINER }
    delete_container { DELETE_CONTAINER }
    + restore::operation("Restore Container");
    list_blobs { LIST_BLOBS }
    put_blob { PUT_BLOB }
    get_blob { GET_BLOB }
    get_website { GET_WEBSITE }
    query_blob { QUERY_BLOB }
    blob_properties { GET_BLOB_PROPERTIES, SET_BLOB_PROPERTIES }
    blob_metadata { GET_BLOB_METADATA, SET_BLOB_METADATA }
    lease_blob {}
    + lease::operation::<LeasedBlob, Acquire>("Acquire Blob Lease");
    + lease::operation::<LeasedBlob, Renew>("Renew Blob Lease");
    + lease::operation::<LeasedBlob, Change>("Change Blob Lease");
    + lease::operation::<LeasedBlob, Release>("Release Blob Lease");
    + lease::operation::<LeasedBlob, Break>("Break Blob Lease");
    delete_blob { DELETE_BLOB }
    immutability_policy { SET_IMMUTABILITY_POLICY, DELETE_IMMUTABILITY_POLICY }
    legal_hold { SET_LEGAL_HOLD }
    set_expiry { SET_EXPIRY }
    undelete_blob { UNDELETE_BLOB }
    snapshot_blob { SNAPSHOT_BLOB }
    blob_tags { GET_BLOB_TAGS, SET_BLOB_TAGS }
    set_blob_tier { SET_BLOB_TIER }
    append_block { APPEND_BLOCK, SEAL }
    put_page { PUT_PAGE }
    get_page_ranges { GET_PAGE_RANGES }
    put_block { PUT_BLOCK }
    put_block_list { PUT_BLOCK_LIST }
    get_block_list { GET_BLOCK_LIST }
    copy_blob { COPY_BLOB }
    from_url { PUT_BLOB_FROM_URL, COPY_BLOB_FROM_URL, PUT_BLOCK_FROM_URL, APPEND_BLOCK_FROM_URL, PUT_PAGE_FROM_URL }
    abort_copy { ABORT_COPY }
    incremental_copy { INCREMENTAL_COPY }
}
