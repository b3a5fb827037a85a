//! The cost of storing data on disk: blobs and entities that are written in a second, in memory and with each durability; how long a
//! server with many of them takes to start; and how much reclaiming space delays other requests. `cargo bench --bench disk [-- COUNT]`
//! measures with COUNT of each, by default a million. `cargo bench --bench disk -- space` measures only the last.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measurement reads the clock, creates a folder, and prints its results"
)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use lazuli::{Config, Emulator, ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::error::Error;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

type Outcome<T> = Result<T, Box<dyn Error>>;

const COUNT: usize = 1_000_000;
/// How many of them are timed.
const TIMED: usize = 50_000;
/// Concurrent clients, each of which waits for a response before its next request.
const CLIENTS: usize = 64;
/// Bytes of a blob.
const SIZE: usize = 1000;
/// Blobs of a container that is deleted, and the bytes of each.
const DELETED: (usize, usize) = (200_000, 1024);
/// Blobs that are overwritten, and the bytes of each.
const OVERWRITTEN: (usize, usize) = (20_000, 5000);
/// For how long messages are put, alone and after a container was deleted.
const AFTER: Duration = Duration::from_secs(15);
/// Entities of a partition.
const PARTITION: usize = 100;
const KINDS: [ServiceKind; 2] = [ServiceKind::Blob, ServiceKind::Table];

/// A folder that is deleted when the measurement ends.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        Place(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-disk-{}-{name}", std::process::id())))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server with these arguments, and the seconds until it was ready.
async fn start(arguments: &[OsString]) -> Outcome<(Emulator, f64)> {
    let ports = ["--blob-port=0", "--queue-port=0", "--table-port=0", "--file-port=0"].map(OsString::from);
    let config = Config::from_arguments(ports.iter().chain(arguments))?;
    let begun = Instant::now();
    let emulator = Emulator::builder().config(config).start().await?;
    Ok((emulator, begun.elapsed().as_secs_f64()))
}

/// Whether these bytes are a response to its end: its head, and as many bytes as its Content-Length says or the last chunk.
fn is_whole(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    match length {
        Some(length) => answer.len() - end - 4 >= length,
        None => !head.contains("\r\ntransfer-encoding: chunked") || answer.ends_with(b"\r\n0\r\n\r\n"),
    }
}

/// A connection to a service, with a signature that may do everything.
struct Client {
    stream: TcpStream,
    sas: String,
}

impl Client {
    async fn open(emulator: &Emulator, kind: ServiceKind) -> Outcome<Client> {
        let address = emulator.addresses().iter().find(|address| address.kind == kind).ok_or("no such service")?;
        let fields = [WELL_KNOWN_ACCOUNT, "rwdlacup", "bqt", "sco", "", "2100-01-01", "", "", "2019-02-02", ""].join("\n");
        let mac = Hmac::<sha2::Sha256>::new_from_slice(&STANDARD.decode(WELL_KNOWN_KEY)?)?.chain_update(fields.as_bytes());
        let signature = STANDARD.encode(mac.finalize().into_bytes());
        let signature = utf8_percent_encode(&signature, NON_ALPHANUMERIC);
        let stream = TcpStream::connect(("127.0.0.1", address.port)).await?;
        stream.set_nodelay(true)?;
        Ok(Client { stream, sas: format!("sv=2019-02-02&ss=bqt&srt=sco&sp=rwdlacup&se=2100-01-01&sig={signature}") })
    }

    /// Sends a request that has to succeed, and reads the whole response.
    async fn request(&mut self, line: &str, headers: &str, body: &str) -> Outcome<()> {
        let (method, target) = line.split_once(' ').ok_or("no method")?;
        let (mark, sas, length) = (if target.contains('?') { '&' } else { '?' }, &self.sas, body.len());
        let request = format!(
            "{method} /{WELL_KNOWN_ACCOUNT}{target}{mark}{sas} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\
             x-ms-version: 2021-12-02\r\n{headers}\r\n{body}"
        );
        self.stream.write_all(request.as_bytes()).await?;
        let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
        while !is_whole(&answer) {
            match self.stream.read(&mut piece).await? {
                0 => return Err("the server closed the connection".into()),
                count => answer.extend_from_slice(&piece[..count]),
            }
            if !answer.starts_with(b"HTTP/1.1 20") {
                return Err(format!("{line}: {}", String::from_utf8_lossy(&answer)).into());
            }
        }
        Ok(())
    }

    /// Creates the container and the table.
    async fn make(&mut self, kind: ServiceKind) -> Outcome<()> {
        match kind {
            ServiceKind::Blob => self.request("PUT /box?restype=container", "", "").await,
            _ => {
                let headers = "Content-Type: application/json\r\nAccept: application/json\r\nPrefer: return-no-content\r\n";
                self.request("POST /Tables", headers, r#"{"TableName":"people"}"#).await
            }
        }
    }

    /// Puts the blob or the entity of this number; `more` are headers.
    async fn put(&mut self, kind: ServiceKind, number: usize, more: &str) -> Outcome<()> {
        match kind {
            ServiceKind::Blob => {
                let body = format!("{number:010}").repeat(SIZE / 10);
                self.request(&format!("PUT /box/{number:07}"), &format!("x-ms-blob-type: BlockBlob\r\n{more}"), &body).await
            }
            _ => {
                let (partition, row) = (number / PARTITION, number % PARTITION);
                let line = format!("PUT /people(PartitionKey='p{partition:06}',RowKey='{row:03}')");
                let headers = format!("Content-Type: application/json\r\nAccept: application/json\r\n{more}");
                self.request(&line, &headers, &format!(r#"{{"age":{row},"name":"someone"}}"#)).await
            }
        }
    }
}

/// Puts the blobs or entities of these numbers; how many in a second.
async fn fill(emulator: &Emulator, kind: ServiceKind, numbers: Range<usize>) -> Outcome<f64> {
    let (begun, count) = (Instant::now(), numbers.len());
    let clients = (0..CLIENTS).map(async |at| {
        let mut client = Client::open(emulator, kind).await?;
        for number in numbers.clone().skip(at).step_by(CLIENTS) {
            client.put(kind, number, "").await?;
        }
        Outcome::Ok(())
    });
    futures::future::try_join_all(clients).await?;
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// Puts so many blobs of a size into a container; how many in a second.
async fn put_blobs(emulator: &Emulator, container: &str, (count, size): (usize, usize)) -> Outcome<f64> {
    let (begun, body) = (Instant::now(), "0123456789".repeat(size.div_ceil(10)));
    let clients = (0..CLIENTS).map(async |at| {
        let mut client = Client::open(emulator, ServiceKind::Blob).await?;
        for number in (at..count).step_by(CLIENTS) {
            client.request(&format!("PUT /{container}/{number:07}"), "x-ms-blob-type: BlockBlob\r\n", &body[..size]).await?;
        }
        Outcome::Ok(())
    });
    futures::future::try_join_all(clients).await?;
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// Puts messages one after the other; returns their sorted durations.
async fn put_messages(queue: &mut Client) -> Outcome<Vec<Duration>> {
    let (begun, mut waits) = (Instant::now(), Vec::new());
    while begun.elapsed() < AFTER {
        let sent = Instant::now();
        queue.request("POST /work/messages", "", "<QueueMessage><MessageText>work</MessageText></QueueMessage>").await?;
        waits.push(sent.elapsed());
    }
    waits.sort_unstable();
    Ok(waits)
}

/// How long others wait while space is given back.
async fn space() -> Outcome<()> {
    let place = Place::new("space");
    let (emulator, _) = start(&["--location".into(), place.0.clone().into_os_string()]).await?;
    let mut blobs = Client::open(&emulator, ServiceKind::Blob).await?;
    for container in ["deleted", "over"] {
        blobs.request(&format!("PUT /{container}?restype=container"), "", "").await?;
    }
    put_blobs(&emulator, "deleted", DELETED).await?;
    for entry in std::fs::read_dir(&place.0)? {
        std::fs::File::open(entry?.path())?.sync_all()?;
    }
    let mut queue = Client::open(&emulator, ServiceKind::Queue).await?;
    queue.request("PUT /work", "", "").await?;
    let idle = put_messages(&mut queue).await?;
    // A new connection: the first one was idle for too long.
    let mut blobs = Client::open(&emulator, ServiceKind::Blob).await?;
    let deleting = blobs.request("DELETE /deleted?restype=container", "", "");
    let ((), busy) = futures::future::try_join(deleting, put_messages(&mut queue)).await?;
    println!("\n| messages are put | in {} s | half in | 99 % in | all in |\n|---|---|---|---|---|", AFTER.as_secs());
    let deleted = format!("while a container of {} blobs of {} bytes is deleted", DELETED.0, DELETED.1);
    for (when, waits) in [("alone", idle), (&deleted, busy)] {
        let at =
            |share: usize| waits.get(waits.len() * share / 100).or(waits.last()).map_or(0.0, |wait| wait.as_secs_f64() * 1e3);
        println!("| {when} | {} | {:.2} ms | {:.2} ms | {:.1} ms |", waits.len(), at(50), at(99), at(100));
    }
    let (anew, over) = (put_blobs(&emulator, "over", OVERWRITTEN).await?, put_blobs(&emulator, "over", OVERWRITTEN).await?);
    println!(
        "\nBlobs of {} bytes: {anew:.0} a second were put anew and {over:.0} over others, {:.2} as many.",
        OVERWRITTEN.1,
        over / anew
    );
    Ok(())
}

/// The rates of blobs and entities, as a row.
async fn rates(emulator: &Emulator, name: &str, count: usize) -> Outcome<()> {
    let mut rates = Vec::new();
    for kind in KINDS {
        Client::open(emulator, kind).await?.make(kind).await?;
        rates.push(fill(emulator, kind, 0..count).await?);
    }
    println!("| {name} | {:.0} | {:.0} |", rates[0], rates[1]);
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    if std::env::args().any(|word| word == "space") {
        return space().await;
    }
    let count = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(COUNT).max(1);
    let timed = TIMED.min(count);
    println!("| durability | blobs of {SIZE} bytes a second | entities a second |\n|---|---|---|");
    rates(&start(&[]).await?.0, "in memory", timed).await?;
    for durability in ["sync", "process"] {
        let place = Place::new(durability);
        let arguments = ["--durability".into(), durability.into(), "--location".into(), place.0.clone().into_os_string()];
        let (emulator, _) = start(&arguments).await?;
        rates(&emulator, durability, timed).await?;
        if durability == "process" {
            for kind in KINDS {
                fill(&emulator, kind, timed..count).await?;
            }
            emulator.stop().await;
            let (emulator, seconds) = start(&arguments).await?;
            println!("\nA start over {count} blobs and {count} entities took {seconds:.2} s.");
            for kind in KINDS {
                // It has to be there to be written over.
                Client::open(&emulator, kind).await?.put(kind, count - 1, "If-Match: *\r\n").await?;
            }
        }
    }
    space().await
}
