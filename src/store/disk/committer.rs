//! The thread that writes the log, and begins snapshots when the log has become long.
//!
//! It writes all changes in the queue at once, syncs once, and answers all their writers. Changes that the disk refused remain, in
//! order, and are tried again; until they are written new writes are refused, so memory is never further ahead of the disk than by
//! those changes.

use crate::store::disk::extents::Extents;
use crate::store::disk::folder::Folder;
use crate::store::disk::log::{self, Log, LogFile};
use crate::store::disk::medium::Medium;
use crate::store::disk::replay::Replayed;
use crate::store::disk::snapshot;
use crate::store::journal::Committed;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long the committer waits before it retries a failed write.
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// The least size of a log, in bytes, at which a snapshot replaces it.
const WORTH_A_SNAPSHOT: u64 = 64 << 20;

/// When a change counts as durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the operating system has it: it survives the end of the server, however that comes, but not a loss of power.
    #[default]
    Process,
    /// When the disk has it.
    Sync,
}

/// The running committer. Dropping this writes the rest of the queue and ends the thread.
#[derive(Debug)]
pub struct CommitterThread {
    log: Arc<Log>,
    thread: Option<JoinHandle<()>>,
}

impl CommitterThread {
    /// Continues the log that was replayed.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(
        folder: Arc<Folder>,
        medium: Arc<Medium>,
        extents: Arc<Extents>,
        durability: Durability,
        found: &Replayed,
    ) -> io::Result<CommitterThread> {
        let file = LogFile::open(&folder, &medium, found.generation, found.length, found.next)?;
        folder.begin(&medium, found.generation, file.length)?;
        // Without this, after a loss of power the marker could still state that the previous server ended properly.
        folder.sync_marker(&medium)?;
        let written = found.next.saturating_sub(1);
        extents.appended.store(written, Ordering::SeqCst);
        let log = Arc::new(Log::new(extents.clone(), found.next, found.next_cell));
        let committer = Committer {
            log: log.clone(),
            folder,
            medium,
            extents,
            durability,
            file,
            snapshot_at: found.snapshot.max(WORTH_A_SNAPSHOT),
            behind: found.logs.iter().rev().skip(1).map(|(_, length, _)| length).sum(),
            written,
            unwritten: Vec::new(),
            settled: false,
            snapshot: None,
        };
        let thread = std::thread::Builder::new().name("lazuli-log".to_owned()).spawn(move || committer.run())?;
        Ok(CommitterThread { log, thread: Some(thread) })
    }

    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }
}

impl Drop for CommitterThread {
    fn drop(&mut self) {
        self.log.queue.lock().stop = true;
        self.log.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Committer {
    log: Arc<Log>,
    folder: Arc<Folder>,
    medium: Arc<Medium>,
    extents: Arc<Extents>,
    durability: Durability,
    file: LogFile,
    /// The size in bytes of the logs since the last snapshot at which the next one begins.
    snapshot_at: u64,
    /// How many bytes the logs before this one have that no snapshot has replaced.
    behind: u64,
    /// The number of the last frame that is written.
    written: u64,
    /// Frames that the disk refused.
    unwritten: Vec<u8>,
    settled: bool,
    /// The thread that writes a snapshot, and returns its length in bytes.
    snapshot: Option<JoinHandle<io::Result<u64>>>,
}

/// What the committer took from the queue, beside the frames.
struct Batch {
    waiting: Vec<oneshot::Sender<Committed>>,
    /// The number of the last frame.
    last: u64,
    stop: bool,
}

impl Committer {
    fn run(mut self) {
        loop {
            let Batch { waiting, last, stop } = self.next_batch();
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
            // A writer whose client has disconnected no longer waits.
            waiting.into_iter().for_each(|sender| _ = sender.send(outcome.clone()));
            if outcome.is_ok() {
                // After the answers, so that no writer waits for the thread that this wakes.
                self.extents.pending().set_durable(last);
            }
            if stop {
                if outcome.is_ok()
                    && let Err(error) = self.close()
                {
                    tracing::warn!("the end of the log could not be made safe: {error}");
                }
                // The thread of the snapshot sees that the server is stopping, and ends.
                _ = self.snapshot.take().map(JoinHandle::join);
                return;
            }
            self.consider_a_snapshot();
        }
    }

    /// Waits until there is something to do, and empties the queue.
    fn next_batch(&mut self) -> Batch {
        let mut queue = self.log.queue.lock();
        while queue.frames.is_empty() && !queue.stop && !(queue.snapshot && queue.settled) {
            if self.unwritten.is_empty() {
                self.log.wake.wait(&mut queue);
            } else if self.log.wake.wait_for(&mut queue, RETRY_DELAY).timed_out() {
                break;
            }
        }
        if self.unwritten.is_empty() {
            std::mem::swap(&mut self.unwritten, &mut queue.frames);
        } else {
            self.unwritten.append(&mut queue.frames);
        }
        if queue.settled && std::mem::take(&mut queue.snapshot) {
            self.snapshot_at = 0;
        }
        self.settled = queue.settled;
        Batch { waiting: std::mem::take(&mut queue.waiting), last: queue.next.saturating_sub(1), stop: queue.stop }
    }

    fn commit(&mut self) -> io::Result<()> {
        let sync = self.durability == Durability::Sync;
        if sync {
            // Contents first: a record must not name bytes that are not there.
            self.extents.sync()?;
        }
        let has_grown = !self.unwritten.is_empty();
        if has_grown {
            self.file.append(&self.unwritten, &self.medium)?;
            self.unwritten.clear();
        }
        if sync {
            self.medium.sync(&self.file.file)?;
        }
        if has_grown {
            self.update_marker(sync);
        }
        Ok(())
    }

    /// Writes the position of the log to the marker. If that fails, the marker states less than there is, which refuses nothing.
    fn update_marker(&self, synced: bool) {
        let LogFile { generation, length, .. } = self.file;
        let updated = self.folder.update_position(&self.medium, |position| {
            let before = if position.log == generation { position.synced } else { 0 };
            (position.log, position.written, position.synced) = (generation, length, if synced { length } else { before });
        });
        _ = updated.inspect_err(|error| tracing::debug!("the marker could not be written: {error}"));
    }

    /// Syncs everything and marks the log as complete.
    fn close(&mut self) -> io::Result<()> {
        self.extents.sync()?;
        self.folder.sync()?;
        self.medium.sync(&self.file.file)?;
        let LogFile { generation, length, .. } = self.file;
        self.folder.update_position(&self.medium, |position| {
            (position.log, position.written, position.synced, position.closed) = (generation, length, length, true);
        })?;
        self.folder.sync_marker(&self.medium)
    }

    /// Begins a snapshot when the log has become long.
    fn consider_a_snapshot(&mut self) {
        if self.snapshot.as_ref().is_some_and(JoinHandle::is_finished) {
            match self.snapshot.take().map(JoinHandle::join) {
                Some(Ok(Ok(length))) => (self.snapshot_at, self.behind) = (length.max(WORTH_A_SNAPSHOT), 0),
                Some(Ok(Err(error))) => {
                    tracing::warn!("no snapshot could be written: {error}; the log grows on");
                    self.postpone_snapshot();
                }
                _ => self.postpone_snapshot(),
            }
        }
        if self.settled
            && self.snapshot.is_none()
            && self.behind + self.file.length >= self.snapshot_at
            && self.unwritten.is_empty()
            && let Err(error) = self.begin_snapshot()
        {
            tracing::warn!("no snapshot could be begun: {error}; the log grows on");
            self.postpone_snapshot();
        }
    }

    /// Tries the next snapshot after the log has grown by as much again.
    fn postpone_snapshot(&mut self) {
        self.snapshot_at = self.behind + self.file.length + WORTH_A_SNAPSHOT;
    }

    fn begin_snapshot(&mut self) -> io::Result<()> {
        // The next log continues this one, which must therefore be on the disk.
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
            // Writing continues in the old log, which must be the last one then.
            _ = std::fs::remove_file(self.folder.file(&log::name(generation)));
        })?;
        self.behind += replaced;
        self.update_marker(true);
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
