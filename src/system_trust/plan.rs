//! How each system's list of certificate authorities is changed.

use std::path::{Path, PathBuf};

/// A system, by the list of authorities that it trusts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum System {
    /// A folder of certificates, and the command that reads it.
    Anchors { folder: &'static str, extension: &'static str, update: &'static [&'static str] },
    /// The keychain of a user.
    MacOs { home: PathBuf },
    /// The store of a user.
    Windows,
}

/// A step of a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Copy { from: PathBuf, to: PathBuf },
    Remove(PathBuf),
    Run(Vec<String>),
}

/// The folders of Linux distributions, in the order in which mkcert looks for them.
const ANCHORS: [System; 4] = [
    System::Anchors { folder: "/etc/pki/ca-trust/source/anchors", extension: "pem", update: &["update-ca-trust", "extract"] },
    System::Anchors { folder: "/usr/local/share/ca-certificates", extension: "crt", update: &["update-ca-certificates"] },
    System::Anchors {
        folder: "/etc/ca-certificates/trust-source/anchors",
        extension: "crt",
        update: &["trust", "extract-compat"],
    },
    System::Anchors { folder: "/usr/share/pki/trust/anchors", extension: "pem", update: &["update-ca-certificates"] },
];

impl System {
    /// The system of this machine.
    pub(super) fn find(exists: &dyn Fn(&Path) -> bool, home: Option<&Path>) -> Option<System> {
        if cfg!(windows) {
            return Some(System::Windows);
        }
        if cfg!(target_os = "macos") {
            return Some(System::MacOs { home: home?.to_owned() });
        }
        let has_folder = |system: &System| matches!(system, System::Anchors { folder, .. } if exists(Path::new(folder)));
        ANCHORS.into_iter().find(has_folder)
    }

    /// The steps that add a certificate or remove it.
    pub(super) fn steps(&self, certificate: &Path, name: &str, fingerprint: &str, undo: bool) -> Vec<Step> {
        let file = certificate.display().to_string();
        match self {
            System::Anchors { folder, extension, update } => {
                let short: String = fingerprint.chars().filter(char::is_ascii_hexdigit).take(8).collect();
                let anchor = Path::new(folder).join(format!("lazuli-{}.{extension}", short.to_lowercase()));
                let change = if undo { Step::Remove(anchor) } else { Step::Copy { from: certificate.to_owned(), to: anchor } };
                // Without --fresh, Debian's command keeps links to files that were removed.
                let fresh = (undo && *update == ["update-ca-certificates"]).then_some("--fresh");
                vec![change, run(update.iter().copied().chain(fresh))]
            }
            System::MacOs { home } => {
                let keychain = home.join("Library/Keychains/login.keychain-db").display().to_string();
                match undo {
                    false => vec![run(["security", "add-trusted-cert", "-r", "trustRoot", "-k", &keychain, &file])],
                    true => vec![
                        run(["security", "remove-trusted-cert", &file]),
                        run(["security", "delete-certificate", "-c", name, &keychain]),
                    ],
                }
            }
            System::Windows => match undo {
                false => vec![run(["certutil", "-user", "-addstore", "Root", &file])],
                true => vec![run(["certutil", "-user", "-delstore", "Root", name])],
            },
        }
    }

    /// The command of a step for a shell, with `sudo` where the step needs root.
    pub(super) fn privileged_command(&self, step: &Step) -> String {
        match self {
            System::Anchors { .. } => format!("sudo {}", step.command()),
            System::MacOs { .. } | System::Windows => step.command(),
        }
    }
}

/// The step that changes the list of Chrome and Chromium on Linux. `database` is the folder of the list.
pub(super) fn chrome(database: &Path, certificate: &Path, name: &str, undo: bool) -> Step {
    let (database, file) = (format!("sql:{}", database.display()), certificate.display().to_string());
    match undo {
        false => run(["certutil", "-d", &database, "-A", "-t", "C,,", "-n", name, "-i", &file]),
        true => run(["certutil", "-d", &database, "-D", "-n", name]),
    }
}

fn run<'a>(words: impl IntoIterator<Item = &'a str>) -> Step {
    Step::Run(words.into_iter().map(str::to_owned).collect())
}

impl Step {
    /// The command of the step for a shell.
    pub(super) fn command(&self) -> String {
        let words = match self {
            Step::Copy { from, to } => vec!["cp".to_owned(), from.display().to_string(), to.display().to_string()],
            Step::Remove(file) => vec!["rm".to_owned(), "-f".to_owned(), file.display().to_string()],
            Step::Run(words) => words.clone(),
        };
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@,".contains(c) || cfg!(windows) && c == '\\';
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false if cfg!(windows) => format!("\"{word}\""),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    const NAME: &str = "Lazuli development CA of box";

    #[cfg(unix)]
    fn commands(system: &System, undo: bool) -> Vec<String> {
        let steps = system.steps(Path::new("/state/ca.pem"), NAME, "AB:CD:EF:01:23", undo);
        steps.iter().map(|step| system.privileged_command(step)).collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn each_distribution_has_a_folder_and_a_command() {
        let updates = ["update-ca-trust extract", "update-ca-certificates", "trust extract-compat", "update-ca-certificates"];
        for (system, update) in ANCHORS.into_iter().zip(updates) {
            let System::Anchors { folder, extension, .. } = system else { panic!("{system:?}") };
            assert_eq!(System::find(&|path| path == Path::new(folder), None), Some(system));
            let system = System::find(&|path| path == Path::new(folder), None).unwrap();
            let anchor = format!("{folder}/lazuli-abcdef01.{extension}");
            assert_eq!(commands(&system, false), [format!("sudo cp /state/ca.pem {anchor}"), format!("sudo {update}")]);
            let fresh = if update == "update-ca-certificates" { " --fresh" } else { "" };
            assert_eq!(commands(&system, true), [format!("sudo rm -f {anchor}"), format!("sudo {update}{fresh}")]);
        }
        assert_eq!(System::find(&|_| false, None), None);
    }

    #[cfg(unix)]
    #[test]
    fn macos_windows_and_chrome_have_commands_of_their_own() {
        let keychain = "/Users/ann/Library/Keychains/login.keychain-db";
        let mac = System::MacOs { home: "/Users/ann".into() };
        assert_eq!(commands(&mac, false), [format!("security add-trusted-cert -r trustRoot -k {keychain} /state/ca.pem")]);
        assert_eq!(
            commands(&mac, true),
            [
                "security remove-trusted-cert /state/ca.pem".to_owned(),
                format!("security delete-certificate -c '{NAME}' {keychain}")
            ]
        );
        assert_eq!(commands(&System::Windows, false), ["certutil -user -addstore Root /state/ca.pem"]);
        assert_eq!(commands(&System::Windows, true), [format!("certutil -user -delstore Root '{NAME}'")]);
        let chrome = chrome(Path::new("/home/ann/.pki/nssdb"), Path::new("/state/ca.pem"), NAME, false);
        assert_eq!(chrome.command(), format!("certutil -d sql:/home/ann/.pki/nssdb -A -t C,, -n '{NAME}' -i /state/ca.pem"));
    }
}
