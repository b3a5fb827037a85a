//! A disk that stops at any point, and what a start finds.

use super::*;
use crate::progress::Progress;
use crate::rules::error::{ErrorCode, StorageError};
use crate::store::cell::Cell;
use crate::store::changes::diff;
use crate::store::disk::extents::{ExtentRange, ExtentSlice};
use crate::store::disk::log::LogFile;
use crate::store::records::CorruptRecord;
use crate::store::{Persist, Store};
use imbl::OrdMap;
use proptest::prelude::*;
use std::fs;
use std::fs::File;
use std::path::PathBuf;

/// Names with some bytes each.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    books: OrdMap<u8, Arc<Book>>,
}

#[derive(Clone, Debug)]
pub(super) struct Book {
    title: String,
    bytes: Arc<ExtentSlice>,
}

impl PartialEq for Book {
    fn eq(&self, other: &Book) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Persist for Shelf {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        for (key, _, book) in diff(before.map(|before| &before.books), Some(&after.books)) {
            match book {
                Some(book) => to.put(&[*key], 1, &(&book.title, book.bytes.place())),
                None => to.delete(&[*key]),
            }
        }
    }

    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord> {
        let mut shelf = Shelf::default();
        for (key, record) in records.under(b"") {
            let (title, place): (String, ExtentRange) = record.read(1)?;
            let disk = store.disk().ok_or_else(|| CorruptRecord("no disk".to_owned()))?;
            let bytes = disk.extents().slice(place).map_err(|error| CorruptRecord(error.to_string()))?;
            shelf.books.insert(key[0], Arc::new(Book { title, bytes }));
        }
        Ok(shelf)
    }
}

/// A folder that is removed when the test ends.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("lazuli-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The expected books of a shelf.
pub(super) type Model = std::collections::BTreeMap<u8, (String, Vec<u8>)>;

/// One write: a book is put on the shelf or removed.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Put(u8, String, Vec<u8>),
    Take(u8),
}

impl Act {
    fn on(&self, model: &mut Model) {
        match self {
            Act::Put(key, title, bytes) => _ = model.insert(*key, (title.clone(), bytes.clone())),
            Act::Take(key) => _ = model.remove(key),
        }
    }

    pub(super) async fn perform(&self, shelf: &Cell<Shelf>, disk: &Disk) -> Result<(), StorageError> {
        match self {
            Act::Put(key, title, bytes) => {
                let piece =
                    disk.extents().write(bytes).map_err(|error| ErrorCode::InternalError.with_reason(error.to_string()))?;
                let book = Book { title: title.clone(), bytes: Arc::new(piece) };
                shelf.write(|shelf| Ok(_ = shelf.books.insert(*key, Arc::new(book)))).await
            }
            Act::Take(key) => shelf.write(|shelf| Ok(_ = shelf.books.remove(key))).await,
        }
    }
}

pub(super) fn open(path: &Path, medium: Medium) -> (Arc<Disk>, Arc<Cell<Shelf>>) {
    let (disk, _) = Disk::open(path, medium, Durability::Process, &Progress::default()).unwrap();
    let disk = Arc::new(disk);
    let shelf = Store::on_disk(disk.clone()).root("shelf", ErrorCode::ResourceNotFound).unwrap();
    disk.settle();
    (disk, shelf)
}

/// Returns the error of a start, which must be that of a check too. Neither may change a file.
pub(super) fn refusal(path: &Path) -> String {
    let before = files(path);
    let why = Disk::open(path, Medium::default(), Durability::Process, &Progress::default())
        .map(|(_, said)| said)
        .unwrap_err()
        .to_string();
    assert_eq!(Disk::open_read_only(path, &Progress::default()).map(|(_, said)| said).unwrap_err().to_string(), why);
    assert!(files(path) == before, "nothing is changed: {why}");
    why
}

pub(super) fn read(shelf: &Cell<Shelf>) -> Model {
    let read = |(key, book): (&u8, &Arc<Book>)| (*key, (book.title.clone(), book.bytes.read().unwrap().to_vec()));
    shelf.read().books.iter().map(read).collect()
}

/// A seeded run of writes.
pub(super) fn acts(count: u32) -> Vec<Act> {
    let mut seed = 7u32;
    let mut roll = move |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    let act = |number: u32| match roll(4) {
        0 => Act::Take(roll(6) as u8),
        _ => Act::Put(roll(6) as u8, format!("book {number}"), vec![number as u8; roll(40) as usize]),
    };
    (0..count).map(act).collect()
}

#[tokio::test]
async fn a_disk_that_stops_after_any_byte_has_every_acknowledged_write() {
    let acts = acts(40);
    let mut budget = 0;
    loop {
        let place = Scratch::new("stops");
        let (disk, shelf) = open(&place.0, Medium::default());
        disk.medium().limit(budget);
        let (mut model, mut refused) = (Model::new(), None);
        for act in &acts {
            match act.perform(&shelf, &disk).await {
                Ok(()) => act.on(&mut model),
                Err(_) => {
                    refused = Some(act);
                    break;
                }
            }
        }
        drop((shelf, disk));
        let (disk, shelf) = open(&place.0, Medium::default());
        let found = read(&shelf);
        if found != model {
            // The refused write may be there, but only completely.
            refused.expect("what was acknowledged is there").on(&mut model);
            assert_eq!(found, model, "stopped after {budget} bytes");
        }
        // Writing continues.
        Act::Put(9, "after".to_owned(), b"more".to_vec()).perform(&shelf, &disk).await.unwrap();
        drop((shelf, disk));
        assert_eq!(read(&open(&place.0, Medium::default()).1)[&9].1, b"more");
        if refused.is_none() {
            break;
        }
        budget += 11;
    }
    assert!(budget > 1000, "the run writes more than it was stopped in");
}

#[tokio::test]
async fn a_full_disk_refuses_writes_until_there_is_space() {
    let place = Scratch::new("full");
    let (disk, shelf) = open(&place.0, Medium::default());
    let put = |key, title: &str| Act::Put(key, title.to_owned(), b"bytes".to_vec());
    put(1, "one").perform(&shelf, &disk).await.unwrap();
    disk.medium().limit(20); // The bytes, and a piece of the record.
    let refusal = put(2, "two").perform(&shelf, &disk).await.unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::InternalError);
    shelf.write(|_| Ok(())).await.unwrap_err();
    disk.medium().limit(u64::MAX);
    // Writes are refused until the committer has retried, which it does by itself.
    while put(3, "three").perform(&shelf, &disk).await.is_err() {
        tokio::task::yield_now().await;
    }
    drop((shelf, disk));
    let found = read(&open(&place.0, Medium::default()).1);
    assert_eq!(found.into_keys().collect::<Vec<_>>(), [1, 2, 3], "the refused write, too, was written in its turn");
}

/// Performs a run, and returns the expected books.
async fn after_a_run(path: &Path) -> Model {
    let (disk, shelf) = open(path, Medium::default());
    let mut model = Model::new();
    for act in acts(12) {
        act.perform(&shelf, &disk).await.unwrap();
        act.on(&mut model);
    }
    model
}

#[tokio::test]
async fn a_flipped_byte_is_refused_with_its_place_or_repaired_and_never_served() {
    let whole = Scratch::new("whole");
    let model = after_a_run(&whole.0).await;
    for entry in fs::read_dir(&whole.0).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let bytes = fs::read(whole.0.join(&name)).unwrap();
        for at in 0..bytes.len() {
            let place = Scratch::new("flipped");
            fs::create_dir_all(&place.0).unwrap();
            fs::read_dir(&whole.0).unwrap().for_each(|entry| {
                let name = entry.unwrap().file_name();
                _ = fs::copy(whole.0.join(&name), place.0.join(&name)).unwrap();
            });
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x10;
            fs::write(place.0.join(&name), &flipped).unwrap();
            match Disk::open(&place.0, Medium::default(), Durability::Process, &Progress::default()) {
                Err(why) => assert!(why.to_string().contains(&name), "{name} at {at}: {why}"),
                Ok((disk, said)) => {
                    let disk = Arc::new(disk);
                    let shelf = Store::on_disk(disk.clone()).root::<Shelf>("shelf", ErrorCode::ResourceNotFound).unwrap();
                    let mended = said.iter().any(|line| line.contains("were moved to"));
                    let mut wrong = 0;
                    for (key, book) in &shelf.read().books {
                        match book.bytes.read() {
                            // The state before a write that was moved to another file may be visible again.
                            Ok(bytes) => {
                                assert!(model.get(key).is_some_and(|(_, whole)| *whole == bytes) || mended, "{name} at {at}");
                            }
                            Err(error) => {
                                assert!(error.to_string().contains(&name), "{name} at {at}: {error}");
                                wrong += 1;
                            }
                        }
                    }
                    // Of a log only its last frame can be taken for one that was never finished; and that is messages.
                    let whole = read_titles(&shelf) == model.iter().map(|(key, (title, _))| (*key, title.clone())).collect();
                    assert!(wrong > 0 || mended || whole, "{name} at {at}");
                }
            }
        }
    }
}

/// Waits until another thread has done something. Returns false after a minute.
pub(super) fn in_time(mut happened: impl FnMut() -> bool) -> bool {
    let begun = std::time::Instant::now();
    while !happened() {
        if begun.elapsed().as_secs() > 60 {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

pub(super) fn copy(from: &Path, to: &Path) {
    _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

/// The sorted names of the files of a folder, without the marker. Nothing is opened: a running server removes files at any time.
pub(super) fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: std::collections::BTreeSet<_> = entries.filter(|name| name != "lazuli").collect();
    names.into_iter().collect()
}

/// All files of a folder and their bytes.
fn files(path: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[tokio::test]
async fn a_start_without_what_it_needs_is_refused_and_changes_nothing() {
    let place = Scratch::new("needs");
    let (disk, shelf) = open(&place.0, Medium::default());
    let mut model = Model::new();
    let acts = acts(24);
    for act in &acts[..12] {
        act.perform(&shelf, &disk).await.unwrap();
        act.on(&mut model);
    }
    let (killed, ended, snapped) = (Scratch::new("needs-killed"), Scratch::new("needs-ended"), Scratch::new("needs-snapped"));
    // A copy of a running server's folder is what a killed server leaves.
    copy(&place.0, &killed.0);
    let early = model.clone();
    disk.log().snapshot();
    assert!(in_time(|| place.0.join("snapshot-00000002").exists() && !place.0.join("log-00000001").exists()));
    for act in &acts[12..] {
        act.perform(&shelf, &disk).await.unwrap();
        act.on(&mut model);
    }
    copy(&place.0, &snapped.0);
    drop((shelf, disk));
    copy(&place.0, &ended.0);
    for (whole, model, log) in
        [(&killed, &early, "log-00000001"), (&snapped, &model, "log-00000002"), (&ended, &model, "log-00000002")]
    {
        let length = fs::metadata(whole.0.join(log)).unwrap().len();
        let losses = [
            (log, None),
            (log, Some(0)),
            (log, Some(24)),
            (log, Some(length / 2)),
            (log, Some(length - 1)),
            ("snapshot-00000002", None),
            ("snapshot-00000002", Some(0)),
            ("lazuli", None),
            ("lazuli", Some(0)),
            ("lazuli", Some(22)),
        ];
        for (name, left) in losses.into_iter().filter(|(name, _)| whole.0.join(name).exists()) {
            let broken = Scratch::new("needs-broken");
            copy(&whole.0, &broken.0);
            match left {
                None => fs::remove_file(broken.0.join(name)).unwrap(),
                Some(left) => File::options().write(true).open(broken.0.join(name)).unwrap().set_len(left).unwrap(),
            }
            let before = files(&broken.0);
            let why = Disk::open(&broken.0, Medium::default(), Durability::Process, &Progress::default())
                .map(|(_, said)| said)
                .unwrap_err()
                .to_string();
            assert!(why.split(": ").skip(1).any(|part| part.contains(name)), "{name} {left:?}: {why}");
            assert!(files(&broken.0) == before, "{name} {left:?}: nothing is changed");
            fs::copy(whole.0.join(name), broken.0.join(name)).unwrap();
            assert_eq!(&read(&open(&broken.0, Medium::default()).1), model, "{name} is put back");
        }
    }
}

#[tokio::test]
async fn after_a_loss_of_power_a_log_may_end_early_and_its_contents_are_retained() {
    let place = Scratch::new("power");
    let (disk, shelf) = open(&place.0, Medium::default());
    Act::Put(1, "one".to_owned(), vec![1; 5000]).perform(&shelf, &disk).await.unwrap();
    let killed = Scratch::new("power-killed");
    copy(&place.0, &killed.0);
    drop((shelf, disk));
    let other_boot = |position: &mut folder::LogPosition| position.boot = "0".repeat(36);
    Folder::open(&killed.0).unwrap().update_position(&Medium::default(), other_boot).unwrap();
    File::options().write(true).open(killed.0.join("log-00000001")).unwrap().set_len(0).unwrap();
    let room = || medium::allocated_size(&File::open(killed.0.join("extent-00000001")).unwrap()).unwrap();
    let before = room();
    for _ in 0..2 {
        let (disk, _) = Disk::open(&killed.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
        let disk = Arc::new(disk);
        let shelf = Store::on_disk(disk.clone()).root::<Shelf>("shelf", ErrorCode::ResourceNotFound).unwrap();
        let messages = disk.settle();
        assert!(messages.iter().any(|line| line.contains("they are kept")), "{messages:?}");
        assert!(read(&shelf).is_empty());
        // Space that becomes free now is reclaimed.
        Act::Put(2, "two".to_owned(), vec![2; 1 << 20]).perform(&shelf, &disk).await.unwrap();
        assert!(room() > 1 << 20);
        Act::Take(2).perform(&shelf, &disk).await.unwrap();
        assert!(in_time(|| room() < 1 << 20));
        assert!(room() >= before);
    }
    // Synced bytes must be there.
    let synced = Scratch::new("power-synced");
    copy(&place.0, &synced.0);
    let log = synced.0.join("log-00000001");
    let frame::FrameRead::Frame { end, .. } = frame::read(&fs::read(&log).unwrap(), 0) else { panic!("the log has a head") };
    File::options().write(true).open(log).unwrap().set_len(end as u64).unwrap();
    let why = refusal(&synced.0);
    assert!(why.contains(&format!("log-00000001 ends at {end}")), "{why}");
}

#[tokio::test]
async fn a_start_does_not_treat_written_bytes_as_synced() {
    let place = Scratch::new("unsynced");
    let (disk, shelf) = open(&place.0, Medium::default());
    for act in acts(12) {
        act.perform(&shelf, &disk).await.unwrap();
    }
    let (killed, again) = (Scratch::new("unsynced-killed"), Scratch::new("unsynced-again"));
    copy(&place.0, &killed.0);
    drop((shelf, disk));
    let held = open(&killed.0, Medium::default());
    copy(&killed.0, &again.0);
    drop(held);
    let other_boot = |position: &mut folder::LogPosition| position.boot = "0".repeat(36);
    Folder::open(&again.0).unwrap().update_position(&Medium::default(), other_boot).unwrap();
    let log = File::options().write(true).open(again.0.join("log-00000001")).unwrap();
    log.set_len(log.metadata().unwrap().len() / 2).unwrap();
    let (_, shelf) = open(&again.0, Medium::default());
    assert!(!shelf.read().books.is_empty());
}

#[tokio::test]
async fn a_log_that_lost_its_end_is_reported_and_the_contents_of_the_end_are_retained() {
    let place = Scratch::new("cut");
    let (disk, shelf) = open(&place.0, Medium::default());
    Act::Put(1, "one".to_owned(), vec![1; 50_000]).perform(&shelf, &disk).await.unwrap();
    let until = fs::metadata(place.0.join("log-00000001")).unwrap().len();
    Act::Put(2, "two".to_owned(), vec![2; 5000]).perform(&shelf, &disk).await.unwrap();
    let killed = Scratch::new("cut-killed");
    copy(&place.0, &killed.0);
    drop((shelf, disk));
    let other_boot = |position: &mut folder::LogPosition| position.boot = "0".repeat(36);
    Folder::open(&killed.0).unwrap().update_position(&Medium::default(), other_boot).unwrap();
    let log = File::options().write(true).open(killed.0.join("log-00000001")).unwrap();
    let written = log.metadata().unwrap().len();
    log.set_len(until).unwrap();
    let (disk, said) = Disk::open(&killed.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
    let sentence = format!("log-00000001 had {written} bytes, {until} are there: what came after is lost with the power");
    assert!(said.contains(&sentence), "{said:?}");
    let disk = Arc::new(disk);
    let shelf = Store::on_disk(disk.clone()).root::<Shelf>("shelf", ErrorCode::ResourceNotFound).unwrap();
    let messages = disk.settle();
    assert!(messages.iter().any(|line| line.contains("they are kept")), "{messages:?}");
    assert_eq!(read(&shelf).into_keys().collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn all_logs_since_the_last_snapshot_count_for_the_next() {
    let place = Scratch::new("weighed");
    let long = |key| Act::Put(key, "t".repeat(2 << 20), vec![key]);
    let (disk, shelf) = open(&place.0, Medium::default());
    for key in 0..20 {
        long(key).perform(&shelf, &disk).await.unwrap();
    }
    drop((shelf, disk));
    // As after a server that was killed while it wrote a snapshot.
    let folder = Folder::open(&place.0).unwrap();
    let next = replay::replay(&folder, &Progress::default()).unwrap().next;
    LogFile::open(&folder, &Medium::default(), 2, 0, next).unwrap();
    drop(folder);
    let (disk, shelf) = open(&place.0, Medium::default());
    for key in 0..14 {
        long(key).perform(&shelf, &disk).await.unwrap();
    }
    let whole = ["extent-00000001", "log-00000003", "snapshot-00000003"];
    assert!(in_time(|| names(&place.0) == whole), "{:?}", names(&place.0));
    drop((shelf, disk));
}

#[tokio::test]
async fn a_removed_extent_is_refused_and_one_lost_with_the_power_is_reported_and_unchanged() {
    const EXTENT: &str = "extent-00000001";
    let place = Scratch::new("extent");
    let (disk, shelf) = open(&place.0, Medium::default());
    Act::Put(1, "one".to_owned(), vec![1; 5000]).perform(&shelf, &disk).await.unwrap();
    let (killed, powerless) = (Scratch::new("extent-killed"), Scratch::new("extent-powerless"));
    copy(&place.0, &killed.0);
    copy(&place.0, &powerless.0);
    drop((shelf, disk));
    let lose = |path: &Path, empty: bool| match empty {
        true => File::options().write(true).open(path.join(EXTENT)).unwrap().set_len(0).unwrap(),
        false => fs::remove_file(path.join(EXTENT)).unwrap(),
    };
    for (whole, empty) in [(&killed, false), (&killed, true), (&place, false), (&place, true)] {
        let broken = Scratch::new("extent-broken");
        copy(&whole.0, &broken.0);
        lose(&broken.0, empty);
        // The marker is this server's from the start on.
        let held = || files(&broken.0).into_iter().filter(|(name, _)| name != "lazuli").collect::<Vec<_>>();
        let before = held();
        for _ in 0..2 {
            let (disk, _) = Disk::open(&broken.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
            let why = Store::on_disk(Arc::new(disk)).root::<Shelf>("shelf", ErrorCode::ResourceNotFound).unwrap_err();
            assert!(why.0.contains(EXTENT), "{}", why.0);
            assert!(held() == before);
        }
        fs::copy(whole.0.join(EXTENT), broken.0.join(EXTENT)).unwrap();
        assert_eq!(read(&open(&broken.0, Medium::default()).1)[&1].1, [1; 5000]);
    }

    let other_boot = |position: &mut folder::LogPosition| position.boot = "0".repeat(36);
    Folder::open(&powerless.0).unwrap().update_position(&Medium::default(), other_boot).unwrap();
    lose(&powerless.0, false);
    for key in [2, 3] {
        let (disk, _) = Disk::open(&powerless.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
        let disk = Arc::new(disk);
        let shelf = Store::on_disk(disk.clone()).root::<Shelf>("shelf", ErrorCode::ResourceNotFound).unwrap();
        let messages = disk.settle();
        // The first start writes to another file, which is then the last.
        assert!(messages.iter().any(|line| line.contains("1 pieces") && line.contains(EXTENT)), "{messages:?}");
        Act::Put(key, "new".to_owned(), vec![key; 5000]).perform(&shelf, &disk).await.unwrap();
        shelf.read().books[&1].bytes.read().unwrap_err();
    }
    fs::copy(place.0.join(EXTENT), powerless.0.join(EXTENT)).unwrap();
    let found = read(&open(&powerless.0, Medium::default()).1);
    assert!((1..=3).all(|key| found[&key].1 == [key; 5000]));
}

#[tokio::test]
async fn files_that_killed_runs_left_are_removed() {
    let place = Scratch::new("left");
    let (disk, shelf) = open(&place.0, Medium::default());
    Act::Put(1, "one".to_owned(), vec![1; 5000]).perform(&shelf, &disk).await.unwrap();
    let old = fs::read(place.0.join("log-00000001")).unwrap();
    disk.log().snapshot();
    assert!(in_time(|| place.0.join("snapshot-00000002").exists() && !place.0.join("log-00000001").exists()));
    drop((shelf, disk));
    for name in ["log-00000001", "torn-log-00000001", "snapshot-00000003.part"] {
        fs::write(place.0.join(name), &old).unwrap();
    }
    let head = identity::FileHead {
        store: Folder::open_read_only(&place.0).unwrap().identity().store,
        name: "snapshot-00000001".to_owned(),
    };
    let mut snapshot = Vec::new();
    frame::write(&mut snapshot, 0, &head.payload());
    fs::write(place.0.join("snapshot-00000001"), snapshot).unwrap();
    fs::write(place.0.join("torn-log-00000002"), "a tail").unwrap();
    let (disk, shelf) = open(&place.0, Medium::default());
    assert_eq!(read(&shelf)[&1].1, [1; 5000]);
    assert_eq!(names(&place.0), ["extent-00000001", "log-00000002", "snapshot-00000002", "torn-log-00000002"]);
    disk.log().snapshot();
    let whole = ["extent-00000001", "log-00000003", "snapshot-00000003"];
    assert!(in_time(|| names(&place.0) == whole), "a later snapshot is whole: {:?}", names(&place.0));
}

fn read_titles(shelf: &Cell<Shelf>) -> std::collections::BTreeMap<u8, String> {
    shelf.read().books.iter().map(|(key, book)| (*key, book.title.clone())).collect()
}

#[tokio::test]
async fn a_folder_of_another_program_is_unchanged() {
    let place = Scratch::new("theirs");
    fs::create_dir_all(&place.0).unwrap();
    fs::write(place.0.join("letters.txt"), "dear").unwrap();
    let refusal = |path: &Path| {
        Disk::open(path, Medium::default(), Durability::Process, &Progress::default())
            .map(|(_, said)| said)
            .unwrap_err()
            .to_string()
    };
    assert!(refusal(&place.0).contains("another program"));
    assert_eq!(fs::read_dir(&place.0).unwrap().count(), 1);

    let ours = Scratch::new("ours");
    let held = open(&ours.0, Medium::default());
    assert!(refusal(&ours.0).contains("another server"));
    drop(held);
    fs::write(ours.0.join("lazuli"), "Lazuli data, format 3\n").unwrap();
    assert!(refusal(&ours.0).contains("format 3"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_space_of_deleted_contents_is_reclaimed() {
    let place = Scratch::new("room");
    let (disk, shelf) = open(&place.0, Medium::default());
    let room = || {
        let used = |entry: std::io::Result<fs::DirEntry>| {
            use std::os::unix::fs::MetadataExt;
            entry.unwrap().metadata().unwrap().blocks() * 512
        };
        fs::read_dir(&place.0).unwrap().map(used).sum::<u64>()
    };
    for key in 0..8 {
        Act::Put(key, "large".to_owned(), vec![key; 1 << 20]).perform(&shelf, &disk).await.unwrap();
    }
    assert!(room() > 8 << 20);
    for key in 0..8 {
        Act::Take(key).perform(&shelf, &disk).await.unwrap();
    }
    // Without another write.
    assert!(in_time(|| room() < 1 << 20), "{} bytes", room());
    drop((shelf, disk));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// The state survives any sequence of restarts and snapshots.
    #[test]
    fn starts_and_snapshots_change_nothing(counts in prop::collection::vec((1usize..12, any::<bool>()), 1..5)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let place = Scratch::new("restarts");
            let (mut model, mut acts) = (Model::new(), acts(60).into_iter());
            for (count, snapshot) in counts {
                let (disk, shelf) = open(&place.0, Medium::default());
                assert_eq!(read(&shelf), model);
                for act in acts.by_ref().take(count) {
                    act.perform(&shelf, &disk).await.unwrap();
                    act.on(&mut model);
                }
                if snapshot {
                    disk.log().snapshot();
                }
            }
            assert_eq!(read(&open(&place.0, Medium::default()).1), model);
        });
    }
}

#[tokio::test]
async fn an_empty_cell_keeps_its_number() {
    let place = Scratch::new("numbers");
    for _ in 0..3 {
        let (disk, shelf) = open(&place.0, Medium::default());
        let store = Store::on_disk(disk.clone());
        let empty: Arc<Cell<Shelf>> = store.root("empty", ErrorCode::ResourceNotFound).unwrap();
        let new = store.cell(Shelf::default(), ErrorCode::ResourceNotFound);
        assert!(![shelf.id(), empty.id(), CellId(0)].contains(&new.id()), "{:?}", new.id());
        Act::Put(1, "one".to_owned(), b"bytes".to_vec()).perform(&shelf, &disk).await.unwrap();
    }
}

#[tokio::test]
async fn a_snapshot_waits_until_every_cell_is_claimed() {
    let place = Scratch::new("claimed");
    let (disk, shelf) = open(&place.0, Medium::default());
    let mut model = Model::new();
    for act in acts(6) {
        act.perform(&shelf, &disk).await.unwrap();
        act.on(&mut model);
    }
    drop((shelf, disk));
    let (disk, _) = Disk::open(&place.0, Medium::default(), Durability::Process, &Progress::default()).unwrap();
    let disk = Arc::new(disk);
    disk.log().snapshot();
    // A new service is opened first, and writes.
    let other: Arc<Cell<Shelf>> = Store::on_disk(disk.clone()).root("other", ErrorCode::ResourceNotFound).unwrap();
    for act in acts(40) {
        act.perform(&other, &disk).await.unwrap();
    }
    assert_eq!(names(&place.0), ["extent-00000001", "log-00000001"]);
    let shelf: Arc<Cell<Shelf>> = Store::on_disk(disk.clone()).root("shelf", ErrorCode::ResourceNotFound).unwrap();
    disk.settle();
    assert!(in_time(|| names(&place.0) == ["extent-00000001", "log-00000002", "snapshot-00000002"]));
    drop((other, shelf, disk));
    assert_eq!(read(&open(&place.0, Medium::default()).1), model);
}
