//! `lazuli run` and `lazuli env`: a command that finds a server of its own by its variables.

use crate::https;
use crate::process::{Folder, command, lazuli, signal};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// `lazuli run` with these arguments, with a state folder, and with the shell's search path.
fn launched(state: &Path, arguments: &[&str]) -> Command {
    let mut command = command(lazuli(), &[&["run"], arguments].concat());
    command.env("XDG_STATE_HOME", state).env("PATH", "/usr/bin:/bin");
    command
}

fn output(state: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = launched(state, arguments).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// The variables in the output of `env`.
fn variables(text: &str) -> HashMap<String, String> {
    text.lines().filter_map(|line| line.split_once('=')).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn port(endpoint: &str) -> u16 {
    endpoint.trim_end_matches("/devstoreaccount1").rsplit(':').next().unwrap().parse().unwrap()
}

#[test]
fn the_status_is_that_of_the_command() {
    let state = Folder::new("run-status");
    let not_executable = state.0.join("script");
    std::fs::write(&not_executable, "").unwrap();
    for (arguments, status) in [
        (&["--", "sh", "-c", "exit 0"][..], 0),
        (&["--", "sh", "-c", "exit 7"], 7),
        (&["--", "sh", "-c", "kill -9 $$"], 137),
        (&["--", "no-such-command"], 127),
        (&["--", not_executable.to_str().unwrap()], 126),
        (&["--blob-host", "256.0.0.1", "--", "sh", "-c", "exit 0"], 2),
        (&[], 2),
    ] {
        let (code, out, error) = output(&state.0, arguments);
        assert_eq!((code, &*out), (Some(status), ""), "{arguments:?}: {error}");
        assert_eq!(error.is_empty(), ![126, 127, 2].contains(&status), "{error}");
    }
}

#[test]
fn standard_streams_are_those_of_the_command() {
    let state = Folder::new("run-streams");
    let arguments = ["--", "sh", "-c", "cat; echo error >&2; echo \"$1 $2\"", "name", "--one", "two words"];
    let mut child = launched(&state.0, &arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"input\n").unwrap();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    assert!(status.success());
    assert_eq!((stdout, stderr), (b"input\n--one two words\n".to_vec(), b"error\n".to_vec()));
}

/// While the command runs, it can use the server by its variables alone.
#[test]
fn the_variables_lead_to_the_server() {
    let state = Folder::new("run-variables");
    for (arguments, scheme) in [(&[][..], "https"), (&["--tls", "off"], "http")] {
        let arguments = [arguments, &["--", "sh", "-c", "env; echo end; cat"]].concat();
        let mut child = launched(&state.0, &arguments).env("JAVA_TOOL_OPTIONS", "-Xmx1g").stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let mut text = Vec::new();
        while !text.ends_with(b"\nend\n") {
            let mut byte = [0];
            output.read_exact(&mut byte).unwrap();
            text.extend(byte);
        }
        let found = variables(&String::from_utf8(text).unwrap());
        let value = |name: &str| found.get(name).map(String::as_str);
        assert_eq!(
            (value("AZURE_STORAGE_ACCOUNT"), value("AZURE_STORAGE_KEY")),
            (Some("devstoreaccount1"), Some(lazuli::WELL_KNOWN_KEY))
        );
        assert_eq!(value("AZURE_STORAGE_CONNECTION_STRING"), value("AzureWebJobsStorage"));
        for service in ["BLOB", "QUEUE", "TABLE", "FILE"] {
            let url = value(&format!("AZURE_STORAGE_{service}_ENDPOINT")).unwrap().to_owned();
            assert!(url.starts_with(&format!("{scheme}://127.0.0.1:")), "{url}");
            let string = value("AZURE_STORAGE_CONNECTION_STRING").unwrap().to_uppercase();
            assert!(string.contains(&format!("{service}ENDPOINT={};", url.to_uppercase())), "{string}");
            if scheme == "https" {
                let authority = std::fs::read_to_string(value("NODE_EXTRA_CA_CERTS").unwrap()).unwrap();
                let mut client = https::connect(port(&url), "127.0.0.1", &authority);
                client.write_all(b"GET /_lazuli/health HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
                assert!(https::response(&mut client).0.starts_with("HTTP/1.1 200 "));
            } else {
                assert!(crate::process::send(port(&url), "GET /_lazuli/health").starts_with("HTTP/1.1 200 "));
            }
        }
        assert_eq!(value("AZURE_STORAGE_DFS_ENDPOINT"), value("AZURE_STORAGE_BLOB_ENDPOINT"));
        if scheme == "https" {
            for name in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"] {
                let bundle = std::fs::read_to_string(value(name).unwrap()).unwrap();
                assert!(bundle.contains(&std::fs::read_to_string(value("NODE_EXTRA_CA_CERTS").unwrap()).unwrap()), "{name}");
            }
            let java = value("JAVA_TOOL_OPTIONS").unwrap();
            let store = java.strip_prefix("-Xmx1g -Djavax.net.ssl.trustStore=").unwrap().split(' ').next().unwrap();
            assert!(Path::new(store).is_file(), "{java}");
        } else {
            assert_eq!((value("SSL_CERT_FILE"), value("JAVA_TOOL_OPTIONS")), (None, Some("-Xmx1g")));
        }
        input.write_all(b"done\n").unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

/// The command gets the signals, and the server stops after it.
#[test]
fn signals_reach_the_command() {
    let state = Folder::new("run-signals");
    for (name, status) in [("TERM", 143), ("INT", 130), ("HUP", 129), ("USR1", 138), ("USR2", 140)] {
        let mut command = launched(&state.0, &["--", "sh", "-c", "echo ready; exec cat"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let _input = child.stdin.take();
        let output = child.stdout.take().unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output));
        assert_eq!(lines.next().unwrap().unwrap(), "ready");
        signal(child.id(), name);
        assert_eq!(child.wait().unwrap().code(), Some(status), "{name}");
    }
}

/// `nohup` ignores a signal, and its command does too.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_ends_nothing() {
    let state = Folder::new("run-nohup");
    let script = "trap '' HUP; exec \"$0\" run -- sh -c 'echo ready; cat; echo end'";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(lazuli()).env("XDG_STATE_HOME", &state.0);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    signal(child.id(), "HUP");
    drop(input);
    assert_eq!(lines.next().unwrap().unwrap(), "end");
    assert!(child.wait().unwrap().success());
}

/// The variables of a folder whose path is not UTF-8 would name no file.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_variables_cannot_name_is_not_used() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("run-path");
    let state = folder.0.join(std::ffi::OsStr::from_bytes(b"\xff"));
    let Output { status, stdout, stderr } =
        launched(&state, &["--", "sh", "-c", "test -f \"$SSL_CERT_FILE\" && echo found"]).output().unwrap();
    assert!(status.success() && stdout == b"found\n", "{stdout:?}");
    assert!(String::from_utf8(stderr).unwrap().contains("the path is not UTF-8"));
    let env = command(lazuli(), &["env"]).env("XDG_STATE_HOME", &state).output().unwrap();
    assert_eq!((env.status.code(), env.stdout.is_empty()), (Some(2), true));
    // Nor can a line break be in the format that reads lines.
    let env =
        command(lazuli(), &["env", "--format", "plain"]).env("XDG_STATE_HOME", folder.0.join("a\nPATH=b")).output().unwrap();
    assert_eq!((env.status.code(), env.stdout.is_empty()), (Some(2), true));
    assert!(String::from_utf8(env.stderr).unwrap().contains("has a line break"));
}

/// Without a folder for its state, a run has a temporary one, which it removes.
#[test]
fn a_run_needs_no_folder() {
    let folder = Folder::new("run-temporary");
    let blocked = folder.0.join("file");
    std::fs::write(&blocked, "").unwrap();
    let script = "test -f \"$SSL_CERT_FILE\" && test -f \"$NODE_EXTRA_CA_CERTS\" && echo \"$SSL_CERT_FILE\"";
    let mut command = launched(&blocked, &["--", "sh", "-c", script]);
    let Output { status, stdout, stderr } = command.env("TMPDIR", &folder.0).output().unwrap();
    let error = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{error}");
    assert!(error.starts_with("lazuli: https uses a certificate authority of this run only: "), "{error}");
    let file = String::from_utf8(stdout).unwrap();
    assert!(file.starts_with(folder.0.to_str().unwrap()) && !Path::new(file.trim_end()).exists(), "{file}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
}

/// What is written with `--location` is there for the next run.
#[test]
fn a_run_keeps_its_data() {
    let state = Folder::new("run-data");
    let location = state.0.join("data");
    for _ in 0..2 {
        let (code, _, error) = output(&state.0, &["--location", location.to_str().unwrap(), "--", "sh", "-c", "true"]);
        assert_eq!((code, &*error), (Some(0), ""));
    }
    assert!(location.join("lazuli").is_file() && location.join("tls/ca.pem").is_file());
}

/// A shell that evaluates what `env` prints has the values.
#[test]
fn a_shell_reads_what_env_prints() {
    let state = Folder::new("env it's");
    let script = format!("eval \"$('{}' env --blob-port 7)\"; env", lazuli().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env_clear().env("PATH", "/usr/bin:/bin").env("XDG_STATE_HOME", &state.0);
    let found = variables(&String::from_utf8(shell.output().unwrap().stdout).unwrap());
    assert_eq!(found["AZURE_STORAGE_BLOB_ENDPOINT"], "https://127.0.0.1:7/devstoreaccount1");
    assert_eq!(found["AZURE_STORAGE_QUEUE_ENDPOINT"], "https://127.0.0.1:10001/devstoreaccount1");
    assert_eq!(found["NODE_EXTRA_CA_CERTS"], state.0.join("lazuli/tls/ca.pem").to_str().unwrap());
    assert!(
        found["AZURE_STORAGE_CONNECTION_STRING"]
            .starts_with("DefaultEndpointsProtocol=https;AccountName=devstoreaccount1;AccountKey=")
    );

    let mut command = command(lazuli(), &["env", "--queue-port", "0"]);
    let refused = command.env("XDG_STATE_HOME", &state.0).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("env has to know the ports"));
}
