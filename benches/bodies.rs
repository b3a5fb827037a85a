//! The processor time of large bodies, in the program and in the system, for each 100 MB of Put Block.
//!
//! `cargo bench --bench bodies` starts the program and uploads bodies of several sizes over one connection. Most of the time is
//! the system's: it clears each page of memory at its first use. «new» uploads different blocks, which are all stored, «again» the same
//! block repeatedly, whose memory is reused. Linux only: the times are those of `/proc`, in steps of 10 ms.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement reads the system's files, prints its results, and ends if something fails"
)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use lazuli::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The bytes that a measurement uploads.
const TOTAL: usize = 400_000_000;

fn main() {
    let ports = ["--blob-port=0", "--queue-port=0", "--table-port=0", "--file-port=0", "--silent"];
    let mut server = Command::new(env!("CARGO_BIN_EXE_lazuli")).args(ports).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let port: u16 = ready.trim().rsplit(':').next().unwrap().parse().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    put(&mut stream, "/bench?restype=container", &[]);
    for size in [1_000_000, 8_000_000, 50_000_000, 200_000_000] {
        let body = vec![b'x'; size];
        for kept in [true, false] {
            let before = spent(&server);
            for n in 0..TOTAL / size {
                let id = STANDARD.encode(format!("{:06}", if kept { n } else { 0 })).replace('=', "%3D");
                put(&mut stream, &format!("/bench/{size}-{kept}?comp=block&blockid={id}"), &body);
            }
            let after = spent(&server);
            let each = |at: usize| (after[at] - before[at]) * 100_000_000 / TOTAL as u64;
            let what = if kept { "new" } else { "again" };
            println!("{:4} MB {what:6} user {:4} ms, system {:4} ms for 100 MB", size / 1_000_000, each(0), each(1));
        }
    }
    server.kill().unwrap();
    server.wait().unwrap();
}

/// The processor time that the server has taken so far in the program and in the system, in milliseconds.
fn spent(server: &Child) -> [u64; 2] {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    [11, 12].map(|at| fields[at].parse::<u64>().unwrap() * 10)
}

fn put(stream: &mut TcpStream, target: &str, body: &[u8]) {
    let head = format!(
        "PUT /{WELL_KNOWN_ACCOUNT}{target}&{} HTTP/1.1\r\nhost: localhost\r\nx-ms-version: 2021-12-02\r\ncontent-length: {}\r\n\r\n",
        sas(),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.extend(byte);
    }
    assert!(answer.starts_with(b"HTTP/1.1 201 "), "{target}: {}", String::from_utf8_lossy(&answer));
}

/// The query of an account SAS that permits everything.
fn sas() -> String {
    let (start, expiry) = ("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z");
    let fields = [WELL_KNOWN_ACCOUNT, "rwdlacup", "b", "sco", start, expiry, "", "", "2020-04-08", ""];
    let mac = Hmac::<sha2::Sha256>::new_from_slice(&STANDARD.decode(WELL_KNOWN_KEY).unwrap()).unwrap();
    let signature = STANDARD.encode(mac.chain_update(fields.join("\n")).finalize().into_bytes());
    let signature = signature.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("sv=2020-04-08&ss=b&srt=sco&sp=rwdlacup&st={start}&se={expiry}&sig={signature}")
}
