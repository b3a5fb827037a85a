//! Parses a signature in a query: each parameter at most once and well formed, and none missing that its kind requires.

use crate::rules::auth::permissions::Permissions;
use crate::rules::auth::sas::kind::{IpRange, Protocol, SasKind, SignedResource};
use crate::rules::auth::sas::parameters::{Parameters, malformed, mandatory, refused, wrong_level};
use crate::rules::auth::sas::signature::Sas;
use crate::rules::error::StorageError;
use crate::rules::text::{guid, lookup};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;

impl Sas {
    /// Returns true if the query contains a signature.
    pub fn is_present(query: &[(String, String)]) -> bool {
        lookup(query, "sig").is_some()
    }

    /// Parses the signature in a decoded query to a service, named by its letter: one of `b`, `q`, `t`, `f`.
    ///
    /// # Errors
    /// 403 AuthenticationFailed for a parameter that is malformed, missing or repeated.
    pub fn parse(service: char, query: &[(String, String)]) -> Result<Sas, StorageError> {
        let parameters = Parameters::collect(query)?;
        parameters.need("sig")?;
        let old = service == 'b' && parameters.has("sr") && !parameters.has("skoid");
        let version = match parameters.read("sv", Version::parse)? {
            None if old => Version::V2009_09_19,
            version => version.ok_or_else(|| mandatory("sv"))?,
        };
        let kind = parse_kind(&parameters, service, version)?;
        if !parameters.has("si") || matches!(kind, SasKind::Account { .. }) {
            parameters.need("se")?;
            parameters.need("sp")?;
        }
        let permissions = match kind {
            SasKind::Account { .. } => parameters.read("sp", Permissions::parse)?,
            SasKind::Service { resource } | SasKind::UserDelegation { resource, .. } => parameters.read("sp", |text| {
                let ordered = resource.permission_orders().iter().any(|order| is_in_order(text, order));
                Permissions::parse(text).filter(|_| ordered)
            })?,
        };
        Ok(Sas {
            version,
            kind,
            permissions,
            start: parameters.read("st", Timestamp::parse_iso)?,
            expiry: parameters.read("se", Timestamp::parse_iso)?,
            ip: parameters.read("sip", IpRange::parse)?,
            protocol: parameters.read("spr", Protocol::parse)?.unwrap_or(Protocol::Any),
            service,
            parameters,
        })
    }
}

fn parse_resource(parameters: &Parameters, service: char, version: Version) -> Result<SignedResource, StorageError> {
    match (service, parameters.get("sr")) {
        ('q', _) => Ok(SignedResource::Queue),
        // A row without its partition bounds nothing.
        ('t', _) if parameters.has("srk") && !parameters.has("spk") || parameters.has("erk") && !parameters.has("epk") => {
            Err(malformed("a row key without its partition key"))
        }
        ('t', _) => parameters.need("tn").map(|_| SignedResource::Table),
        (_, "") => Err(mandatory("sr")),
        ('f', "s") => Ok(SignedResource::Share),
        ('f', "f") => Ok(SignedResource::File),
        ('b', "c") => Ok(SignedResource::Container),
        ('b', "b") => Ok(SignedResource::Blob),
        ('b', "bs") if version.is_since("2018-11-09") => Ok(SignedResource::Snapshot),
        ('b', "bv") if version.is_since("2018-11-09") => Ok(SignedResource::BlobVersion),
        ('b', "d") if version.is_since("2020-02-10") => {
            Ok(SignedResource::Directory { depth: parameters.read_needed("sdd", |text| text.parse().ok())? })
        }
        _ => Err(wrong_level()),
    }
}

fn parse_kind(parameters: &Parameters, service: char, version: Version) -> Result<SasKind, StorageError> {
    if parameters.has("skoid") {
        let (key_start, key_expiry) =
            (parameters.read_needed("skt", Timestamp::parse_iso)?, parameters.read_needed("ske", Timestamp::parse_iso)?);
        for name in ["sktid", "sks", "skv"] {
            parameters.need(name)?;
        }
        let first = if service == 'b' { "2018-11-09" } else { "2026-02-06" };
        if parameters.has("si") || parameters.get("sks") != service.to_string() || !version.is_since(first) {
            return Err(malformed(format!("a user delegation key serves its own service, no stored policy, since {first}")));
        }
        if parameters.has("scid") && guid(parameters.get("scid")).is_none() {
            return Err(refused("Invalid correlation id format."));
        }
        Ok(SasKind::UserDelegation { resource: parse_resource(parameters, service, version)?, key_start, key_expiry })
    } else if parameters.has("ss") || parameters.has("srt") {
        let (services, types) =
            (parameters.read_needed("ss", Permissions::parse)?, parameters.read_needed("srt", Permissions::parse)?);
        if !version.is_since("2015-04-05") {
            return Err(malformed("account signatures came with 2015-04-05"));
        }
        Ok(SasKind::Account { services, types })
    } else {
        Ok(SasKind::Service { resource: parse_resource(parameters, service, version)? })
    }
}

/// Returns true if the letters are in this order, without other letters and repetitions.
fn is_in_order(letters: &str, order: &str) -> bool {
    let places: Option<Vec<usize>> = letters.chars().map(|letter| order.find(letter)).collect();
    places.is_some_and(|places| places.is_sorted_by(|one, other| one < other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::sas::tests::{detail, query, sas};

    #[test]
    fn refuses_what_is_not_well_formed() {
        let good = "sv=2020-12-06&sr=c&sp=rl&se=2030-01-01&sig=s";
        let key = "&skoid=o&sktid=t&skt=2029-01-01&ske=2030-01-01&sks=b&skv=2020-12-06";
        assert!(Sas::is_present(&query(good)) && !Sas::is_present(&query("sv=2020-12-06&sr=c")));
        assert!(Sas::parse('b', &query(good)).is_ok());
        assert!(Sas::parse('b', &query(&format!("{good}{key}"))).is_ok());
        let formed = "Signature fields not well formed.";
        let level = "The specified signed resource is not allowed for the this resource level";
        for (service, from, to, expected) in [
            ('b', "&sr=c", "", "sr is mandatory. Cannot be empty"),
            ('b', "&sp=rl", "", "sp is mandatory. Cannot be empty"),
            ('b', "&se=2030-01-01", "&se=", "se is mandatory. Cannot be empty"),
            ('b', "&sig=s", "&sig=", "sig is mandatory. Cannot be empty"),
            ('b', "sr=c", "ss=b", "srt is mandatory. Cannot be empty"),
            ('b', "sr=c", "sr=d", "sdd is mandatory. Cannot be empty"),
            ('t', "sr=c", "", "tn is mandatory. Cannot be empty"),
            ('t', "sr=c", "tn=t&srk=a", formed),
            ('t', "sr=c", "tn=t&spk=a&erk=a", formed),
            ('b', "sr=c", "sr=s", level),
            ('f', "sr=c", "sr=c", level),
            ('b', "2020-12-06&sr=c", "2018-03-28&sr=bs", level),
            ('b', "2020-12-06&sr=c", "2019-12-12&sr=d&sdd=1", level),
            ('b', "sp=rl", "sp=lr", formed),
            ('b', "sp=rl", "sp=rr", formed),
            ('b', "sp=rl", "sp=ru", formed),
            ('q', "sp=rl", "sp=rl", formed),
            ('b', "2020-12-06", "tomorrow", formed),
            ('b', "se=2030-01-01", "se=soon", formed),
            ('b', "sr=c", "sr=c&sr=c", formed),
            ('b', "sr=c", "sr=c&spr=http", formed),
            ('b', "sr=c", "sr=c&sip=1.2.3.4-1.2.3.3", formed),
            ('b', "sr=c", "sr=c&sip=::1", formed),
            ('b', "2020-12-06&sr=c", "2013-08-15&ss=b&srt=c", formed),
            ('b', "&sig=s", &format!("&sig=s&si=p{key}"), formed),
            ('b', "&sig=s", &format!("&sig=s{}", key.replace("sks=b", "sks=q")), formed),
            ('q', "sp=rl", &format!("sp=r{}", key.replace("sks=b", "sks=q")), formed),
            ('b', "&sig=s", &format!("&sig=s{}", key.replace("&skv=2020-12-06", "")), "skv is mandatory. Cannot be empty"),
            ('b', "&sig=s", &format!("&sig=s{key}&scid=cid"), "Invalid correlation id format."),
        ] {
            let text = good.replacen(from, to, 1);
            assert_eq!(detail(&Sas::parse(service, &query(&text)).unwrap_err()), expected, "{text}");
        }
    }

    #[test]
    fn permissions_come_in_order_but_for_account_signatures() {
        for (service, more, sp) in [
            ('b', "sr=c", "racwdxyltfmeopi"),
            ('b', "sr=c", "racwdxltmeiyf"),
            ('b', "sr=b", "racwdxyltmei"),
            ('f', "sr=s", "rcwdl"),
            ('q', "", "raup"),
            ('t', "tn=t", "raud"),
            ('b', "ss=b&srt=o", "rwdxylacupitf"),
        ] {
            let sas = sas(service, &format!("sv=2020-12-06&se=2030-01-01&sp={sp}&{more}"));
            assert_eq!(sas.permissions, Permissions::parse(sp), "{sp}");
        }
    }
}
