//! What the program prints when it starts: the lines that tools wait for, warnings, its version and its help.

use crate::process::{FREE, Folder, Running, command, lazuli, run, send};
use lazuli::WELL_KNOWN_KEY;
use std::io::{BufRead, BufReader, Read};

#[test]
fn prints_where_it_listens() {
    let running = Running::start(&FREE);
    let ready = running.ready(4);
    // Read before the first request: the line of a request in the log would come between.
    let (connection, console, https) = (running.line(), running.line(), running.line());
    for ((line, port), name) in ready.iter().zip(["Blob", "Queue", "Table", "File"]) {
        assert_eq!(*line, format!("Lazuli {name} service is listening at http://127.0.0.1:{port}"));
        assert_ne!(*port, 0);
        assert!(send(*port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"), "{name}");
        // What tools probe for: an answer that is exactly 400.
        let probe = send(*port, "GET /");
        assert!(probe.starts_with("HTTP/1.1 400 "), "{name}: {probe}");
    }
    let url = |at: usize| format!("http://127.0.0.1:{}/devstoreaccount1", ready[at].1);
    let endpoints = format!("BlobEndpoint={};QueueEndpoint={};TableEndpoint={};FileEndpoint={};", url(0), url(1), url(2), url(3));
    let account = format!("DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={WELL_KNOWN_KEY};");
    assert_eq!(connection, format!("Connection string: {account}{endpoints}"));
    assert_eq!(console, format!("Console: http://127.0.0.1:{}/_lazuli/", ready[0].1));
    assert!(https.starts_with("https is served at the same ports: lazuli run"), "{https}");
}

/// With `--web-port`, websites have a port, and a line.
#[test]
fn prints_where_websites_are() {
    let running = Running::start(&[&FREE[..], &["--web-port", "0"]].concat());
    let ready = running.ready(5);
    let (line, port) = &ready[4];
    assert_eq!(*line, format!("Lazuli Web service is listening at http://127.0.0.1:{port}"));
    assert!(send(*port, "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(send(*port, "GET /").starts_with("HTTP/1.1 404 The requested content does not exist.\r\n"));
    let (code, _, error) = run(lazuli(), &["--blob-port", "0", "--web-port", &ready[0].1.to_string()]);
    assert_eq!(code, 2);
    assert!(error.contains("already in use (--web-port N chooses another)"), "{error}");
}

/// The file with settings has a line, by each name of the program.
#[test]
fn prints_which_settings_it_reads() {
    let folder = Folder::new("settings");
    let file = folder.0.join("settings.toml");
    std::fs::write(&file, "silent = true\n").unwrap();
    let file = file.to_str().unwrap();
    let arguments = [&FREE[..], &["--config", file]].concat();
    for (program, ready) in [("lazuli", 4), ("azurite", 6)] {
        let running = Running::start_as(&folder.link(program), &arguments);
        running.ready(ready);
        assert_eq!(running.line(), format!("Settings are read from {file}"), "{program}");
    }
}

/// Accounts with a hierarchical namespace have a line each, with the port of `--dfs-port` if there is one. The connection string has no
/// `DfsEndpoint`, which the SDK for .NET refuses.
#[test]
fn prints_the_endpoints_of_data_lake() {
    let accounts = ["--account", "plain", "--account", "lake,hns"];
    for own_port in [false, true] {
        let own: &[&str] = if own_port { &["--dfs-port", "0"] } else { &[] };
        let running = Running::start(&[&FREE[..], &accounts, own].concat());
        let ready = running.ready(if own_port { 5 } else { 4 });
        let connection = running.line();
        assert!(connection.starts_with("Connection string of plain: ") && !connection.contains("Dfs"), "{connection}");
        let (line, port) = &ready[if own_port { 4 } else { 0 }];
        let name = if own_port { "Data Lake" } else { "Blob" };
        assert_eq!(*line, format!("Lazuli {name} service is listening at http://127.0.0.1:{port}"));
        assert_eq!(running.line(), format!("Data Lake endpoint of lake: http://127.0.0.1:{port}/lake"));
    }
}

/// The exact lines that tools wait for, with nothing behind the port.
#[test]
fn speaks_as_azurite() {
    let folder = Folder::new("names");
    let mut running = Running::start_as(
        &folder.link("azurite"),
        &["--silent", "--blobPort", "0", "--queuePort", "0", "--tablePort=0", "--file-port", "0"],
    );
    let mut closing = Vec::new();
    for name in ["Blob", "Queue", "Table"] {
        let ready = running.ready(2);
        let at = format!("at http://127.0.0.1:{}", ready[1].1);
        assert_eq!(ready[0].0, format!("Azurite {name} service is starting {at}"));
        assert_eq!(ready[1].0, format!("Azurite {name} service is successfully listening {at}"));
        assert!(send(ready[1].1, "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"), "{name}");
        closing.extend([format!("Azurite {name} service is closing..."), format!("Azurite {name} service successfully closed")]);
    }
    running.signal("INT");
    let (status, said) = running.end();
    assert_eq!((status.code(), said), (Some(0), closing));

    for (program, flag, name, last) in [
        ("azurite-blob", "--blobPort", "Blob", "successfully listens on http://127.0.0.1:"),
        ("azurite-queue", "--queuePort", "Queue", "successfully listens on http://127.0.0.1:"),
        ("azurite-table", "--tablePort", "Table", "successfully started on 127.0.0.1:"),
    ] {
        let mut running = Running::start_as(&folder.link(program), &["--silent", flag, "0"]);
        let ready = running.ready(3);
        let port = ready[0].1;
        let wanted = [
            format!("Azurite {name} service is starting at http://127.0.0.1:{port}"),
            format!("Azurite {name} service is successfully listening at http://127.0.0.1:{port}"),
            format!("Azurite {name} service {last}{port}"),
        ];
        assert_eq!(ready.into_iter().map(|(line, _)| line).collect::<Vec<_>>(), wanted);
        running.signal("TERM");
        let (status, said) = running.end();
        assert_eq!(status.code(), Some(0), "{program}");
        assert_eq!(
            said,
            [format!("Azurite {name} service is closing..."), format!("Azurite {name} service successfully closed")]
        );
    }
}

/// An ignored setting is a line on standard error, and the server runs.
#[test]
fn warnings_are_lines() {
    let folder = Folder::new("warnings");
    let (data, azurite) = (folder.0.join("data"), folder.link("azurite"));
    let data = data.to_str().unwrap();
    let in_memory = "lazuli: data is kept in memory and is lost when the server stops. --location DIR keeps it (Azurite uses the current folder)";
    for (program, arguments, variables, wanted) in [
        (azurite.as_path(), &[][..], &[][..], &[in_memory][..]),
        (&azurite, &["--inMemoryPersistence"], &[], &[]),
        // A new folder is not worth a line.
        (&azurite, &["--location", data], &[], &[]),
        (lazuli(), &[], &[], &[]),
        (
            lazuli(),
            &[],
            &[
                ("LAZULI_BLOB_PROT", "1"),
                ("LAZULI_X", ""),
                ("LAZULI_SERVICE_PORT_BLOB", "1"),
                ("LAZULI_PORT", "tcp://10.0.0.1:10000"),
                ("LAZULI_PORT_10000_TCP_PROTO", "tcp"),
                ("LAZULI_HEALTH", "1"),
                ("LAZULI_SILENT", "1"),
            ],
            &[
                "lazuli: LAZULI_BLOB_PROT is ignored: no flag has this variable; did you mean LAZULI_BLOB_PORT?",
                "lazuli: LAZULI_HEALTH is ignored: no flag has this variable",
                "lazuli: LAZULI_X is ignored: no flag has this variable",
            ],
        ),
        (
            lazuli(),
            &[],
            &[("LAZULI_PORT", "1"), ("LAZULI_PORTS", "tcp://10.0.0.1:10000"), ("LAZULI_PORT_BLOB", "1")],
            &[
                "lazuli: LAZULI_PORT is ignored: no flag has this variable",
                "lazuli: LAZULI_PORTS is ignored: no flag has this variable",
                "lazuli: LAZULI_PORT_BLOB is ignored: no flag has this variable",
            ],
        ),
    ] {
        let mut child = command(program, &[&FREE[..], arguments].concat()).envs(variables.iter().copied()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let last = if program == lazuli() { "Data is kept in " } else { "Table service is successfully listening" };
        let mut line = String::new();
        while !line.contains(last) {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "{arguments:?}");
        }
        let mut errors = child.stderr.take().unwrap();
        let running = Running::of(child);
        running.signal("TERM");
        let mut said = String::new();
        errors.read_to_string(&mut said).unwrap();
        assert_eq!(said.lines().collect::<Vec<_>>(), wanted, "{arguments:?}");
    }
}

/// The words that bash offers for the last word of a command line.
#[cfg(unix)]
fn completed(words: &[&str]) -> Vec<String> {
    let script = r#"eval "$("$1" --completions bash)"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lazuli; printf '%s\n' "${COMPREPLY[@]}""#;
    let arguments = [&["-c", script, "-", lazuli().to_str().unwrap()], words].concat();
    let (code, output, error) = run(std::path::Path::new("bash"), &arguments);
    assert_eq!((code, error.as_str()), (0, ""), "{words:?}");
    output.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn bash_completes_flags_their_values_and_paths() {
    assert_eq!(completed(&["lazuli", "--blob-p"]), ["--blob-port"]);
    assert_eq!(completed(&["lazuli", "--log", ""]), ["error", "warn", "info", "debug", "trace"]);
    assert_eq!(completed(&["lazuli", "--log-format", "=", "j"]), ["json"]);
    assert_eq!(completed(&["lazuli", "--log-format", "="]), ["text", "json"]);
    assert_eq!(completed(&["lazuli", "im"]), ["import"]);
    assert_eq!(completed(&["lazuli", "--location", "sr"]), ["src"]);
    assert_eq!(completed(&["lazuli", "--cert", "Cargo.t"]), ["Cargo.toml"]);
    assert_eq!(completed(&["lazuli", "--blobPort", ""]), [""; 0]);
    assert!(completed(&["lazuli", "--"]).len() > 40);
}

/// `Type=notify` of a systemd unit.
#[cfg(target_os = "linux")]
#[test]
fn systemd_learns_when_the_server_is_ready() {
    let folder = Folder::new("notify");
    let path = folder.0.join("socket");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(crate::process::HANGS)).unwrap();
    let running = Running::start_in(&FREE, &[("NOTIFY_SOCKET", path.to_str().unwrap())]);
    let mut message = [0; 64];
    let length = socket.recv(&mut message).unwrap();
    assert_eq!(str::from_utf8(&message[..length]).unwrap().trim_end(), "READY=1");
    assert!(send(running.ports()[0], "GET /_lazuli/health").starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn answers_questions_and_ends() {
    let (code, output, error) = run(lazuli(), &["--version"]);
    assert_eq!((code, output.as_str(), error.as_str()), (0, concat!(env!("CARGO_PKG_VERSION"), "\n"), ""));
    let (code, output, error) = run(lazuli(), &["--help"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(output.contains("--blob-port") && output.contains("--account"));
}
