//! The end of the program.

use crate::process::{FREE, Folder, HANGS, Running, command, lazuli, send};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Neither an open connection nor half a body delays the end.
#[test]
fn a_signal_ends_the_server_at_once() {
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
        // Open connections are closed.
        let mut rest = Vec::new();
        idle.set_read_timeout(Some(HANGS)).unwrap();
        assert!(idle.read_to_end(&mut rest).is_ok());
    }
}

/// With `--stop-with-stdin`, the end of a parent that holds a pipe to standard input is the end of the server.
#[test]
fn stops_when_standard_input_is_closed() {
    let mut start = command(lazuli(), &[&FREE[..], &["--stop-with-stdin"]].concat());
    let mut child = start.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut parent = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let ready = output.lines().map_while(Result::ok).find(|line| line.contains("Blob service is listening")).unwrap();
    let mut running = Running::of(child);
    let port = ready.rsplit(':').next().unwrap().parse().unwrap();
    parent.write_all(b"what standard input holds is ignored\n").unwrap();
    assert!(send(port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"));
    drop(parent);
    assert_eq!(running.end().0.code(), Some(0));
}

/// Closed output streams neither end the server nor fail a request.
#[test]
fn goes_on_when_nobody_listens() {
    let folder = Folder::new("alone");
    for (program, arguments) in [(lazuli().to_owned(), &FREE[..]), (folder.link("azurite-blob"), &FREE[..2])] {
        let mut child = command(&program, arguments).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        output.read_line(&mut first).unwrap();
        drop((output, child.stderr.take()));
        let mut running = Running::of(child);
        let port = first.trim_end().rsplit(':').next().unwrap().parse().unwrap();
        for _ in 0..3 {
            let answer = send(port, "PUT /devstoreaccount1/c/b?comp=foo");
            assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        }
        running.signal("TERM");
        assert_eq!(running.end().0.code(), Some(0));
    }
}
