//! Tests of the variables and of their written forms.

use super::*;
use std::path::PathBuf;

fn settings() -> ClientSettings {
    let url = |port: u16| Some(format!("https://127.0.0.1:{port}/acc"));
    ClientSettings {
        connection_string: "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=a+b/c==;".to_owned(),
        control: false,
        account: "acc".to_owned(),
        key: "a+b/c==".to_owned(),
        endpoints: Endpoints { blob: url(1), queue: url(2), table: url(3), file: url(4), data_lake: url(1) },
        hosts: vec!["127.0.0.1".to_owned()],
        trust: Some(TrustFiles::of(&PathBuf::from("/state/tls"))),
        sign_in: None,
    }
}

fn value(settings: &ClientSettings, name: &str, inherited: &[(&str, &str)]) -> Option<String> {
    let inherited = |name: &str| inherited.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
    settings.variables(&inherited).into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
}

#[test]
fn every_variable_is_listed_once_with_its_meaning() {
    let mut names: Vec<&str> = CLIENT_VARIABLES.iter().map(|variable| variable.name).collect();
    assert!(CLIENT_VARIABLES.iter().all(|variable| !variable.meaning.is_empty() && !variable.meaning.ends_with('.')));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CLIENT_VARIABLES.len());
}

#[test]
fn each_variable_has_the_value_of_its_setting() {
    for (name, expected) in [
        ("AZURE_STORAGE_CONNECTION_STRING", "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=a+b/c==;"),
        ("AzureWebJobsStorage", "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=a+b/c==;"),
        ("AZURE_STORAGE_ACCOUNT", "acc"),
        ("AZURE_STORAGE_KEY", "a+b/c=="),
        ("AZURE_STORAGE_BLOB_ENDPOINT", "https://127.0.0.1:1/acc"),
        ("AZURE_STORAGE_QUEUE_ENDPOINT", "https://127.0.0.1:2/acc"),
        ("AZURE_STORAGE_TABLE_ENDPOINT", "https://127.0.0.1:3/acc"),
        ("AZURE_STORAGE_FILE_ENDPOINT", "https://127.0.0.1:4/acc"),
        ("AZURE_STORAGE_DFS_ENDPOINT", "https://127.0.0.1:1/acc"),
        ("SSL_CERT_FILE", "/state/tls/ca-bundle.pem"),
        ("REQUESTS_CA_BUNDLE", "/state/tls/ca-bundle.pem"),
        ("CURL_CA_BUNDLE", "/state/tls/ca-bundle.pem"),
        ("NODE_EXTRA_CA_CERTS", "/state/tls/ca.pem"),
    ] {
        assert_eq!(value(&settings(), name, &[]).as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn helpers_find_a_server_with_control_requests() {
    let found = |control| value(&ClientSettings { control, ..settings() }, CONTROLLED, &[]);
    assert_eq!((found(false), found(true)), (None, Some(settings().connection_string)));
}

#[test]
fn each_credential_has_its_variables() {
    let by_tokens = ["IDENTITY_ENDPOINT", "IDENTITY_HEADER", "AZURE_AUTHORITY_HOST", "AZURE_TENANT_ID"];
    let of_credential = ["AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"];
    let always = [Some("https://127.0.0.1:1/msi/token"), Some("lazuli"), Some("https://127.0.0.1:1"), Some("adfs")];
    for (credential, expected) in [
        (CredentialKind::ManagedIdentity, [None, None, None]),
        (CredentialKind::Environment, [Some("app"), Some("lazuli"), None]),
        (CredentialKind::WorkloadIdentity, [Some("app"), None, Some("/state/tls/assertion")]),
    ] {
        let sign_in = ClientSignIn { credential, issuer: "https://127.0.0.1:1".to_owned(), client_id: "app".to_owned() };
        let settings = ClientSettings { sign_in: Some(sign_in), ..settings() };
        assert_eq!(of_credential.map(|name| value(&settings, name, &[])), expected.map(|value| value.map(str::to_owned)));
        assert_eq!(by_tokens.map(|name| value(&settings, name, &[])), always.map(|value| value.map(str::to_owned)));
    }
    // No SDK sends a secret over http, but each gets the token of a managed identity.
    let issuer = "http://127.0.0.1:1".to_owned();
    let sign_in = ClientSignIn { credential: CredentialKind::Environment, issuer, client_id: "app".to_owned() };
    let plain = ClientSettings { sign_in: Some(sign_in), trust: None, ..settings() };
    assert_eq!(value(&plain, "IDENTITY_ENDPOINT", &[]).as_deref(), Some("http://127.0.0.1:1/msi/token"));
    assert_eq!(value(&plain, "AZURE_AUTHORITY_HOST", &[]), None);
    assert_eq!(by_tokens.map(|name| value(&settings(), name, &[])), [None, None, None, None]);
}

#[test]
fn what_would_sign_in_elsewhere_is_removed() {
    let every = |_: &str| Some("elsewhere".to_owned());
    assert_eq!(settings().removed_variables(&every), [""; 0]);
    for (credential, kept) in [
        (CredentialKind::ManagedIdentity, ""),
        (CredentialKind::Environment, "AZURE_CLIENT_SECRET"),
        (CredentialKind::WorkloadIdentity, "AZURE_FEDERATED_TOKEN_FILE"),
    ] {
        let sign_in = ClientSignIn { credential, issuer: "https://127.0.0.1:1".to_owned(), client_id: "app".to_owned() };
        let settings = ClientSettings { sign_in: Some(sign_in), ..settings() };
        let expected: Vec<&str> = OTHER_SIGN_IN.iter().copied().filter(|name| *name != kept).collect();
        assert_eq!(settings.removed_variables(&every), expected);
        assert_eq!(settings.removed_variables(&|name| (name == "MSI_SECRET").then(String::new)), ["MSI_SECRET"]);
    }
}

#[test]
fn what_is_not_served_is_not_set() {
    let endpoints = Endpoints { file: None, ..settings().endpoints };
    let plain = ClientSettings { endpoints, trust: None, ..settings() };
    for name in
        ["AZURE_STORAGE_FILE_ENDPOINT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "JAVA_TOOL_OPTIONS", "NO_PROXY", "no_proxy"]
    {
        assert_eq!(value(&plain, name, &[("JAVA_TOOL_OPTIONS", "-Xmx1g")]), None, "{name}");
    }
}

#[test]
fn what_a_client_inherits_is_kept() {
    let own = "-Djavax.net.ssl.trustStore=/state/tls/ca.p12 -Djavax.net.ssl.trustStorePassword=changeit \
               -Djavax.net.ssl.trustStoreType=PKCS12";
    let java = |inherited| value(&settings(), "JAVA_TOOL_OPTIONS", &[("JAVA_TOOL_OPTIONS", inherited)]).unwrap();
    assert_eq!(java(""), own);
    assert_eq!(java("-Xmx1g"), format!("-Xmx1g {own}"));
    assert_eq!(java(&java("-Xmx1g")), format!("-Xmx1g {own}"));

    let spaced = ClientSettings { trust: Some(TrustFiles::of(&PathBuf::from("/Application Support/tls"))), ..settings() };
    assert!(
        value(&spaced, "JAVA_TOOL_OPTIONS", &[])
            .unwrap()
            .starts_with(r#"-Djavax.net.ssl.trustStore="/Application Support/tls/ca.p12" "#)
    );

    let node = |inherited| value(&settings(), "NODE_EXTRA_CA_CERTS", &[("NODE_EXTRA_CA_CERTS", inherited)]).unwrap();
    assert_eq!(node("/corporate.pem"), "/state/tls/ca-bundle.pem");
    assert_eq!(node("/state/tls/ca.pem"), "/state/tls/ca.pem");

    for (inherited, expected) in [
        (&[("HTTPS_PROXY", "http://proxy:8080")][..], Some("127.0.0.1,localhost")),
        (&[("http_proxy", "http://proxy"), ("no_proxy", "example.test, localhost")], Some("example.test,localhost,127.0.0.1")),
        (&[("NO_PROXY", "example.test")], None),
    ] {
        assert_eq!(value(&settings(), "NO_PROXY", inherited).as_deref(), expected, "{inherited:?}");
        assert_eq!(value(&settings(), "no_proxy", inherited).as_deref(), expected, "{inherited:?}");
    }
}

#[test]
fn every_format_quotes() {
    for (format, value, expected) in [
        (Format::Sh, "a;b=c", "export N='a;b=c'"),
        (Format::Sh, "it's $HOME", r"export N='it'\''s $HOME'"),
        (Format::PowerShell, "it's $HOME", "$env:N = 'it''s $HOME'"),
        (Format::Cmd, "100% a&b", r#"set "N=100%% a&b""#),
        (
            Format::Dotenv,
            "DefaultEndpointsProtocol=https;AccountKey=a+b/c==;",
            "N=DefaultEndpointsProtocol=https;AccountKey=a+b/c==;",
        ),
        (Format::Dotenv, "-Da=b -Dc=\"d e\"", "N='-Da=b -Dc=\"d e\"'"),
        (Format::Dotenv, "it's $a\\\"", r#"N="it's \$a\\\"""#),
        (Format::Plain, "it's -Da=b -Dc", "N=it's -Da=b -Dc"),
    ] {
        assert_eq!(format.line("N", value).as_deref(), Some(expected), "{format:?}");
    }
}

/// Values come from the environment: the path of a home folder must not set another variable, or run a command.
#[test]
fn a_value_sets_no_other_variable() {
    for (format, value, expected) in [
        (Format::Plain, "a\nPATH=b", None),
        (Format::Plain, "a\rb", None),
        (Format::Cmd, "a\nset PATH=b", None),
        (Format::Sh, "a\nPATH=b", Some("export N='a\nPATH=b'")),
        (Format::Sh, "'$(id)`id`", Some(r"export N=''\''$(id)`id`'")),
        (Format::PowerShell, "a\nb", Some("$env:N = 'a\nb'")),
        (Format::PowerShell, "\u{2018}\u{2019}\u{201a}\u{201b}; x", Some("$env:N = '‘‘’’‚‚‛‛; x'")),
        (Format::Dotenv, "a\nb", Some("N='a\nb'")),
    ] {
        assert_eq!(format.line("N", value).as_deref(), expected, "{format:?} {value:?}");
    }
}

#[test]
fn shells_remove_variables() {
    for (format, expected) in [
        (Format::Sh, Some("unset N")),
        (Format::PowerShell, Some("Remove-Item Env:N")),
        (Format::Cmd, Some("set \"N=\"")),
        (Format::Dotenv, None),
        (Format::Plain, None),
    ] {
        assert_eq!(format.removing_line("N").as_deref(), expected);
    }
}
