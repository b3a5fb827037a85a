//! `azure_storage_blob`: append blobs, page blobs, snapshots, tags.

use super::azure::{a_container, get, map, put, refusal};
use azure_core::http::RequestContent;
use azure_storage_blob::models::{
    AppendBlobClientAppendBlockOptions, AppendBlobClientAppendBlockResultHeaders, BlobClientCreateSnapshotResultHeaders,
    BlobClientDeleteOptions, BlobTags, DeleteSnapshotsOptionType, PageBlobClientSetSequenceNumberOptions,
    PageBlobClientSetSequenceNumberResultHeaders, SequenceNumberActionType,
};
use futures::TryStreamExt;

#[tokio::test]
async fn an_append_blob_grows_until_it_is_sealed() {
    let (_server, container) = a_container("logs").await;
    let blob = container.blob_client("log");
    let log = blob.append_blob_client();
    log.create(None).await.unwrap();
    let append = |text: &str, position| {
        let options = AppendBlobClientAppendBlockOptions { append_position: position, ..Default::default() };
        log.append_block(RequestContent::from(text.as_bytes().to_vec()), text.len() as u64, Some(options))
    };
    let first = append("one ", None).await.unwrap();
    assert_eq!(first.blob_append_offset().unwrap().as_deref(), Some("0"));
    let second = append("two", Some(4)).await.unwrap();
    assert_eq!(second.blob_committed_block_count().unwrap(), Some(2));
    assert_eq!(refusal(append("three", Some(4)).await), "412 AppendPositionConditionNotMet");
    log.seal(None).await.unwrap();
    assert_eq!(refusal(append("three", None).await), "409 BlobIsSealed");
    assert_eq!(get(&blob).await, b"one two");
}

#[tokio::test]
async fn pages_are_written_cleared_and_numbered() {
    let (_server, container) = a_container("disks").await;
    let blob = container.blob_client("disk");
    let disk = blob.page_blob_client();
    disk.create(4096, None).await.unwrap();
    for (letter, start) in [(b'a', 512_u64), (b'b', 1024), (b'c', 3072)] {
        let page = RequestContent::from(vec![letter; 512]);
        disk.upload_pages(page, 512, (start..start + 512).into(), None).await.unwrap();
    }
    disk.clear_pages((1024_u64..1536).into(), None).await.unwrap();
    let mut pages = disk.list_page_ranges(None).unwrap();
    let list = pages.try_next().await.unwrap().unwrap().into_model().unwrap();
    let ranges: Vec<_> = list.page_ranges.iter().map(|range| (range.start.unwrap(), range.end.unwrap())).collect();
    assert_eq!(ranges, [(512, 1023), (3072, 3583)]);

    let number = PageBlobClientSetSequenceNumberOptions { blob_sequence_number: Some(7), ..Default::default() };
    let numbered = disk.set_sequence_number(SequenceNumberActionType::Update, Some(number)).await.unwrap();
    assert_eq!(numbered.blob_sequence_number().unwrap(), Some(7));
    disk.resize(1024, None).await.unwrap();
    assert_eq!(get(&blob).await, [[0; 512], [b'a'; 512]].concat());
    let beyond = disk.upload_pages(RequestContent::from(vec![0; 512]), 512, (1024_u64..1536).into(), None).await;
    assert_eq!(refusal(beyond), "416 InvalidPageRange");
}

#[tokio::test]
async fn a_snapshot_stays_as_it_was() {
    let (_server, container) = a_container("snapshots").await;
    let blob = container.blob_client("b");
    put(&blob, b"before").await;
    let taken = blob.create_snapshot(None).await.unwrap().snapshot().unwrap().unwrap();
    put(&blob, b"after").await;
    let snapshot = blob.with_snapshot(&taken).unwrap();
    assert_eq!(get(&snapshot).await, b"before");
    assert_eq!(refusal(blob.delete(None).await), "409 SnapshotsPresent");
    let whole = BlobClientDeleteOptions { delete_snapshots: Some(DeleteSnapshotsOptionType::Include), ..Default::default() };
    blob.delete(Some(whole)).await.unwrap();
    assert_eq!(refusal(snapshot.download(None).await), "404 BlobNotFound");
}

#[tokio::test]
async fn tags_are_set_whole_and_searched() {
    let (_server, container) = a_container("tags").await;
    for name in ["red", "blue"] {
        let blob = container.blob_client(name);
        put(&blob, b"x").await;
        let tags = BlobTags::from(map(&[("colour", name), ("kind", "test")]));
        blob.set_tags(tags.try_into().unwrap(), None).await.unwrap();
        let kept = blob.get_tags(None).await.unwrap().into_model().unwrap().blob_tag_set.unwrap();
        assert_eq!(kept.len(), 2);
    }
    let found = container.find_blobs_by_tags("kind = 'test' AND colour > 'c'", None).unwrap();
    let names: Vec<_> = found.map_ok(|blob| blob.name.unwrap()).try_collect().await.unwrap();
    assert_eq!(names, ["red"]);
}
