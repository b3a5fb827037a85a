//! The program itself: what it prints, what it refuses, how it ends.

use crate::auth::jwt;
use lazuli::WELL_KNOWN_KEY;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long the program may take for anything.
pub const HANGS: Duration = Duration::from_secs(20);
/// Four free ports.
pub const FREE: [&str; 8] = ["--blob-port", "0", "--queue-port", "0", "--table-port", "0", "--file-port", "0"];

/// The program, running; gone when this is.
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
    fn start(arguments: &[&str]) -> Running {
        Running::start_as(lazuli(), arguments)
    }

    fn start_as(program: &Path, arguments: &[&str]) -> Running {
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
            // Whoever no longer listens has closed the pipe, and that is the test's business.
            read.map(|line| sender.send(line)).take_while(Result::is_ok).for_each(drop);
        });
        Running { child, lines }
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How much of the machine's memory it holds, in bytes.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Ends it as hard as it can be ended.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn line(&self) -> String {
        self.lines.recv_timeout(HANGS).unwrap()
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
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
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

/// Runs to the end: exit code, standard output, standard error.
pub fn run(program: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = command(program, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder of this test's own; gone when this is.
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

#[test]
fn prints_where_it_listens() {
    let running = Running::start(&FREE);
    let ready = running.ready(4);
    // Read before anything is asked: a request's line in the log would come between.
    let connection = running.line();
    for ((line, port), name) in ready.iter().zip(["Blob", "Queue", "Table", "File"]) {
        assert_eq!(*line, format!("Lazuli {name} service is listening at http://127.0.0.1:{port}"));
        assert_ne!(*port, 0);
        assert!(send(*port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"), "{name}");
        // What tools probe for: an answer that is exactly 400.
        let probe = send(*port, "GET /");
        assert!(probe.starts_with("HTTP/1.1 400 "), "{name}: {probe}");
    }
    let url = |at: usize| format!("http://127.0.0.1:{}/devstoreaccount1", ready[at].1);
    let endpoints = format!("BlobEndpoint={};QueueEndpoint={};TableEndpoint={};FileEndpoint={};", url(0), url(1), url(2), url(3));
    let account = format!("DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={WELL_KNOWN_KEY};");
    assert_eq!(connection, format!("Connection string: {account}{endpoints}"));
}

/// Websites get a port, and a line, when they are asked for.
#[test]
fn prints_where_websites_are() {
    let running = Running::start(&[&FREE[..], &["--web-port", "0"]].concat());
    let ready = running.ready(5);
    let (line, port) = &ready[4];
    assert_eq!(*line, format!("Lazuli Web service is listening at http://127.0.0.1:{port}"));
    assert!(send(*port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(send(*port, "GET /").starts_with("HTTP/1.1 404 The requested content does not exist.\r\n"));
    let (code, _, error) = run(lazuli(), &["--blob-port", "0", "--web-port", &ready[0].1.to_string()]);
    assert_eq!(code, 2);
    assert!(error.contains("already in use (--web-port N chooses another)"), "{error}");
}

/// The lines that tools wait for, to the letter, and nothing behind the port.
#[test]
fn speaks_as_azurite() {
    let folder = Folder::new("names");
    let mut running = Running::start_as(
        &folder.link("azurite"),
        &["--silent", "--blobPort", "0", "--queuePort", "0", "--tablePort=0", "--file-port", "0"],
    );
    let mut closing = Vec::new();
    for name in ["Blob", "Queue", "Table"] {
        let ready = running.ready(2);
        let at = format!("at http://127.0.0.1:{}", ready[1].1);
        assert_eq!(ready[0].0, format!("Azurite {name} service is starting {at}"));
        assert_eq!(ready[1].0, format!("Azurite {name} service is successfully listening {at}"));
        assert!(send(ready[1].1, "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"), "{name}");
        closing.extend([format!("Azurite {name} service is closing..."), format!("Azurite {name} service successfully closed")]);
    }
    running.signal("INT");
    let (status, said) = running.end();
    assert_eq!((status.code(), said), (Some(0), closing));

    for (program, flag, name, last) in [
        ("azurite-blob", "--blobPort", "Blob", "successfully listens on http://127.0.0.1:"),
        ("azurite-queue", "--queuePort", "Queue", "successfully listens on http://127.0.0.1:"),
        ("azurite-table", "--tablePort", "Table", "successfully started on 127.0.0.1:"),
    ] {
        let mut running = Running::start_as(&folder.link(program), &["--silent", flag, "0"]);
        let ready = running.ready(3);
        let port = ready[0].1;
        let wanted = [
            format!("Azurite {name} service is starting at http://127.0.0.1:{port}"),
            format!("Azurite {name} service is successfully listening at http://127.0.0.1:{port}"),
            format!("Azurite {name} service {last}{port}"),
        ];
        assert_eq!(ready.into_iter().map(|(line, _)| line).collect::<Vec<_>>(), wanted);
        running.signal("TERM");
        let (status, said) = running.end();
        assert_eq!(status.code(), Some(0), "{program}");
        assert_eq!(
            said,
            [format!("Azurite {name} service is closing..."), format!("Azurite {name} service successfully closed")]
        );
    }
}

/// Scripts that start Azurite look for its exit codes: whatever is wrong, it ends with 1. (An unknown flag ends it with 0 and without a
/// server; a script would go on.)
#[test]
fn fails_as_azurite_does() {
    let folder = Folder::new("failures");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for name in ["azurite", "azurite-blob"] {
        let program = folder.link(name);
        for arguments in [&["--blobPort", port.as_str()][..], &["--colour"], &["--cert", "a.pem"], &["--blobPort", "x"]] {
            let (code, output, error) = run(&program, &[&["--queuePort", "0", "--tablePort", "0"], arguments].concat());
            assert_eq!((code, output.as_str()), (1, ""), "{arguments:?}: {error}");
        }
    }
}

/// What went otherwise than one may think is a line on standard error, and the server runs.
#[test]
fn warnings_are_lines() {
    let folder = Folder::new("warnings");
    let (data, azurite) = (folder.0.join("data"), folder.link("azurite"));
    let data = data.to_str().unwrap();
    let in_memory = "lazuli: data is kept in memory and is lost when the server stops. --location DIR keeps it (Azurite uses the current folder)";
    for (program, arguments, variables, wanted) in [
        (azurite.as_path(), &[][..], &[][..], &[in_memory][..]),
        (&azurite, &["--inMemoryPersistence"], &[], &[]),
        // Nothing was there before, so nothing is told of it.
        (&azurite, &["--location", data], &[], &[]),
        (lazuli(), &[], &[], &[]),
        (
            lazuli(),
            &[],
            &[
                ("LAZULI_BLOB_PROT", "1"),
                ("LAZULI_X", ""),
                ("LAZULI_SERVICE_PORT_BLOB", "1"),
                ("LAZULI_PORT", "tcp://10.0.0.1:10000"),
                ("LAZULI_PORT_10000_TCP_PROTO", "tcp"),
                ("LAZULI_HEALTH", "1"),
                ("LAZULI_SILENT", "1"),
            ],
            &[
                "lazuli: LAZULI_BLOB_PROT is ignored: no flag has this variable; did you mean LAZULI_BLOB_PORT?",
                "lazuli: LAZULI_HEALTH is ignored: no flag has this variable",
                "lazuli: LAZULI_X is ignored: no flag has this variable",
            ],
        ),
        (
            lazuli(),
            &[],
            &[("LAZULI_PORT", "1"), ("LAZULI_PORTS", "tcp://10.0.0.1:10000"), ("LAZULI_PORT_BLOB", "1")],
            &[
                "lazuli: LAZULI_PORT is ignored: no flag has this variable",
                "lazuli: LAZULI_PORTS is ignored: no flag has this variable",
                "lazuli: LAZULI_PORT_BLOB is ignored: no flag has this variable",
            ],
        ),
    ] {
        let mut child = command(program, &[&FREE[..], arguments].concat()).envs(variables.iter().copied()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let last = if program == lazuli() { "Data is kept in " } else { "Table service is successfully listening" };
        let mut line = String::new();
        while !line.contains(last) {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "{arguments:?}");
        }
        let mut errors = child.stderr.take().unwrap();
        let running = Running { child, lines: channel().1 };
        running.signal("TERM");
        let mut said = String::new();
        errors.read_to_string(&mut said).unwrap();
        assert_eq!(said.lines().collect::<Vec<_>>(), wanted, "{arguments:?}");
    }
}

/// Certificates as people have them: what OpenSSL makes without being told a version, and PFX files.
#[test]
fn certificates_of_all_sorts() {
    let folder = Folder::new("certificates");
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let (cert, key, other, pfx, der) = (path("cert.pem"), path("key.pem"), path("other.pem"), path("cert.pfx"), path("cert.crt"));
    std::fs::write(&cert, VERSION_1).unwrap();
    std::fs::write(&key, KEY).unwrap();
    std::fs::write(&other, OTHER_KEY).unwrap();
    std::fs::write(&pfx, "").unwrap();
    let der_of = |text: &str| {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD;
        STANDARD.decode(text.lines().filter(|line| !line.starts_with('-')).collect::<String>()).unwrap()
    };
    std::fs::write(&der, der_of(VERSION_1)).unwrap();

    // Azurite takes no notice of a password beside a key either.
    let words = [&FREE[..], &["--cert", &cert, "--key", &key, "--pwd", "s3cret"]].concat();
    let mut child = command(lazuli(), &words).spawn().unwrap();
    let mut warnings = BufReader::new(child.stderr.take().unwrap());
    let mut warning = String::new();
    warnings.read_line(&mut warning).unwrap();
    assert_eq!(warning, "lazuli: --pwd is ignored: with --key, both files are read as PEM\n");
    warning.clear();
    warnings.read_line(&mut warning).unwrap();
    assert!(warning.contains("cert.pem is an X.509 certificate of version 1, which some clients refuse"), "{warning}");
    let output = child.stdout.take().unwrap();
    let port = BufReader::new(output).lines().next().unwrap().unwrap().rsplit(':').next().unwrap().parse().unwrap();
    let running = Running { child, lines: channel().1 };
    // The test's client cannot check such a certificate, as some clients cannot; the server's own health check does not.
    let port: u16 = port;
    let (code, _, error) = run(lazuli(), &["--health", "--blob-port", &port.to_string(), "--cert", &cert, "--key", &key]);
    assert_eq!(code, 0, "{error}");
    drop(running);

    let convert = format!(
        "openssl pkcs12 -in {pfx} -out {} -nodes, then start with --cert {1} --key {1}",
        path("cert.pem"),
        path("cert.pem")
    );
    let no_pfx = "--pwd is for PFX files, which Lazuli does not read: --cert and --key take PEM files";
    let absent = path("absent.pfx");
    let whole_pfx = path("whole");
    std::fs::write(&whole_pfx, [0x30, 0x82, 1, 0, 2, 1, 3, 0x30]).unwrap();
    for (arguments, said) in [
        (&["--cert", cert.as_str(), "--key", other.as_str()][..], "other.pem is not the key of the certificate in "),
        (&["--cert", &pfx, "--pwd", "s3cret"], &convert),
        (&["--cert", &pfx], &convert),
        (&["--cert", &absent], "absent.pfx cannot be read: No such file or directory"),
        (&["--cert", &absent, "--pwd", "s3cret"], "absent.pfx cannot be read: No such file or directory"),
        (&["--cert", &whole_pfx, "--key", &key], "whole: Lazuli does not read PFX files. Convert it: openssl pkcs12 -in "),
        (&["--cert", &cert, "--key", &whole_pfx], "whole: Lazuli does not read PFX files. Convert it: openssl pkcs12 -in "),
        (&["--pwd", "s3cret"], no_pfx),
        (&["--cert", &der, "--key", &key], "is in DER, not in PEM: openssl x509 -inform der -in "),
    ] {
        let (code, _, error) = run(lazuli(), &[&FREE[..], arguments].concat());
        assert_eq!((code, error.lines().count()), (2, 1), "{error}");
        assert!(error.contains(said) && !error.contains("s3cret"), "{error}");
    }
}

/// A mistake is one line on standard error that names it, and exit code 2.
#[test]
fn mistakes_are_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = Folder::new("mistakes");
    let absent = folder.0.join("absent.pem");
    let absent = absent.to_str().unwrap();
    let theirs = Folder::new("theirs");
    std::fs::write(theirs.0.join("letter"), "dear").unwrap();
    let theirs = theirs.0.to_str().unwrap();
    for (arguments, said) in [
        (&["--blob-port", port.as_str(), "--queue-port", "0", "--table-port", "0", "--file-port", "0"][..], "already in use"),
        (&["--blob-port", "70000"], "is not a port"),
        (&["--blob-port"], "--blob-port"),
        (&["--account", "one:not base64!"], "one"),
        (&["--account", "UPPER"], "UPPER"),
        (&["--colour", "blue"], "--colour"),
        (&["--location", absent, "--durability", "hope"], "is not a durability: process or sync"),
        (&["-l", theirs, "--blob-port", "0"], "files of another program"),
        (&["--oauth", "full"], "\"full\" is not a level: basic or dev"),
        (&["--cert", absent], "--key"),
        (&["--cert", absent, "--key", absent], "cannot be read"),
        (&["--blob-host", "not a host"], "not a host"),
        (&["--blob-host", "192.0.2.1", "--blob-port", "0"], "(--blob-host HOST chooses another address of this machine)"),
        (&["--log-format", "xml"], "\"xml\" is not a format: text or json"),
        (&["--user", "me"], "\"me\" is not a user: owner, UID or UID:GID in numbers"),
        (&["--blob-keep-alive-timeout", "soon"], "soon"),
        (&["--blob-port", "\n"], "is not a port"),
    ] {
        let (code, output, error) = run(lazuli(), arguments);
        assert_eq!((code, output.as_str()), (2, ""), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert!(error.starts_with("lazuli: ") && error.ends_with('\n') && error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn answers_questions_and_ends() {
    let (code, output, error) = run(lazuli(), &["--version"]);
    assert_eq!((code, output.as_str(), error.as_str()), (0, concat!(env!("CARGO_PKG_VERSION"), "\n"), ""));
    let (code, output, error) = run(lazuli(), &["--help"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(output.contains("--blob-port") && output.contains("--account"));
}

#[test]
fn health_is_an_exit_code() {
    let running = Running::start(&FREE);
    let port = running.ports()[0].to_string();
    let (code, output, error) = run(lazuli(), &["--health", "--blob-port", &port]);
    assert_eq!((code, output.as_str(), error.as_str()), (0, "", ""));
    drop(running);
    let (code, output, error) = run(lazuli(), &["--health", "--blob-port", &port]);
    assert_eq!((code, output.as_str()), (1, ""));
    assert!(error.starts_with(&format!("lazuli: no server answers at 127.0.0.1:{port}: ")), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// What answers in a server's place is not taken for one, and is not called absent either.
#[test]
fn health_tells_who_answers_instead() {
    for (answer, said) in [
        (Some("HTTP/1.1 404 Not Found\r\n\r\n"), "answered 404 instead of 200; is it Lazuli?"),
        (Some("HTTP/1.0 503 Service Unavailable\r\n\r\n"), "answered 503 instead of 200; is it Lazuli?"),
        (Some("220 mail.example.test ESMTP\r\n"), "does not answer in HTTP"),
        (None, "did not answer within 5 seconds"),
    ] {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = other.local_addr().unwrap().port();
        let served = std::thread::spawn(move || {
            let mut kept = Vec::new();
            // The second connection, if there is one, asks whether the other scheme does better.
            for _ in 0..if answer.is_some_and(|answer| answer.starts_with("220")) { 2 } else { 1 } {
                let (mut stream, _) = other.accept().unwrap();
                if let Some(answer) = answer {
                    _ = stream.read(&mut [0; 1000]);
                    stream.write_all(answer.as_bytes()).unwrap();
                }
                kept.push(stream);
            }
            kept
        });
        let (code, output, error) = run(lazuli(), &["--health", "--blob-port", &port.to_string()]);
        assert_eq!((code, output.as_str()), (1, ""));
        assert_eq!(error, format!("lazuli: 127.0.0.1:{port} {said}\n"));
        drop(served.join().unwrap());
    }
}

/// Neither an open connection nor half a body holds up the end.
#[test]
fn ends_at_once_when_told() {
    for name in ["TERM", "INT"] {
        let mut running = Running::start(&FREE);
        let port = running.ports()[0];
        let mut idle = TcpStream::connect(("127.0.0.1", port)).unwrap();
        idle.write_all(b"GET /_lazuli/health HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
        let mut first = [0; 15];
        idle.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200 OK");
        let mut half = TcpStream::connect(("127.0.0.1", port)).unwrap();
        half.write_all(
            b"PUT /devstoreaccount1/c/b HTTP/1.1\r\nhost: a\r\nx-ms-blob-type: BlockBlob\r\ncontent-length: 100\r\n\r\nhalf",
        )
        .unwrap();
        running.signal(name);
        let (status, _) = running.end();
        assert_eq!(status.code(), Some(0), "{name}");
        // Whoever was connected learns of it.
        let mut rest = Vec::new();
        idle.set_read_timeout(Some(HANGS)).unwrap();
        assert!(idle.read_to_end(&mut rest).is_ok());
    }
}

/// Whoever started it may go: nobody reading what it prints is no reason to end, nor to fail a request.
#[test]
fn goes_on_when_nobody_listens() {
    let folder = Folder::new("alone");
    for (program, arguments) in [(lazuli().to_owned(), &FREE[..]), (folder.link("azurite-blob"), &FREE[..2])] {
        let mut child = command(&program, arguments).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        output.read_line(&mut first).unwrap();
        drop((output, child.stderr.take()));
        let mut running = Running { child, lines: channel().1 };
        let port = first.trim_end().rsplit(':').next().unwrap().parse().unwrap();
        for _ in 0..3 {
            let answer = send(port, "PUT /devstoreaccount1/c/b?comp=foo");
            assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        }
        running.signal("TERM");
        assert_eq!(running.end().0.code(), Some(0));
    }
}

/// Health is everywhere; the clock and the fresh start only where they were asked for, and whoever asks in vain is told why.
#[test]
fn control_is_asked_for() {
    let running = Running::start(&FREE);
    for port in running.ports() {
        let health = send(port, "GET /_lazuli/health");
        let body: serde_json::Value = serde_json::from_str(health.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!((&body["status"], &body["version"]), (&"ok".into(), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!(body["services"], serde_json::json!(["blob", "queue", "table", "file"]));
        for request in ["POST /_lazuli/clock?seconds=5", "POST /_lazuli/reset", "GET /_lazuli/reset", "GET /_lazuli/other"] {
            let answer = send(port, request);
            assert!(answer.starts_with("HTTP/1.1 404 ") && answer.contains("--control"), "{request}: {answer}");
        }
    }
    drop(running);
    let running = Running::start(&[&FREE[..], &["--control"]].concat());
    for port in running.ports() {
        for (request, status) in [
            ("GET /_lazuli/health", 200),
            ("POST /_lazuli/clock?seconds=5", 200),
            ("POST /_lazuli/clock", 400),
            ("POST /_lazuli/clock?seconds=-5", 400),
            ("POST /_lazuli/clock?seconds=99999999999999999999", 400),
            ("GET /_lazuli/clock?seconds=5", 405),
            ("POST /_lazuli/reset", 200),
            ("POST /_lazuli/reset?clock=keep", 200),
            ("POST /_lazuli/reset?clock=", 400),
            ("GET /_lazuli/reset", 405),
            ("GET /_lazuli/other", 404),
        ] {
            let answer = send(port, request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        }
    }
}

/// Made for these tests, and for nothing else, with `openssl req -x509 -newkey ec`.
pub const CERT: &str = "\
-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUSr7XJxwiohdrylS16rE4CNvK3ykwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MDM1MVoYDzIxMjYxMDI4
MDkwMzUxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT5Hnk0YvNG4NsNo7Z/CWCNm6MyxDA3dIpiWlYCQfAVVmLj2Gt1LpN3
10WmpTGP8lUCvg2L9MX05f/36a5dlW5jo28wbTAdBgNVHQ4EFgQUHftc5Cy0FiZo
HiczuQldSQeSSJ4wHwYDVR0jBBgwFoAUHftc5Cy0FiZoHiczuQldSQeSSJ4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAOUdadSrp14y5pUNr3UY599PdfpimILUzS+h0iNMBiu4AiBs
Ad1/vWsr9W/ncaIIG5K/lZo5nMW3AR0dnDHx9UEOeQ==
-----END CERTIFICATE-----
";
pub const KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqzj2iG/5oxhyWai3
h21JWhu2y0Kd7q3nlKOUf0sK/nmhRANCAAT5Hnk0YvNG4NsNo7Z/CWCNm6MyxDA3
dIpiWlYCQfAVVmLj2Gt1LpN310WmpTGP8lUCvg2L9MX05f/36a5dlW5j
-----END PRIVATE KEY-----
";

/// A certificate of that key as `openssl x509 -req` makes it.
const VERSION_1: &str = "\
-----BEGIN CERTIFICATE-----
MIIBJDCBywIUAQltsKtp/FJAFzuUmlv7IdT4PrIwCgYIKoZIzj0EAwIwFDESMBAG
A1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjA2MDg1NFoYDzIxMjYxMDI5MDYwODU0
WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAT5Hnk0YvNG4NsNo7Z/CWCNm6MyxDA3dIpiWlYCQfAVVmLj2Gt1LpN310WmpTGP
8lUCvg2L9MX05f/36a5dlW5jMAoGCCqGSM49BAMCA0gAMEUCIQDgUX4cr8FGdfTG
U4QKfYx25Kqxe+NHVRxHprRWBvH1JQIgFl5CcWZW9I+NPt92hROj7ZdEMEbsr3IZ
VtV4/M7mJbs=
-----END CERTIFICATE-----
";
const OTHER_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgm9rWKGhTKktSbDGx
jm1vXVYpfrvM/zzLPFqvXGOYUcihRANCAAQh0h1xoqEHSS14iVb07X9tbytotMtq
5cmWJRCELMjINrvPdXXflAjSLaLcswMdExoZ8ITBvEWdix5UMg5ZEFbs
-----END PRIVATE KEY-----
";

/// Takes any certificate, and remembers nothing.
#[derive(Debug)]
struct Trusting(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

#[test]
fn speaks_tls() {
    let folder = Folder::new("tls");
    let (cert, key) = (folder.0.join("cert.pem"), folder.0.join("key.pem"));
    std::fs::write(&cert, CERT).unwrap();
    std::fs::write(&key, KEY).unwrap();
    let pem = ["--cert", cert.to_str().unwrap(), "--key", key.to_str().unwrap()];
    let running = Running::start(&[&FREE[..], &pem].concat());
    let ready = running.ready(4);
    let port = ready[0].1;
    assert_eq!(ready[0].0, format!("Lazuli Blob service is listening at https://127.0.0.1:{port}"));
    assert!(running.line().contains(&format!(";BlobEndpoint=https://127.0.0.1:{port}/devstoreaccount1;")));
    let port_text = port.to_string();
    assert_eq!(run(lazuli(), &[&["--health", "--blob-port", &port_text][..], &pem].concat()).0, 0);

    // Whoever does not speak TLS is cut off, and holds nobody up.
    let mut plain = TcpStream::connect(("127.0.0.1", port)).unwrap();
    plain.set_read_timeout(Some(HANGS)).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut rest = Vec::new();
    _ = plain.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&rest));
    let _silent = TcpStream::connect(("127.0.0.1", port)).unwrap();

    let (answer, protocol) = ask_tls(port, "GET /devstoreaccount1/?comp=list HTTP/1.1\r\nhost: localhost\r\n");
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert_eq!(protocol.as_deref(), Some(&b"http/1.1"[..]));
}

/// Over TLS the strictest takes a token that would do for the service, and none that would not.
#[test]
fn takes_tokens_over_tls() {
    let folder = Folder::new("tokens");
    let (cert, key) = (folder.0.join("cert.pem"), folder.0.join("key.pem"));
    std::fs::write(&cert, CERT).unwrap();
    std::fs::write(&key, KEY).unwrap();
    let pem = ["--cert", cert.to_str().unwrap(), "--key", key.to_str().unwrap()];
    let running = Running::start(&[&FREE[..], &pem, &["--oauth", "basic"]].concat());
    let port = running.ports()[0];
    let (issuer, ours) = ("https://sts.windows.net/t/", "https://storage.azure.com");
    for (token, status) in [
        (jwt::of(jwt::ANN), 200),
        (jwt::bearer(&jwt::claims(ours, issuer, jwt::ANN, 60)), 200),
        (jwt::bearer(&jwt::claims("https://devstoreaccount1.blob.core.windows.net", issuer, jwt::ANN, 60)), 200),
        (jwt::bearer(&jwt::claims("https://devstoreaccount1.queue.core.windows.net", issuer, jwt::ANN, 60)), 401),
        (jwt::bearer(&jwt::claims(ours, "https://example.org/", jwt::ANN, 60)), 401),
        (jwt::bearer(&jwt::claims(ours, issuer, jwt::ANN, -60)), 401),
        (jwt::bearer("{}"), 401),
    ] {
        let head = "GET /devstoreaccount1/?comp=list HTTP/1.1\r\nhost: localhost\r\nx-ms-version: 2021-12-02\r\n";
        let (answer, _) = ask_tls(port, &format!("{head}authorization: {token}\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{token}: {answer}");
        let challenged = answer.contains("www-authenticate: Bearer authorization_uri=https://login.microsoftonline.com/");
        assert_eq!(challenged || answer.contains("WWW-Authenticate: Bearer"), status == 401, "{answer}");
    }
}

/// Sends a head over TLS, and gives what is answered until the connection ends, and the protocol that was agreed on.
fn ask_tls(port: u16, head: &str) -> (String, Option<Vec<u8>>) {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Trusting(provider.signature_verification_algorithms));
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut connection = rustls::ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_read_timeout(Some(HANGS)).unwrap();
    let mut stream = rustls::Stream::new(&mut connection, &mut socket);
    stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    (String::from_utf8_lossy(&answer).into_owned(), connection.alpn_protocol().map(<[u8]>::to_vec))
}

/// Whoever sets CORS rules is told by the debug log which of them did not match by what.
#[test]
fn the_debug_log_tells_why_a_page_is_refused() {
    let running = Running::start(&[&FREE[..], &["--log", "debug"]].concat());
    let port = running.ports()[0];
    let origin = "HTTP/1.1\r\norigin: http://a.example\r\naccess-control-request-method: PUT\r\nx:";
    for (method, said) in [
        ("OPTIONS", "(the service has no CORS rules)"),
        ("GET", "a page of \"http://a.example\" cannot read this answer: the service has no CORS rules"),
    ] {
        send(port, &format!("{method} /devstoreaccount1/a/b {origin}"));
        while !running.line().contains(said) {}
    }
}
