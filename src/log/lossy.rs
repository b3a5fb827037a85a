//! A stream of lines that is written by a thread of its own, so that whoever says a line never waits for its reader.
//!
//! The lines wait in a buffer of bounded size. When it is full because nobody reads the other end, further lines are dropped and
//! counted, and the count is written as soon as there is room again. `tracing-appender` drops and counts too, but it does not write
//! the count, and at the end it may wait longer for a reader who is not there than a server that was told to stop may take.

use parking_lot::{Condvar, Mutex};
use std::io;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// The bytes that may wait for a reader, at most.
const ROOM: usize = 1 << 20;

/// A writer of lines that never blocks. Clones write to the same stream.
#[derive(Clone, Debug)]
pub struct LossyWriter(Arc<Stream>);

#[derive(Debug)]
struct Stream {
    waiting: Mutex<Waiting>,
    /// There is something to write, or everything was written.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: Vec<u8>,
    /// How many lines were dropped since the thread last took the buffer.
    dropped: u64,
    /// Whether the thread is writing what it took.
    writing: bool,
}

/// The line that tells how many lines were dropped.
pub type Notice = fn(u64) -> String;

impl LossyWriter {
    /// Starts the thread that writes to `end`.
    ///
    /// # Errors
    /// As the system says, when there can be no thread.
    pub fn start(name: &str, end: impl Write + Send + 'static, notice: Notice) -> io::Result<LossyWriter> {
        let stream = Arc::new(Stream { waiting: Mutex::default(), changed: Condvar::new() });
        let (writer, name) = (stream.clone(), format!("lazuli-{name}"));
        std::thread::Builder::new().name(name).spawn(move || writer.write_to(end, notice))?;
        Ok(LossyWriter(stream))
    }

    /// Hands over a line with its end, or drops and counts it when there is no room.
    pub fn send(&self, line: &[u8]) {
        let mut waiting = self.0.waiting.lock();
        if waiting.lines.len() + line.len() > ROOM {
            waiting.dropped += 1;
            return;
        }
        waiting.lines.extend_from_slice(line);
        self.0.changed.notify_all();
    }

    /// Waits until every line is written, but no longer than this.
    pub fn flush(&self, longest: Duration) {
        let mut waiting = self.0.waiting.lock();
        _ = self.0.changed.wait_while_for(&mut waiting, |waiting| waiting.writing || !waiting.lines.is_empty(), longest);
    }
}

impl Stream {
    /// Writes for as long as the process runs.
    fn write_to(&self, mut end: impl Write, notice: Notice) {
        let mut taken = Vec::new();
        loop {
            let mut waiting = self.waiting.lock();
            waiting.writing = false;
            self.changed.notify_all();
            self.changed.wait_while(&mut waiting, |waiting| waiting.lines.is_empty());
            taken.clear();
            std::mem::swap(&mut taken, &mut waiting.lines);
            let dropped = std::mem::take(&mut waiting.dropped);
            waiting.writing = true;
            drop(waiting);
            if dropped > 0 {
                taken.extend_from_slice(notice(dropped).as_bytes());
            }
            // Whoever started the server may have gone and closed the other end: that is no reason to end.
            _ = end.write_all(&taken);
        }
    }
}

/// One line a call, as `tracing-subscriber` writes them.
impl Write for LossyWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.send(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    const LONG: Duration = Duration::from_secs(20);

    /// A stream whose reader takes one piece when it is told to.
    struct Reader {
        begun: Sender<()>,
        go_on: Receiver<()>,
        read: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            _ = self.begun.send(());
            _ = self.go_on.recv();
            self.read.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_nobody_reads_are_dropped_and_counted() {
        let (begun, has_begun) = channel();
        let (go_on, goes_on) = channel();
        let read = Arc::new(Mutex::new(Vec::new()));
        let reader = Reader { begun, go_on: goes_on, read: read.clone() };
        let lines = LossyWriter::start("test", reader, |dropped| format!("{dropped} dropped\n")).unwrap();
        lines.send(b"first\n");
        has_begun.recv_timeout(LONG).unwrap();
        // The thread is stuck with the first line: these wait, and what does not fit is dropped.
        let line = vec![b'x'; ROOM / 4];
        (0..7).for_each(|_| lines.send(&line));
        lines.flush(Duration::from_millis(1));
        go_on.send(()).unwrap();
        go_on.send(()).unwrap();
        lines.flush(LONG);
        let text = String::from_utf8(read.lock().clone()).unwrap();
        assert!(text.starts_with("first\nxx") && text.ends_with("x3 dropped\n"), "{}", text.len());
        assert_eq!(text.len(), ROOM + "first\n3 dropped\n".len());
    }

    #[test]
    fn an_end_that_is_closed_stops_nothing() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lines = LossyWriter::start("test", Closed, |_| String::new()).unwrap();
        for _ in 0..3 {
            lines.send(b"line\n");
            lines.flush(LONG);
            assert!(lines.0.waiting.lock().lines.is_empty());
        }
    }
}
