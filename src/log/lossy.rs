//! A stream of lines that a thread of its own writes, so that the caller never waits for the reader.
//!
//! The lines wait in a bounded buffer. While it is full, further lines are dropped and counted, and the count is written as soon as
//! there is room again. `tracing-appender` drops and counts too, but it does not write the count, and at the end it may wait for a
//! stuck reader longer than a server may take to stop.

use parking_lot::{Condvar, Mutex};
use std::io;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// The size of the buffer, in bytes.
const CAPACITY: usize = 1 << 20;

/// A writer of lines that never blocks. Clones write to the same stream.
#[derive(Clone, Debug)]
pub struct LossyWriter(Arc<Stream>);

#[derive(Debug)]
struct Stream {
    waiting: Mutex<Waiting>,
    /// Notified when there is something to write, and when everything is written.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: Vec<u8>,
    /// The lines dropped since the thread last took the buffer.
    dropped: u64,
    /// Whether the thread is writing a buffer.
    writing: bool,
}

/// Formats the line that gives the number of dropped lines.
pub type Notice = fn(u64) -> String;

impl LossyWriter {
    /// Starts the thread that writes to `end`.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn start(name: &str, end: impl Write + Send + 'static, notice: Notice) -> io::Result<LossyWriter> {
        let stream = Arc::new(Stream { waiting: Mutex::default(), changed: Condvar::new() });
        let (writer, name) = (stream.clone(), format!("lazuli-{name}"));
        std::thread::Builder::new().name(name).spawn(move || writer.write_to(end, notice))?;
        Ok(LossyWriter(stream))
    }

    /// Adds a line, which includes its line feed, to the buffer, or drops and counts it if there is no room.
    pub fn send(&self, line: &[u8]) {
        let mut waiting = self.0.waiting.lock();
        if waiting.lines.len() + line.len() > CAPACITY {
            waiting.dropped += 1;
            return;
        }
        waiting.lines.extend_from_slice(line);
        self.0.changed.notify_all();
    }

    /// Waits until every line is written, but at most this long.
    pub fn flush(&self, longest: Duration) {
        let mut waiting = self.0.waiting.lock();
        _ = self.0.changed.wait_while_for(&mut waiting, |waiting| waiting.writing || !waiting.lines.is_empty(), longest);
    }
}

impl Stream {
    /// Writes until the process ends.
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
            // The reader may have closed the other end. The server goes on without it.
            _ = end.write_all(&taken);
        }
    }
}

/// Each call has one line: `tracing-subscriber` writes events whole.
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

    /// A stream that accepts one write at a time, each after a signal of the test.
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
        // The thread is blocked by the first line. These lines wait, and those that do not fit are dropped.
        let line = vec![b'x'; CAPACITY / 4];
        (0..7).for_each(|_| lines.send(&line));
        lines.flush(Duration::from_millis(1));
        go_on.send(()).unwrap();
        go_on.send(()).unwrap();
        lines.flush(LONG);
        let text = String::from_utf8(read.lock().clone()).unwrap();
        assert!(text.starts_with("first\nxx") && text.ends_with("x3 dropped\n"), "{}", text.len());
        assert_eq!(text.len(), CAPACITY + "first\n3 dropped\n".len());
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
