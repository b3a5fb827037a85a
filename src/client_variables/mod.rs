//! The variables that lead a client to a server: where it listens, with which key, and which certificates it shows.
//!
//! `lazuli env` prints them, `lazuli run` sets them, and `--help`, the man page and `docs/configuration.md` list them.

mod format;
#[cfg(test)]
mod tests;

use crate::authority::{JAVA_PASSWORD, TrustFiles};
pub use format::Format;
use std::path::Path;

/// What clients need to know of a server, from which the variables are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    pub connection_string: String,
    /// Whether the server answers all control requests.
    pub control: bool,
    pub account: String,
    /// In base64.
    pub key: String,
    pub endpoints: Endpoints,
    /// The hosts of the endpoints.
    pub hosts: Vec<String>,
    /// The certificates for https; `None` if the server does not make its certificate.
    pub trust: Option<TrustFiles>,
    /// How `DefaultAzureCredential` signs in; `None` if the server issues no tokens.
    pub sign_in: Option<ClientSignIn>,
}

/// How `DefaultAzureCredential` signs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSignIn {
    pub credential: CredentialKind,
    /// The URL of the issuer of tokens, without a path.
    pub issuer: String,
    /// The client id of the principal that the client is.
    pub client_id: String,
}

/// Which of the credentials in `DefaultAzureCredential` gets the token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CredentialKind {
    /// That of a managed identity, which needs no secret.
    #[default]
    ManagedIdentity,
    /// That of the environment: a client id and a secret.
    Environment,
    /// That of a workload: a client id and a file with an assertion.
    WorkloadIdentity,
}

/// The tenant for which SDKs send requests to no other server. For all others they first request a list of trustworthy servers from
/// `login.microsoftonline.com`.
const TENANT: &str = "adfs";
/// What clients send where a secret is required. The server accepts any.
const SECRET: &str = "lazuli";

/// The variables with which `DefaultAzureCredential` would sign in somewhere else, or with another credential.
///
/// `AZURE_CLIENT_ID` is not one of them: it chooses the principal.
pub const OTHER_SIGN_IN: &[&str] = &[
    "AZURE_CLIENT_SECRET",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_USERNAME",
    "AZURE_PASSWORD",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_POD_IDENTITY_AUTHORITY_HOST",
    "AZURE_TOKEN_CREDENTIALS",
    "IDENTITY_SERVER_THUMBPRINT",
    "IMDS_ENDPOINT",
    "MSI_ENDPOINT",
    "MSI_SECRET",
];

/// The URLs of the services that run, with the account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    pub blob: Option<String>,
    pub queue: Option<String>,
    pub table: Option<String>,
    pub file: Option<String>,
    pub data_lake: Option<String>,
}

/// The value of a variable that the client would inherit.
pub type Inherited<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A variable of clients.
pub struct ClientVariable {
    pub name: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// Its value; `None` if the client inherits the variable as it is.
    value: fn(&ClientSettings, Inherited<'_>) -> Option<String>,
}

/// The variable by which the helpers in `clients/` find a server. It belongs to no flag.
pub const CONTROLLED: &str = "LAZULI_CONNECTION_STRING";

/// All variables, in the order in which they are listed.
pub static CLIENT_VARIABLES: &[ClientVariable] = &[
    ClientVariable {
        name: "AZURE_STORAGE_CONNECTION_STRING",
        meaning: "The connection string of the first account",
        value: |settings, _| Some(settings.connection_string.clone()),
    },
    ClientVariable {
        name: "AzureWebJobsStorage",
        meaning: "The same, for Azure Functions",
        value: |settings, _| Some(settings.connection_string.clone()),
    },
    ClientVariable {
        name: CONTROLLED,
        meaning: "With --control: the same, for the helpers of test suites",
        value: |settings, _| settings.control.then(|| settings.connection_string.clone()),
    },
    ClientVariable { name: "AZURE_STORAGE_ACCOUNT", meaning: "The account", value: |settings, _| Some(settings.account.clone()) },
    ClientVariable { name: "AZURE_STORAGE_KEY", meaning: "Its first key", value: |settings, _| Some(settings.key.clone()) },
    ClientVariable {
        name: "AZURE_STORAGE_BLOB_ENDPOINT",
        meaning: "The URL of the Blob service, with the account",
        value: |settings, _| settings.endpoints.blob.clone(),
    },
    ClientVariable {
        name: "AZURE_STORAGE_QUEUE_ENDPOINT",
        meaning: "The URL of the Queue service",
        value: |settings, _| settings.endpoints.queue.clone(),
    },
    ClientVariable {
        name: "AZURE_STORAGE_TABLE_ENDPOINT",
        meaning: "The URL of the Table service",
        value: |settings, _| settings.endpoints.table.clone(),
    },
    ClientVariable {
        name: "AZURE_STORAGE_FILE_ENDPOINT",
        meaning: "The URL of the File service",
        value: |settings, _| settings.endpoints.file.clone(),
    },
    ClientVariable {
        name: "AZURE_STORAGE_DFS_ENDPOINT",
        meaning: "The URL of Data Lake",
        value: |settings, _| settings.endpoints.data_lake.clone(),
    },
    ClientVariable {
        name: "SSL_CERT_FILE",
        meaning: "The certificates of the machine and of Lazuli's authority, for Go, Rust, OpenSSL, and .NET on Linux",
        value: bundle,
    },
    ClientVariable { name: "REQUESTS_CA_BUNDLE", meaning: "The same, for Python and az", value: bundle },
    ClientVariable { name: "CURL_CA_BUNDLE", meaning: "The same, for curl", value: bundle },
    ClientVariable {
        name: "NODE_EXTRA_CA_CERTS",
        meaning: "The certificate of the authority, for Node.js",
        value: |settings, inherited| {
            let trust = settings.trust.as_ref()?;
            // Node.js reads one file only.
            let has_other = inherited("NODE_EXTRA_CA_CERTS").is_some_and(|file| Path::new(&file) != trust.certificate);
            Some(if has_other { &trust.bundle } else { &trust.certificate }.display().to_string())
        },
    },
    ClientVariable {
        name: "JAVA_TOOL_OPTIONS",
        meaning: "The same certificates as a trust store, for Java; after the options that are there",
        value: |settings, inherited| {
            let store = settings.trust.as_ref()?.java.display().to_string();
            // Java separates options by white space, unless it is in quotes.
            let quote = if store.contains(char::is_whitespace) { "\"" } else { "" };
            let own = format!(
                "-Djavax.net.ssl.trustStore={quote}{store}{quote} -Djavax.net.ssl.trustStorePassword={JAVA_PASSWORD} \
                 -Djavax.net.ssl.trustStoreType=PKCS12"
            );
            Some(match inherited("JAVA_TOOL_OPTIONS") {
                Some(options) if options.contains(&own) => options,
                Some(options) => format!("{options} {own}"),
                None => own,
            })
        },
    },
    ClientVariable {
        name: "IDENTITY_ENDPOINT",
        meaning: "Where DefaultAzureCredential gets the token of a managed identity, with --oauth local",
        value: |settings, _| Some(format!("{}/msi/token", settings.sign_in.as_ref()?.issuer)),
    },
    ClientVariable {
        name: "IDENTITY_HEADER",
        meaning: "The secret of such a request; the server accepts any",
        value: |settings, _| settings.sign_in.as_ref().map(|_| SECRET.to_owned()),
    },
    ClientVariable {
        name: "AZURE_AUTHORITY_HOST",
        meaning: "Where clients with an id and a secret, or an assertion, get their tokens, with --oauth local",
        value: |settings, _| {
            // SDKs refuse to send a secret over http.
            settings.sign_in.as_ref().map(|sign_in| sign_in.issuer.clone()).filter(|issuer| issuer.starts_with("https:"))
        },
    },
    ClientVariable {
        name: "AZURE_TENANT_ID",
        meaning: "Their tenant: with this one SDKs send no request to Microsoft",
        value: |settings, _| settings.sign_in.as_ref().map(|_| TENANT.to_owned()),
    },
    ClientVariable {
        name: "AZURE_CLIENT_ID",
        meaning: "With --credential environment or workload-identity: the name of the first --identity",
        value: |settings, _| {
            let sign_in = settings.sign_in.as_ref().filter(|sign_in| sign_in.credential != CredentialKind::ManagedIdentity)?;
            Some(sign_in.client_id.clone())
        },
    },
    ClientVariable {
        name: "AZURE_CLIENT_SECRET",
        meaning: "With --credential environment: a secret; the server accepts any",
        value: |settings, _| {
            let sign_in = settings.sign_in.as_ref().filter(|sign_in| sign_in.credential == CredentialKind::Environment);
            sign_in.map(|_| SECRET.to_owned())
        },
    },
    ClientVariable {
        name: "AZURE_FEDERATED_TOKEN_FILE",
        meaning: "With --credential workload-identity: a file with an assertion; the server accepts any",
        value: |settings, _| {
            settings.sign_in.as_ref().filter(|sign_in| sign_in.credential == CredentialKind::WorkloadIdentity)?;
            Some(settings.trust.as_ref()?.assertion.display().to_string())
        },
    },
    ClientVariable {
        name: "NO_PROXY",
        meaning: "If a proxy is set: the hosts of the server, after those that are there",
        value: no_proxy,
    },
    ClientVariable { name: "no_proxy", meaning: "The same, for curl and others", value: no_proxy },
];

/// The files of certificates that a client would trust without these variables.
pub fn inherited_certificates(inherited: Inherited<'_>) -> Vec<std::path::PathBuf> {
    ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"]
        .into_iter()
        .filter_map(inherited)
        .map(Into::into)
        .collect()
}

impl ClientSettings {
    /// The variables with their values.
    pub fn variables(&self, inherited: Inherited<'_>) -> Vec<(&'static str, String)> {
        let inherited = |name: &str| inherited(name).filter(|value| !value.is_empty());
        CLIENT_VARIABLES.iter().filter_map(|variable| Some((variable.name, (variable.value)(self, &inherited)?))).collect()
    }

    /// The variables that a client must not inherit, because it would not sign in at this server with them.
    pub fn removed_variables(&self, inherited: Inherited<'_>) -> Vec<&'static str> {
        if self.sign_in.is_none() {
            return Vec::new();
        }
        let set = self.variables(inherited);
        let misleads = |name: &&str| inherited(name).is_some() && !set.iter().any(|(other, _)| other == name);
        OTHER_SIGN_IN.iter().copied().filter(misleads).collect()
    }
}

fn bundle(settings: &ClientSettings, _: Inherited<'_>) -> Option<String> {
    Some(settings.trust.as_ref()?.bundle.display().to_string())
}

/// The hosts that are reached without a proxy, if there is one.
fn no_proxy(settings: &ClientSettings, inherited: Inherited<'_>) -> Option<String> {
    let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    proxies.into_iter().find_map(inherited)?;
    let already = inherited("NO_PROXY").or_else(|| inherited("no_proxy")).unwrap_or_default();
    let mut hosts: Vec<&str> = already.split(',').map(str::trim).filter(|host| !host.is_empty()).collect();
    for host in settings.hosts.iter().map(String::as_str).chain(["localhost"]) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Some(hosts.join(","))
}
