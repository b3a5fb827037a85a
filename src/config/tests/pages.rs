//! Tests of what is written from the table of flags: help, completions, the man page, and a page of the documentation.

use super::*;

#[test]
fn the_help_lists_the_groups_of_roles() {
    let identity = flags().find(|flag| flag.name == "identity").unwrap();
    let groups: Vec<&str> = roles::group_names().collect();
    assert!(identity.meaning.contains(&format!("or one of {}.", groups.join(", "))), "{}", identity.meaning);
}

#[test]
fn values_that_shells_complete_are_values() {
    for flag in flags() {
        for value in flag.values {
            (flag.set)(&mut Draft::default(), value).unwrap();
        }
        assert!(flag.values.is_empty() || (flag.set)(&mut Draft::default(), "neither").is_err(), "--{}", flag.name);
    }
}

#[test]
fn every_shell_completes_every_flag() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let Command::Print(script) = start(&["lazuli", "--completions", shell], &[("LAZULI_BLOB_PORT", "x")]).unwrap() else {
            panic!("{shell}")
        };
        for flag in flags() {
            let name = if shell == "fish" { format!("-l {} ", flag.name) } else { format!("--{}", flag.name) };
            assert!(script.contains(&name), "{shell} completes no --{}", flag.name);
        }
        assert!(script.contains("import") && script.contains("lazuli-storage"), "{shell}");
    }
    assert_eq!(refusal(&["--completions", "sh"], &[]), "--completions: \"sh\" is not a shell: bash, zsh, fish or powershell");
    assert_eq!(refusal(&["--completions"], &[]), "--completions needs a value: --completions SHELL");
}

#[test]
fn the_man_page_has_every_flag_and_no_request_by_accident() {
    let Command::Print(page) = start(&["lazuli", "--man"], &[("LAZULI_BLOB_PORT", "x")]).unwrap() else { panic!() };
    for flag in flags() {
        assert!(page.contains(&format!("\\fB\\-\\-{}\\fR", flag.name.replace('-', "\\-"))), "--{}", flag.name);
    }
    let known = [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".BI", ".RB", ".RI", ".I", ".br", ".RS", ".RE", ".EX", ".EE"];
    for line in page.lines() {
        let request = line.split(' ').next().unwrap_or_default();
        assert!(!line.starts_with(['.', '\'']) || known.contains(&request), "{line}");
        assert!(line.len() <= 100 && !line.is_empty(), "{line:?}");
    }
}

#[test]
fn help_fits_a_screen_and_names_everything() {
    let of = |command: &str| help::help(|name| name == command);
    for command in help::TOPICS.iter().map(|topic| topic.name).chain([""]) {
        for line in of(command).lines() {
            assert!(line.len() <= 116 && line == line.trim_end(), "{line:?}");
        }
    }
    for topic in help::TOPICS {
        assert!(topic.flags.iter().chain([&topic.name]).all(|name| flags().any(|flag| flag.name == *name)), "{}", topic.name);
    }
    for flag in flags() {
        assert!(of("").contains(&format!("--{}", flag.name)), "--{}", flag.name);
    }
}

#[test]
fn a_command_has_help_of_its_own() {
    for (words, usage, flag) in [
        (&["run", "--help"], "lazuli run [FLAG]... -- COMMAND [ARGUMENT]...", "--credential KIND"),
        (&["-h", "env"], "lazuli env [FLAG]...", "--format FORMAT"),
        (&["trust", "help"], "lazuli trust [--undo] [--location DIR]", "--undo"),
        (&["import", "--help"], "lazuli import --from-azurite DIR --location DIR", "--durability"),
        (&["--check", "--help"], "lazuli --check --location DIR", "--location DIR"),
    ] {
        let Ok(Command::Print(text)) = start(&["lazuli", words[0], words[1]], &[]) else { panic!("{words:?}") };
        assert_eq!(text.lines().next(), Some(format!("Usage: {usage}").as_str()));
        assert!(text.contains(flag) && !text.contains("--blob-port"), "{text}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "this test looks after a page of the documentation")]
fn docs_configuration_md_is_fresh() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(page, page::page()).unwrap();
    }
    let text = std::fs::read_to_string(page).unwrap_or_default().replace("\r\n", "\n");
    assert!(text == page::page().replace("\r\n", "\n"), "docs/configuration.md is stale: UPDATE_DOCS=1 cargo test config");
}
