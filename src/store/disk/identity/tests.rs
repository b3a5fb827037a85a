//! Files of another store, under another name, of form 1, or with nothing in them.

use super::*;
use crate::progress::Progress;
use crate::store::changes::{CellId, Changes, Entries};
use crate::store::disk::folder::Folder;
use crate::store::disk::medium::Medium;
use crate::store::disk::tests::{Act, Scratch, acts, copy, in_time, names, open, read, refusal};
use crate::store::disk::{Disk, Durability, ROOTS, frame, medium};
use std::fs::{self, File};
use std::path::Path;

#[test]
fn a_head_round_trips() {
    let head = FileHead { store: StoreId::random(), name: "log-00000001".to_owned() };
    assert_eq!(FileHead::read(&head.payload()), Some(head.clone()));
    assert!((head.payload().len() as u64) < FileHead::MOST);
    for other in [&b""[..], b"\0\x01\x02", b"store x file log-00000001", b"store ", &[0xff; 80]] {
        assert_eq!(FileHead::read(other), None);
    }
    assert_ne!(StoreId::random(), StoreId::random());
}

fn store_of(path: &Path) -> StoreId {
    Folder::open_read_only(path).unwrap().identity().store
}

/// Two stores with a log, or with a snapshot and a log. The second has more records.
async fn two_stores(name: &str, snapshot: bool) -> (Scratch, Scratch) {
    let stores = (Scratch::new(&format!("{name}-one")), Scratch::new(&format!("{name}-other")));
    for (place, count) in [(&stores.0, 6), (&stores.1, 24)] {
        let (disk, shelf) = open(&place.0, Medium::default());
        for act in acts(count) {
            act.perform(&shelf, &disk).await.unwrap();
        }
        if snapshot {
            disk.log().snapshot();
            assert!(in_time(|| place.0.join("snapshot-00000002").exists() && !place.0.join("log-00000001").exists()));
        }
        drop((shelf, disk));
    }
    stores
}

#[tokio::test]
async fn a_file_of_another_store_is_refused_by_name_and_nothing_is_changed() {
    const DIFFERENT: &str = "log-00000001 and the file \"lazuli\" belong to different stores";
    for (snapshot, foreign, wanted) in [
        (false, &["log-00000001"][..], DIFFERENT),
        (false, &["lazuli"], DIFFERENT),
        (true, &["log-00000002"], "log-00000002 belongs to another store"),
        (true, &["snapshot-00000002"], "snapshot-00000002 belongs to another store"),
        (true, &["lazuli"], "\"lazuli\" belongs to another store than snapshot-00000002, log-00000002"),
        (true, &["lazuli", "log-00000002"], "snapshot-00000002 belongs to another store"),
    ] {
        let (one, other) = two_stores("foreign", snapshot).await;
        let broken = Scratch::new("foreign-broken");
        copy(&one.0, &broken.0);
        for name in foreign {
            fs::copy(other.0.join(name), broken.0.join(name)).unwrap();
        }
        let why = refusal(&broken.0);
        assert!(why.contains(wanted), "{foreign:?}: {why}");
        for name in foreign {
            fs::copy(one.0.join(name), broken.0.join(name)).unwrap();
        }
        assert_eq!(read(&open(&broken.0, Medium::default()).1), read(&open(&one.0, Medium::default()).1));
    }
}

#[tokio::test]
async fn a_log_without_a_head_is_refused_if_the_others_have_one() {
    let (one, _) = two_stores("unnamed", false).await;
    let (mut log, mut entries) = (Vec::new(), Entries::default());
    Changes::new(ROOTS, &mut entries).put(b"shelf", 1, &CellId(1));
    frame::write(&mut log, 1, &entries.encoded().unwrap());
    fs::write(one.0.join("log-00000001"), log).unwrap();
    let why = refusal(&one.0);
    assert!(why.contains("log-00000001 does not say which store it belongs to"), "{why}");
}

/// Data of format 1, which has no id of a store.
fn format_1(place: &Path) {
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats/1"), place);
    fs::remove_file(place.join("answers.txt")).unwrap();
}

#[test]
fn files_of_format_1_open_and_later_ones_have_heads() {
    let (place, again) = (Scratch::new("older"), Scratch::new("older-again"));
    format_1(&place.0);
    copy(&place.0, &again.0);
    let (disk, _) = Disk::open(&place.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
    let store = store_of_open(&disk);
    let records = disk.records(CellId(1)).0.len();
    drop(disk);
    // The start was not settled, so the files of format 1 remain and open again. The store has an id now.
    assert_eq!(store_of(&place.0), store);
    let (disk, _) = Disk::open(&place.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
    assert_eq!(disk.records(CellId(1)).0.len(), records);
    disk.settle();
    disk.log().snapshot();
    let whole = ["extent-00000001", "log-00000003", "snapshot-00000003"];
    assert!(in_time(|| names(&place.0) == whole), "{:?}", names(&place.0));
    drop(disk);
    // A start that is settled writes the new files by itself.
    let (disk, _) = Disk::open(&again.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
    disk.settle();
    assert!(in_time(|| names(&again.0) == whole), "{:?}", names(&again.0));
    drop(disk);
    assert_ne!(store_of(&again.0), store);
    fs::copy(place.0.join("log-00000003"), again.0.join("log-00000003")).unwrap();
    assert!(refusal(&again.0).contains("log-00000003 belongs to another store"));
    // A log of format 1 in its place has no head.
    let older = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats/1/log-00000002")).unwrap();
    fs::write(again.0.join("log-00000003"), older).unwrap();
    assert!(refusal(&again.0).contains("log-00000003 does not say which store it belongs to"));
}

fn store_of_open(disk: &Disk) -> StoreId {
    disk.folder.identity().store
}

#[tokio::test]
async fn a_renamed_log_and_its_original_name_are_reported() {
    let (one, _) = two_stores("renamed", false).await;
    let (first, second) = (one.0.join("log-00000001"), one.0.join("log-00000002"));
    fs::rename(&first, &second).unwrap();
    let why = refusal(&one.0);
    assert!(why.contains("log-00000001 is missing, and log-00000002 is that file under another name"), "{why}");
    fs::copy(&second, &first).unwrap();
    let why = refusal(&one.0);
    assert!(why.contains("log-00000002 is log-00000001 under another name: take it away"), "{why}");
    fs::remove_file(second).unwrap();
    open(&one.0, Medium::default());

    // Logs of format 1 have no heads.
    let older = Scratch::new("renamed-older");
    format_1(&older.0);
    let log = older.0.join("log-00000002");
    fs::copy(&log, older.0.join("log-00000003")).unwrap();
    let why = refusal(&older.0);
    assert!(why.contains("log-00000003 repeats what the log before it has") && why.contains("Take it away"), "{why}");
}

#[tokio::test]
async fn an_unknown_log_is_reported_with_the_missing_one() {
    let (one, _) = two_stores("unknown", false).await;
    fs::remove_file(one.0.join("log-00000001")).unwrap();
    // Empty, like one that a server has just created.
    File::create(one.0.join("log-00000002")).unwrap();
    let why = refusal(&one.0);
    assert!(why.contains("log-00000001 is missing, and log-00000002 is there, which the file \"lazuli\" does not know"), "{why}");
}

#[tokio::test]
async fn an_empty_snapshot_can_be_removed_if_the_logs_before_it_exist() {
    for (snapshot, stray) in [(false, "snapshot-00000001"), (false, "snapshot-00000002"), (true, "snapshot-00000003")] {
        let (one, _) = two_stores("empty", snapshot).await;
        File::create(one.0.join(stray)).unwrap();
        let why = refusal(&one.0);
        assert!(why.contains(&format!("{stray} holds nothing")) && why.contains("it can be removed"), "{why}");
        fs::remove_file(one.0.join(stray)).unwrap();
        open(&one.0, Medium::default());
    }
    let (one, _) = two_stores("empty", true).await;
    File::create(one.0.join("snapshot-00000002")).unwrap();
    let why = refusal(&one.0);
    assert!(why.contains("snapshot-00000002 is empty: put the whole file back"), "{why}");
}

/// If records belong to other extents, or contents are missing, nothing is freed.
#[tokio::test]
async fn nothing_is_freed_while_contents_are_missing_or_wrong() {
    const EXTENT: &str = "extent-00000001";
    let large = |key: u8, of: u8| Act::Put(key, "large".to_owned(), vec![of; 1 << 20]);
    let place = Scratch::new("trusted");
    let (disk, shelf) = open(&place.0, Medium::default());
    for key in 0..6 {
        large(key, key).perform(&shelf, &disk).await.unwrap();
    }
    let killed = Scratch::new("trusted-killed");
    for key in 1..4 {
        Act::Take(key).perform(&shelf, &disk).await.unwrap();
    }
    copy(&place.0, &killed.0);
    drop((shelf, disk));
    let whole = [vec![0; 1 << 20], vec![7; 3 << 20], vec![4; 1 << 20], vec![5; 1 << 20]].concat();
    let damaged = [vec![9; 1 << 20], vec![7; 3 << 20], vec![4; 1 << 20], vec![5; 1 << 20]].concat();
    for (bytes, sound) in [(&whole[..], true), (&damaged, false), (&whole[..whole.len() - 1], false)] {
        let place = Scratch::new("trusted-start");
        copy(&killed.0, &place.0);
        // A copy has no holes, so the deleted contents still use space.
        fs::write(place.0.join(EXTENT), bytes).unwrap();
        let extent = File::options().write(true).open(place.0.join(EXTENT)).unwrap();
        extent.sync_all().unwrap();
        let room = || medium::allocated_size(&extent).unwrap();
        let before = room();
        let (disk, shelf) = open(&place.0, Medium::default());
        if sound {
            assert!(in_time(|| room() < before - (2 << 20)));
            continue;
        }
        assert!(in_time(|| disk.extents().is_stopped()), "a sample of every file is read before anything is freed");
        // What is deleted now may be needed too.
        Act::Take(4).perform(&shelf, &disk).await.unwrap();
        Act::Put(9, "new".to_owned(), vec![9; 5000]).perform(&shelf, &disk).await.unwrap();
        drop((shelf, disk));
        assert!(room() >= before);
    }
}
