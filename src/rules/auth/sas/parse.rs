//! Reads a signature from a query: each parameter at most once and well formed, and none missing that its kind needs.

use crate::rules::auth::permissions::Permissions;
use crate::rules::auth::sas::{IpRange, Kind, Protocol, Resource, Sas, refused, since, wrong_level};
use crate::rules::error::StorageError;
use crate::rules::names::is_guid;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;

/// Every query parameter that belongs to a signature and not to the operation.
const PARAMETERS: [&str; 36] = [
    "sv", "ss", "srt", "sr", "sdd", "sp", "st", "se", "sip", "spr", "si", "ses", "sig", "tn", "spk", "srk", "epk", "erk",
    "skoid", "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "scid", "skdutid", "sduoid", "srh", "srq", "rscc", "rscd",
    "rsce", "rscl", "rsct",
];

impl Sas {
    /// Whether the query holds a signature at all.
    pub fn is_present(query: &[(String, String)]) -> bool {
        query.iter().any(|(name, _)| name.eq_ignore_ascii_case("sig"))
    }

    /// Reads the signature from a decoded query to a service, named by its letter: one of `b`, `q`, `t`, `f`. What is malformed,
    /// incomplete or there twice is 403 AuthenticationFailed with the reason.
    pub fn parse(service: char, query: &[(String, String)]) -> Result<Sas, StorageError> {
        let sent = Sent::collect(query)?;
        sent.need("sig")?;
        let old = service == 'b' && sent.has("sr") && !sent.has("skoid");
        let version = match sent.read("sv", Version::parse)? {
            None if old => Version::V2009_09_19,
            version => version.ok_or_else(|| mandatory("sv"))?,
        };
        let kind = sent.kind(service, version)?;
        if !sent.has("si") || matches!(kind, Kind::Account { .. }) {
            sent.need("se")?;
            sent.need("sp")?;
        }
        let permissions = match kind {
            Kind::Account { .. } => sent.read("sp", Permissions::parse)?,
            Kind::Service { resource } | Kind::UserDelegation { resource, .. } => sent.read("sp", |text| {
                let ordered = resource.orders().iter().any(|order| is_in_order(text, order));
                Permissions::parse(text).filter(|_| ordered)
            })?,
        };
        Ok(Sas {
            version,
            kind,
            permissions,
            start: sent.read("st", Timestamp::parse_iso)?,
            expiry: sent.read("se", Timestamp::parse_iso)?,
            ip: sent.read("sip", IpRange::parse)?,
            protocol: sent.read("spr", Protocol::parse)?.unwrap_or(Protocol::Any),
            service,
            sent,
        })
    }
}

/// The parameters as sent, each at most once. An empty one is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent(Vec<(&'static str, String)>);

impl Sent {
    fn collect(query: &[(String, String)]) -> Result<Sent, StorageError> {
        let mut sent = Sent(Vec::new());
        for (name, value) in query {
            let Some(known) = PARAMETERS.iter().find(|known| known.eq_ignore_ascii_case(name)) else { continue };
            if sent.0.iter().any(|(earlier, _)| earlier == known) {
                return Err(malformed(format!("{known} is there twice")));
            }
            sent.0.push((known, value.clone()));
        }
        Ok(sent)
    }

    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    fn has(&self, name: &str) -> bool {
        !self.get(name).is_empty()
    }

    fn need(&self, name: &str) -> Result<&str, StorageError> {
        Some(self.get(name)).filter(|value| !value.is_empty()).ok_or_else(|| mandatory(name))
    }

    /// Reads an optional parameter; what cannot be read is refused.
    fn read<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, StorageError> {
        match self.get(name) {
            "" => Ok(None),
            text => parse(text).map(Some).ok_or_else(|| malformed(format!("{name} is {text:?}"))),
        }
    }

    /// Reads a parameter that must be there.
    fn read_needed<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, StorageError> {
        self.read(name, parse)?.ok_or_else(|| mandatory(name))
    }

    fn resource(&self, service: char, version: Version) -> Result<Resource, StorageError> {
        match (service, self.get("sr")) {
            ('q', _) => Ok(Resource::Queue),
            // A row without its partition bounds nothing.
            ('t', _) if self.has("srk") && !self.has("spk") || self.has("erk") && !self.has("epk") => {
                Err(malformed("a row key without its partition key"))
            }
            ('t', _) => self.need("tn").map(|_| Resource::Table),
            (_, "") => Err(mandatory("sr")),
            ('f', "s") => Ok(Resource::Share),
            ('f', "f") => Ok(Resource::File),
            ('b', "c") => Ok(Resource::Container),
            ('b', "b") => Ok(Resource::Blob),
            ('b', "bs") if since(version, "2018-11-09") => Ok(Resource::Snapshot),
            ('b', "bv") if since(version, "2018-11-09") => Ok(Resource::BlobVersion),
            ('b', "d") if since(version, "2020-02-10") => {
                Ok(Resource::Directory { depth: self.read_needed("sdd", |text| text.parse().ok())? })
            }
            _ => Err(wrong_level()),
        }
    }

    fn kind(&self, service: char, version: Version) -> Result<Kind, StorageError> {
        if self.has("skoid") {
            let (key_start, key_expiry) =
                (self.read_needed("skt", Timestamp::parse_iso)?, self.read_needed("ske", Timestamp::parse_iso)?);
            for name in ["sktid", "sks", "skv"] {
                self.need(name)?;
            }
            let first = if service == 'b' { "2018-11-09" } else { "2026-02-06" };
            if self.has("si") || self.get("sks") != service.to_string() || !since(version, first) {
                return Err(malformed(format!("a user delegation key serves its own service, no stored policy, since {first}")));
            }
            if self.has("scid") && !is_guid(self.get("scid")) {
                return Err(refused("Invalid correlation id format."));
            }
            Ok(Kind::UserDelegation { resource: self.resource(service, version)?, key_start, key_expiry })
        } else if self.has("ss") || self.has("srt") {
            let (services, types) = (self.read_needed("ss", Permissions::parse)?, self.read_needed("srt", Permissions::parse)?);
            if !since(version, "2015-04-05") {
                return Err(malformed("account signatures came with 2015-04-05"));
            }
            Ok(Kind::Account { services, types })
        } else {
            Ok(Kind::Service { resource: self.resource(service, version)? })
        }
    }
}

impl Resource {
    /// The letters that a signature of this resource may have, in the orders that they may come in: JavaScript's SDK puts the
    /// late comers `y` and `f` at the end.
    const fn orders(self) -> &'static [&'static str] {
        match self {
            Resource::Share | Resource::File => &["rcwdl"],
            Resource::Queue => &["raup"],
            Resource::Table => &["raud"],
            _ => &["racwdxyltfmeopi", "racwdxltmeopiyf"],
        }
    }
}

impl Protocol {
    fn parse(text: &str) -> Option<Protocol> {
        match text {
            "https" => Some(Protocol::Https),
            "https,http" => Some(Protocol::Any),
            _ => None,
        }
    }
}

impl IpRange {
    fn parse(text: &str) -> Option<IpRange> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = IpRange { first: first.parse().ok()?, last: last.parse().ok()? };
        (range.first <= range.last).then_some(range)
    }
}

/// Whether all letters are of `order`, come in that order, and come once.
fn is_in_order(letters: &str, order: &str) -> bool {
    let places: Option<Vec<usize>> = letters.chars().map(|letter| order.find(letter)).collect();
    places.is_some_and(|places| places.is_sorted_by(|one, other| one < other))
}

fn mandatory(name: &str) -> StorageError {
    refused(format!("{name} is mandatory. Cannot be empty"))
}

fn malformed(why: impl Into<String>) -> StorageError {
    refused("Signature fields not well formed.").with_reason(why)
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
