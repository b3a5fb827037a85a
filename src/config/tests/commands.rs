//! Tests of the commands that do something else than serve.

use super::*;

#[test]
fn questions() {
    let broken: &[(&str, &str)] = &[("LAZULI_BLOB_PORT", "x"), ("LAZULI_VERSION", "3.35.0"), ("LAZULI_HELP", "me")];
    for program in ["lazuli", "azurite", "azurite-table"] {
        for word in ["--version", "-v", "version"] {
            assert_eq!(start(&[program, word], broken).unwrap(), Command::Print(format!("{}\n", env!("CARGO_PKG_VERSION"))));
        }
        for word in ["--help", "-h", "help"] {
            assert_eq!(start(&[program, "-s", word], broken).unwrap(), Command::Print(help::help(|_| false)));
        }
        for word in ["--health", "health"] {
            let Ok(Command::Health(config)) = start(&[program, word, "--tablePort=7"], &broken[1..]) else { panic!("{program}") };
            assert!(config.table.is_none_or(|table| table.port == 7), "{program}");
        }
        for word in ["--check", "check"] {
            assert!(matches!(start(&[program, word, "--location", "data"], &broken[1..]), Ok(Command::Check(_))), "{program}");
        }
    }
    assert!(start(&["lazuli", "--help", "--bogus"], &[]).is_err());
    assert!(start(&["lazuli", "--health"], broken).is_err());
}

#[test]
fn a_check_names_its_place() {
    assert_eq!(start(&["lazuli", "--check", "--location", "here"], &[]).unwrap(), Command::Check(PathBuf::from("here")));
    assert_eq!(refusal(&["--check"], &[]), "--check needs --location DIR");
}

#[test]
fn an_import_names_both_ends() {
    let (from, to) = (PathBuf::from("old"), PathBuf::from("new"));
    let words = ["lazuli", "import", "--from-azurite", "old", "--location=new", "--durability", "sync"];
    assert_eq!(start(&words, &[]).unwrap(), Command::Import { from, to, durability: Durability::Sync });
    for words in [&["import"][..], &["import", "--location", "new"], &["import", "--from-azurite", "old"]] {
        assert_eq!(refusal(words, &[]), "import needs --from-azurite DIR and --location DIR");
    }
    assert_eq!(
        refusal(&["--from-azurite", "old"], &[]),
        "--from-azurite goes with import: lazuli import --from-azurite DIR --location DIR"
    );
}

#[test]
fn a_command_runs_beside_a_server_at_free_ports() {
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let run = |args: &[&str], env: &[(&str, &str)]| match start(args, env) {
        Ok(Command::Run { config, program, arguments }) => (config, program, arguments),
        other => panic!("{args:?}: {other:?}"),
    };
    let (config, program, arguments) = run(&["lazuli", "run", "--location=data", "--", "cmd", "--help", "--", "-x"], &[]);
    assert_eq!((program, arguments), ("cmd".into(), words(&["--help", "--", "-x"])));
    assert_eq!((config.blob, config.queue, config.table, config.file), (endpoint(0), endpoint(0), endpoint(0), endpoint(0)));
    assert_eq!((config.location, config.log.level, config.log.silent), (Some("data".into()), Level::WARN, true));

    let args = ["lazuli", "--run", "--blob-port", "7", "--log=info", "--silent=false", "--", "cmd"];
    let (config, _, arguments) = run(&args, &[("LAZULI_TABLE_PORT", "8")]);
    assert_eq!((config.blob, config.queue, config.table), (endpoint(7), endpoint(0), endpoint(8)));
    assert_eq!((config.log.level, config.log.silent, arguments), (Level::INFO, false, Vec::new()));

    for args in [&["run"][..], &["run", "--"], &["run", "cmd"]] {
        assert_eq!(refusal(args, &[]), "run needs a command: lazuli run -- COMMAND");
    }
    // The command gets tokens, however it signs in.
    assert_eq!((config.oauth, config.credential), (Some(TokenCheck::Local), Some(CredentialKind::ManagedIdentity)));
    let (config, ..) = run(&["lazuli", "run", "--credential=environment", "--oauth=dev", "--", "cmd"], &[]);
    assert_eq!((config.oauth, config.credential), (Some(TokenCheck::Dev), Some(CredentialKind::Environment)));
    assert_eq!(config.warnings, ["--credential is ignored: only a server with --oauth local issues tokens"]);

    // Without run, words after -- are ignored, as Azurite ignores them.
    assert!(matches!(start(&["lazuli", "--", "--bogus"], &[]), Ok(Command::Serve(_))));
}

#[test]
fn variables_are_printed_for_a_reader() {
    let env = |args: &[&str]| match start(args, &[("LAZULI_BLOB_PORT", "7")]) {
        Ok(Command::Env(config, format)) => (config.blob, format),
        other => panic!("{args:?}: {other:?}"),
    };
    assert_eq!(env(&["lazuli", "env"]), (endpoint(7), crate::client_variables::Format::of_system()));
    assert_eq!(
        env(&["lazuli", "env", "--blob-port=8", "--format", "dotenv"]),
        (endpoint(8), crate::client_variables::Format::Dotenv)
    );
    assert_eq!(
        refusal(&["env", "--format", "yaml"], &[]),
        "--format: \"yaml\" is not a format: sh, powershell, cmd, dotenv or plain"
    );
    assert_eq!(refusal(&["--format", "sh"], &[]), "--format needs env: lazuli env --format FORMAT");
}

#[test]
fn trust_can_be_undone() {
    let undo = |args: &[&str]| match start(args, &[]) {
        Ok(Command::Trust { undo, .. }) => undo,
        other => panic!("{args:?}: {other:?}"),
    };
    assert!(!undo(&["lazuli", "trust"]) && undo(&["lazuli", "trust", "--undo"]));
    assert_eq!(refusal(&["--undo"], &[]), "--undo needs trust: lazuli trust --undo");
}
