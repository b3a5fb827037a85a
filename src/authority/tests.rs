//! Tests of the authority: its certificates, its files, and its errors.

use super::*;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::{CertificateError, RootCertStore};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

const DAY: Duration = Duration::from_secs(86400);

/// A folder of a test. It is deleted on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("lazuli-authority-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn tls(&self) -> PathBuf {
        self.0.join("state/lazuli/tls")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// 2030-01-01.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_893_456_000)
}

fn names(others: &[&str]) -> CertificateNames {
    let others: Vec<String> = others.iter().map(|name| (*name).to_owned()).collect();
    CertificateNames::of_server(["acc"].into_iter(), ["10.0.0.7"].into_iter(), &others)
}

/// Whether a client that trusts the authority accepts the certificate for a name, at a time.
fn verify(authority: &Authority, issued: &ServerCertificate, name: &str, at: SystemTime) -> Result<(), rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate().clone()).unwrap();
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(ring::default_provider())).build().unwrap();
    let at = UnixTime::since_unix_epoch(at.duration_since(UNIX_EPOCH).unwrap());
    let (own, others) = issued.chain.split_first().unwrap();
    verifier.verify_server_cert(own, others, &ServerName::try_from(name.to_owned()).unwrap(), &[], at).map(drop)
}

#[test]
fn a_certificate_is_for_the_names_of_the_server() {
    let authority = Authority::in_memory(now()).unwrap();
    let issued = authority.issue(&names(&["storage", "*.example.test", "192.0.2.1"]), now()).unwrap();
    for name in [
        "localhost",
        "acc.localhost",
        "acc.blob.localhost",
        "acc-secondary.blob.localhost",
        "acc.dfs.localhost",
        "acc.queue.localhost",
        "acc.table.localhost",
        "acc.file.localhost",
        "acc.web.localhost",
        "acc.z.web.localhost",
        "127.0.0.1",
        "::1",
        "10.0.0.7",
        "storage",
        "acc.example.test",
        "192.0.2.1",
    ] {
        assert_eq!(verify(&authority, &issued, name, now()), Ok(()), "{name}");
    }
    for name in ["example.test", "a.b.example.test", "10.0.0.8", "a.b.blob.localhost"] {
        assert!(verify(&authority, &issued, name, now()).is_err(), "{name}");
    }
    let other = Authority::in_memory(now()).unwrap();
    assert!(verify(&other, &issued, "localhost", now()).is_err());
}

#[test]
fn certificates_are_valid_from_yesterday_and_not_for_long() {
    let authority = Authority::in_memory(now()).unwrap();
    let issued = authority.issue(&names(&[]), now()).unwrap();
    let invalid = |error| Err(rustls::Error::InvalidCertificate(error));
    assert_eq!(verify(&authority, &issued, "localhost", now() - DAY), Ok(()));
    assert_eq!(verify(&authority, &issued, "localhost", now() + 364 * DAY), Ok(()));
    for (at, expected) in [(now() - 2 * DAY, "NotValidYet"), (now() + 366 * DAY, "Expired")] {
        let refused = verify(&authority, &issued, "localhost", at);
        assert!(format!("{refused:?}").contains(expected), "{refused:?}");
    }
    assert_eq!(
        verify(&authority, &issued, "elsewhere", now()).map_err(drop),
        invalid(CertificateError::NotValidForName).map_err(drop)
    );
    assert_eq!(issued.renew_at, now() + 335 * DAY);
    // None is valid for longer than its authority.
    let late = now() + 3600 * DAY;
    let issued = authority.issue(&names(&[]), late).unwrap();
    assert!(issued.renew_at < late + 30 * DAY);
}

#[test]
fn an_authority_is_loaded_from_its_folder() {
    let scratch = Scratch::new("kept");
    let made = Authority::open(&scratch.tls(), now()).unwrap();
    let loaded = Authority::open(&scratch.tls(), now() + 300 * DAY).unwrap();
    assert_eq!((made.certificate(), made.name()), (loaded.certificate(), loaded.name()));
    assert!(made.name().starts_with("Lazuli development CA of "), "{}", made.name());
    assert_eq!(loaded.folder(), Some(&*scratch.tls()));
    assert_eq!(fs::read_to_string(scratch.tls().join("ca.pem")).unwrap(), loaded.pem());
    let issued = loaded.issue(&names(&[]), now()).unwrap();
    assert_eq!(verify(&made, &issued, "localhost", now()), Ok(()));
    assert_eq!(made.fingerprint().len(), 32 * 3 - 1);
    // Nothing temporary is left.
    assert_eq!(fs::read_dir(scratch.tls().parent().unwrap()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_the_key() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("mode");
    Authority::open(&scratch.tls(), now()).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&scratch.tls()), 0o700);
    assert_eq!(mode(&scratch.tls().join("ca.key")), 0o600);
}

#[test]
fn many_servers_at_once_have_one_authority() {
    let scratch = Scratch::new("race");
    let made: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| Authority::open(&scratch.tls(), now()).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(made.iter().all(|authority| authority.certificate() == made[0].certificate()));
    assert_eq!(fs::read_dir(scratch.tls().parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_damaged_or_expired_authority_is_refused_and_not_replaced() {
    let scratch = Scratch::new("wrong");
    let folder = scratch.tls();
    Authority::open(&folder, now()).unwrap();
    let other = scratch.0.join("other");
    Authority::open(&other, now()).unwrap();
    let (cert, key) = (folder.join("ca.pem"), folder.join("ca.key"));
    let (good_cert, good_key) = (fs::read(&cert).unwrap(), fs::read(&key).unwrap());
    let leaf = Authority::in_memory(now()).unwrap().issue(&names(&[]), now()).unwrap();
    let leaf = trust_files::pem(&leaf.chain[0]);

    let refusal = |at| Authority::open(&folder, at).unwrap_err().to_string();
    for (file, text, expected) in [
        (&cert, &b""[..], "ca.pem is damaged: it holds no certificate of an authority in PEM"),
        (&cert, b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "ca.pem is damaged"),
        (&cert, &good_cert[..100], "ca.pem is damaged"),
        (&cert, leaf.as_bytes(), "ca.pem is damaged: it holds no certificate of an authority in PEM"),
        (&cert, &fs::read(other.join("ca.pem")).unwrap(), "ca.pem is not the certificate of the key in the same folder"),
        (&key, b"", "ca.key is damaged: it holds no private key in PEM"),
        (&key, &good_key[..60], "ca.key is damaged"),
        (&key, b"\xff", "ca.key cannot be read: stream did not contain valid UTF-8"),
    ] {
        fs::write(&cert, &good_cert).unwrap();
        fs::write(&key, &good_key).unwrap();
        fs::write(file, text).unwrap();
        let refusal = refusal(now());
        assert!(refusal.contains(expected), "{refusal}");
        assert!(refusal.contains(&format!("if {} is moved away, a new authority is made", folder.display())), "{refusal}");
        assert_eq!(fs::read(file).unwrap(), text);
    }
    fs::write(&key, &good_key).unwrap();
    assert!(refusal(now() + 3700 * DAY).contains("ca.pem expired on 2040-01-01"), "{}", refusal(now() + 3700 * DAY));
    assert!(refusal(now() - 30 * DAY).contains("is the clock of this machine right?"));
    fs::remove_file(&key).unwrap();
    assert!(refusal(now()).contains("ca.key cannot be read: "));
    assert_eq!(fs::read(&cert).unwrap(), good_cert);
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let scratch = Scratch::new("blocked");
    fs::write(scratch.0.join("state"), "a file").unwrap();
    let error = Authority::open(&scratch.tls(), now()).unwrap_err();
    assert!(matches!(error, AuthorityError(AuthorityErrorKind::Folder { .. })), "{error}");
}

#[test]
fn trust_files_hold_the_authority_and_what_was_trusted_before() {
    use rustls::pki_types::pem::PemObject;
    let scratch = Scratch::new("files");
    let authority = Authority::open(&scratch.tls(), now()).unwrap();
    let corporate = Authority::in_memory(now()).unwrap();
    let given = scratch.0.join("corporate.pem");
    fs::write(&given, corporate.pem()).unwrap();
    let files = TrustFiles::write(&authority, &scratch.tls(), &[given, scratch.0.join("absent.pem")]).unwrap();
    assert_eq!(files, TrustFiles::of(&scratch.tls()));
    let bundle: Vec<CertificateDer<'_>> = CertificateDer::pem_file_iter(&files.bundle).unwrap().map(Result::unwrap).collect();
    assert_eq!(bundle.iter().filter(|certificate| *certificate == authority.certificate()).count(), 1);
    assert!(bundle.contains(corporate.certificate()));
    let (bundle, java) = (fs::read(&files.bundle).unwrap(), fs::read(&files.java).unwrap());

    // A second time, with the bundle as what is trusted.
    let again = TrustFiles::write(&authority, &scratch.tls(), &[files.bundle.clone(), scratch.0.join("corporate.pem")]).unwrap();
    assert_eq!(fs::read(again.bundle).unwrap(), bundle);
    assert_eq!(fs::read(again.java).unwrap(), java);
    assert_eq!(fs::read_dir(scratch.tls()).unwrap().count(), 5);
}
