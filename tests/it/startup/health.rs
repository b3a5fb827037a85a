//! `--health`: the exit code, and its report about other servers.

use crate::process::{FREE, Running, lazuli, run};
use std::io::{Read, Write};
use std::net::TcpListener;

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

/// Another program at the port is neither reported as healthy nor as absent.
#[test]
fn health_reports_other_servers() {
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
            // The second connection, if there is one, tries the other scheme.
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
