//! The log: every change, in the order in which it was published, written by one thread that gathers what has come.
//!
//! Whoever writes hands its change over and waits. The committer takes all that has come, writes it at once, makes it safe once, and
//! wakes everybody. Changes that the disk did not take stay with it, in order, and are tried again; until they are written nothing
//! new is begun, so that memory is never further ahead of the disk than by what was refused.

use crate::rules::error::{ErrorCode, StorageError};
use crate::store::disk::extents::Extents;
use crate::store::disk::folder::Folder;
use crate::store::disk::identity::FileHead;
use crate::store::disk::medium::Medium;
use crate::store::disk::{Durability, frame, snapshot};
use crate::store::journal::{CellId, Changes};
use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long the committer waits before it tries again what the disk did not take.
const PATIENCE: Duration = Duration::from_millis(200);
/// The least size of a log, in bytes, at which a snapshot takes its place.
const WORTH_A_SNAPSHOT: u64 = 64 << 20;

/// The log of a server's changes, as every cell has it.
#[derive(Debug)]
pub struct Log {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// What is wrong with the disk, as long as something is.
    failure: Mutex<Option<Arc<io::Error>>>,
    cells: Mutex<HashMap<CellId, Weak<dyn WriteRecords>>>,
    next_cell: AtomicU64,
    extents: Arc<Extents>,
}

/// The thread that writes the log. Dropping this has it write what is left, and waits for it.
#[derive(Debug)]
pub struct PendingCommit {
    log: Arc<Log>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Queue {
    frames: Vec<u8>,
    waiting: Vec<oneshot::Sender<Committed>>,
    /// The number of the next frame.
    next: u64,
    /// Whether a snapshot is wanted, however short the log is.
    snapshot: bool,
    /// Whether every cell that was found is in the server's hands: a snapshot before that would miss some.
    settled: bool,
    stop: bool,
}

/// A cell that can be told whole, for a snapshot.
pub trait WriteRecords: Send + Sync + std::fmt::Debug {
    /// Tells all that is in it.
    fn write_records(&self, to: &mut Changes<'_>);
}

/// How writing a change to the disk ended. All changes that were written together share an error.
type Committed = Result<(), Arc<io::Error>>;

/// A change on its way to the disk.
#[derive(Debug)]
pub enum Durable {
    /// It is as safe as it gets.
    Already,
    /// It will be, when this says so.
    Soon(oneshot::Receiver<Committed>),
}

impl Durable {
    /// Waits until the change is safe.
    ///
    /// # Errors
    /// 500 InternalError when the disk did not take it.
    pub async fn wait(self) -> Result<(), StorageError> {
        let Durable::Soon(answer) = self else { return Ok(()) };
        match answer.await {
            Ok(outcome) => outcome.map_err(unwritten),
            Err(_) => Err(unwritten("the server is stopping")),
        }
    }
}

fn unwritten(why: impl std::fmt::Display) -> StorageError {
    ErrorCode::InternalError.with_message(format!("The server could not write to its disk: {why}."))
}

/// What a log goes on from.
#[derive(Debug)]
pub struct Start {
    /// The folder that it is in.
    pub folder: Arc<Folder>,
    /// What it is written to.
    pub medium: Arc<Medium>,
    /// Where bytes lie.
    pub extents: Arc<Extents>,
    /// When a change counts as safe.
    pub durability: Durability,
    /// The log's file.
    pub file: LogFile,
    /// The number of the next frame.
    pub next: u64,
    /// The number of the next cell.
    pub next_cell: u64,
    /// How large a log may grow, in bytes, before a snapshot takes its place, if that is more than usual.
    pub worth: u64,
    /// How many bytes the logs before this one have that no snapshot has replaced.
    pub behind: u64,
}

/// A log's file, open at its end.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    generation: u64,
    length: u64,
}

impl LogFile {
    /// Opens or makes the log of a generation, which has so many bytes of whole frames. One that has none begins with a frame that says
    /// whose it is and has the number of the next: so a log that has lost all it had can be told from a new one.
    ///
    /// # Errors
    /// As the system says.
    pub fn open(folder: &Folder, medium: &Medium, generation: u64, length: u64, next: u64) -> io::Result<LogFile> {
        let file = medium.open(&folder.file(&name(generation)))?;
        file.set_len(length)?;
        folder.sync()?;
        let mut log = LogFile { file, generation, length };
        if length == 0 {
            let mut head = Vec::new();
            let payload = FileHead { store: folder.identity().store, name: name(generation) }.payload();
            frame::write(&mut head, next, &payload);
            log.append(&head, medium)?;
        }
        Ok(log)
    }

    /// Its bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    fn append(&mut self, frames: &[u8], medium: &Medium) -> io::Result<()> {
        medium.write_at(&self.file, frames, self.length).inspect_err(|_| {
            // Half a frame does no harm where it is, at the end: the next write goes over it.
            let _ = self.file.set_len(self.length);
        })?;
        self.length += frames.len() as u64;
        Ok(())
    }
}

/// The name of the log of a generation.
pub fn name(generation: u64) -> String {
    format!("log-{generation:08}")
}

impl Log {
    /// A log that takes changes and writes none: for who only looks at a folder.
    pub fn idle(extents: Arc<Extents>, next: u64, next_cell: u64) -> Arc<Log> {
        Arc::new(Log {
            queue: Mutex::new(Queue { next, ..Queue::default() }),
            wake: Condvar::new(),
            failure: Mutex::default(),
            cells: Mutex::default(),
            next_cell: AtomicU64::new(next_cell),
            extents,
        })
    }

    /// Goes on with a log.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(start: Start) -> io::Result<(Arc<Log>, PendingCommit)> {
        start.extents.appended.store(start.next.saturating_sub(1), Ordering::SeqCst);
        let log = Log::idle(start.extents.clone(), start.next, start.next_cell);
        let committer = Committer {
            log: log.clone(),
            worth: start.worth.max(WORTH_A_SNAPSHOT),
            behind: start.behind,
            written: start.next.saturating_sub(1),
            owed: Vec::new(),
            settled: false,
            snapshot: None,
            folder: start.folder,
            medium: start.medium,
            extents: start.extents,
            durability: start.durability,
            file: start.file,
        };
        let thread = std::thread::Builder::new().name("lazuli-log".to_owned()).spawn(move || committer.run())?;
        Ok((log.clone(), PendingCommit { log, thread: Some(thread) }))
    }

    /// Hands over a change: its entries, which are written whole or not at all.
    pub fn append(&self, entries: &[u8]) -> Durable {
        let (answer, safe) = oneshot::channel();
        let mut queue = self.queue.lock();
        if queue.stop {
            return Durable::Soon(safe); // Nobody will answer.
        }
        let number = queue.next;
        queue.next += 1;
        frame::write(&mut queue.frames, number, entries);
        queue.waiting.push(answer);
        self.extents.appended.store(number, Ordering::SeqCst);
        drop(queue);
        self.wake.notify_one();
        Durable::Soon(safe)
    }

    /// Refuses while something that was handed over is not written.
    ///
    /// # Errors
    /// 500 InternalError, with what is wrong with the disk.
    pub fn check(&self) -> Result<(), StorageError> {
        self.failure.lock().as_ref().map_or(Ok(()), |why| Err(unwritten(why)))
    }

    /// Asks for a snapshot, however short the log is.
    pub fn snapshot(&self) {
        self.queue.lock().snapshot = true;
        self.wake.notify_one();
    }

    /// Learns that the start is over: every cell that was found is kept, so that a snapshot may be written.
    pub fn settle(&self) {
        self.queue.lock().settled = true;
        self.wake.notify_one();
    }

    /// A number for a new cell.
    pub fn cell(&self) -> CellId {
        CellId(self.next_cell.fetch_add(1, Ordering::SeqCst))
    }

    /// Takes a cell into every snapshot from now on, until it is gone or [`Log::forget`] is called.
    pub fn keep(&self, cell: CellId, told: Weak<dyn WriteRecords>) {
        self.cells.lock().insert(cell, told);
    }

    /// Learns that a cell is dropped. If it is still part of what is kept, the server is stopping: then it takes its bytes with it
    /// in memory only.
    pub fn dropped(&self, cell: CellId) {
        if self.cells.lock().contains_key(&cell) {
            self.extents.stop();
        }
    }

    /// Whether a cell is part of every snapshot.
    pub fn keeps(&self, cell: CellId) -> bool {
        self.cells.lock().contains_key(&cell)
    }

    /// Whether the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.queue.lock().stop
    }

    /// Leaves a cell out of snapshots from now on.
    pub fn forget(&self, cell: CellId) {
        self.cells.lock().remove(&cell);
    }
}

impl Drop for PendingCommit {
    fn drop(&mut self) {
        self.log.queue.lock().stop = true;
        self.log.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The one thread that writes.
struct Committer {
    log: Arc<Log>,
    folder: Arc<Folder>,
    medium: Arc<Medium>,
    extents: Arc<Extents>,
    durability: Durability,
    file: LogFile,
    worth: u64,
    /// How many bytes the logs before this one have that no snapshot has replaced.
    behind: u64,
    /// The number of the last frame that is written.
    written: u64,
    /// Frames that the disk did not take.
    owed: Vec<u8>,
    settled: bool,
    snapshot: Option<JoinHandle<io::Result<u64>>>,
}

impl Committer {
    fn run(mut self) {
        loop {
            let (waiting, last, stop) = self.gather();
            let outcome = self.commit().map_err(Arc::new);
            match &outcome {
                Ok(()) => {
                    self.written = last;
                    if self.log.failure.lock().take().is_some() {
                        tracing::warn!("the disk takes writes again");
                    }
                }
                Err(error) => {
                    if self.log.failure.lock().replace(error.clone()).is_none() {
                        tracing::error!("the disk does not take writes: {error}; writes are refused until it does");
                    }
                }
            }
            let safe = outcome.is_ok();
            // Whoever does not wait any more does not want to know.
            waiting.into_iter().for_each(|answer| _ = answer.send(outcome.clone()));
            if safe {
                self.extents.pending().safe(last);
            }
            if stop {
                if safe && let Err(error) = self.close() {
                    tracing::warn!("the end of the log could not be made safe: {error}");
                }
                // It sees that the server is stopping, and lets go of the folder.
                _ = self.snapshot.take().map(JoinHandle::join);
                return;
            }
            self.consider_a_snapshot();
        }
    }

    /// Waits until there is something to write, and takes all there is.
    fn gather(&mut self) -> (Vec<oneshot::Sender<Committed>>, u64, bool) {
        let mut queue = self.log.queue.lock();
        while queue.frames.is_empty() && !queue.stop && !(queue.snapshot && queue.settled) {
            if self.owed.is_empty() {
                self.log.wake.wait(&mut queue);
            } else if self.log.wake.wait_for(&mut queue, PATIENCE).timed_out() {
                break;
            }
        }
        if self.owed.is_empty() {
            std::mem::swap(&mut self.owed, &mut queue.frames);
        } else {
            self.owed.append(&mut queue.frames);
        }
        if queue.settled && std::mem::take(&mut queue.snapshot) {
            self.worth = 0;
        }
        self.settled = queue.settled;
        (std::mem::take(&mut queue.waiting), queue.next.saturating_sub(1), queue.stop)
    }

    fn commit(&mut self) -> io::Result<()> {
        if self.durability == Durability::Sync {
            // Bytes first: a record must not tell of what is not there.
            self.extents.sync()?;
        }
        let grown = !self.owed.is_empty();
        if grown {
            self.file.append(&self.owed, &self.medium)?;
            self.owed.clear();
        }
        let sync = self.durability == Durability::Sync;
        if sync {
            self.medium.sync(&self.file.file)?;
        }
        if grown {
            let LogFile { generation, length, .. } = self.file;
            let reached = self.folder.reached(&self.medium, |reach| {
                let before = if reach.log == generation { reach.synced } else { 0 };
                (reach.log, reach.written, reach.synced) = (generation, length, if sync { length } else { before });
            });
            // The marker says less then than there is: that refuses nothing.
            _ = reached.inspect_err(|error| tracing::debug!("the marker could not be written: {error}"));
        }
        Ok(())
    }

    /// Notes that the log ends here.
    fn close(&mut self) -> io::Result<()> {
        self.extents.sync()?;
        self.folder.sync()?;
        self.medium.sync(&self.file.file)?;
        let LogFile { generation, length, .. } = self.file;
        self.folder.reached(&self.medium, |reach| {
            (reach.log, reach.written, reach.synced, reach.closed) = (generation, length, length, true);
        })?;
        self.folder.sync_marker(&self.medium)
    }

    /// Begins a snapshot when the log has become long.
    fn consider_a_snapshot(&mut self) {
        if self.snapshot.as_ref().is_some_and(JoinHandle::is_finished) {
            match self.snapshot.take().map(JoinHandle::join) {
                Some(Ok(Ok(length))) => (self.worth, self.behind) = (length.max(WORTH_A_SNAPSHOT), 0),
                Some(Ok(Err(error))) => {
                    tracing::warn!("no snapshot could be written: {error}; the log grows on");
                    self.try_later();
                }
                _ => self.try_later(),
            }
        }
        if self.settled
            && self.snapshot.is_none()
            && self.behind + self.file.length >= self.worth
            && self.owed.is_empty()
            && let Err(error) = self.begin_snapshot()
        {
            tracing::warn!("no snapshot could be begun: {error}; the log grows on");
            self.try_later();
        }
    }

    /// Has the log grow by as much again as is worth a snapshot before the next one is tried.
    fn try_later(&mut self) {
        self.worth = self.behind + self.file.length + WORTH_A_SNAPSHOT;
    }

    fn begin_snapshot(&mut self) -> io::Result<()> {
        // What the next log builds on has to be there whatever happens.
        self.extents.sync()?;
        self.medium.sync(&self.file.file)?;
        let generation = self.file.generation + 1;
        let begin = || {
            let file = LogFile::open(&self.folder, &self.medium, generation, 0, self.written + 1)?;
            self.medium.sync(&file.file)?;
            Ok(file)
        };
        let replaced = self.file.length;
        self.file = begin().inspect_err(|_: &io::Error| {
            // Writing goes on in the old one, which must be the last then.
            _ = std::fs::remove_file(self.folder.file(&name(generation)));
        })?;
        self.behind += replaced;
        let length = self.file.length;
        let reached =
            self.folder.reached(&self.medium, |reach| (reach.log, reach.written, reach.synced) = (generation, length, length));
        _ = reached.inspect_err(|error| tracing::debug!("the marker could not be written: {error}"));
        let cells: Vec<_> = self.log.cells.lock().iter().map(|(id, cell)| (*id, cell.clone())).collect();
        let (folder, medium, log) = (self.folder.clone(), self.medium.clone(), self.log.clone());
        let write = move || {
            let length = snapshot::write(&folder, &medium, generation, &log, cells)?;
            snapshot::clear_before(&folder, generation);
            Ok(length)
        };
        self.snapshot = Some(std::thread::Builder::new().name("lazuli-snapshot".to_owned()).spawn(write)?);
        Ok(())
    }
}
