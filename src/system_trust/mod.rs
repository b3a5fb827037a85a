//! The list of certificate authorities that a system trusts, changed by the system's own tools.
//!
//! `plan` says what to do on which system; this module does it, and says what to type where it may not.

mod plan;

use plan::{Step, System};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

/// What was done, in sentences.
#[derive(Debug, Default)]
pub struct Outcome {
    pub done: Vec<String>,
    pub failed: Vec<String>,
}

/// Adds a certificate to the system's list or removes it. `name` is that of its subject, `fingerprint` its hash.
pub fn change(certificate: &Path, name: &str, fingerprint: &str, undo: bool) -> Outcome {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut outcome = Outcome::default();
    let Some(system) = System::find(&|path| path.exists(), home.as_deref()) else {
        outcome.failed.push(format!("the list of this system is not known here: add {} to it", certificate.display()));
        return outcome;
    };
    let steps = system.steps(certificate, name, fingerprint, undo);
    for (number, step) in steps.iter().enumerate() {
        if let Err(error) = perform(step) {
            outcome.failed.push(format!("{}: {error}", step.command()));
            let rest: Vec<String> = steps.iter().skip(number).map(|step| system.by_administrator(step)).collect();
            outcome.failed.push(format!("Type: {}", rest.join(" && ")));
            return outcome;
        }
        outcome.done.push(step.command());
    }
    let browsers = home.map(|home| home.join(".pki/nssdb")).filter(|database| database.is_dir() && cfg!(target_os = "linux"));
    if let Some(database) = browsers {
        let step = plan::browsers(&database, certificate, name, undo);
        match perform(&step) {
            Ok(()) => outcome.done.push(step.command()),
            Err(error) => {
                outcome.done.push(format!("Chrome has its own list, which was not changed ({error}): {}", step.command()));
            }
        }
    }
    outcome.done.push(match undo {
        true => "The system does not trust the authority any longer".to_owned(),
        false => "The system trusts the authority. Node.js, Python, Java and Firefox have lists of their own: lazuli env prints variables for \
                  the first three"
            .to_owned(),
    });
    outcome
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
