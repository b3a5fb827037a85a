//! The owner of the data: a server that was started as root, as in the image, becomes the owner of its folder; the refusal of a folder
//! that it may not use names the remedy. As root all cases are tried; as another user those that are possible.

use crate::process::{FREE, Folder, Running, command, run};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

/// The user of a server that root starts in a folder of root.
const NOBODY: u32 = 65_532;

fn lazuli() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lazuli"))
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// The user and group of a running process, effective and saved, and its other groups.
fn user_of(running: &Running) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().map(|number| number.parse().unwrap()).collect()
    };
    (of("Uid:"), of("Gid:"), of("Groups:"))
}

/// Makes a folder that everybody can get into, below one that is gone with the test.
fn place(name: &str) -> (Folder, PathBuf) {
    let folder = Folder::new(name);
    std::fs::set_permissions(&folder.0, PermissionsExt::from_mode(0o755)).unwrap();
    let place = folder.0.join("data");
    (folder, place)
}

fn own(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
}

fn serve(location: &Path, more: &[&str]) -> Running {
    let words = [&FREE[..], &["--location", location.to_str().unwrap()], more].concat();
    let running = Running::started(command(lazuli(), &words).env("LAZULI_USER", "owner"));
    running.ports();
    running
}

/// A volume or a folder of the host works in a container without further options.
#[test]
fn root_becomes_the_owner_of_the_folder() {
    if !is_root() {
        return;
    }
    #[expect(clippy::type_complexity, reason = "a table of one test")]
    let cases: [(&str, fn(&Path), u32); 7] = [
        (
            "a folder of a user's",
            |place| {
                std::fs::create_dir(place).unwrap();
                own(place, 1000);
            },
            1000,
        ),
        ("a folder of root's, as a new volume is", |place| std::fs::create_dir(place).unwrap(), NOBODY),
        (
            "a new volume with a file system of its own",
            |place| std::fs::create_dir_all(place.join("lost+found")).unwrap(),
            NOBODY,
        ),
        ("a folder that is not there yet", |place| own(place.parent().unwrap(), 1001), 1001),
        (
            "a folder that root wrote to before",
            |place| {
                drop(Running::started(&mut command(lazuli(), &[&FREE[..], &["-l", place.to_str().unwrap()]].concat())).ports());
                assert_eq!(std::fs::metadata(place.join("lazuli")).unwrap().uid(), 0);
            },
            NOBODY,
        ),
        (
            "a folder of a user's that root wrote to before",
            |place| {
                drop(Running::started(&mut command(lazuli(), &[&FREE[..], &["-l", place.to_str().unwrap()]].concat())).ports());
                own(place, 1000);
            },
            1000,
        ),
        (
            "a folder in which root made the certificate authority",
            |place| assert!(command(lazuli(), &["env", "-l", place.to_str().unwrap()]).output().unwrap().status.success()),
            NOBODY,
        ),
    ];
    for (case, make, user) in cases {
        let (_folder, place) = place("owner");
        make(&place);
        let debug = place.join("debug.log");
        for round in 0..2 {
            let mut running = serve(&place, &["--debug", debug.to_str().unwrap()]);
            assert_eq!(user_of(&running), (vec![user; 4], vec![user; 4], vec![]), "{case}, {round}");
            running.kill();
            let authority = place.join("tls").read_dir().into_iter().flatten();
            let entries = std::fs::read_dir(&place).unwrap().chain(authority).map(|entry| entry.unwrap().path());
            for entry in [place.clone()].into_iter().chain(entries) {
                let owner = entry.metadata().unwrap().uid();
                assert_eq!(owner, if entry.ends_with("lost+found") { 0 } else { user }, "{case}, {round}: {}", entry.display());
            }
        }
    }
}

#[test]
fn root_becomes_the_configured_user() {
    if !is_root() {
        return;
    }
    for (user, location, wanted) in
        [("owner", false, [NOBODY, NOBODY]), ("1000:50", false, [1000, 50]), ("1000:50", true, [1000, 50]), ("0", true, [0, 0])]
    {
        let (_folder, place) = place("told");
        let location = if location { vec!["--location", place.to_str().unwrap()] } else { vec![] };
        let running = Running::started(&mut command(lazuli(), &[&FREE[..], &["--user", user], &location].concat()));
        running.ports();
        let (users, groups, _) = user_of(&running);
        assert_eq!((users, groups), (vec![wanted[0]; 4], vec![wanted[1]; 4]), "{user}");
        assert!(location.is_empty() || place.metadata().unwrap().uid() == wanted[0], "{user}");
    }
}

/// Root without rights, as in a container that dropped its capabilities, cannot become anybody else. It serves all the same, and says so.
#[test]
fn root_without_rights_stays_root() {
    let (_folder, place) = place("unprivileged");
    let words = [&FREE[..], &["--user", "owner", "--location", place.to_str().unwrap()]].concat();
    // A user namespace that has nobody but root.
    let inside = ["--user", "--map-root-user", lazuli().to_str().unwrap()];
    let isolated = || command(Path::new("unshare"), &inside[..2]);
    if !is_root() || !isolated().arg("true").status().is_ok_and(|status| status.success()) {
        return;
    }
    let mut child = command(Path::new("unshare"), &[&inside[..], &words].concat()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.ends_with(" cannot be given to user 65532: Invalid argument (os error 22): the server stays root\n"), "{said}");
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("is listening"), "{first}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A key that only root can read is read before the change of the user.
#[test]
fn the_key_may_be_root_s_alone() {
    use crate::startup::{CERT, KEY};
    if !is_root() {
        return;
    }
    let (folder, place) = place("secret");
    let (cert, key) = (folder.0.join("cert.pem"), folder.0.join("key.pem"));
    for (path, text) in [(&cert, CERT), (&key, KEY)] {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
    }
    let running = serve(&place, &["--cert", cert.to_str().unwrap(), "--key", key.to_str().unwrap()]);
    assert_eq!(user_of(&running).0, [NOBODY; 4]);
}

/// Files of another program, or with a name elsewhere too, are nobody's to give away.
#[test]
fn what_is_another_s_stays_its_own() {
    if !is_root() {
        return;
    }
    let (folder, place) = place("another");
    std::fs::create_dir(&place).unwrap();
    std::fs::write(place.join("letter"), "dear").unwrap();
    let words = [&FREE[..], &["--user", "owner", "-l", place.to_str().unwrap()]].concat();
    let (code, _, error) = run(lazuli(), &words);
    assert_eq!(code, 2);
    assert!(error.contains("files of another program"), "{error}");
    for path in [&place, &place.join("letter")] {
        assert_eq!(path.metadata().unwrap().uid(), 0);
    }
    std::fs::remove_dir_all(&place).unwrap();
    drop(serve(&place, &[]));
    let (outside, inside) = (folder.0.join("shadow"), place.join("extent-of-old"));
    std::fs::write(&outside, "secret").unwrap();
    std::fs::hard_link(&outside, &inside).unwrap();
    std::os::unix::fs::symlink(&outside, place.join("link.log")).unwrap();
    drop(serve(&place, &[]));
    assert_eq!(outside.metadata().unwrap().uid(), 0);
}

/// The refusal to a user without rights to the folder names the command that gives them.
#[test]
fn the_refusal_of_a_folder_names_the_remedy() {
    if !is_root() {
        return;
    }
    let (_folder, place) = place("denied");
    for missing in [true, false] {
        if !missing {
            std::fs::create_dir(&place).unwrap();
        }
        let words = [&FREE[..], &["--location", place.to_str().unwrap()]].concat();
        let output = command(lazuli(), &words).env("LAZULI_USER", "owner").uid(1000).gid(1000).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
        let mend = if missing { place.parent().unwrap() } else { &place };
        let wanted =
            format!("{0} belongs to user 0, and the server runs as user 1000: as root, chown 1000 {0} fixes it", mend.display());
        assert!(error.contains(&wanted), "{error}");
        let mended = wanted.split("as root, ").nth(1).unwrap().strip_suffix(" fixes it").unwrap();
        let words: Vec<&str> = mended.split(' ').collect();
        assert!(std::process::Command::new(words[0]).args(&words[1..]).status().unwrap().success());
        let mut served = command(lazuli(), &[&FREE[..], &["--location", place.to_str().unwrap()]].concat());
        Running::started(served.uid(1000).gid(1000)).ports();
        std::fs::remove_dir_all(&place).unwrap();
        own(mend.parent().unwrap_or(mend), 0);
        if mend.exists() {
            own(mend, 0);
        }
    }
}
