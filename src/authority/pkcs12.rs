//! A trust store for Java, in PKCS #12 (RFC 7292).
//!
//! It has certificates only, neither encrypted nor with a checksum: all of it is public. Java accepts any password for such a file.

use rustls::pki_types::CertificateDer;
use yasna::models::ObjectIdentifier;
use yasna::{DERWriter, Tag};

const DATA: &[u64] = &[1, 2, 840, 113549, 1, 7, 1];
const CERTIFICATE_BAG: &[u64] = &[1, 2, 840, 113549, 1, 12, 10, 1, 3];
const X509_CERTIFICATE: &[u64] = &[1, 2, 840, 113549, 1, 9, 22, 1];
const FRIENDLY_NAME: &[u64] = &[1, 2, 840, 113549, 1, 9, 20];
/// The attribute by which Java recognizes a certificate that it is to trust.
const TRUSTED_KEY_USAGE: &[u64] = &[2, 16, 840, 1, 113894, 746875, 1, 1];
const ANY_EXTENDED_KEY_USAGE: &[u64] = &[2, 5, 29, 37, 0];

/// The file with these certificates and their names.
pub fn trust_store(certificates: &[(String, CertificateDer<'_>)]) -> Vec<u8> {
    let contents = yasna::construct_der(|writer| {
        writer.write_sequence_of(|bags| certificates.iter().for_each(|(name, cert)| bag(bags.next(), name, cert)));
    });
    let safe = yasna::construct_der(|writer| writer.write_sequence_of(|safes| data(safes.next(), &contents)));
    yasna::construct_der(|writer| {
        writer.write_sequence(|file| {
            file.next().write_u8(3);
            data(file.next(), &safe);
        });
    })
}

/// A `ContentInfo` with these bytes.
fn data(writer: DERWriter<'_>, bytes: &[u8]) {
    writer.write_sequence(|info| {
        info.next().write_oid(&oid(DATA));
        info.next().write_tagged(Tag::context(0), |writer| writer.write_bytes(bytes));
    });
}

/// A `SafeBag` with a certificate.
fn bag(writer: DERWriter<'_>, name: &str, certificate: &CertificateDer<'_>) {
    writer.write_sequence(|bag| {
        bag.next().write_oid(&oid(CERTIFICATE_BAG));
        bag.next().write_tagged(Tag::context(0), |writer| {
            writer.write_sequence(|value| {
                value.next().write_oid(&oid(X509_CERTIFICATE));
                value.next().write_tagged(Tag::context(0), |writer| writer.write_bytes(certificate));
            });
        });
        bag.next().write_set_of(|attributes| {
            attribute(attributes.next(), FRIENDLY_NAME, |writer| writer.write_bmp_string(name));
            attribute(attributes.next(), TRUSTED_KEY_USAGE, |writer| writer.write_oid(&oid(ANY_EXTENDED_KEY_USAGE)));
        });
    });
}

fn attribute(writer: DERWriter<'_>, id: &[u64], value: impl FnOnce(DERWriter<'_>)) {
    writer.write_sequence(|attribute| {
        attribute.next().write_oid(&oid(id));
        attribute.next().write_set_of(|values| value(values.next()));
    });
}

fn oid(numbers: &[u64]) -> ObjectIdentifier {
    ObjectIdentifier::from_slice(numbers)
}
