//! The certificates that a copy trusts: those of the machine, including an additional authority.

use crate::auth::token;
use crate::process::{Folder, Running};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// An authority and a certificate, made for this test only with `openssl`.
const AUTHORITY: &str = "\
-----BEGIN CERTIFICATE-----
MIIBmDCCAT+gAwIBAgIUI2o3NNOd6qDVN2pAf70d1L892WQwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMTIxMzM2WhgPMjEy
NjEwMjgxMjEzMzZaMBkxFzAVBgNVBAMMDnRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAE8B21wtWEHhf6Hys1i9S5/YpI/Bh6jGjbMAFIvffz
6PBiHCZNKFHbJj6SoYmUWEQfM7CIYt2mXjHW84xZi9Xn9qNjMGEwHQYDVR0OBBYE
FED7qCcMmnL7LRlauVpkevQWnT84MB8GA1UdIwQYMBaAFED7qCcMmnL7LRlauVpk
evQWnT84MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoGCCqGSM49
BAMCA0cAMEQCICL0E8maphp49X+9ofJ4IzcA/4CuxniPDaIPdIa7Zj9ZAiAlJAn4
PuHtsxsvEHdffeX83BGPoFH6vIEqpZt6Kf93eg==
-----END CERTIFICATE-----
";
const CERT: &str = "\
-----BEGIN CERTIFICATE-----
MIIBmzCCAUCgAwIBAgIUb+7SjDwN6F5z1gS+b1VTBQWwveswCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOdGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMTIxMzM2WhgPMjEy
NjEwMjgxMjEzMzZaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEG
CCqGSM49AwEHA0IABN53pcH1MJu39NCVwePeVQmp2bPsjrJ4KwFq6+8DevbZBXYm
E1ICwfSJfQUKo+z10XqzEQvLwlTEcNVMVX7OBdSjaTBnMBoGA1UdEQQTMBGCCWxv
Y2FsaG9zdIcEfwAAATAJBgNVHRMEAjAAMB0GA1UdDgQWBBSBCfTQ7waNtyq9hFW6
72ksjyk1ejAfBgNVHSMEGDAWgBRA+6gnDJpy+y0ZWrlaZHr0Fp0/ODAKBggqhkjO
PQQDAgNJADBGAiEAmtNEwV1e0vNRsKOoxTKPR8dfKm/14U/5GB3UqGuT68ACIQDs
d8r4SGgEO4ItMAX89lOgFJ7DTtlhxuLLYb51QV+wPg==
-----END CERTIFICATE-----
";
const KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrkho0zbwQLnDPQXN
ZICVZCSO23OrWDiQGTVefXolXlGhRANCAATed6XB9TCbt/TQlcHj3lUJqdmz7I6y
eCsBauvvA3r22QV2JhNSAsH0iX0FCqPs9dF6sxELy8JUxHDVTFV+zgXU
-----END PRIVATE KEY-----
";

/// Sends a request to a server's blob port, with a signature that may do everything, and reads the answer.
async fn request(port: u16, method: &str, target: &str, headers: &str) -> String {
    exchange(TcpStream::connect(("127.0.0.1", port)).await.unwrap(), port, method, target, headers).await
}

/// [`request`] over TLS, of a server with the authority's certificate.
async fn request_tls(port: u16, method: &str, target: &str, headers: &str) -> String {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(AUTHORITY.as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions();
    let config = config.unwrap().with_root_certificates(roots).with_no_client_auth();
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    exchange(stream, port, method, target, headers).await
}

async fn exchange(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    port: u16,
    method: &str,
    target: &str,
    headers: &str,
) -> String {
    let sas = token::account("sv=2021-12-02&ss=b&srt=sco&sp=rwdlac&se=2099-01-01");
    let joint = if target.contains('?') { '&' } else { '?' };
    let head = format!(
        "{method} /devstoreaccount1{target}{joint}{sas} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A TLS peer may close without a close_notify.
    _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

/// A web server that shows the certificate, and has a secret.
struct Secret(TcpListener, TlsAcceptor);

impl Secret {
    async fn open() -> Secret {
        let chain = vec![CertificateDer::from_pem_slice(CERT.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
        let config =
            ServerConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth().with_single_cert(chain, key).unwrap();
        Secret(TcpListener::bind("127.0.0.1:0").await.unwrap(), TlsAcceptor::from(Arc::new(config)))
    }

    fn url(&self) -> String {
        format!("https://{}/page", self.0.local_addr().unwrap())
    }

    async fn serve(self) {
        loop {
            let (stream, _) = self.0.accept().await.unwrap();
            // A client that does not trust it closes the connection.
            let Ok(mut stream) = self.1.accept(stream).await else { continue };
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret").await.unwrap();
            _ = stream.shutdown().await;
        }
    }
}

#[tokio::test]
async fn an_authority_of_ones_own() {
    let secret = Secret::open().await;
    let source = secret.url();

    let folder = Folder::new("trust");
    let test = async {
        for (trusted, status) in [(AUTHORITY, 201), (crate::startup::CERT, 500)] {
            let file = folder.0.join(format!("{status}.pem"));
            std::fs::write(&file, trusted).unwrap();
            let running = Running::start_in(&crate::process::FREE, &[("SSL_CERT_FILE", file.to_str().unwrap())]);
            let port = running.ports()[0];
            let made = request(port, "PUT", "/box?restype=container", "").await;
            assert!(made.starts_with("HTTP/1.1 201 "), "{made}");
            let headers = format!("x-ms-blob-type: BlockBlob\r\nx-ms-copy-source: {source}\r\n");
            let put = request(port, "PUT", "/box/b", &headers).await;
            assert!(put.starts_with(&format!("HTTP/1.1 {status} ")), "{put}");
            let got = request(port, "GET", "/box/b", "").await;
            assert_eq!(got.ends_with("\r\n\r\nsecret"), status == 201, "{got}");
        }
    };
    tokio::select! {
        () = test => {}
        () = secret.serve() => {}
    }
}

/// A server with this server's own certificate is trusted, whoever signed it: it is this server under another name.
#[tokio::test]
async fn a_certificate_of_ones_own() {
    let secret = Secret::open().await;
    let source = secret.url();
    let folder = Folder::new("own-certificate");
    let [cert, key, trusted, none] =
        [("cert", CERT), ("key", KEY), ("trusted", crate::startup::CERT), ("none", "")].map(|(name, text)| {
            let file = folder.0.join(format!("{name}.pem"));
            std::fs::write(&file, text).unwrap();
            file.to_str().unwrap().to_owned()
        });
    let test = async {
        let arguments = [&crate::process::FREE[..], &["--cert", &cert, "--key", &key]].concat();
        // Also on a machine without certificates.
        for file in [&trusted, &none] {
            let running = Running::start_in(&arguments, &[("SSL_CERT_FILE", file)]);
            let port = running.ports()[0];
            let made = request_tls(port, "PUT", "/box?restype=container", "").await;
            assert!(made.starts_with("HTTP/1.1 201 "), "{made}");
            let headers = format!("x-ms-blob-type: BlockBlob\r\nx-ms-copy-source: {source}\r\n");
            let put = request_tls(port, "PUT", "/box/b", &headers).await;
            assert!(put.starts_with("HTTP/1.1 201 "), "{file}: {put}");
            assert!(request_tls(port, "GET", "/box/b", "").await.ends_with("\r\n\r\nsecret"));
        }
    };
    tokio::select! {
        () = test => {}
        () = secret.serve() => {}
    }
}
