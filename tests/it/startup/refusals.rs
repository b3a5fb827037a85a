//! Arguments with which the program does not start.

use crate::process::{Folder, lazuli, run};
use std::net::TcpListener;

/// An invalid argument is reported by its name in one line on standard error; the exit code is 2.
#[test]
fn invalid_arguments_are_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = Folder::new("mistakes");
    let absent = folder.0.join("absent.pem");
    let absent = absent.to_str().unwrap();
    let theirs = Folder::new("theirs");
    std::fs::write(theirs.0.join("letter"), "dear").unwrap();
    let theirs = theirs.0.to_str().unwrap();
    for (arguments, said) in [
        (&["--blob-port", port.as_str(), "--queue-port", "0", "--table-port", "0", "--file-port", "0"][..], "already in use"),
        (&["--blob-port", "70000"], "is not a port"),
        (&["--blob-port"], "--blob-port"),
        (&["--account", "one:not base64!"], "one"),
        (&["--account", "UPPER"], "UPPER"),
        (&["--colour", "blue"], "--colour"),
        (&["--location", absent, "--durability", "hope"], "is not a durability: process or sync"),
        (&["-l", theirs, "--blob-port", "0"], "files of another program"),
        (&["--oauth", "full"], "\"full\" is not a level: local, basic or dev"),
        (&["--cert", absent], "--key"),
        (&["--cert", absent, "--key", absent], "cannot be read"),
        (&["--blob-host", "not a host"], "not a host"),
        (&["--blob-host", "192.0.2.1", "--blob-port", "0"], "(--blob-host HOST chooses another address of this machine)"),
        (&["--log-format", "xml"], "\"xml\" is not a format: text or json"),
        (&["--user", "me"], "\"me\" is not a user: owner, UID or UID:GID in numbers"),
        (&["--blob-keep-alive-timeout", "soon"], "soon"),
        (&["--blob-port", "\n"], "is not a port"),
    ] {
        let (code, output, error) = run(lazuli(), arguments);
        assert_eq!((code, output.as_str()), (2, ""), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert!(error.starts_with("lazuli: ") && error.ends_with('\n') && error.contains(said), "{arguments:?}: {error}");
    }
}

/// Scripts that start Azurite look for its exit codes: whatever is wrong, it ends with 1. (An unknown flag ends it with 0 and without a
/// server; a script would go on.)
#[test]
fn fails_as_azurite_does() {
    let folder = Folder::new("failures");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for name in ["azurite", "azurite-blob"] {
        let program = folder.link(name);
        for arguments in [&["--blobPort", port.as_str()][..], &["--colour"], &["--cert", "a.pem"], &["--blobPort", "x"]] {
            let (code, output, error) = run(&program, &[&["--queuePort", "0", "--tablePort", "0"], arguments].concat());
            assert_eq!((code, output.as_str()), (1, ""), "{arguments:?}: {error}");
        }
    }
}
