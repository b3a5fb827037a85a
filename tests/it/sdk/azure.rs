//! `azure_storage_blob`, the official crate. It does not support account keys, so it uses a SAS.

use super::{account_sas, pattern, sas_url};
use crate::server::TestServer;
use azure_core::http::{RequestContent, Url};
use azure_storage_blob::models::{
    AccessPolicy, BlobClientAcquireLeaseResultHeaders, BlobClientChangeLeaseResultHeaders, BlobClientDeleteOptions,
    BlobClientDownloadOptions, BlobClientGetAccountInfoResultHeaders, BlobClientGetPropertiesResultHeaders,
    BlobClientSetMetadataOptions, BlobClientSetPropertiesOptions, BlobClientStartCopyFromUrlOptions,
    BlobClientStartCopyFromUrlResultHeaders, BlobClientUploadOptions, BlobContainerClientAcquireLeaseResultHeaders,
    BlobContainerClientDeleteOptions, BlobContainerClientGetPropertiesResultHeaders, BlobContainerClientListBlobsOptions,
    BlobItem, BlobServiceClientListContainersOptions, BlockListType, BlockLookupList, CopyStatus, CorsRule, LeaseState,
    ListBlobsIncludeItem, SignedIdentifier, SignedIdentifiers,
};
use azure_storage_blob::{BlobClient, BlobContainerClient, BlobServiceClient, StorageError};
use futures::TryStreamExt;
use std::collections::HashMap;
use std::num::NonZero;

fn service(server: &TestServer) -> BlobServiceClient {
    client(&sas_url(server))
}

fn client(url: &str) -> BlobServiceClient {
    BlobServiceClient::new(Url::parse(url).unwrap(), None, None).unwrap()
}

/// A server, and a container on it.
pub(super) async fn a_container(name: &str) -> (TestServer, BlobContainerClient) {
    let server = TestServer::new().await;
    let container = service(&server).blob_container_client(name);
    container.create(None).await.unwrap();
    (server, container)
}

pub(super) async fn put(blob: &BlobClient, content: &[u8]) {
    blob.upload(RequestContent::from(content.to_vec()), None).await.unwrap();
}

pub(super) async fn get(blob: &BlobClient) -> Vec<u8> {
    blob.download(None).await.unwrap().body.collect().await.unwrap().to_vec()
}

/// The status and code that a call is refused with.
pub(super) fn refusal<T>(result: azure_core::Result<T>) -> String {
    let error = StorageError::try_from(result.err().unwrap()).unwrap();
    let code = error.error_code.map_or(String::new(), |code| code.to_string());
    format!("{} {code}", u16::from(error.status_code)).trim().to_owned()
}

pub(super) fn map(pairs: &[(&str, &str)]) -> HashMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

async fn listed(container: &BlobContainerClient, options: BlobContainerClientListBlobsOptions<'_>) -> Vec<BlobItem> {
    container.list_blobs(Some(options.into_owned())).unwrap().try_collect().await.unwrap()
}

#[tokio::test]
async fn containers_are_made_described_listed_and_deleted() {
    let server = TestServer::new().await;
    let service = service(&server);
    let container = service.blob_container_client("daily-work");
    assert!(!container.exists().await.unwrap());
    assert_eq!(refusal(container.get_properties(None).await), "404 ContainerNotFound");
    container.create(None).await.unwrap();
    assert_eq!(refusal(container.create(None).await), "409 ContainerAlreadyExists");
    assert!(container.exists().await.unwrap());

    container.set_metadata(&map(&[("colour", "blue")]), None).await.unwrap();
    let properties = container.get_properties(None).await.unwrap();
    assert_eq!(properties.metadata().unwrap(), map(&[("colour", "blue")]));
    assert_eq!(properties.lease_state().unwrap(), Some(LeaseState::Available));
    assert_eq!(properties.has_immutability_policy().unwrap(), Some(false));

    for name in ["daily-bread", "weekly"] {
        service.blob_container_client(name).create(None).await.unwrap();
    }
    let options =
        BlobServiceClientListContainersOptions { prefix: Some("daily".to_owned()), maxresults: Some(1), ..Default::default() };
    let names = service.list_containers(Some(options)).unwrap().map_ok(|container| container.name.unwrap());
    assert_eq!(names.try_collect::<Vec<_>>().await.unwrap(), ["daily-bread", "daily-work"]);

    container.delete(None).await.unwrap();
    assert!(!container.exists().await.unwrap());
    // A container that is being deleted can be deleted again (recorded).
    container.delete(None).await.unwrap();
    server.wait(31);
    assert_eq!(refusal(container.delete(None).await), "404 ContainerNotFound");
}

#[tokio::test]
async fn blobs_go_up_and_down_with_what_is_said_of_them() {
    let (_server, container) = a_container("updown").await;
    let blob = container.blob_client("a folder/grüße #1?.txt");
    assert!(!blob.exists().await.unwrap());
    assert_eq!(refusal(blob.download(None).await), "404 BlobNotFound");
    let options = BlobClientUploadOptions {
        blob_content_type: Some("text/plain".to_owned()),
        blob_cache_control: Some("no-store".to_owned()),
        metadata: Some(map(&[("author", "somebody")])),
        ..Default::default()
    };
    let options = options.with_tags(map(&[("topic", "greetings / more")]));
    let uploaded = blob.upload(RequestContent::from(b"Hello".to_vec()), Some(options)).await.unwrap();

    let downloaded = blob.download(None).await.unwrap();
    assert_eq!(downloaded.properties.etag, uploaded.etag);
    assert_eq!(downloaded.properties.content_type.as_deref(), Some("text/plain"));
    assert_eq!(downloaded.properties.metadata, map(&[("author", "somebody")]));
    assert_eq!(downloaded.body.collect().await.unwrap(), b"Hello".as_slice());

    let options = BlobClientSetPropertiesOptions { blob_content_language: Some("de".to_owned()), ..Default::default() };
    blob.set_properties(Some(options)).await.unwrap();
    blob.set_metadata(&map(&[("reader", "nobody")]), None).await.unwrap();
    let properties = blob.get_properties(None).await.unwrap();
    assert_eq!(properties.content_language().unwrap().as_deref(), Some("de"));
    assert_eq!(properties.metadata().unwrap(), map(&[("reader", "nobody")]));
    assert_eq!(properties.content_length().unwrap(), Some(5));
    assert_eq!(properties.tag_count().unwrap(), Some(1));
    assert!(properties.creation_time().unwrap().is_some());

    put(&blob, b"").await;
    assert_eq!(get(&blob).await, b"");
    blob.delete(None).await.unwrap();
    assert_eq!(refusal(blob.delete(None).await), "404 BlobNotFound");
}

#[tokio::test]
async fn large_blobs_go_up_in_blocks_and_down_in_ranges() {
    const MIB: usize = 1 << 20;
    let (_server, container) = a_container("large").await;
    let blob = container.blob_client("large.bin");
    let content = pattern(5 * MIB + 17);
    let options = BlobClientUploadOptions {
        parallel: NonZero::new(4),
        partition_size: NonZero::new(MIB as u64),
        metadata: Some(map(&[("made", "of-blocks")])),
        ..Default::default()
    };
    blob.upload(RequestContent::from(content.clone()), Some(options)).await.unwrap();
    let blocks = blob.block_blob_client().get_block_list(BlockListType::All, None).await.unwrap().into_model().unwrap();
    let sizes: Vec<i64> = blocks.committed_blocks.unwrap().iter().map(|block| block.size.unwrap()).collect();
    assert_eq!(sizes, [&[MIB as i64; 5][..], &[17]].concat());

    let options =
        BlobClientDownloadOptions { parallel: NonZero::new(3), partition_size: NonZero::new(MIB), ..Default::default() };
    let downloaded = blob.download(Some(options)).await.unwrap();
    assert_eq!(downloaded.properties.metadata, map(&[("made", "of-blocks")]));
    assert!(downloaded.body.collect().await.unwrap() == content);

    let across = MIB - 3..2 * MIB + 5;
    let options = BlobClientDownloadOptions { range: Some(across.clone().into()), ..Default::default() };
    let part = blob.download(Some(options)).await.unwrap().body.collect().await.unwrap();
    assert!(part == content[across]);
}

#[tokio::test]
async fn blocks_wait_until_they_are_committed() {
    let (_server, container) = a_container("blocks").await;
    let blob = container.blob_client("of three");
    let blocks = blob.block_blob_client();
    for (id, content) in [("one", "aaa"), ("two", "bb"), ("six", "c")] {
        let body = RequestContent::from(content.as_bytes().to_vec());
        blocks.stage_block(id.as_bytes(), content.len() as u64, body, None).await.unwrap();
    }
    assert!(!blob.exists().await.unwrap());
    let waiting = blocks.get_block_list(BlockListType::Uncommitted, None).await.unwrap().into_model().unwrap();
    assert_eq!(waiting.uncommitted_blocks.unwrap().len(), 3);

    let list = BlockLookupList { latest: Some(vec![b"two".to_vec(), b"one".to_vec()]), ..Default::default() };
    blocks.commit_block_list(list.try_into().unwrap(), None).await.unwrap();
    assert_eq!(get(&blob).await, b"bbaaa");
    let known = blocks.get_block_list(BlockListType::All, None).await.unwrap().into_model().unwrap();
    let names: Vec<Vec<u8>> = known.committed_blocks.unwrap().into_iter().map(|block| block.name.unwrap()).collect();
    assert_eq!(names, [b"two", b"one"]);
    assert!(known.uncommitted_blocks.unwrap_or_default().is_empty());

    let list = BlockLookupList { latest: Some(vec![b"six".to_vec()]), ..Default::default() };
    assert_eq!(refusal(blocks.commit_block_list(list.try_into().unwrap(), None).await), "400 InvalidBlockList");
}

#[tokio::test]
async fn conditions_guard_reads_and_writes() {
    let (_server, container) = a_container("conditions").await;
    let blob = container.blob_client("guarded");
    put(&blob, b"first").await;
    let etag = blob.get_properties(None).await.unwrap().etag().unwrap().unwrap();
    let upload = |options| blob.upload(RequestContent::from(b"second".to_vec()), Some(options));

    assert_eq!(refusal(upload(BlobClientUploadOptions::default().if_not_exists()).await), "409 BlobAlreadyExists");
    let stale = BlobClientUploadOptions { if_match: Some("\"0x8D0000000000000\"".into()), ..Default::default() };
    assert_eq!(refusal(upload(stale).await), "412 ConditionNotMet");
    let seen = BlobClientDownloadOptions { if_none_match: Some(etag.clone()), ..Default::default() };
    assert_eq!(refusal(blob.download(Some(seen)).await), "304 ConditionNotMet");
    let fresh = || BlobClientUploadOptions { if_match: Some(etag.clone()), ..Default::default() };
    upload(fresh()).await.unwrap();
    assert_eq!(refusal(upload(fresh()).await), "412 ConditionNotMet");
    assert_eq!(get(&blob).await, b"second");
    container
        .blob_client("new")
        .upload(RequestContent::from(b"".to_vec()), Some(BlobClientUploadOptions::default().if_not_exists()))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_leased_blob_is_its_holders() {
    let (server, container) = a_container("leases").await;
    let blob = container.blob_client("leased");
    put(&blob, b"mine").await;
    let id = blob.acquire_lease(15, None).await.unwrap().lease_id().unwrap().unwrap();
    assert_eq!(refusal(blob.acquire_lease(15, None).await), "409 LeaseAlreadyPresent");
    assert_eq!(refusal(blob.set_metadata(&map(&[]), None).await), "412 LeaseIdMissing");
    let holder = BlobClientSetMetadataOptions { lease_id: Some(id.clone()), ..Default::default() };
    blob.set_metadata(&map(&[("by", "holder")]), Some(holder)).await.unwrap();
    assert_eq!(get(&blob).await, b"mine");

    let other = "00000000-1111-2222-3333-444444444444".to_owned();
    let changed = blob.change_lease(id.clone(), other.clone(), None).await.unwrap();
    assert_eq!(changed.lease_id().unwrap().as_deref(), Some(&*other));
    assert_eq!(refusal(blob.renew_lease(id, None).await), "409 LeaseIdMismatchWithLeaseOperation");
    server.wait(15);
    blob.renew_lease(other.clone(), None).await.unwrap();
    blob.break_lease(None).await.unwrap();
    let state = blob.get_properties(None).await.unwrap().lease_state().unwrap();
    assert_eq!(state, Some(LeaseState::Breaking));
    assert_eq!(refusal(blob.delete(None).await), "412 LeaseIdMissing");
    server.wait(15);
    assert_eq!(refusal(blob.renew_lease(other.clone(), None).await), "409 LeaseIsBrokenAndCannotBeRenewed");
    blob.release_lease(other, None).await.unwrap();

    let id = blob.acquire_lease(-1, None).await.unwrap().lease_id().unwrap();
    blob.delete(Some(BlobClientDeleteOptions { lease_id: id, ..Default::default() })).await.unwrap();
}

#[tokio::test]
async fn a_leased_container_is_not_deleted() {
    let (_server, container) = a_container("leased").await;
    let id = container.acquire_lease(60, None).await.unwrap().lease_id().unwrap().unwrap();
    assert_eq!(refusal(container.delete(None).await), "412 LeaseIdMissing");
    container.renew_lease(id.clone(), None).await.unwrap();
    container.delete(Some(BlobContainerClientDeleteOptions { lease_id: Some(id), ..Default::default() })).await.unwrap();
}

#[tokio::test]
async fn listings_come_in_pages_and_spell_every_name() {
    let (_server, container) = a_container("listing").await;
    let mut names = ["a/1", "a/2", "a/ü & <b>", "b", "c%20d", "e\u{fffe}f", "日本/😀"].map(str::to_owned).to_vec();
    for name in &names {
        let options = BlobClientUploadOptions { metadata: Some(map(&[("name", "of-it")])), ..Default::default() };
        let options = options.with_tags(map(&[("kind", "listed")]));
        container.blob_client(name).upload(RequestContent::from(name.as_bytes().to_vec()), Some(options)).await.unwrap();
    }
    names.sort();
    let options = BlobContainerClientListBlobsOptions {
        maxresults: Some(2),
        include: Some(vec![ListBlobsIncludeItem::Metadata, ListBlobsIncludeItem::Tags]),
        ..Default::default()
    };
    let items = listed(&container, options).await;
    let found: Vec<&str> = items.iter().map(|item| item.name.as_deref().unwrap()).collect();
    assert_eq!(found, names);
    for (item, name) in items.iter().zip(&names) {
        let properties = item.properties.as_ref().unwrap();
        assert_eq!(properties.content_length, Some(name.len() as u64));
        assert!(properties.etag.is_some() && properties.last_modified.is_some());
        assert_eq!(item.metadata.as_ref().unwrap().values, Some(map(&[("name", "of-it")])));
        let tags = item.blob_tags.as_ref().unwrap().blob_tag_set.as_ref().unwrap();
        assert_eq!((tags[0].key.as_deref(), tags[0].value.as_deref()), (Some("kind"), Some("listed")));
    }
    let options = BlobContainerClientListBlobsOptions { prefix: Some("a/".to_owned()), ..Default::default() };
    assert_eq!(listed(&container, options).await.len(), 3);
    let missing = container.blob_client("nowhere");
    assert!(!missing.exists().await.unwrap());
}

#[tokio::test]
async fn copies_carry_content_and_metadata() {
    let (server, container) = a_container("copies").await;
    let (source, copy) = (container.blob_client("source #?% blob"), container.blob_client("copy"));
    let options = BlobClientUploadOptions { metadata: Some(map(&[("from", "source")])), ..Default::default() };
    source.upload(RequestContent::from(b"to copy".to_vec()), Some(options)).await.unwrap();
    let copied = copy.start_copy_from_url(source.url().to_string(), None).await.unwrap();
    assert_eq!(copied.copy_status().unwrap(), Some(CopyStatus::Success));
    let properties = copy.get_properties(None).await.unwrap();
    assert_eq!(properties.copy_id().unwrap(), copied.copy_id().unwrap());
    assert_eq!(properties.metadata().unwrap(), map(&[("from", "source")]));
    assert_eq!(get(&copy).await, b"to copy");

    let once = BlobClientStartCopyFromUrlOptions { if_none_match: Some("*".into()), ..Default::default() };
    let again = copy.start_copy_from_url(source.url().to_string(), Some(once)).await;
    assert_eq!(refusal(again), "409 BlobAlreadyExists");
    let missing = container.blob_client("missing").url().to_string();
    assert_eq!(refusal(copy.start_copy_from_url(missing, None).await), "404 BlobNotFound");
    let unsigned = format!("{}/copies/copy", server.blob_url());
    assert_eq!(refusal(source.start_copy_from_url(unsigned, None).await), "401 CannotVerifyCopySource");
}

#[tokio::test]
async fn the_service_returns_its_properties() {
    let (server, container) = a_container("settings").await;
    let service = service(&server);
    let mut properties = service.get_properties(None).await.unwrap().into_model().unwrap();
    let rule = CorsRule {
        allowed_origins: Some("http://example.com".to_owned()),
        allowed_methods: Some("GET,PUT".to_owned()),
        allowed_headers: Some("*".to_owned()),
        exposed_headers: Some("etag".to_owned()),
        max_age_in_seconds: Some(60),
    };
    properties.cors = Some(vec![rule]);
    service.set_properties(properties.try_into().unwrap(), None).await.unwrap();
    let cors = service.get_properties(None).await.unwrap().into_model().unwrap().cors.unwrap();
    assert_eq!(cors[0].allowed_origins.as_deref(), Some("http://example.com"));
    assert_eq!(cors[0].max_age_in_seconds, Some(60));

    put(&container.blob_client("b"), b"b").await;
    let about = container.blob_client("b").get_account_info(None).await.unwrap();
    assert!(about.sku_name().unwrap().is_some());
    let secondary = format!("{}-secondary?{}", server.blob_url(), account_sas("rl"));
    let statistics = client(&secondary).get_statistics(None).await.unwrap().into_model().unwrap();
    assert!(statistics.geo_replication.unwrap().last_sync_time.is_some());
    assert_eq!(get(&client(&secondary).blob_client("settings", "b")).await, b"b");
}

/// Only the account's key may read or write policies, and this crate has none, so it is refused with a reason.
#[tokio::test]
async fn a_sas_does_what_its_letters_say() {
    let (server, container) = a_container("letters").await;
    put(&container.blob_client("b"), b"b").await;
    let reader = client(&format!("{}?{}", server.blob_url(), account_sas("r"))).blob_client("letters", "b");
    assert_eq!(get(&reader).await, b"b");
    assert_eq!(refusal(reader.delete(None).await), "403 AuthorizationPermissionMismatch");
    let forged = account_sas("r").replace("sp=r", "sp=rwd");
    let forger = client(&format!("{}?{forged}", server.blob_url())).blob_client("letters", "b");
    assert_eq!(refusal(forger.delete(None).await), "403 AuthenticationFailed");

    let policy = AccessPolicy { permission: Some("r".to_owned()), ..Default::default() };
    let policies =
        SignedIdentifiers { items: Some(vec![SignedIdentifier { id: Some("readers".to_owned()), access_policy: Some(policy) }]) };
    let set = container.set_access_policy(policies.try_into().unwrap(), None).await;
    assert_eq!(refusal(set), "403 AuthorizationFailure");
}
