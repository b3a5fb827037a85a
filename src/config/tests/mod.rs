//! Tables of command lines and environments with their results. The process's own arguments and environment are never read.

mod commands;
mod pages;

use super::*;
use crate::account::Account;
use crate::client_variables::CredentialKind;
use crate::config::draft::Draft;
use crate::config::flags::{Flag, FlagKind, VARIABLES, flags};
use crate::log::{Format, LogOptions};
use crate::rules::auth::principals::Principals;
use crate::rules::auth::roles;
use crate::rules::auth::token::TokenCheck;
use crate::user::User;
use std::time::Duration;
use tracing::Level;

fn start(args: &[&str], env: &[(&str, &str)]) -> Result<Command, ConfigErrorKind> {
    let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    read(args.iter().map(OsString::from), &env, None)
}

pub(super) fn config(args: &[&str], env: &[(&str, &str)]) -> Config {
    let args = [&["lazuli"], args].concat();
    match start(&args, env) {
        Ok(Command::Serve(config)) => config,
        other => panic!("{args:?} {env:?}: {other:?}"),
    }
}

pub(super) fn refusal(args: &[&str], env: &[(&str, &str)]) -> String {
    let args = [&["lazuli"], args].concat();
    match start(&args, env) {
        Err(error) => error.to_string(),
        other => panic!("{args:?} {env:?}: {other:?}"),
    }
}

fn endpoint(port: u16) -> Option<Endpoint> {
    Some(Endpoint { host: "127.0.0.1".into(), port, keep_alive: Duration::from_secs(120) })
}

fn automatic(names: &[&str]) -> Tls {
    Tls::Automatic { names: names.iter().map(|name| (*name).to_owned()).collect(), folder: None }
}

fn well_known(name: &str) -> Account {
    accounts::read(name).unwrap().remove(0)
}

#[test]
fn without_flags_and_variables_the_defaults_hold() {
    let default = Config {
        principals: Principals::default(),
        is_open: false,
        program: ProgramName::Lazuli,
        config_file: None,
        blob: endpoint(10000),
        web: None,
        lake: None,
        queue: endpoint(10001),
        table: endpoint(10002),
        file: endpoint(10003),
        accounts: vec![well_known("devstoreaccount1")],
        location: None,
        durability: Durability::Process,
        tls: automatic(&[]),
        oauth: None,
        credential: Some(CredentialKind::ManagedIdentity),
        control: false,
        seed: None,
        control_hosts: vec![],
        request_log: 1000,
        stop_with_stdin: false,
        path_style_only: false,
        log: LogOptions { level: Level::INFO, format: Format::Text, silent: false },
        debug: None,
        user: None,
        warnings: vec![],
    };
    assert_eq!(config(&[], &[]), default);
    assert_eq!(default.accounts[0].keys.iter().map(Vec::len).collect::<Vec<_>>(), [64]);
    let empty: Vec<_> = flags().filter_map(Flag::variable).collect();
    let empty: Vec<_> = empty.iter().map(|name| (name.as_str(), "")).collect();
    assert_eq!(config(&[], &empty), default, "an empty variable is none");
    for words in
        [&["start"][..], &["lazuli", "azurite", "--in-memory"], &["--", "--bogus"], &["--silent", "false"], &["--silent=0"]]
    {
        assert_eq!(config(words, &[]), default, "{words:?}");
    }
}

/// Every flag that changes the configuration: its names, its variable, a value, and the change.
#[expect(clippy::type_complexity, reason = "a table of one test")]
const SETTINGS: &[(&[&str], &str, &str, fn(&mut Config))] = &[
    (&["--host"], "LAZULI_HOST", "::", |c| {
        for e in [&mut c.blob, &mut c.queue, &mut c.table, &mut c.file] {
            e.as_mut().unwrap().host = "::".into();
        }
    }),
    (&["--blob-host", "--blobHost"], "LAZULI_BLOB_HOST", "0.0.0.0", |c| c.blob.as_mut().unwrap().host = "0.0.0.0".into()),
    (&["--queue-host", "--queueHost"], "LAZULI_QUEUE_HOST", "[::1]", |c| c.queue.as_mut().unwrap().host = "::1".into()),
    (&["--table-host", "--tableHost"], "LAZULI_TABLE_HOST", "localhost", |c| c.table.as_mut().unwrap().host = "localhost".into()),
    (&["--file-host", "--fileHost"], "LAZULI_FILE_HOST", "my_host.local", |c| {
        c.file.as_mut().unwrap().host = "my_host.local".into();
    }),
    (&["--blob-port", "--blobPort"], "LAZULI_BLOB_PORT", "0", |c| c.blob.as_mut().unwrap().port = 0),
    (&["--web-port"], "LAZULI_WEB_PORT", "8080", |c| {
        c.web = Some(Endpoint { port: 8080, ..c.blob.clone().unwrap() });
    }),
    (&["--dfs-port"], "LAZULI_DFS_PORT", "10004", |c| {
        c.lake = Some(Endpoint { port: 10004, ..c.blob.clone().unwrap() });
    }),
    (&["--queue-port", "--queuePort"], "LAZULI_QUEUE_PORT", "1", |c| c.queue.as_mut().unwrap().port = 1),
    (&["--table-port", "--tablePort"], "LAZULI_TABLE_PORT", "65535", |c| c.table.as_mut().unwrap().port = 65535),
    (&["--file-port", "--filePort"], "LAZULI_FILE_PORT", "445", |c| c.file.as_mut().unwrap().port = 445),
    (&["--blob-keep-alive-timeout", "--blobKeepAliveTimeout"], "LAZULI_BLOB_KEEP_ALIVE_TIMEOUT", "5", |c| {
        c.blob.as_mut().unwrap().keep_alive = Duration::from_secs(5);
    }),
    (&["--queue-keep-alive-timeout", "--queueKeepAliveTimeout"], "LAZULI_QUEUE_KEEP_ALIVE_TIMEOUT", "6", |c| {
        c.queue.as_mut().unwrap().keep_alive = Duration::from_secs(6);
    }),
    (&["--table-keep-alive-timeout", "--tableKeepAliveTimeout"], "LAZULI_TABLE_KEEP_ALIVE_TIMEOUT", "7", |c| {
        c.table.as_mut().unwrap().keep_alive = Duration::from_secs(7);
    }),
    (&["--file-keep-alive-timeout", "--fileKeepAliveTimeout"], "LAZULI_FILE_KEEP_ALIVE_TIMEOUT", "0", |c| {
        c.file.as_mut().unwrap().keep_alive = Duration::from_secs(4294967295);
    }),
    (&["--disable-product-style-url", "--disableProductStyleUrl"], "LAZULI_DISABLE_PRODUCT_STYLE_URL", "true", |c| {
        c.path_style_only = true;
    }),
    (&["--account"], "LAZULI_ACCOUNT", "other", |c| c.accounts = vec![well_known("other")]),
    (&["--in-memory", "--inMemoryPersistence"], "LAZULI_IN_MEMORY", "true", |_| ()),
    (&["--location", "-l"], "LAZULI_LOCATION", "/data", |c| c.location = Some("/data".into())),
    (&["--durability"], "LAZULI_DURABILITY", "Sync", |c| {
        c.durability = Durability::Sync;
        c.warnings = vec!["--durability is ignored: without --location everything is kept in memory".into()];
    }),
    (&["--extent-memory-limit", "--extentMemoryLimit"], "LAZULI_EXTENT_MEMORY_LIMIT", "64.000000", |c| {
        c.warnings = vec!["--extent-memory-limit is not enforced: memory grows with what is stored".into()];
    }),
    (&["--stop-with-stdin"], "LAZULI_STOP_WITH_STDIN", "true", |c| c.stop_with_stdin = true),
    (&["--control"], "LAZULI_CONTROL", "true", |c| c.control = true),
    (&["--seed"], "LAZULI_SEED", "fixtures", |c| c.seed = Some("fixtures".into())),
    (&["--control-host"], "LAZULI_CONTROL_HOST", "one.test; two.test", |c| {
        c.control_hosts = vec!["one.test".into(), "two.test".into()];
    }),
    (&["--request-log"], "LAZULI_REQUEST_LOG", "7", |c| c.request_log = 7),
    (&["--oauth"], "LAZULI_OAUTH", "Dev", |c| c.oauth = Some(TokenCheck::Dev)),
    (&["--credential"], "LAZULI_CREDENTIAL", "none", |config| config.credential = None),
    (&["--auth"], "LAZULI_AUTH", "None", |c| {
        c.is_open = true;
        c.warnings = vec![
            "--auth none: no signature is checked, and whoever reaches the server may read, change and delete everything".into(),
        ];
    }),
    (&["--cors"], "LAZULI_CORS", "All", |c| c.accounts[0].any_origin = true),
    (&["--identity"], "LAZULI_IDENTITY", "ann,role=reader;bob", |c| {
        c.principals = Principals::parse("ann,role=reader;bob").unwrap();
        c.warnings = vec!["--identity has no effect: no bearer token is accepted without --oauth (local, basic or dev)".into()];
    }),
    (&["--log"], "LAZULI_LOG", "Debug", |c| c.log.level = Level::DEBUG),
    (&["--silent", "-s"], "LAZULI_SILENT", "1", |c| c.log.silent = true),
    (&["--log-format"], "LAZULI_LOG_FORMAT", "JSON", |c| c.log.format = Format::Json),
    (&["--debug", "-d"], "LAZULI_DEBUG", "debug.log", |c| c.debug = Some("debug.log".into())),
    (&["--user"], "LAZULI_USER", "1000:50", |c| c.user = Some(User::Is { uid: 1000, gid: 50 })),
    (&["--loose", "-L"], "LAZULI_LOOSE", "true", |_| ()),
    (&["--skip-api-version-check", "--skipApiVersionCheck"], "LAZULI_SKIP_API_VERSION_CHECK", "TRUE", |_| ()),
    (&["--disable-telemetry", "--disableTelemetry"], "LAZULI_DISABLE_TELEMETRY", "true", |_| ()),
];

#[test]
fn every_name_and_variable_of_a_flag_does_the_same() {
    for (names, variable, value, difference) in SETTINGS {
        let mut wanted = config(&[], &[]);
        difference(&mut wanted);
        assert_eq!(config(&[], &[(variable, value)]), wanted, "{variable}");

        let flag = flags().find(|flag| flag.names().any(|s| s == names[0])).unwrap();
        assert!(flag.names().all(|name| names.contains(&name.as_str())), "--{} has an untested name", flag.name);
        for name in *names {
            assert_eq!(config(&[&format!("{name}={value}")], &[]), wanted, "{name}={value}");
            if flag.word().is_some() {
                assert_eq!(config(&[name, value], &[]), wanted, "{name} {value}");
            } else {
                assert_eq!(config(&[name], &[]), wanted, "{name}");
                assert_eq!(config(&[name, "start"], &[]), wanted, "{name} start");
                assert_eq!(config(&[name, "true"], &[]), wanted, "{name} true");
            }
        }
    }
    assert_eq!(config(&["--extentMemoryLimit", "-1"], &[]).warnings.len(), 1, "a number is a value, whatever its sign");

    let tested_elsewhere = [
        "config",
        "tls",
        "tls-name",
        "cert",
        "key",
        "pwd",
        "run",
        "env",
        "format",
        "trust",
        "undo",
        "import",
        "from-azurite",
        "check",
        "health",
        "completions",
        "man",
        "version",
        "help",
    ];
    for flag in flags() {
        let tested = SETTINGS.iter().any(|(_, variable, ..)| Some((*variable).to_owned()) == flag.variable());
        assert!(tested || tested_elsewhere.contains(&flag.name), "--{} has no test", flag.name);
    }
}

#[test]
fn what_comes_before_what() {
    let host = |args: &[&str], env: &[(&str, &str)]| {
        let config = config(args, env);
        [config.blob, config.file].map(|endpoint| endpoint.unwrap().host)
    };
    for (args, env, wanted) in [
        (&["--host", "a", "--blob-host", "b"][..], &[][..], ["b", "a"]),
        (&["--blob-host", "b", "--host", "a"], &[], ["b", "a"]),
        (&["--blobHost", "b", "--blob-host", "c"], &[], ["c", "127.0.0.1"]),
        (&[], &[("LAZULI_HOST", "a"), ("LAZULI_BLOB_HOST", "b")], ["b", "a"]),
        (&["--host", "a"], &[("LAZULI_BLOB_HOST", "b")], ["a", "a"]),
        (&["--blob-host", "b"], &[("LAZULI_HOST", "a")], ["b", "a"]),
        (&["--blob-host", "b"], &[("LAZULI_BLOB_HOST", "not a host")], ["b", "127.0.0.1"]),
    ] {
        assert_eq!(host(args, env), wanted, "{args:?} {env:?}");
    }
}

#[test]
fn accounts() {
    let account = |name: &str, key: &[u8]| Account { name: name.into(), keys: vec![key.into()], ..Account::default() };
    let default = || well_known("devstoreaccount1");
    let scopes = |names: &[&str]| {
        let mut scopes = crate::rules::encryption::Scopes::default();
        assert!(names.iter().all(|name| scopes.declare(name)), "{names:?}");
        scopes
    };
    let with_two = Account { keys: vec![b"one".into(), b"two".into()], ..account("abc", b"one") };
    for (args, env, wanted) in [
        (&["--account", "abc:b25l:dHdv"][..], &[][..], vec![with_two.clone()]),
        (&["--account", "abc:b25lMg"], &[], vec![account("abc", b"one2")]),
        (&["--account", "abc"], &[], vec![well_known("abc")]),
        (&["--account", "abc", "--account=devstoreaccount1"], &[], vec![well_known("abc"), default()]),
        (&["--account", "devstoreaccount1,versioning"], &[], vec![Account { versioning: true, ..default() }]),
        (
            &["--account", "devstoreaccount1,immutability,container-retention=7"],
            &[],
            vec![Account { versioning: true, immutability: true, container_retention: Some(7), ..default() }],
        ),
        (&["--account", "devstoreaccount1,access-tracking"], &[], vec![Account { access_tracking: true, ..default() }]),
        (&["--account", "devstoreaccount1,premium"], &[], vec![Account { premium: true, ..default() }]),
        (&["--account", "devstoreaccount1,share-retention=30"], &[], vec![Account { share_retention: Some(30), ..default() }]),
        (
            &["--account", "devstoreaccount1,scope=tenant-1,scope=two,scope=two"],
            &[],
            vec![Account { scopes: scopes(&["tenant-1", "two"]), ..default() }],
        ),
        (
            &[],
            &[("LAZULI_ACCOUNT", "abc:b25l,scope=one;def,hns,scope=two")],
            vec![
                Account { scopes: scopes(&["one"]), ..account("abc", b"one") },
                Account { hns: true, scopes: scopes(&["two"]), ..well_known("def") },
            ],
        ),
        (&["--account", "abc:b25l,hns,versioning"], &[], vec![Account { versioning: true, hns: true, ..account("abc", b"one") }]),
        (
            &[],
            &[("LAZULI_ACCOUNT", "abc:b25l; lake,hns;")],
            vec![account("abc", b"one"), Account { hns: true, ..well_known("lake") }],
        ),
        (
            &[],
            &[("AZURITE_ACCOUNTS", "abc:b25l:dHdv;devstoreaccount1:b25l;")],
            vec![with_two, account("devstoreaccount1", b"one")],
        ),
        (&[], &[("AZURITE_ACCOUNTS", "abc:b25l"), ("LAZULI_ACCOUNT", "def")], vec![well_known("def")]),
        (&["--account", "def"], &[("AZURITE_ACCOUNTS", "nonsense"), ("LAZULI_ACCOUNT", "?")], vec![well_known("def")]),
    ] {
        let config = config(args, env);
        assert_eq!(config.accounts, wanted, "{args:?} {env:?}");
        assert_eq!(config.warnings, Vec::<String>::new(), "{args:?} {env:?}");
    }
}

/// Node.js decodes any text as base64; the expected bytes are what it returned.
#[test]
fn azurites_keys_are_read_as_node_reads_them() {
    for (key, bytes) in [
        ("s3cr?t", &[0xb3, 0x77, 0x2b][..]),
        ("YQ==YQ==", b"a"),
        ("a-_b", &[0x6b, 0xef, 0xdb]),
        ("  b25l\n", b"one"),
        ("b25lM", b"one"),
        ("b25=l", b"on"),
        ("b25lMg", b"one2"),
        ("YQ=", b"a"),
        ("é b25l", b"one"),
    ] {
        let accounts = config(&[], &[("AZURITE_ACCOUNTS", &format!("abc:{key}:{key};devstoreaccount1:b25l"))]).accounts;
        assert_eq!(accounts[0].keys, [bytes, bytes], "{key:?}");
    }
}

#[test]
fn azurites_variables() {
    for (env, warning) in [
        (("AZURITE_ACCOUNTS", "abc:b25l"), Some("AZURITE_ACCOUNTS replaces devstoreaccount1; to keep it, name it there too")),
        (("AZURITE_SKIP_API_VERSION_CHECK", "true"), None),
        (("AZURITE_DB", "mysql://user:secret@host/db"), Some("AZURITE_DB is ignored: nothing is kept in a database")),
    ] {
        assert_eq!(config(&[], &[env]).warnings, Vec::from_iter(warning), "{env:?}");
    }
}

#[test]
fn files_and_memory() {
    let tls = Tls::Files { cert: "a.pem".into(), key: "b.pem".into() };
    assert_eq!(config(&["--cert", "a.pem", "--key", "b.pem"], &[]).tls, tls);
    assert_eq!(config(&["--cert", "a.pem"], &[("LAZULI_KEY", "b.pem")]).tls, tls);
    let with_password = config(&["--cert", "a.pem", "--key", "b.pem", "--pwd", "x"], &[]);
    assert_eq!((with_password.tls, with_password.warnings.len()), (tls, 1));
    assert_eq!(with_password.warnings[0], "--pwd is ignored: with --key, both files are read as PEM");
    for (args, env) in
        [(&["-l", "/data", "--inMemoryPersistence"][..], &[][..]), (&["--location=/data"], &[("LAZULI_IN_MEMORY", "true")])]
    {
        assert_eq!(config(args, env).location, None);
        assert_eq!(config(args, env).warnings, ["--location is ignored: --in-memory keeps everything in memory"]);
    }
}

#[test]
fn tokens_are_safe_over_https() {
    let warning = "--oauth basic takes bearer tokens only over https: leave out --tls off, or use --oauth local or dev";
    for (args, trust, warnings) in [
        (&["--oauth", "basic", "--tls", "off"][..], TokenCheck::Basic, &[warning][..]),
        (&["--oauth", "basic"], TokenCheck::Basic, &[]),
        (&["--oauth=BASIC", "--cert", "a.pem", "--key", "b.pem"], TokenCheck::Basic, &[]),
        (&["--oauth", "dev"], TokenCheck::Dev, &[]),
        (&["--oauth", "local"], TokenCheck::Local, &[]),
    ] {
        let config = config(args, &[]);
        assert_eq!((config.oauth, config.warnings), (Some(trust), warnings.iter().map(|line| (*line).to_owned()).collect()));
    }
}

#[test]
fn a_refusal_is_one_line() {
    for (args, wanted) in [
        (&["--blob-prot", "1"][..], "--blob-prot is not a flag; did you mean --blob-port?"),
        (&["--blobport=1"], "--blobport is not a flag; did you mean --blobPort?"),
        (&["-silent"], "-silent is not a flag; did you mean --silent?"),
        (&["--slient"], "--slient is not a flag; did you mean --silent?"),
        (&["--frobnicate"], "--frobnicate is not a flag; --help lists them all"),
        (&["--a\nb"], "--a\\nb is not a flag; --help lists them all"),
        (&["-x"], "-x is not a flag; --help lists them all"),
        (&["--blob-port"], "--blob-port needs a value: --blob-port PORT"),
        (&["--blob-port="], "--blob-port needs a value: --blob-port PORT"),
        (&["-d", "--silent"], "-d needs a value: -d FILE"),
        (&["--account", "-s"], "--account needs a value: --account ACCOUNT"),
        (&["--blobPort", "65536"], "--blobPort: \"65536\" is not a port: a number from 0 to 65535"),
        (&["--queue-port", "-1"], "--queue-port: \"-1\" is not a port: a number from 0 to 65535"),
        (&["--table-host", "http://h"], "--table-host: \"http://h\" is not a host: an IPv4 or IPv6 address or a name"),
        (&["--host", "a\nb"], "--host: \"a\\nb\" is not a host: an IPv4 or IPv6 address or a name"),
        (&["--host", "[]"], "--host: \"[]\" is not a host: an IPv4 or IPv6 address or a name"),
        (&["--file-keep-alive-timeout", "1.5"], "--file-keep-alive-timeout: \"1.5\" is not a number of whole seconds"),
        (&["--extentMemoryLimit", "much"], "--extentMemoryLimit: \"much\" is not a number of megabytes"),
        (&["--extentMemoryLimit", "NaN"], "--extentMemoryLimit: \"NaN\" is not a number of megabytes"),
        (&["--silent=maybe"], "--silent: \"maybe\" is neither true nor false"),
        (&["--log", "loud"], "--log: \"loud\" is not a level: error, warn, info, debug or trace"),
        (&["--oauth", "full"], "--oauth: \"full\" is not a level: local, basic or dev"),
        (&["-l", "/data", "--durability", "hope"], "--durability: \"hope\" is not a durability: process or sync"),
        (&["--cert", "a.pem"], "--cert needs --key with the certificate's private key"),
        (&["--key", "a.pem"], "--key needs --cert with the certificate of that key"),
        (&["--cert", "a.pfx", "--pwd", "x"], "--cert a.pfx cannot be read: No such file or directory (os error 2)"),
        (&["--account", "ab"], "--account: \"ab\" is not an account's name: 3 to 24 lower-case letters and digits"),
        (&["--account", "Abc"], "--account: \"Abc\" is not an account's name: 3 to 24 lower-case letters and digits"),
        (&["--account", ",hns"], "--account: \"\" is not an account's name: 3 to 24 lower-case letters and digits"),
        (
            &["--account", "abc-secondary"],
            "--account: \"abc-secondary\" is not an account's name: 3 to 24 lower-case letters and digits",
        ),
        (&["--account", "abc:s3cr?t"], "--account: a key of account \"abc\" is not base64"),
        (&["--account", "abc:"], "--account: a key of account \"abc\" is not base64"),
        (&["--account", "abc:b25l:s3cr?t"], "--account: a key of account \"abc\" is not base64"),
        (&["--account", "abc:b25l:dHdv:eA=="], "--account: account \"abc\" has more than two keys"),
        (
            &["--account", "abc,HNS"],
            "--account: account \"abc\": \"HNS\" is not an option; the options are versioning, hns, immutability, access-tracking, premium, container-retention=DAYS, share-retention=DAYS and scope=NAME",
        ),
        (&["--account", "abc", "--account", "abc"], "--account: account \"abc\" is named twice"),
        (&["--account", ";"], "--account: no account is named"),
        (
            &["--account", "abc,hns,immutability"],
            "--account: account \"abc\" cannot have both hns and immutability, as with the real service",
        ),
        (
            &["--account", "abc,container-retention=366"],
            "--account: account \"abc\" cannot keep containers for \"366\" days: 1 to 365",
        ),
        (
            &["--account", "abc,scope=My_Scope"],
            "--account: account \"abc\" cannot have the encryption scope \"My_Scope\": 3 to 63 lower-case letters, digits and dashes, each dash between two of the others",
        ),
        (&["--account", "abc,share-retention=0"], "--account: account \"abc\" cannot keep shares for \"0\" days: 1 to 365"),
    ] {
        assert_eq!(refusal(args, &[]), wanted, "{args:?}");
    }
    for (env, wanted) in [
        (("LAZULI_BLOB_PORT", "x"), "LAZULI_BLOB_PORT: \"x\" is not a port: a number from 0 to 65535"),
        (("LAZULI_SILENT", "yes"), "LAZULI_SILENT: \"yes\" is neither true nor false"),
        (("LAZULI_ACCOUNT", "abc;?"), "LAZULI_ACCOUNT: \"?\" is not an account's name: 3 to 24 lower-case letters and digits"),
        (("LAZULI_CERT", "a.pem"), "--cert needs --key with the certificate's private key"),
        (
            ("AZURITE_ACCOUNTS", "abc:b25l;s3cret"),
            "AZURITE_ACCOUNTS: account s3cret has no key; write name:key[:key2], with ; between accounts",
        ),
        (("AZURITE_ACCOUNTS", "abc:????"), "AZURITE_ACCOUNTS: a key of account \"abc\" is not base64"),
        (("AZURITE_ACCOUNTS", ";"), "AZURITE_ACCOUNTS: no account is named"),
    ] {
        assert_eq!(refusal(&[], &[env]), wanted, "{env:?}");
    }
}

#[cfg(unix)]
#[test]
fn words_are_text() {
    use std::os::unix::ffi::OsStringExt;
    let args = ["lazuli".into(), OsString::from_vec(b"--cert=\xff".into())];
    assert_eq!(read(args, &|_| None, None).unwrap_err().to_string(), "\"--cert=\\xFF\" is not UTF-8");
}

#[test]
fn programs() {
    use ProgramName::*;
    for (path, program, served) in [
        ("lazuli", Lazuli, [true; 4]),
        ("/usr/bin/lazuli", Lazuli, [true; 4]),
        ("anything", Lazuli, [true; 4]),
        ("", Lazuli, [true; 4]),
        ("azurite", Azurite, [true; 4]),
        ("/usr/bin/azurite", Azurite, [true; 4]),
        ("Azurite.EXE", Azurite, [true; 4]),
        ("azurite-blob", AzuriteBlob, [true, false, false, false]),
        ("./azurite-queue", AzuriteQueue, [false, true, false, false]),
        ("azurite-table.exe", AzuriteTable, [false, false, true, false]),
    ] {
        let Ok(Command::Serve(config)) = start(&[path, "--queuePort", "7"], &[]) else { panic!("{path}") };
        assert_eq!(config.program, program, "{path}");
        let endpoints = [&config.blob, &config.queue, &config.table, &config.file];
        assert_eq!(endpoints.map(Option::is_some), served, "{path}");
        assert!(config.queue.is_none_or(|queue| queue.port == 7), "{path}");
    }
    assert!(matches!(read([], &|_| None, None), Ok(Command::Serve(_))), "not even a program's name");
}

#[test]
fn the_list_is_in_order() {
    let mut seen = std::collections::HashSet::new();
    for flag in flags() {
        for name in flag.names() {
            assert!(name.is_ascii() && seen.insert(name.clone()), "{name} is there twice");
        }
        let name = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        assert!(name(flag.name), "{}", flag.name);
        assert!(!flag.word().is_some_and(str::is_empty), "--{} takes something that has no name", flag.name);
        assert!(
            flag.default.is_none() || !matches!(flag.kind, FlagKind::Switch | FlagKind::Command),
            "--{} is a switch, which is off",
            flag.name
        );
    }
    for name in flags().filter_map(Flag::variable).chain(VARIABLES.iter().map(|v| v.name.to_owned())) {
        assert!(seen.insert(name.clone()), "{name} is there twice");
    }
    let meanings = flags().map(|flag| flag.meaning).chain(VARIABLES.iter().map(|variable| variable.meaning));
    for meaning in meanings {
        assert!(!meaning.is_empty() && !meaning.ends_with('.') && !meaning.contains(['|', '\n', '`']), "{meaning:?}");
    }
    for variable in VARIABLES {
        assert!(variable.yields_to.is_none_or(|name| flags().any(|flag| flag.name == name)), "{}", variable.name);
    }
}

#[test]
fn https_is_automatic_unless_it_is_off_or_has_files() {
    let files = ["--cert", "a.pem", "--key", "b.pem"];
    let off = [&files[..], &["--tls", "off"]].concat();
    let named = [&files[..], &["--tls-name", "a"]].concat();
    for (args, env, tls, warning) in [
        (&[][..], &[][..], automatic(&[]), None),
        (&["--tls", "AUTO"], &[], automatic(&[]), None),
        (&["--tls=off"], &[], Tls::Off, None),
        (&[], &[("LAZULI_TLS", "off")], Tls::Off, None),
        (&["--tls", "auto"], &[("LAZULI_TLS", "off")], automatic(&[]), None),
        (
            &["--tls-name", "storage", "--tls-name=*.example.test", "--tls-name", "[::2]"],
            &[],
            automatic(&["storage", "*.example.test", "::2"]),
            None,
        ),
        (&[], &[("LAZULI_TLS_NAME", "storage; 10.0.0.7")], automatic(&["storage", "10.0.0.7"]), None),
        (&off, &[], Tls::Off, Some("--cert and --key are ignored: --tls off serves no https")),
        (
            &named,
            &[],
            Tls::Files { cert: "a.pem".into(), key: "b.pem".into() },
            Some("--tls-name is ignored: it is for the certificate that the server makes itself"),
        ),
        (
            &["--tls", "off", "--tls-name", "a"],
            &[],
            Tls::Off,
            Some("--tls-name is ignored: it is for the certificate that the server makes itself"),
        ),
    ] {
        let config = config(args, env);
        assert_eq!((config.tls, config.warnings.first().map(String::as_str)), (tls, warning), "{args:?} {env:?}");
    }
    assert_eq!(refusal(&["--tls", "on"], &[]), "--tls: \"on\" is not a mode: auto or off");
    for name in ["a b", "*.10.0.0.1", "*", "a/b", "*."] {
        assert!(refusal(&["--tls-name", name], &[]).starts_with("--tls-name: "), "{name}");
    }
}
