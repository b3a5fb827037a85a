//! The log of a running server: as text and as JSON, on the streams and in a file. The server never waits for a reader.

use crate::auth::token;
use crate::process::{FREE, Folder, HANGS, Running, command, run, send};
use crate::startup::{CERT, KEY};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

fn lazuli() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lazuli"))
}

fn start(arguments: &[&str]) -> Running {
    Running::started(&mut command(lazuli(), &[&FREE[..], arguments].concat()))
}

/// The first line that has this text in it.
fn line_with(running: &Running, text: &str) -> String {
    loop {
        let line = running.line();
        if line.contains(text) {
            return line;
        }
    }
}

/// A parent process that stops reading after the ready line does not delay the server or its end.
#[test]
fn an_unread_log_stops_nothing() {
    const REQUESTS: usize = 20_000;
    let folder = Folder::new("unread");
    let debug = folder.0.join("debug.log");
    for more in [&["--log", "debug"][..], &["--log-format", "json", "--debug", debug.to_str().unwrap()]] {
        let mut child = command(lazuli(), &[&FREE[..], more].concat()).spawn().unwrap();
        // Kept open, and not read any further.
        let mut output = BufReader::with_capacity(1, child.stdout.take().unwrap());
        let mut first = String::new();
        output.read_line(&mut first).unwrap();
        let port: u16 = first.trim_end().rsplit(':').next().unwrap().parse().unwrap();

        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(HANGS)).unwrap();
        let request = "HEAD /nobody/container/blob?comp=metadata HTTP/1.1\r\nhost: localhost\r\n\r\n";
        let together = 100;
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        for _ in 0..REQUESTS / together {
            stream.write_all(request.repeat(together).as_bytes()).unwrap();
            for _ in 0..together {
                let mut status = String::new();
                answers.read_line(&mut status).unwrap();
                assert!(status.starts_with("HTTP/1.1 404 "), "{status}");
                let mut header = String::new();
                while header != "\r\n" {
                    header.clear();
                    assert_ne!(answers.read_line(&mut header).unwrap(), 0);
                }
            }
        }
        assert!(send(port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 "));

        let id = child.id().to_string();
        let (ended, has_ended) = channel();
        std::thread::spawn(move || _ = ended.send(child.wait()));
        assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let status = has_ended.recv_timeout(Duration::from_secs(1));
        if status.is_err() {
            _ = std::process::Command::new("kill").args(["-KILL", &id]).status();
        }
        assert_eq!(status.unwrap().unwrap().code(), Some(0));
        drop(output);
    }
    // The file has every line.
    let said = std::fs::read_to_string(&debug).unwrap();
    assert!(said.matches(" INFO Blob HEAD /nobody/container/blob?comp=metadata 404 ").count() > 0);
}

/// The line of a refusal has its reason, without `--log debug`; it has no signature.
#[test]
fn a_line_reports_the_result_of_a_request() {
    let running = start(&[]);
    let blob = running.ready(1)[0].1;
    line_with(&running, "Data is kept in memory");
    let sas = token::account("sv=2021-12-02&ss=b&srt=o&sp=w&se=2035-01-01");
    let signature = sas.split("sig=").nth(1).unwrap().split('&').next().unwrap();
    for (request, line, reason) in [
        (
            "GET /nobody/c/b",
            "Blob GET /nobody/c/b 404 -: ResourceNotFound, ",
            " (there is no account \"nobody\": --account adds one)",
        ),
        (
            "GET /devstoreaccount1/cats/b",
            "404 Get Blob: ResourceNotFound, ",
            " (the request has no credentials, and anonymous access is not allowed here)",
        ),
        (
            &format!("GET /devstoreaccount1/cats/b?{sas}"),
            "403 Get Blob: AuthorizationPermissionMismatch, ",
            " (the SAS has to permit r, and permits w)",
        ),
        (
            &format!("GET /devstoreaccount1/cats?restype=container&{sas}"),
            "403 Get Container Properties: AuthorizationResourceTypeMismatch, ",
            " (srt has to have c, and is o)",
        ),
        (
            &format!("DELETE /devstoreaccount1/cats/b?{}", sas.replace("sp=w", "sp=d")),
            "403 Delete Blob: AuthenticationFailed, ",
            " (Signature did not match",
        ),
        (
            "GET /devstoreaccount1/a--b?restype=container",
            "400 -: InvalidResourceName, ",
            " (\"a--b\" has to be lower-case letters, digits and single hyphens, ",
        ),
    ] {
        let answer = send(blob, request);
        let id = answer.split("x-ms-request-id: ").nth(1).unwrap().split("\r\n").next().unwrap();
        let said = line_with(&running, " INFO ");
        let milliseconds = said.split(" ms, ").next().unwrap().rsplit(' ').next().unwrap();
        assert!(milliseconds.parse::<f64>().unwrap() >= 0.0, "{said}");
        assert!(said.contains(line) && said.contains(&format!(" ms, {id}")) && said.contains(reason), "{said}");
        assert!(!said.contains(signature) && said.ends_with(')'), "{said}");
    }
    send(blob, "OPTIONS /devstoreaccount1/cats/b");
    assert!(line_with(&running, " INFO ").contains("Blob OPTIONS /devstoreaccount1/cats/b 400 "));
}

#[test]
fn with_json_a_line_is_an_object() {
    let running = start(&["--log-format", "json", "--log", "debug"]);
    let port = running.ready(1)[0].1;
    line_with(&running, "Data is kept in memory");
    let answer = send(port, "GET /nobody/c/b?sig=c2VjcmV0");
    let said: Value = serde_json::from_str(&line_with(&running, "milliseconds")).unwrap();
    for (name, value) in [
        ("level", "INFO".into()),
        ("service", "Blob".into()),
        ("method", "GET".into()),
        ("uri", "/nobody/c/b?sig=…".into()),
        ("status", 404.into()),
        ("operation", "-".into()),
        ("code", Value::from("ResourceNotFound")),
        ("reason", "there is no account \"nobody\": --account adds one".into()),
    ] {
        assert_eq!(said[name], value, "{said}");
    }
    assert!(said["milliseconds"].is_f64() && said["timestamp"].is_string(), "{said}");
    assert!(answer.contains(said["request_id"].as_str().unwrap()), "{said}");
    let refusal: Value = serde_json::from_str(&running.line()).unwrap();
    assert!(refusal["message"].as_str().unwrap().starts_with("404 ResourceNotFound: "), "{refusal}");
}

/// As in Azurite, the debug log is appended to the file, whatever the options of the streams.
#[test]
fn a_debug_log_goes_to_its_file() {
    let folder = Folder::new("debug");
    let (place, file) = (folder.0.join("data"), folder.0.join("data/debug.log"));
    let azurite = folder.link("azurite");
    let words = ["-s", "-l", place.to_str().unwrap(), "-d", file.to_str().unwrap(), "--blobPort", "0", "--queuePort", "0"];
    for round in 1..=2 {
        let mut running =
            Running::started(&mut command(&azurite, &[&words[..], &["--tablePort", "0", "--filePort", "0"]].concat()));
        let port = running.ready(6)[0].1;
        send(port, "GET /nobody/c/b?sig=c2VjcmV0");
        running.signal("TERM");
        let (status, said) = running.end();
        assert_eq!(status.code(), Some(0));
        assert!(said.iter().all(|line| line.starts_with("Azurite ")), "{said:?}");
        let said = std::fs::read_to_string(&file).unwrap();
        assert_eq!(said.matches(" INFO Blob GET /nobody/c/b?sig=… 404 -: ResourceNotFound, ").count(), round, "{said}");
        assert_eq!(said.matches("DEBUG 404 ResourceNotFound: The specified resource does not exist.").count(), round, "{said}");
        assert!(!said.contains("c2VjcmV0"), "{said}");
    }
    let (code, _, error) = run(lazuli(), &[&FREE[..], &["--debug", place.to_str().unwrap()]].concat());
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(error.starts_with(&format!("lazuli: --debug {}: the file cannot be written to: ", place.display())), "{error}");
}

/// The log reports a client that uses http instead of https or vice versa, which no answer can.
#[test]
fn mixed_up_schemes_are_reported() {
    let hello = [22, 3, 1, 0, 5, 1, 0, 0, 1, 0];
    let running = start(&["--log", "warn", "--silent", "--tls", "off"]);
    let port = running.ready(4)[0].1;
    line_with(&running, "Data is kept in memory");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(&hello).unwrap();
    let said = running.line();
    assert!(said.contains(&format!(" WARN 127.0.0.1:{}", stream.local_addr().unwrap().port())), "{said}");
    assert!(
        said.contains(&format!("speaks TLS to port {port}, which serves plain http: its endpoint has to begin with http://")),
        "{said}"
    );

    let folder = Folder::new("mixed");
    let (cert, key) = (folder.0.join("cert.pem"), folder.0.join("key.pem"));
    std::fs::write(&cert, CERT).unwrap();
    std::fs::write(&key, KEY).unwrap();
    let pem = ["--cert", cert.to_str().unwrap(), "--key", key.to_str().unwrap()];
    let running = start(&[&["--log", "warn", "--silent"][..], &pem].concat());
    let port = running.ready(4)[0].1;
    line_with(&running, "Data is kept in memory");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(HANGS)).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let said = running.line();
    assert!(
        said.contains(&format!("speaks plain http to port {port}, which serves https: its endpoint has to begin with https://")),
        "{said}"
    );
    _ = stream.read_to_end(&mut Vec::new());

    // Health speaks TLS itself, and does not take a port for a server.
    let port = port.to_string();
    assert_eq!(run(lazuli(), &[&["--health", "--blob-port", &port][..], &pem].concat()), (0, String::new(), String::new()));
    let plain = start(&["--tls", "off"]);
    let plain_port = plain.ready(1)[0].1.to_string();
    for (arguments, port, said) in [
        (&pem[..], plain_port, "speaks plain http; leave out --cert and --key"),
        (&[], port, "speaks https; add --cert and --key"),
    ] {
        let (code, _, error) = run(lazuli(), &[&["--health", "--blob-port", &port], arguments].concat());
        assert_eq!((code, error), (1, format!("lazuli: the server at 127.0.0.1:{port} {said}\n")));
    }
}

/// The debug log reports which CORS rules did not match, and by what.
#[test]
fn the_debug_log_reports_why_a_page_is_refused() {
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
