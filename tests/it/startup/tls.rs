//! https: certificates of several kinds, and bearer tokens, which `--oauth basic` accepts over TLS only.

use crate::auth::jwt;
use crate::process::{FREE, Folder, HANGS, Running, command, lazuli, run};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

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

/// Accepts any certificate.
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

/// Certificates as people have them: those that OpenSSL makes by default, and PFX files.
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

    // Azurite ignores a password beside a key, too.
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
    let running = Running::of(child);
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

    // A client that does not use TLS is disconnected, and does not delay others.
    let mut plain = TcpStream::connect(("127.0.0.1", port)).unwrap();
    plain.set_read_timeout(Some(HANGS)).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut rest = Vec::new();
    _ = plain.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&rest));
    let _silent = TcpStream::connect(("127.0.0.1", port)).unwrap();

    let (answer, protocol) = request_tls(port, "GET /devstoreaccount1/?comp=list HTTP/1.1\r\nhost: localhost\r\n");
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert_eq!(protocol.as_deref(), Some(&b"http/1.1"[..]));
}

/// `--oauth basic` accepts the tokens that the real service would accept, over TLS, and no others.
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
        let (answer, _) = request_tls(port, &format!("{head}authorization: {token}\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{token}: {answer}");
        let challenged = answer.contains("www-authenticate: Bearer authorization_uri=https://login.microsoftonline.com/");
        assert_eq!(challenged || answer.contains("WWW-Authenticate: Bearer"), status == 401, "{answer}");
    }
}

/// Sends a head over TLS, and returns the answer until the end of the connection, and the negotiated protocol.
fn request_tls(port: u16, head: &str) -> (String, Option<Vec<u8>>) {
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
