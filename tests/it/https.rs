//! https without configuration: http and https at one port, and the certificate authority that clients trust.

use crate::auth::token;
use crate::process::{FREE, Folder, HANGS, Running, run, send};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::sync::Arc;

type Client = StreamOwned<ClientConnection, TcpStream>;

/// Connects over https and trusts one authority, in PEM.
pub fn connect(port: u16, name: &str, authority: &str) -> Client {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions();
    let config = config.unwrap().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), plain(port))
}

fn plain(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(HANGS)).unwrap();
    stream.set_write_timeout(Some(HANGS)).unwrap();
    stream
}

/// Reads a response with a `Content-Length` from a connection that remains open: its head and its body.
pub fn response(stream: &mut impl Read) -> (String, Vec<u8>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    (head, body)
}

/// A request with a signature that may do everything.
fn head(method: &str, path: &str, headers: &str) -> String {
    let sas = token::account("sv=2021-12-02&ss=b&srt=sco&sp=rwdlac&se=2099-01-01");
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{method} /devstoreaccount1{path}{joint}{sas} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")
}

fn get(stream: &mut (impl Read + Write), path: &str) -> (String, Vec<u8>) {
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
    response(stream)
}

/// The certificate of the authority, as the server answers it over http.
pub fn authority(port: u16) -> String {
    let (head, body) = get(&mut plain(port), "/_lazuli/ca.pem");
    assert!(head.starts_with("HTTP/1.1 200 ") && head.contains("content-type: application/x-pem-file"), "{head}");
    String::from_utf8(body).unwrap()
}

/// A server whose user has this folder for the state of programs.
fn start(state: &Path, arguments: &[&str]) -> (Running, u16) {
    let running = Running::start_in(&[&FREE[..], arguments].concat(), &[("XDG_STATE_HOME", state.to_str().unwrap())]);
    let port = running.ports()[0];
    (running, port)
}

#[test]
fn http_and_https_are_served_at_one_port() {
    let state = Folder::new("https");
    let running = Running::start_in(&FREE, &[("XDG_STATE_HOME", state.0.to_str().unwrap())]);
    let ports = running.ports();
    assert!(send(ports[0], "GET /_lazuli/health").starts_with("HTTP/1.1 200 "));
    assert_eq!(std::fs::read_dir(&state.0).unwrap().count(), 0, "nothing is made before the first https");

    let authority = authority(ports[0]);
    let folder = state.0.join("lazuli/tls");
    assert_eq!(std::fs::read_to_string(folder.join("ca.pem")).unwrap(), authority);
    for (port, name) in
        ports.iter().zip(["localhost", "127.0.0.1", "devstoreaccount1.table.localhost", "devstoreaccount1.localhost"])
    {
        let mut client = connect(*port, name, &authority);
        // Two requests on one connection.
        assert!(get(&mut client, "/_lazuli/health").0.starts_with("HTTP/1.1 200 "), "{name}");
        assert_eq!(get(&mut client, "/_lazuli/ca.pem").1, authority.as_bytes());
        assert!(send(*port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 "));
    }
}

/// Bodies of any size pass in both directions, and 100 Continue does.
#[test]
fn bodies_of_any_size_pass_over_https() {
    let state = Folder::new("https-bodies");
    let (_running, port) = start(&state.0, &[]);
    let mut client = connect(port, "localhost", &authority(port));
    client.write_all(head("PUT", "/box?restype=container", "content-length: 0\r\n").as_bytes()).unwrap();
    assert!(response(&mut client).0.starts_with("HTTP/1.1 201 "));

    let large: Vec<u8> = (0..9 << 20).map(|at: u32| (at % 251) as u8).collect();
    let headers = format!("x-ms-blob-type: BlockBlob\r\ncontent-length: {}\r\nexpect: 100-continue\r\n", large.len());
    client.write_all(head("PUT", "/box/large", &headers).as_bytes()).unwrap();
    assert!(response(&mut client).0.starts_with("HTTP/1.1 100 "));
    client.write_all(&large).unwrap();
    assert!(response(&mut client).0.starts_with("HTTP/1.1 201 "));
    client.write_all(head("GET", "/box/large", "").as_bytes()).unwrap();
    let (found, body) = response(&mut client);
    assert!(found.starts_with("HTTP/1.1 200 ") && body == large, "{found}");
    // The same over http.
    let mut client = plain(port);
    client.write_all(head("GET", "/box/large", "").as_bytes()).unwrap();
    assert!(response(&mut client).1 == large);
}

/// A signature for https only, and a URL in an answer, follow the connection.
#[test]
fn a_request_has_the_scheme_of_its_connection() {
    let state = Folder::new("https-scheme");
    let (_running, port) = start(&state.0, &[]);
    let sas = token::account("sv=2021-12-02&ss=b&srt=sco&sp=rwdlac&se=2099-01-01&spr=https");
    let path = format!("/devstoreaccount1/?comp=list&{sas}");
    let (refused, _) = get(&mut plain(port), &path);
    assert!(refused.starts_with("HTTP/1.1 403 ") && refused.contains("AuthorizationProtocolMismatch"), "{refused}");
    let (listed, body) = get(&mut connect(port, "localhost", &authority(port)), &path);
    assert!(listed.starts_with("HTTP/1.1 200 "), "{listed}");
    assert!(String::from_utf8(body).unwrap().contains("ServiceEndpoint=\"https://localhost/devstoreaccount1/\""));
}

/// Some clients stop in the middle of a handshake, or send garbage or nothing.
#[test]
fn a_connection_without_a_handshake_disturbs_no_other() {
    let state = Folder::new("https-garbage");
    let (running, port) = start(&state.0, &[]);
    let authority = authority(port);
    let served = || {
        assert!(get(&mut connect(port, "localhost", &authority), "/_lazuli/health").0.starts_with("HTTP/1.1 200 "));
        assert!(get(&mut plain(port), "/_lazuli/health").0.starts_with("HTTP/1.1 200 "));
    };
    let beginning = |bytes: &[u8]| {
        let mut stream = plain(port);
        stream.write_all(bytes).unwrap();
        stream
    };
    // The first bytes of a handshake; the rest does not come.
    let waiting: Vec<TcpStream> = (0..64).map(|count| beginning(&[22, 3, 1, 2, 0, 1][..1 + count % 6])).collect();
    let silent: Vec<TcpStream> = (0..64).map(|_| plain(port)).collect();
    served();
    for garbage in [&[22; 600][..], &[22, 3, 1, 0, 5, 1, 0, 0, 1, 0], &[22, 3, 1, 255, 255, 0], b"\x16GET / HTTP/1.1\r\n\r\n"] {
        let mut stream = beginning(garbage);
        _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        // The server closes the connection, after an alert or without.
        _ = stream.read_to_end(&mut answer);
        assert!(answer.first().is_none_or(|first| *first == 21), "{answer:?}");
    }
    // Closed before the first byte, and by one side only.
    drop(plain(port));
    let mut half = plain(port);
    half.shutdown(Shutdown::Write).unwrap();
    assert_eq!(half.read_to_end(&mut Vec::new()).unwrap(), 0);
    // A client that trusts another authority ends the handshake.
    let mut stranger = connect(port, "localhost", crate::startup::CERT);
    assert!(stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").is_err());
    assert!(running.logs("does not trust the certificate of this server. Start the client with lazuli run"));
    served();
    drop((waiting, silent));
    served();
    drop(running);
}

#[test]
fn the_servers_of_a_user_have_one_authority() {
    let state = Folder::new("https-shared");
    let servers: Vec<_> = (0..3).map(|_| start(&state.0, &[])).collect();
    let authorities: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = servers.iter().map(|(_, port)| scope.spawn(|| authority(*port))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(authorities.iter().all(|authority| *authority == authorities[0]));
    let ports: Vec<u16> = servers.iter().map(|(_, port)| *port).collect();
    for port in &ports {
        assert!(get(&mut connect(*port, "localhost", &authorities[0]), "/_lazuli/health").0.starts_with("HTTP/1.1 200 "));
    }

    // A copy from one to the other over https.
    for (port, path, headers) in [
        (ports[0], "/box?restype=container", "content-length: 0\r\n"),
        (ports[0], "/box/a", "x-ms-blob-type: BlockBlob\r\ncontent-length: 0\r\n"),
        (ports[1], "/box?restype=container", "content-length: 0\r\n"),
    ] {
        let mut client = plain(port);
        client.write_all(head("PUT", path, headers).as_bytes()).unwrap();
        assert!(response(&mut client).0.starts_with("HTTP/1.1 201 "));
    }
    let sas = token::account("sv=2021-12-02&ss=b&srt=sco&sp=r&se=2099-01-01");
    let source = format!("https://127.0.0.1:{}/devstoreaccount1/box/a?{sas}", ports[0]);
    let headers = format!("x-ms-blob-type: BlockBlob\r\nx-ms-copy-source: {source}\r\ncontent-length: 0\r\n");
    let mut client = plain(ports[1]);
    client.write_all(head("PUT", "/box/b", &headers).as_bytes()).unwrap();
    let (copied, _) = response(&mut client);
    assert!(copied.starts_with("HTTP/1.1 201 "), "{copied}");
}

#[test]
fn the_authority_of_a_location_is_kept_with_the_data() {
    let (state, data) = (Folder::new("https-state"), Folder::new("https-data"));
    let location = data.0.to_str().unwrap().to_owned();
    let first = {
        let (mut running, port) = start(&state.0, &["--location", &location]);
        let authority = authority(port);
        running.signal("TERM");
        assert!(running.end().0.success());
        authority
    };
    assert_eq!(std::fs::read_dir(&state.0).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(data.0.join("tls/ca.pem")).unwrap(), first);
    let (running, port) = start(&state.0, &["--location", &location]);
    assert_eq!(authority(port), first);
    assert!(get(&mut connect(port, "localhost", &first), "/_lazuli/health").0.starts_with("HTTP/1.1 200 "));
    drop(running);
    let (code, _, error) = run(crate::process::lazuli(), &["check", "--location", &location]);
    assert_eq!(code, 0, "{error}");
}

/// In a folder that has the authority already, as after `lazuli env`, the data can be kept.
#[test]
fn a_location_may_have_its_authority_first() {
    let data = Folder::new("https-first");
    let location = data.0.join("data");
    let location = location.to_str().unwrap();
    let (code, lines, error) = run(crate::process::lazuli(), &["env", "--format", "plain", "--location", location]);
    assert_eq!(code, 0, "{error}");
    assert!(lines.contains(&format!("NODE_EXTRA_CA_CERTS={location}/tls/ca.pem\n")), "{lines}");
    let (_running, port) = start(&data.0, &["--location", location]);
    assert_eq!(authority(port), std::fs::read_to_string(format!("{location}/tls/ca.pem")).unwrap());
}

#[test]
fn an_authority_without_a_folder_is_in_memory() {
    let folder = Folder::new("https-memory");
    let blocked = folder.0.join("file");
    std::fs::write(&blocked, "").unwrap();
    let none: [&[(&str, &str)]; 2] = [&[], &[("XDG_STATE_HOME", blocked.to_str().unwrap())]];
    for variables in none {
        let mut running = Running::start_in(&FREE, variables);
        let port = running.ports()[0];
        let authority = authority(port);
        assert!(get(&mut connect(port, "localhost", &authority), "/_lazuli/health").0.starts_with("HTTP/1.1 200 "));
        running.signal("TERM");
        let (_, lines) = running.end();
        let said =
            |line: &&String| line.contains("WARN https: the certificate authority is in memory") && line.contains("(SHA-256 ");
        assert_eq!(lines.iter().filter(said).count(), 1, "{lines:?}");
    }
}

#[test]
fn a_damaged_authority_is_never_replaced() {
    let state = Folder::new("https-damaged");
    let (mut running, port) = {
        let (_running, port) = start(&state.0, &[]);
        authority(port);
        start(&state.0, &[])
    };
    let file = state.0.join("lazuli/tls/ca.pem");
    let good = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, "damaged").unwrap();

    let (head, body) = get(&mut plain(port), "/_lazuli/ca.pem");
    let sentence = format!("{} is damaged: it holds no certificate of an authority in PEM; if ", file.display());
    assert!(head.starts_with("HTTP/1.1 500 ") && String::from_utf8(body).unwrap().starts_with(&sentence), "{head}");
    assert!(connect(port, "localhost", &good).write_all(b"GET / HTTP/1.1\r\n\r\n").is_err());
    assert!(send(port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 "));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "damaged");

    // Once it is repaired, it is used, without a new start.
    std::fs::write(&file, &good).unwrap();
    assert!(get(&mut connect(port, "localhost", &good), "/_lazuli/health").0.starts_with("HTTP/1.1 200 "));
    running.signal("TERM");
    let (_, lines) = running.end();
    assert!(lines.iter().any(|line| line.contains("WARN") && line.contains("cannot be served over https: ")), "{lines:?}");
}

#[test]
fn https_can_be_off() {
    let state = Folder::new("https-off");
    let (mut running, port) = start(&state.0, &["--tls", "off"]);
    let mut client = connect(port, "localhost", crate::startup::CERT);
    assert!(client.write_all(b"GET / HTTP/1.1\r\n\r\n").is_err());
    let absent = send(port, "GET /_lazuli/ca.pem");
    assert!(absent.starts_with("HTTP/1.1 404 ") && absent.contains("only --tls auto makes one"), "{absent}");
    assert!(send(port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 "));
    running.signal("TERM");
    let (_, lines) = running.end();
    assert!(lines.iter().any(|line| line.contains("speaks TLS to port") && line.contains("without --tls off")), "{lines:?}");
    assert_eq!(std::fs::read_dir(&state.0).unwrap().count(), 0);
}

#[test]
fn the_certificate_has_the_names_of_a_flag() {
    let state = Folder::new("https-names");
    let (_running, port) = start(&state.0, &["--tls-name", "storage", "--tls-name", "*.example.test"]);
    let authority = authority(port);
    for (name, accepted) in [("storage", true), ("a.example.test", true), ("other", false)] {
        let mut client = connect(port, name, &authority);
        assert_eq!(client.write_all(b"GET /_lazuli/health HTTP/1.1\r\nhost: x\r\n\r\n").is_ok(), accepted, "{name}");
    }
}
