//! The string to sign of a signature. Its fields and their order depend on the version.

use crate::rules::auth::sas::kind::{SasKind, SignedResource};
use crate::rules::auth::sas::parameters::{refused, wrong_level};
use crate::rules::auth::sas::signature::{OVERRIDES, Sas};
use crate::rules::error::StorageError;
use crate::rules::text::lookup;
use std::borrow::Cow;

impl Sas {
    /// The canonicalized resource: `/blob/account/container/name` and the like, without the first segment before 2015-02-21.
    ///
    /// `container` is the container, queue, table or share that the request names, and `name` the blob or file in it, decoded;
    /// for a Data Lake listing, the directory.
    ///
    /// # Errors
    /// 403 AuthenticationFailed for a resource that a signature of this kind cannot give access to.
    pub fn canonical(&self, account: &str, container: &str, name: Option<&str>) -> Result<String, StorageError> {
        let resource = match self.kind {
            SasKind::Account { .. } => return Ok(String::new()),
            SasKind::Service { resource } | SasKind::UserDelegation { resource, .. } => resource,
        };
        let table = self.parameter("tn").to_lowercase();
        let container = match resource {
            SignedResource::Table if container.is_empty() || container.to_lowercase() == table => &table,
            SignedResource::Table => return Err(refused("The table name of the signature is not the one of the request.")),
            _ if container.is_empty() => return Err(wrong_level()),
            _ => container,
        };
        let service = match (self.version.is_since("2015-02-21"), self.service) {
            (false, _) => "",
            (true, 'q') => "/queue",
            (true, 't') => "/table",
            (true, 'f') => "/file",
            (true, _) => "/blob",
        };
        let name = resource.signed_name(name)?.map(|name| format!("/{name}")).unwrap_or_default();
        Ok(format!("{service}/{account}/{container}{name}"))
    }

    /// The string to sign: the fields of its kind and version, one per line. `canonical` is the result of [`Sas::canonical`]; the
    /// query (decoded) and the headers (names in lower case) are those of the request.
    pub fn string_to_sign(&self, account: &str, canonical: &str, query: &[(String, String)], headers: &[(&str, &str)]) -> String {
        let of_query = |name: &str| lookup(query, name).unwrap_or_default();
        let of_headers = |name: &str| {
            let values = headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
            values.collect::<Vec<_>>().join(",")
        };
        let names = |field: &str| self.parameter(field).split(',').filter(|name| !name.is_empty());
        let lines = self.fields().into_iter().map(|field| -> Cow<'_, str> {
            match field {
                "account" => account.into(),
                "canonical" => canonical.into(),
                "snapshot" => of_query("snapshot").into(),
                "versionid" => of_query("versionid").into(),
                "srh" => names(field).map(|name| format!("{name}:{}\n", of_headers(name))).collect(),
                "srq" => names(field).map(|name| format!("\n{name}:{}", of_query(name))).collect(),
                _ => self.parameter(field).into(),
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The fields of the string to sign, in order, by the names of their parameters; `""` is an empty line.
    fn fields(&self) -> Vec<&'static str> {
        let (resource, delegated) = match self.kind {
            SasKind::Account { .. } => return self.account_fields(),
            SasKind::Service { resource } => (resource, false),
            SasKind::UserDelegation { resource, .. } => (resource, true),
        };
        let mut fields = vec!["sp", "st", "se", "canonical"];
        let mut add = |when: bool, more: &[&'static str]| fields.extend(more.iter().filter(|_| when));
        add(!delegated, &["si"]);
        add(delegated, &["skoid", "sktid", "skt", "ske", "sks", "skv"]);
        add(delegated && self.service == 'b' && self.version.is_since("2020-02-10"), &["saoid", "suoid", "scid"]);
        add(delegated && self.version.is_since("2025-07-05"), &["skdutid", "sduoid"]);
        add(self.version.is_since("2015-04-05"), &["sip", "spr"]);
        add(self.version.is_since("2012-02-12"), &["sv"]);
        match resource {
            SignedResource::Queue => {}
            SignedResource::Table => add(true, &["spk", "srk", "epk", "erk"]),
            SignedResource::Share | SignedResource::File => add(true, &OVERRIDES.map(|(parameter, _)| parameter)),
            _ => {
                let moment = match resource {
                    SignedResource::Snapshot => "snapshot",
                    SignedResource::BlobVersion => "versionid",
                    _ => "",
                };
                add(self.version.is_since("2018-11-09"), &["sr", moment]);
                add(self.version.is_since("2020-12-06"), &["ses"]);
                add(delegated && self.version.is_since("2026-04-06"), &["srh", "srq"]);
                add(self.version.is_since("2013-08-15"), &OVERRIDES.map(|(parameter, _)| parameter));
            }
        }
        fields
    }

    /// The fields of an account SAS. The last one is empty, because every line ends with a line feed.
    fn account_fields(&self) -> Vec<&'static str> {
        let mut fields = vec!["account", "sp", "ss", "srt", "st", "se", "sip", "spr", "sv"];
        fields.extend(self.version.is_since("2020-12-06").then_some("ses"));
        fields.push("");
        fields
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::auth::sas::tests::{detail, query, sas};

    fn signed(service: char, text: &str, name: Option<&str>) -> String {
        let sas = sas(service, text);
        let canonical = sas.canonical("acct", "box", name).unwrap();
        sas.string_to_sign("acct", &canonical, &query(text), &[])
    }

    #[test]
    fn signs_account_signatures() {
        let text = "ss=bf&srt=sco&sp=rwdl&st=2020-01-01&se=2030-01-01&sip=1.2.3.4&spr=https&ses=scope";
        for (version, end) in [("2015-04-05", ""), ("2020-10-02", ""), ("2020-12-06", "scope\n"), ("2030-01-01", "scope\n")] {
            assert_eq!(
                signed('b', &format!("{text}&sv={version}"), None),
                format!("acct\nrwdl\nbf\nsco\n2020-01-01\n2030-01-01\n1.2.3.4\nhttps\n{version}\n{end}")
            );
        }
    }

    #[test]
    fn signs_service_signatures_of_every_version() {
        let rest = "sp=r&st=2020-01-01&se=2030-01-01&sip=1.2.3.4&spr=https&sr=b&ses=scope&rscc=c&rscd=d&rsce=e&rscl=l&rsct=t";
        let blob = "/blob/acct/box/a b/c";
        for (sv, expected) in [
            ("", "/acct/box/a b/c|".to_owned()),
            ("2012-02-12", "/acct/box/a b/c||2012-02-12".into()),
            ("2013-08-15", "/acct/box/a b/c||2013-08-15|c|d|e|l|t".into()),
            ("2015-02-21", format!("{blob}||2015-02-21|c|d|e|l|t")),
            ("2015-04-05", format!("{blob}||1.2.3.4|https|2015-04-05|c|d|e|l|t")),
            ("2018-11-09", format!("{blob}||1.2.3.4|https|2018-11-09|b||c|d|e|l|t")),
            ("2020-12-06", format!("{blob}||1.2.3.4|https|2020-12-06|b||scope|c|d|e|l|t")),
            ("2026-04-06", format!("{blob}||1.2.3.4|https|2026-04-06|b||scope|c|d|e|l|t")),
        ] {
            let text = signed('b', &format!("{rest}&sv={sv}"), Some("a b/c"));
            assert_eq!(text.replace('\n', "|"), format!("r|2020-01-01|2030-01-01|{expected}"), "{sv}");
        }
    }

    #[test]
    fn signs_each_resource_by_its_name() {
        let rest = "sp=r&se=2030-01-01&sv=2018-11-09&si=p&snapshot=S&versionid=V";
        for (service, more, name, expected) in [
            ('b', "sr=c", Some("n"), "/blob/acct/box|p|||2018-11-09|c||||||"),
            ('b', "sr=bs", Some("n"), "/blob/acct/box/n|p|||2018-11-09|bs|S|||||"),
            ('b', "sr=bv", Some("n"), "/blob/acct/box/n|p|||2018-11-09|bv|V|||||"),
            ('q', "", None, "/queue/acct/box|p|||2018-11-09"),
            ('t', "tn=Box&spk=a&srk=b&epk=c&erk=d", None, "/table/acct/box|p|||2018-11-09|a|b|c|d"),
            ('f', "sr=s", Some("d/f"), "/file/acct/box|p|||2018-11-09|||||"),
            ('f', "sr=f&rsct=t", Some("d/f"), "/file/acct/box/d/f|p|||2018-11-09|||||t"),
        ] {
            assert_eq!(signed(service, &format!("{rest}&{more}"), name).replace('\n', "|"), format!("r||2030-01-01|{expected}"));
        }
    }

    #[test]
    fn a_directory_is_so_many_segments_of_the_name() {
        for (depth, name, canonical) in [
            (0, Some("a/b"), Some("/blob/acct/box")),
            (1, Some("a"), Some("/blob/acct/box/a")),
            (2, Some("a/b/c/d"), Some("/blob/acct/box/a/b")),
            (2, Some("a"), None),
            (1, None, None),
        ] {
            let sas = sas('b', &format!("sv=2020-02-10&sr=d&sdd={depth}&sp=r&se=2030-01-01"));
            assert_eq!(sas.canonical("acct", "box", name).ok().as_deref(), canonical, "{depth} {name:?}");
        }
        let blob = sas('b', "sv=2020-02-10&sr=b&sp=r&se=2030-01-01");
        for error in [blob.canonical("acct", "box", None), blob.canonical("acct", "", None)] {
            assert_eq!(detail(&error.unwrap_err()), "The specified signed resource is not allowed for the this resource level");
        }
        assert!(sas('t', "sv=2020-02-10&tn=other&sp=r&se=2030-01-01").canonical("acct", "box", None).is_err());
        assert_eq!(sas('t', "sv=2020-02-10&tn=Box&sp=r&se=2030-01-01").canonical("acct", "", None).unwrap(), "/table/acct/box");
    }

    /// The vector with all fields is the Java SDK's (`UserDelegationSasTestData`), with an address and a GUID where it has words.
    #[test]
    fn signs_user_delegation_signatures_of_every_version() {
        const GUID: &str = "33333333-3333-3333-3333-333333333333";
        let text = format!(
            "sp=r&st=2017-01-01T00:00:00Z&se=2017-01-01T00:00:00Z&skoid=11111111-1111-1111-1111-111111111111\
             &sktid=22222222-2222-2222-2222-222222222222&skt=2018-01-01T00:00:00Z&ske=2018-06-01T00:00:00Z&sks=b&skv=2018-06-17\
             &saoid=preAuthAgentOid&scid={GUID}&skdutid=delegatedTenantId&sduoid=delegatedOid&sip=1.2.3.4&spr=https&sr=bs\
             &snapshot=snapId&ses=encryptionScope&srh=x-ms-encryption-key-sha256,x-ms-source-if-match&srq=blockid,comp\
             &rscc=control&rscd=disposition&rsce=encoding&rscl=language&rsct=type&blockid=blockidvalue&comp=blocklist"
        );
        let headers = [("x-ms-source-if-match", "etag"), ("x-ms-encryption-key-sha256", "hashvalue")];
        let sign = |service: char, text: &str| {
            let sas = sas(service, text);
            let canonical = sas.canonical("acct", "containerName", Some("blobName")).unwrap();
            sas.string_to_sign("acct", &canonical, &query(text), &headers)
        };
        let key = "11111111-1111-1111-1111-111111111111\n22222222-2222-2222-2222-222222222222\n\
                   2018-01-01T00:00:00Z\n2018-06-01T00:00:00Z\nb\n2018-06-17\n";
        let head = format!("r\n2017-01-01T00:00:00Z\n2017-01-01T00:00:00Z\n/blob/acct/containerName/blobName\n{key}");
        let agent = format!("preAuthAgentOid\n\n{GUID}\n");
        let user = "delegatedTenantId\ndelegatedOid\n";
        let request =
            "x-ms-encryption-key-sha256:hashvalue\nx-ms-source-if-match:etag\n\n\nblockid:blockidvalue\ncomp:blocklist\n";
        let scope = "encryptionScope\n";
        for (sv, agent, user, scope, request) in [
            ("2018-11-09", "", "", "", ""),
            ("2019-12-12", "", "", "", ""),
            ("2020-02-10", agent.as_str(), "", "", ""),
            ("2020-12-06", &agent, "", scope, ""),
            ("2025-05-05", &agent, "", scope, ""),
            ("2025-07-05", &agent, user, scope, ""),
            ("2026-02-06", &agent, user, scope, ""),
            ("2026-04-06", &agent, user, scope, request),
        ] {
            let tail = format!("bs\nsnapId\n{scope}{request}control\ndisposition\nencoding\nlanguage\ntype");
            let expected = format!("{head}{agent}{user}1.2.3.4\nhttps\n{sv}\n{tail}");
            assert_eq!(sign('b', &format!("{text}&sv={sv}")), expected, "{sv}");
        }
    }

    /// As Python's SDK signs for queues, shares and files; a table's has its range, as its service SAS does.
    #[test]
    fn signs_user_delegation_signatures_of_every_service() {
        let key = "skoid=O&sktid=T&skt=2029-01-01T00:00:00Z&ske=2029-01-02T00:00:00Z&skv=2026-04-06&skdutid=DT&sduoid=U";
        let rest = format!("sp=r&se=2029-01-01T12:00:00Z&sip=1.2.3.4&spr=https&sv=2026-10-06&{key}");
        for (service, more, resource, end) in [
            ('q', "", "/queue/acct/box", ""),
            ('f', "&sr=s&rscc=c&rsct=t/t", "/file/acct/box", "|c||||t/t"),
            ('f', "&sr=f&rscc=c&rsct=t/t", "/file/acct/box/d/f", "|c||||t/t"),
            ('t', "&tn=Box&spk=a&srk=b&epk=c&erk=d", "/table/acct/box", "|a|b|c|d"),
        ] {
            let text = format!("{rest}&sks={service}{more}");
            let key = format!("O|T|2029-01-01T00:00:00Z|2029-01-02T00:00:00Z|{service}|2026-04-06|DT|U");
            let expected = format!("r||2029-01-01T12:00:00Z|{resource}|{key}|1.2.3.4|https|2026-10-06{end}");
            assert_eq!(signed(service, &text, Some("d/f")).replace('\n', "|"), expected, "{service}{more}");
        }
    }
}
