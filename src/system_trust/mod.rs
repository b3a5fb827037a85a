//! The list of certificate authorities that a system trusts, changed by the system's own tools.
//!
//! `plan` has the steps for each system. This module performs them, and returns the commands for those that it may not perform.

mod plan;

use plan::{Step, System};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

/// The lines for the user.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was changed.
    pub done: Vec<String>,
    /// What failed, and what to do about it.
    pub failed: Vec<String>,
}

/// Adds a certificate to the system's list, or removes it. `name` is that of its subject, `fingerprint` its SHA-256 hash in hexadecimal.
pub fn change(certificate: &Path, name: &str, fingerprint: &str, undo: bool) -> Outcome {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut outcome = Outcome::default();
    let Some(system) = System::find(&|path| path.exists(), home.as_deref()) else {
        let (file, change) = (certificate.display(), if undo { "remove it from" } else { "add it to" });
        outcome.failed.push(format!(
            "lazuli trust does not know this system. The certificate is {file}: {change} the authorities that the system trusts"
        ));
        return outcome;
    };
    let mut steps = system.steps(certificate, name, fingerprint, undo);
    if matches!(steps.first(), Some(Step::Remove(file)) if !file.exists()) {
        // The tool would only make the same list again.
        steps.clear();
    }
    for (number, step) in steps.iter().enumerate() {
        if let Err(error) = perform(step) {
            outcome.failed.push(format!("{}: {error}", step.command()));
            let rest: Vec<String> = steps.iter().skip(number).map(|step| system.privileged_command(step)).collect();
            outcome.failed.push(format!("To do it yourself: {}", rest.join(" && ")));
            return outcome;
        }
        outcome.done.push(format!("Done: {}", step.command()));
    }
    if let Some(home) = home {
        change_chrome(&home, certificate, name, undo, &mut outcome);
    }
    outcome.done.push(match undo {
        true => "The system no longer trusts the authority".to_owned(),
        false => "The system trusts the authority. Node.js, Python, Java and Firefox have lists of their own: lazuli env prints variables for \
                  the first three"
            .to_owned(),
    });
    outcome
}

/// Changes the list of Chrome and Chromium on Linux, if the user has one. A failure is only reported: other programs do not need it.
fn change_chrome(home: &Path, certificate: &Path, name: &str, undo: bool, outcome: &mut Outcome) {
    let database = home.join(".pki/nssdb");
    if !cfg!(target_os = "linux") || !database.is_dir() {
        return;
    }
    let step = plan::chrome(&database, certificate, name, undo);
    outcome.done.push(match perform(&step) {
        Ok(()) => format!("Done: {}", step.command()),
        Err(error) => format!("Chrome has its own list, which was not changed ({error}): {}", step.command()),
    });
}

fn perform(step: &Step) -> io::Result<()> {
    match step {
        Step::Copy { from, to } => fs::copy(from, to).map(drop),
        Step::Remove(file) => match fs::remove_file(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        },
        Step::Run(words) => {
            let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
            let output = Command::new(program).args(arguments).stdin(Stdio::null()).output()?;
            match output.status.success() {
                true => Ok(()),
                false => {
                    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
                    Err(io::Error::other(format!("{}: {}", output.status, text.trim())))
                }
            }
        }
    }
}
