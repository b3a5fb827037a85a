//! The duration of renaming a directory and of taking a snapshot of its share, by the number of files below it. Neither may grow with
//! that number. `cargo bench --bench rename [-- FILES...]`, by default with up to a million.

#![allow(clippy::print_stdout, reason = "it prints what it measured")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use lazuli::{Emulator, ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use std::error::Error;
use std::fmt::Write;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The number of concurrent requests.
const AT_ONCE: usize = 256;
/// Files in a directory below the one that is renamed.
const IN_ONE: usize = 1000;

/// A connection to a share's server, with a signature that may do everything.
struct Client {
    stream: TcpStream,
    sas: String,
}

impl Client {
    async fn open(port: u16) -> Outcome<Client> {
        let fields = "sp=rwdlc&ss=f&srt=sco&st=&se=2099-01-01T00:00:00Z&sip=&spr=&sv=2019-12-12";
        let lines: String =
            fields.split('&').filter_map(|pair| pair.split_once('=')).fold(String::new(), |text, (_, value)| text + value + "\n");
        let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(WELL_KNOWN_KEY)?)?;
        mac.update(format!("{WELL_KNOWN_ACCOUNT}\n{lines}").as_bytes());
        let signature = STANDARD.encode(mac.finalize().into_bytes());
        let sas = format!(
            "sp=rwdlc&ss=f&srt=sco&se=2099-01-01T00:00:00Z&sv=2019-12-12&sig={}",
            utf8_percent_encode(&signature, NON_ALPHANUMERIC)
        );
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Client { stream, sas })
    }

    /// Sends these, one after another without waiting, and takes in their answers; each has to succeed.
    async fn put(&mut self, targets: &[(String, String)]) -> Outcome<()> {
        for some in targets.chunks(AT_ONCE) {
            let mut text = String::new();
            for (target, headers) in some {
                let mark = if target.contains('?') { '&' } else { '?' };
                write!(
                    text,
                    "PUT /{WELL_KNOWN_ACCOUNT}{target}{mark}{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nx-ms-version: 2021-12-02\r\n{headers}\r\n",
                    self.sas
                )?;
            }
            self.stream.write_all(text.as_bytes()).await?;
            let (mut answers, mut piece) = (Vec::new(), [0; 1 << 16]);
            while answers.windows(4).filter(|end| end == b"\r\n\r\n").count() < some.len() {
                match self.stream.read(&mut piece).await? {
                    0 => return Err("the server closed the connection".into()),
                    count => answers.extend_from_slice(&piece[..count]),
                }
            }
            let said = String::from_utf8_lossy(&answers);
            if said.matches("HTTP/1.1 20").count() != some.len() {
                return Err(said.into_owned().into());
            }
        }
        Ok(())
    }

    async fn one(&mut self, target: &str, headers: &str) -> Outcome<Duration> {
        #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
        let begun = Instant::now();
        self.put(&[(target.to_owned(), headers.to_owned())]).await?;
        Ok(begun.elapsed())
    }
}

/// Fills a share, and renames the directory that everything is in; how long that took, and a snapshot afterwards.
async fn measure(client: &mut Client, share: &str, files: usize) -> Outcome<(Duration, Duration)> {
    client.one(&format!("/{share}?restype=share"), "").await?;
    client.one(&format!("/{share}/from?restype=directory"), "").await?;
    let folders = (0..files.div_ceil(IN_ONE)).map(|at| (format!("/{share}/from/{at}?restype=directory"), String::new()));
    client.put(&folders.collect::<Vec<_>>()).await?;
    for some in (0..files).collect::<Vec<_>>().chunks(AT_ONCE) {
        let header = "x-ms-type: file\r\nx-ms-content-length: 0\r\n";
        let made = some.iter().map(|at| (format!("/{share}/from/{}/{at}", at / IN_ONE), header.to_owned()));
        client.put(&made.collect::<Vec<_>>()).await?;
    }
    let source = format!("x-ms-file-rename-source: /{WELL_KNOWN_ACCOUNT}/{share}/from\r\n");
    let source = source.replace("\r\n", &format!("?{}\r\n", client.sas));
    let renamed = client.one(&format!("/{share}/to?restype=directory&comp=rename"), &source).await?;
    let snapshot = client.one(&format!("/{share}?restype=share&comp=snapshot"), "").await?;
    Ok((renamed, snapshot))
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let requested: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let sizes = if requested.is_empty() { vec![1, 1_000, 1_000_000] } else { requested };
    let server = Emulator::builder().seed(7).start().await?;
    let files = server.addresses().iter().find(|address| address.kind == ServiceKind::File).ok_or("no port for files")?;
    let mut client = Client::open(files.port).await?;
    println!("{:>9} files   rename      snapshot", "");
    for size in sizes {
        let (renamed, snapshot) = measure(&mut client, &format!("s{size}-bench"), size).await?;
        println!("{size:>9}         {renamed:>9.2?}   {snapshot:>9.2?}");
    }
    Ok(())
}
