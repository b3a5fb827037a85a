//! Makes shared access signatures, without any of the server's code: the versions as the REST reference lists them.

use crate::server::{TestServer, hmac};
use lazuli::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The lines that a service SAS signs, from each version on. `cr` is the canonicalized resource, `time` the snapshot or version.
const ERAS: [(&str, &str); 5] = [
    ("2020-12-06", "sp st se cr si sip spr sv sr time ses rscc rscd rsce rscl rsct"),
    ("2018-11-09", "sp st se cr si sip spr sv sr time rscc rscd rsce rscl rsct"),
    ("2015-04-05", "sp st se cr si sip spr sv rscc rscd rsce rscl rsct"),
    ("2013-08-15", "sp st se cr si sv rscc rscd rsce rscl rsct"),
    ("2012-02-12", "sp st se cr si sv"),
];

/// The query of a service SAS of the default account for `container` or `container/blob`, from fields written
/// `sv=…&sr=…&sp=…`, not encoded.
pub fn service(resource: &str, fields: &str) -> String {
    service_of(WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY, resource, fields)
}

/// [`service`] of another account.
pub fn service_of(account: &str, key: &str, resource: &str, fields: &str) -> String {
    let sv = field(fields, "sv");
    let (_, lines) = ERAS.iter().find(|(since, _)| sv >= *since).expect("an era that signs its version");
    let prefix = if sv >= "2015-02-21" { "/blob" } else { "" };
    let canonical = format!("{prefix}/{account}/{resource}");
    let time = match field(fields, "sr") {
        "bs" => field(fields, "snapshot"),
        "bv" => field(fields, "versionid"),
        _ => "",
    };
    let lines = lines.split(' ').map(|line| match line {
        "cr" => &canonical,
        "time" => time,
        name => field(fields, name),
    });
    signed(fields, &lines.collect::<Vec<_>>().join("\n"), key)
}

/// A signature that permits reading the blobs of a container of the default account, and their tags.
pub fn reader(container: &str) -> String {
    service(container, "sv=2021-12-02&sr=c&sp=rt&se=2099-01-01")
}

/// What a user delegation SAS signs. `headers` and `query` are what the request shows of what `srh` and `srq` name.
const DELEGATION_VERSIONS: [(&str, &str); 5] = [
    (
        "2026-04-06",
        "sp st se cr skoid sktid skt ske sks skv saoid suoid scid skdutid sduoid sip spr sv sr time ses headers query \
         rscc rscd rsce rscl rsct",
    ),
    (
        "2025-07-05",
        "sp st se cr skoid sktid skt ske sks skv saoid suoid scid skdutid sduoid sip spr sv sr time ses rscc rscd rsce rscl rsct",
    ),
    ("2020-12-06", "sp st se cr skoid sktid skt ske sks skv saoid suoid scid sip spr sv sr time ses rscc rscd rsce rscl rsct"),
    ("2020-02-10", "sp st se cr skoid sktid skt ske sks skv saoid suoid scid sip spr sv sr time rscc rscd rsce rscl rsct"),
    ("2018-11-09", "sp st se cr skoid sktid skt ske sks skv sip spr sv sr time rscc rscd rsce rscl rsct"),
];

/// The query of a user delegation SAS for a resource of the default account.
pub fn delegated(resource: &str, fields: &str, key: &str, headers: &[(&str, &str)], query: &str) -> String {
    let sv = field(fields, "sv");
    let (_, lines) = DELEGATION_VERSIONS.iter().find(|(since, _)| sv >= *since).expect("an era that signs its version");
    let names =
        |list: &str| field(fields, list).split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let shown = |name: &str| headers.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
    let lines = lines.split_whitespace().map(|line| match line {
        "cr" => format!("/blob/{WELL_KNOWN_ACCOUNT}/{resource}"),
        "time" => String::new(),
        "headers" => names("srh").iter().map(|name| format!("{name}:{}\n", shown(name))).collect(),
        "query" => names("srq").iter().map(|name| format!("\n{name}:{}", field(query, name))).collect(),
        name => field(fields, name).to_owned(),
    });
    signed(fields, &lines.collect::<Vec<_>>().join("\n"), key)
}

/// [`delegated`] for another service than the blobs: `queue`, `table` (which signs its bounds) or `file`.
pub fn delegated_of(service: &str, resource: &str, fields: &str, key: &str) -> String {
    let own = match service {
        "table" => " spk srk epk erk",
        "file" => " rscc rscd rsce rscl rsct",
        _ => "",
    };
    let lines = format!("sp st se cr skoid sktid skt ske sks skv skdutid sduoid sip spr sv{own}");
    let lines = lines.split(' ').map(|line| match line {
        "cr" => format!("/{service}/{WELL_KNOWN_ACCOUNT}/{resource}"),
        name => field(fields, name).to_owned(),
    });
    signed(fields, &lines.collect::<Vec<_>>().join("\n"), key)
}

/// The query of an account SAS of the default account.
pub fn account(fields: &str) -> String {
    account_of(WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY, fields)
}

/// [`account`] of another account.
pub fn account_of(account: &str, key: &str, fields: &str) -> String {
    let mut text = format!("{account}\n");
    for name in ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv"] {
        text.push_str(&format!("{}\n", field(fields, name)));
    }
    if field(fields, "sv") >= "2020-12-06" {
        text.push_str(&format!("{}\n", field(fields, "ses")));
    }
    signed(fields, &text, key)
}

/// A time of the server's clock as a SAS writes it, this many seconds from now.
pub fn moment(server: &TestServer, seconds: i64) -> String {
    server.now().moved(seconds).iso_to_second()
}

fn field<'a>(fields: &'a str, name: &str) -> &'a str {
    fields.split('&').filter_map(|pair| pair.split_once('=')).find(|(known, _)| *known == name).map_or("", |(_, value)| value)
}

fn signed(fields: &str, text: &str, key: &str) -> String {
    let signature = format!("sig={}", hmac(text, key));
    let pairs = fields.split('&').chain([signature.as_str()]).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap();
        format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))
    });
    pairs.collect::<Vec<_>>().join("&")
}
