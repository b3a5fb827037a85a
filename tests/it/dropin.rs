//! In Azurite's place: started by its names, with the flags that people and tools use, and read as they read it.

use crate::process::{Folder, Running, command, run, send};
use crate::startup::{CERT, KEY};
use std::net::TcpListener;

/// Free ports, said where no flag says them, so that the flags stay as they are written in the wild; and as in the image, where data is
/// not kept.
const VARIABLES: [(&str, &str); 5] = [
    ("LAZULI_BLOB_PORT", "0"),
    ("LAZULI_QUEUE_PORT", "0"),
    ("LAZULI_TABLE_PORT", "0"),
    ("LAZULI_FILE_PORT", "0"),
    ("LAZULI_IN_MEMORY", "true"),
];

/// A command line as it is found in a compose file, a test library or an editor.
struct Case {
    name: &'static str,
    /// `DIR` is a folder of the test.
    arguments: &'static str,
    /// The services that are ready, in the order of their lines.
    services: &'static [&'static str],
    /// Their addresses, without the port.
    at: &'static str,
}

const ALL: &[&str] = &["Blob", "Queue", "Table"];

const CASES: [Case; 16] = [
    // The image's own command, and what Aspire adds to it.
    Case {
        name: "azurite",
        arguments: "-l DIR --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0",
        services: ALL,
        at: "http://0.0.0.0",
    },
    Case {
        name: "azurite",
        arguments: "-l DIR --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0 --disableProductStyleUrl --skipApiVersionCheck",
        services: ALL,
        at: "http://0.0.0.0",
    },
    // Compose files.
    Case {
        name: "azurite",
        arguments: "-l DIR --silent --loose --skipApiVersionCheck --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0",
        services: ALL,
        at: "http://0.0.0.0",
    },
    Case {
        name: "azurite",
        arguments: "--loose --blobHost 0.0.0.0 --blobPort 0 --queueHost 0.0.0.0 --queuePort 0 --tableHost 0.0.0.0 --tablePort 0 --location DIR --debug DIR/debug.log",
        services: ALL,
        at: "http://0.0.0.0",
    },
    Case { name: "azurite-blob", arguments: "--blobHost 0.0.0.0 --blobPort 0 -l DIR", services: &["Blob"], at: "http://0.0.0.0" },
    Case { name: "azurite-queue", arguments: "--queueHost 0.0.0.0 --loose", services: &["Queue"], at: "http://0.0.0.0" },
    Case {
        name: "azurite-table",
        arguments: "--tableHost 0.0.0.0 --skipApiVersionCheck",
        services: &["Table"],
        at: "http://0.0.0.0",
    },
    // Test libraries, in Node.js, Go and Java.
    Case {
        name: "azurite",
        arguments: "--inMemoryPersistence --skipApiVersionCheck --blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0",
        services: ALL,
        at: "http://0.0.0.0",
    },
    Case {
        name: "azurite",
        arguments: "--blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0 --inMemoryPersistence --extentMemoryLimit 64.000000",
        services: ALL,
        at: "http://0.0.0.0",
    },
    Case {
        name: "azurite",
        arguments: "--blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0 --cert DIR/cert.pem --key DIR/key.pem --oauth basic",
        services: ALL,
        at: "https://0.0.0.0",
    },
    // The fixture of the .NET SDK, Visual Studio, Functions Core Tools' scripts, tutorials.
    Case { name: "azurite", arguments: "-l DIR --blobPort 0 --queuePort 0", services: ALL, at: "http://127.0.0.1" },
    Case { name: "azurite", arguments: "--location DIR --debug DIR/debug.log", services: ALL, at: "http://127.0.0.1" },
    Case { name: "azurite", arguments: "--silent --inMemoryPersistence", services: ALL, at: "http://127.0.0.1" },
    Case { name: "azurite", arguments: "-s -l DIR -d DIR/debug.log -L", services: ALL, at: "http://127.0.0.1" },
    Case {
        name: "azurite",
        arguments: "start --silent=true --location=DIR --blobKeepAliveTimeout 60 --disableTelemetry",
        services: ALL,
        at: "http://127.0.0.1",
    },
    Case { name: "azurite", arguments: "--blobHost localhost", services: ALL, at: "http://" },
];

#[test]
fn is_started_as_azurite_is() {
    let folder = Folder::new("dropin");
    std::fs::write(folder.0.join("cert.pem"), CERT).unwrap();
    std::fs::write(folder.0.join("key.pem"), KEY).unwrap();
    let place = folder.0.to_str().unwrap();
    for name in ["azurite", "azurite-blob", "azurite-queue", "azurite-table"] {
        folder.link(name);
    }
    for (at, case) in CASES.iter().enumerate() {
        let arguments = case.arguments.replace("DIR", place);
        let words: Vec<&str> = arguments.split(' ').collect();
        let mut running = Running::started(command(&folder.0.join(case.name), &words).envs(VARIABLES));
        let said = format!("{} {}", case.name, case.arguments);
        let (mut ports, mut closing) = (Vec::new(), Vec::new());
        for service in case.services {
            let [starting, listening] = [running.line(), running.line()];
            // As tools read it: a text anywhere in a line, and the number behind the last colon.
            assert!(listening.contains(&format!("{service} service is successfully listening")), "{said}: {listening}");
            let port: u16 = listening.rsplit(':').next().unwrap().parse().unwrap();
            assert_ne!(port, 0, "{said}");
            // The libraries that compare the full line expect the configured address in it.
            if case.at != "http://" {
                assert_eq!(starting, format!("Azurite {service} service is starting at {}:{port}", case.at), "{said}");
                assert_eq!(
                    listening,
                    format!("Azurite {service} service is successfully listening at {}:{port}", case.at),
                    "{said}"
                );
            }
            ports.push(port);
            closing.push(format!("Azurite {service} service is closing..."));
            closing.push(format!("Azurite {service} service successfully closed"));
        }
        if let [service] = case.services {
            assert!(running.line().starts_with(&format!("Azurite {service} service successfully ")), "{said}");
        }
        // By the time that the last line is there, all of them answer: the bare address with 400, where nothing is addressed.
        if !case.at.starts_with("https") {
            for port in &ports {
                assert!(send(*port, "GET /").starts_with("HTTP/1.1 400 "), "{said}");
            }
        }
        running.signal(["TERM", "INT"][at % 2]);
        let (status, mut rest) = running.end();
        let silent = ["-s ", "--silent"].iter().any(|flag| case.arguments.contains(flag));
        let plain = !case.at.starts_with("https");
        assert_eq!(rest.iter().any(|line| line.contains("GET /")), plain && !silent, "{said}: {rest:?}");
        rest.retain(|line| line.starts_with("Azurite"));
        assert_eq!((status.code(), rest), (Some(0), closing), "{said}");
    }
}

/// A port is free at once for the next start, and two servers never share one: the second fails.
#[test]
fn takes_its_port_and_gives_it_back() {
    let folder = Folder::new("dropin-again");
    let blob = folder.link("azurite-blob");
    let mut first = Running::started(&mut command(&blob, &["--silent", "--blobPort", "0"]));
    let port = first.ready(3)[0].1.to_string();
    let (code, output, error) = run(&blob, &["--silent", "--blobPort", &port]);
    assert_eq!((code, output.as_str()), (1, ""), "{error}");
    assert!(error.contains("already in use (--blob-port N chooses another)"), "{error}");
    for name in ["TERM", "INT"] {
        first.signal(name);
        assert_eq!(first.end().0.code(), Some(0));
        first = Running::started(&mut command(&blob, &["--silent", "--blobPort", &port]));
        assert_eq!(first.ready(3)[0].1.to_string(), port);
    }
    drop(first);
    assert!(TcpListener::bind(format!("127.0.0.1:{port}")).is_ok());
}

/// Azurite's variables, in the forms that people give them.
#[test]
fn knows_azurites_variables() {
    let folder = Folder::new("dropin-variables");
    let azurite = folder.link("azurite");
    let own = [("AZURITE_ACCOUNTS", "first:Zmlyc3Q=;second:c2Vjb25k:dHdv;"), ("AZURITE_SKIP_API_VERSION_CHECK", "true")];
    let running = Running::started(command(&azurite, &["--silent"]).envs(VARIABLES).envs(own));
    let port = running.ready(6)[0].1;
    // Whether there is such an account is all that somebody without a key learns.
    for (account, status) in [("first", 401), ("second", 401), ("devstoreaccount1", 404)] {
        let answer = send(port, &format!("GET /{account}/?comp=list&api-version=2021-12-02"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{account}: {answer}");
    }
}

/// `--version` and `--help` are the same under each name, and start nothing.
#[test]
fn answers_by_every_name() {
    let folder = Folder::new("dropin-names");
    for name in ["azurite", "azurite-blob", "azurite-queue", "azurite-table"] {
        let link = folder.link(name);
        for arguments in [&["--version"][..], &["-v"], &["version"]] {
            assert_eq!(run(&link, arguments), (0, concat!(env!("CARGO_PKG_VERSION"), "\n").into(), String::new()), "{name}");
        }
        for arguments in [&["--help"][..], &["-h"], &["help"]] {
            let (code, output, error) = run(&link, arguments);
            assert_eq!((code, error.as_str()), (0, ""), "{name}");
            assert!(output.contains("--blob-port") && output.contains("--blobPort"), "{name}: {output}");
        }
        // Azurite reports an unknown flag, ends with exit code 0, and serves nothing; a script would continue.
        let (code, output, error) = run(&link, &["--colour", "blue"]);
        assert_eq!((code, output.as_str()), (1, ""), "{name}");
        assert!(error.contains("--colour") && error.lines().count() == 1, "{name}: {error}");
    }
}
