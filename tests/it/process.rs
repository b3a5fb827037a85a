//! The program as a process: it is started, read, signalled and stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long the program may take for anything.
pub const HANGS: Duration = Duration::from_secs(20);
/// Four free ports.
pub const FREE: [&str; 8] = ["--blob-port", "0", "--queue-port", "0", "--table-port", "0", "--file-port", "0"];

/// The running program. It is killed on drop.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

pub fn command(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn lazuli() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lazuli"))
}

impl Running {
    pub fn start(arguments: &[&str]) -> Running {
        Running::start_as(lazuli(), arguments)
    }

    pub fn start_as(program: &Path, arguments: &[&str]) -> Running {
        Running::started(&mut command(program, arguments))
    }

    /// With these variables, and no others.
    pub fn start_in(arguments: &[&str], variables: &[(&str, &str)]) -> Running {
        Running::started(command(lazuli(), arguments).envs(variables.iter().copied()))
    }

    pub fn started(command: &mut Command) -> Running {
        let mut child = command.spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            // A test that ends drops the receiver.
            read.map(|line| sender.send(line)).take_while(Result::is_ok).for_each(drop);
        });
        Running { child, lines }
    }

    /// A process whose output the test has read itself, or does not read.
    pub fn of(child: Child) -> Running {
        Running { child, lines: channel().1 }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How much of the machine's memory it holds, in bytes.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn line(&self) -> String {
        self.lines.recv_timeout(HANGS).unwrap()
    }

    /// Waits for a line with this text.
    pub fn logs(&self, text: &str) -> bool {
        std::iter::repeat_with(|| self.line()).any(|line| line.contains(text))
    }

    /// The ports of the ready lines, with the lines.
    pub fn ready(&self, lines: usize) -> Vec<(String, u16)> {
        let lines = (0..lines).map(|_| self.line());
        let port = |line: String| {
            let port = line.rsplit(':').next().unwrap().parse().unwrap();
            (line, port)
        };
        lines.map(port).collect()
    }

    /// The ports of Blob, Queue, Table and File; the connection string is read too.
    pub fn ports(&self) -> Vec<u16> {
        let ports = self.ready(4).into_iter().map(|(_, port)| port).collect();
        assert!(self.line().starts_with("Connection string: "));
        ports
    }

    pub fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Waits for the end: its status, and what it printed since.
    pub fn end(&mut self) -> (ExitStatus, Vec<String>) {
        let mut said = Vec::new();
        loop {
            match self.lines.recv_timeout(HANGS) {
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Disconnected) => return (self.child.wait().unwrap(), said),
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {said:?}"),
            }
        }
    }
}

/// Sends a signal to a process.
pub fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Runs to the end: exit code, standard output, standard error.
pub fn run(program: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = command(program, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder of this test. It is deleted on drop.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("lazuli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// A link to the program under another name.
    pub fn link(&self, name: &str) -> PathBuf {
        let link = self.0.join(name);
        std::os::unix::fs::symlink(lazuli(), &link).unwrap();
        link
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Sends a request on a connection of its own and reads the answer to the end.
pub fn send(port: u16, head: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(HANGS)).unwrap();
    write!(stream, "{head} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
