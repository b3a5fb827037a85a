//! CORS rules: which requests a page from another origin may send to the service, and which headers of the response it may read.
//!
//! A browser first sends an OPTIONS request, the preflight, and then the actual request. Both follow the rules in the properties of the
//! service, in order. They give no access: an actual request that no rule allows is performed like any other, and the browser does not
//! show its response to the page.

use crate::rules::error::StorageError;
use serde::{Deserialize, Serialize};

/// The most rules of a service.
const RULES: usize = 5;
/// The most bytes of all values of a service together: 2 KiB.
const TOTAL: usize = 2048;
/// The most characters of an origin or the name of a header.
const TEXT: usize = 256;
/// The most origins of a rule.
const ORIGINS: usize = 64;
/// The most headers of a list with full names.
const NAMED: usize = 64;
/// The most headers of a list with a prefix (`x-ms-meta-*`).
const PREFIXED: usize = 2;
/// The valid methods.
const METHODS: [&str; 10] = ["CONNECT", "DELETE", "GET", "HEAD", "MERGE", "PATCH", "POST", "OPTIONS", "PUT", "TRACE"];
/// The headers that `*` exposes although they are added to the response later, or not at all.
const LATE: [&str; 3] = ["Content-Length", "Date", "Transfer-Encoding"];

/// A CORS rule.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorsRule {
    /// The allowed origins: `https://example.com`, which is case-sensitive; `https://*.example.com` for every subdomain, in any letter case;
    /// or `*` for all.
    pub allowed_origins: Vec<String>,
    /// The allowed methods, in upper case.
    pub allowed_methods: Vec<String>,
    /// The allowed request headers: names, prefixes with a `*` after them, or `*` for all.
    pub allowed_headers: Vec<String>,
    /// The response headers that the page may read, in the same form.
    pub exposed_headers: Vec<String>,
    /// How long a browser may cache the answer to a preflight, in seconds.
    pub max_age_seconds: u32,
}

impl CorsRule {
    /// The rule that allows everything to pages of all origins.
    pub fn allow_all() -> CorsRule {
        let all = || vec!["*".to_owned()];
        CorsRule {
            allowed_origins: all(),
            allowed_methods: METHODS.map(str::to_owned).to_vec(),
            allowed_headers: all(),
            exposed_headers: all(),
            max_age_seconds: 0,
        }
    }

    fn lists(&self) -> [&[String]; 4] {
        [&self.allowed_origins, &self.allowed_methods, &self.allowed_headers, &self.exposed_headers]
    }

    fn allows_all_origins(&self) -> bool {
        self.allowed_origins.iter().any(|known| known == "*")
    }

    fn allows_origin(&self, origin: &str) -> bool {
        self.allows_all_origins() || self.allowed_origins.iter().any(|known| known == origin || is_subdomain(known, origin))
    }

    fn allows_method(&self, method: &str) -> bool {
        self.allowed_methods.iter().any(|known| known == method)
    }
}

/// Returns true for a subdomain of `https://*.example.com`, at any depth. The domain itself is not one.
fn is_subdomain(pattern: &str, origin: &str) -> bool {
    let Some((scheme, domain)) = pattern.split_once("://*.") else { return false };
    let Some((of, host)) = origin.split_once("://").filter(|_| !domain.is_empty()) else { return false };
    let (domain, host) = (domain.to_ascii_lowercase(), host.to_ascii_lowercase());
    let below = host.strip_suffix(&domain).and_then(|below| below.strip_suffix('.'));
    let label = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    of.eq_ignore_ascii_case(scheme) && below.is_some_and(|below| !below.is_empty() && below.bytes().all(label))
}

/// Checks the rules of a Set Service Properties.
///
/// # Errors
/// 400 InvalidXmlDocument for too many rules, or more than 2 KiB of them; 400 InvalidXmlNodeValue with the element for an invalid value.
pub fn check(rules: &[CorsRule]) -> Result<(), StorageError> {
    let total = rules.iter().flat_map(CorsRule::lists).flatten().map(String::len).sum::<usize>();
    if rules.len() > RULES || total > TOTAL {
        return Err(StorageError::invalid_xml(""));
    }
    let too_long = |texts: &[String]| texts.iter().find(|text| text.chars().count() > TEXT).cloned();
    let wrong_headers = |headers: &[String]| {
        let prefixed = headers.iter().filter(|header| header.ends_with('*') && *header != "*").count();
        let too_many = prefixed > PREFIXED || headers.len() - prefixed > NAMED;
        too_many.then(|| headers.join(",")).or_else(|| too_long(headers))
    };
    rules.iter().try_for_each(|rule| {
        let (origins, methods) = (&rule.allowed_origins, &rule.allowed_methods);
        let wrong = [
            ("AllowedOrigins", origins.is_empty().then(String::new)),
            ("AllowedOrigins", (origins.len() > ORIGINS).then(|| origins.join(","))),
            ("AllowedOrigins", too_long(origins)),
            ("AllowedMethods", methods.is_empty().then(String::new)),
            ("AllowedMethods", methods.iter().find(|method| !METHODS.contains(&method.as_str())).cloned()),
            ("AllowedHeaders", wrong_headers(&rule.allowed_headers)),
            ("ExposedHeaders", wrong_headers(&rule.exposed_headers)),
        ];
        let error = wrong.into_iter().find_map(|(element, value)| Some(StorageError::invalid_xml_node(element, value?)));
        error.map_or(Ok(()), Err)
    })
}

/// The answer to a preflight that a rule allows: headers that begin with `Access-Control`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// `-Allow-Origin`: the origin of the request, or `*` if the rule is for all.
    pub origin: String,
    /// `-Allow-Methods`: the method of the actual request.
    pub method: String,
    /// `-Allow-Headers`: the headers of the actual request; not sent if empty.
    pub headers: String,
    /// `-Max-Age`, in seconds.
    pub max_age_seconds: u32,
    /// `-Allow-Credentials: true`, unless the rule is for all origins.
    pub credentials: bool,
}

/// Why no rule allows a request, for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch<'a> {
    #[error("the service has no CORS rules")]
    NoRules,
    #[error("no CORS rule of the service allows the origin {0:?}")]
    Origin(&'a str),
    #[error("no CORS rule of the service allows the method {1:?} for the origin {0:?}")]
    Method(&'a str, &'a str),
    /// The first rule for the origin and the method does not allow this header. Rules are counted from 1.
    #[error("CORS rule {0} of the service matches the origin and the method, and does not allow the header {1:?}")]
    Header(usize, &'a str),
}

/// The first rule for an origin and a method, and its number, counted from 1.
fn find<'r, 'a>(rules: &'r [CorsRule], origin: &'a str, method: &'a str) -> Result<(usize, &'r CorsRule), Mismatch<'a>> {
    let mut of_origin = rules.iter().enumerate().filter(|(_, rule)| rule.allows_origin(origin)).peekable();
    if of_origin.peek().is_none() {
        return Err(if rules.is_empty() { Mismatch::NoRules } else { Mismatch::Origin(origin) });
    }
    let found = of_origin.find(|(_, rule)| rule.allows_method(method)).ok_or(Mismatch::Method(origin, method))?;
    Ok((found.0 + 1, found.1))
}

/// Answers a preflight. Only the first rule for the origin and the method counts: if it does not allow one of the headers, later rules
/// cannot.
///
/// # Errors
/// Why no rule allows it, for 403 CorsPreflightFailure.
pub fn preflight<'a>(rules: &[CorsRule], origin: &'a str, method: &'a str, headers: &[&'a str]) -> Result<Allowed, Mismatch<'a>> {
    let (number, rule) = find(rules, origin, method)?;
    let allows = |header: &&&str| rule.allowed_headers.iter().any(|pattern| names(pattern, header));
    if let Some(header) = headers.iter().find(|header| !allows(header)) {
        return Err(Mismatch::Header(number, header));
    }
    let all = rule.allows_all_origins();
    Ok(Allowed {
        origin: if all { "*" } else { origin }.to_owned(),
        method: method.to_owned(),
        headers: headers.join(","),
        max_age_seconds: rule.max_age_seconds,
        credentials: !all,
    })
}

/// The headers that the rules add to the response to an actual request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// `Access-Control-Allow-Origin`, if a rule matches.
    pub allow_origin: Option<String>,
    /// `Access-Control-Expose-Headers`; not sent if empty.
    pub expose: String,
    /// `Access-Control-Allow-Credentials: true`.
    pub credentials: bool,
    /// `Vary: Origin`: the response differs for another origin.
    pub vary_origin: bool,
}

/// Why a page of this origin cannot read the response to a request with this method; `None` if it can.
pub fn unreadable<'a>(rules: &[CorsRule], origin: &'a str, method: &'a str) -> Option<Mismatch<'a>> {
    find(rules, origin, method).err()
}

/// Returns the headers that the rules add to the response to an actual request. `response_headers` are its other headers.
///
/// The response to a GET or HEAD may be cached and sent to other origins. Therefore it has `Vary: Origin` if there are rules, unless a rule
/// for all origins matches. Such a rule also matches a request without an origin (recorded).
pub fn actual(rules: &[CorsRule], origin: Option<&str>, method: &str, response_headers: &[&str]) -> Answer {
    let cacheable = matches!(method, "GET" | "HEAD");
    let matching = rules.iter().find(|rule| {
        rule.allows_method(method) && origin.map_or(cacheable && rule.allows_all_origins(), |origin| rule.allows_origin(origin))
    });
    let Some(rule) = matching else {
        return Answer { vary_origin: cacheable && !rules.is_empty(), ..Answer::default() };
    };
    let all = rule.allows_all_origins();
    Answer {
        allow_origin: if all { Some("*".to_owned()) } else { origin.map(str::to_owned) },
        expose: expose(&rule.exposed_headers, response_headers),
        credentials: !all,
        vary_origin: cacheable && !all,
    }
}

/// The headers to expose: all full names, and the headers of the response that match a prefix.
fn expose(patterns: &[String], response_headers: &[&str]) -> String {
    let mut exposed: Vec<&str> = Vec::new();
    let mut add = |name| {
        if !exposed.iter().any(|known: &&str| known.eq_ignore_ascii_case(name)) {
            exposed.push(name);
        }
    };
    for pattern in patterns {
        if pattern.ends_with('*') {
            response_headers.iter().copied().filter(|header| names(pattern, header)).for_each(&mut add);
        } else {
            add(pattern);
        }
        if pattern == "*" {
            LATE.into_iter().for_each(&mut add);
        }
    }
    exposed.join(",")
}

/// Returns true if a pattern of a rule matches this header: a name, a prefix, or `*`.
fn names(pattern: &str, header: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => header.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
        None => pattern.eq_ignore_ascii_case(header),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(origins: &str, methods: &str, headers: &str, exposed: &str) -> CorsRule {
        let list = |text: &str| text.split(',').filter(|s| !s.is_empty()).map(str::to_owned).collect();
        CorsRule {
            allowed_origins: list(origins),
            allowed_methods: list(methods),
            allowed_headers: list(headers),
            exposed_headers: list(exposed),
            max_age_seconds: 200,
        }
    }

    fn rules() -> Vec<CorsRule> {
        vec![
            rule("http://www.contoso.com", "PUT,HEAD", "x-ms-meta-source,x-ms-blob-type", "x-ms-meta-*"),
            rule("*", "PUT,GET", "x-ms-meta-*,Content-Type", "x-ms-meta-*"),
            rule("http://www.contoso.com,http://www.fabrikam.com", "GET,DELETE", "*", ""),
        ]
    }

    #[test]
    fn recorded_rules_are_valid() {
        let sets = [
            vec![],
            vec![
                rule("www.xyz.com", "GET", "", ""),
                rule(
                    "www.xyz.com,www.ab.com,www.bc.com",
                    "GET,PUT",
                    "x-ms-meta-data*,x-ms-meta-target*,x-ms-meta-xyz,x-ms-meta-foo",
                    "x-ms-meta-data*,x-ms-meta-source*,x-ms-meta-abc,x-ms-meta-bcd",
                ),
            ],
            vec![rule("*", "DELETE,GET,HEAD,MERGE,PATCH,POST,OPTIONS,PUT", "*", "*"); 5],
            vec![rule("*", "TRACE,CONNECT", "", "")],
        ];
        for set in sets {
            assert_eq!(check(&set), Ok(()));
        }
    }

    #[test]
    fn rules_have_limits() {
        let long = "a".repeat(257);
        let origins = vec!["http://a"; 65].join(",");
        assert_eq!(check(&[rule(&vec!["http://a"; 64].join(","), "GET", "", "")]), Ok(()));
        let (named, prefixed) = (vec!["x"; 65].join(","), "a*,b*,c*");
        assert_eq!(check(&[rule("*", "GET", &vec!["x"; 64].join(","), "*,a*,b*")]), Ok(()));
        for (set, error) in [
            (vec![rule("www.xyz.com", "GET", "", ""); 6], StorageError::invalid_xml("")),
            (vec![rule(&vec!["https://a.example"; 130].join(","), "GET", "", "")], StorageError::invalid_xml("")),
            (vec![rule("", "GET", "", "")], StorageError::invalid_xml_node("AllowedOrigins", "")),
            (vec![rule(&origins, "GET", "", "")], StorageError::invalid_xml_node("AllowedOrigins", &origins)),
            (vec![rule(&long, "GET", "", "")], StorageError::invalid_xml_node("AllowedOrigins", &long)),
            (vec![rule("*", "", "", "")], StorageError::invalid_xml_node("AllowedMethods", "")),
            (vec![rule("*", "GET,COPY", "", "")], StorageError::invalid_xml_node("AllowedMethods", "COPY")),
            (vec![rule("*", "FOO", "", "")], StorageError::invalid_xml_node("AllowedMethods", "FOO")),
            (vec![rule("*", "get", "", "")], StorageError::invalid_xml_node("AllowedMethods", "get")),
            (vec![rule("*", "GET", &long, "")], StorageError::invalid_xml_node("AllowedHeaders", &long)),
            (vec![rule("*", "GET", &named, "")], StorageError::invalid_xml_node("AllowedHeaders", &named)),
            (vec![rule("*", "GET", "", prefixed)], StorageError::invalid_xml_node("ExposedHeaders", prefixed)),
        ] {
            assert_eq!(check(&set), Err(error));
        }
    }

    #[test]
    fn preflights() {
        let (contoso, fabrikam) = ("http://www.contoso.com", "http://www.fabrikam.com");
        for (origin, method, headers, wanted) in [
            (contoso, "PUT", vec!["X-MS-Meta-Source"], Ok((contoso, true))),
            (contoso, "PUT", vec!["x-ms-meta-source", "x-ms-blob-type"], Ok((contoso, true))),
            // The second rule would allow this header, but the first decides.
            (contoso, "PUT", vec!["x-ms-meta-other"], Err(Mismatch::Header(1, "x-ms-meta-other"))),
            (fabrikam, "PUT", vec!["x-ms-meta-other", "content-type"], Ok(("*", false))),
            (fabrikam, "PUT", vec!["content-type", "x-ms-date"], Err(Mismatch::Header(2, "x-ms-date"))),
            ("HTTP://WWW.CONTOSO.COM", "HEAD", vec![], Err(Mismatch::Method("HTTP://WWW.CONTOSO.COM", "HEAD"))),
            (contoso, "DELETE", vec!["anything"], Ok((contoso, true))),
            (contoso, "POST", vec![], Err(Mismatch::Method(contoso, "POST"))),
        ] {
            let rules = rules();
            let allowed = preflight(&rules, origin, method, &headers);
            let wanted = wanted.map(|(origin, credentials)| Allowed {
                origin: origin.into(),
                method: method.into(),
                headers: headers.join(","),
                max_age_seconds: 200,
                credentials,
            });
            assert_eq!(allowed, wanted, "{origin} {method} {headers:?}");
        }
    }

    #[test]
    fn mismatches_say_what_to_change() {
        let rules = [rule("http://a,http://b", "GET", "", ""), rule("http://b", "PUT", "x-ms-meta-*", "")];
        for (rules, origin, method, headers, mismatch) in [
            (&rules[..0], "http://a", "GET", vec![], "the service has no CORS rules"),
            (&rules, "http://c", "GET", vec![], "no CORS rule of the service allows the origin \"http://c\""),
            (
                &rules,
                "http://a",
                "PUT",
                vec![],
                "no CORS rule of the service allows the method \"PUT\" for the origin \"http://a\"",
            ),
            (
                &rules,
                "http://b",
                "PUT",
                vec!["x-ms-meta-a", "x-ms-date"],
                "CORS rule 2 of the service matches the origin and the method, and does not allow the header \"x-ms-date\"",
            ),
        ] {
            assert_eq!(preflight(rules, origin, method, &headers).unwrap_err().to_string(), mismatch);
            let unread = unreadable(rules, origin, method).map(|mismatch| mismatch.to_string());
            assert_eq!(unread, headers.is_empty().then(|| mismatch.to_owned()));
        }
    }

    #[test]
    fn a_star_before_a_domain_stands_for_its_subdomains() {
        for (pattern, origin, allowed) in [
            ("http://*.contoso.com", "http://www.contoso.com", true),
            ("http://*.contoso.com", "http://a.b.contoso.com", true),
            ("http://*.contoso.com", "HTTP://WWW.Contoso.COM", true),
            ("http://*.Contoso.com", "http://www.contoso.com", true),
            ("http://*.contoso.com:8080", "http://www.contoso.com:8080", true),
            ("http://*.contoso.com", "http://contoso.com", false),
            ("http://*.contoso.com", "http://.contoso.com", false),
            ("http://*.contoso.com", "https://www.contoso.com", false),
            ("http://*.contoso.com", "http://www.contoso.com:8080", false),
            ("http://*.contoso.com", "http://wwwcontoso.com", false),
            ("http://*.contoso.com", "http://evil.test/www.contoso.com", false),
            ("http://*.contoso.com", "http://*.contoso.com", true),
            ("http://*.", "http://www.", false),
            ("*.contoso.com", "http://www.contoso.com", false),
            ("http://www.*.com", "http://www.contoso.com", false),
            ("http://*.contoso.com", "null", false),
        ] {
            assert_eq!(rule(pattern, "GET", "", "").allows_origin(origin), allowed, "{pattern} {origin}");
        }
        let answer = actual(&[rule("http://*.contoso.com", "GET", "", "")], Some("http://www.contoso.com"), "GET", &[]);
        assert_eq!((answer.allow_origin.as_deref(), answer.credentials), (Some("http://www.contoso.com"), true));
    }

    #[test]
    fn actual_requests() {
        let exact = vec![rule("http://www.contoso.com", "GET,PUT", "", "x-ms-meta-data*,x-ms-version")];
        let all = vec![rule("*", "GET,PUT", "", "x-ms-meta-*")];
        let headers = ["x-ms-version", "x-ms-meta-hello", "x-ms-meta-data1", "x-ms-meta-number"];
        let contoso = Some("http://www.contoso.com");
        let none = Answer::default();
        let vary = Answer { vary_origin: true, ..Answer::default() };
        let to_all = Answer {
            allow_origin: Some("*".into()),
            expose: "x-ms-meta-hello,x-ms-meta-data1,x-ms-meta-number".into(),
            ..Answer::default()
        };
        let to_contoso = Answer {
            allow_origin: contoso.map(Into::into),
            expose: "x-ms-meta-data1,x-ms-version".into(),
            credentials: true,
            vary_origin: true,
        };
        for (rules, origin, method, answer) in [
            (&vec![], None, "GET", &none),
            (&vec![], contoso, "GET", &none),
            (&exact, None, "GET", &vary),
            (&exact, None, "PUT", &none),
            (&exact, contoso, "GET", &to_contoso),
            (&exact, contoso, "PUT", &Answer { vary_origin: false, ..to_contoso.clone() }),
            (&exact, contoso, "HEAD", &vary),
            (&exact, Some("http://other"), "GET", &vary),
            (&exact, Some("http://other"), "PUT", &none),
            (&all, None, "GET", &to_all),
            (&all, None, "PUT", &none),
            (&all, contoso, "GET", &to_all),
            (&all, contoso, "PUT", &to_all),
            (&all, contoso, "HEAD", &vary),
        ] {
            assert_eq!(&actual(rules, origin, method, &headers), answer, "{rules:?} {origin:?} {method}");
        }
    }

    #[test]
    fn a_star_exposes_what_the_recordings_show() {
        let rules = [rule("*", "GET", "*", "*")];
        let headers = ["x-ms-request-id", "x-ms-client-request-id", "Server", "x-ms-version"];
        assert_eq!(
            actual(&rules, None, "GET", &headers).expose,
            "x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,Content-Length,Date,Transfer-Encoding"
        );
        let nothing_there = [rule("*", "GET", "", "x-ms-meta-*")];
        assert_eq!(actual(&nothing_there, None, "GET", &headers).expose, "");
    }
}
