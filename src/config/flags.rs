//! The table of flags and variables.
//!
//! The parser, `--help`, the man page, the completions of shells and `docs/configuration.md` read this table. A new flag needs an entry
//! here, and a field of [`Draft`] for its value.

use crate::config::draft::Draft;
use crate::config::error::ValueError;
use crate::config::values::{
    any_origin, boolean, certificate_names, count, credential, durability, format, host, hosts, level, log_format, megabytes,
    no_checks, oauth, path, port, seconds, shell, tls_off,
};
use crate::config::{WELL_KNOWN_ACCOUNT, accounts};
use crate::rules::auth::principals::Principals;
use crate::user;

/// A flag of the command line.
pub(super) struct Flag {
    /// The name without the dashes.
    pub(super) name: &'static str,
    /// The one-letter form.
    pub(super) short: Option<char>,
    /// Azurite's name, or for the File service, which Azurite does not have, one in the same style.
    pub(super) azurite: Option<&'static str>,
    pub(super) kind: FlagKind,
    /// The value if neither the flag nor its variable is given.
    pub(super) default: Option<&'static str>,
    /// All values, if there are few: shells complete them.
    pub(super) values: &'static [&'static str],
    /// The description in `--help` and `docs/configuration.md`.
    pub(super) meaning: &'static str,
    pub(super) set: Set,
}

/// How a flag is written.
#[derive(Clone, Copy)]
pub(super) enum FlagKind {
    /// With one value; the last one counts.
    Value(&'static str),
    /// With one value per occurrence; all of them count. A variable holds them separated by `;`.
    Values(&'static str),
    /// With an optional `true` or `false`.
    Switch,
    /// Alone: the flag selects another command than serving, or belongs to one. It has no variable.
    Command,
    /// With one value: the flag selects another command, or belongs to one, too.
    CommandValue(&'static str),
}

/// Parses a value and stores it in the draft.
pub(super) type Set = fn(&mut Draft, &str) -> Result<(), ValueError>;

/// A heading of `--help`, and the flags below it.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// In groups, which `--help` does not separate.
    pub(super) flags: &'static [&'static [Flag]],
}

/// A variable that Azurite reads.
pub(super) struct Variable {
    pub(super) name: &'static str,
    /// The flag that replaces this variable if it or its own variable is given.
    pub(super) yields_to: Option<&'static str>,
    pub(super) meaning: &'static str,
    pub(super) set: Set,
}

impl Section {
    pub(super) fn flags(&self) -> impl Iterator<Item = &'static Flag> + use<> {
        self.flags.iter().copied().flatten()
    }
}

/// The flags of a service: where it listens, and how long.
macro_rules! endpoint {
    ($field:ident, $service:literal, $port:literal) => {
        &[
            value(concat!(stringify!($field), "-host"), "HOST", |d, v| host(v).map(|h| d.$field.host = h))
                .azurite(concat!(stringify!($field), "Host"))
                .default("127.0.0.1")
                .means(concat!("Address of the ", $service, " service")),
            value(concat!(stringify!($field), "-port"), "PORT", |d, v| port(v).map(|p| d.$field.port = p))
                .azurite(concat!(stringify!($field), "Port"))
                .default($port)
                .means(concat!("Port of the ", $service, " service; 0 picks a free one")),
            value(concat!(stringify!($field), "-keep-alive-timeout"), "SECONDS", |d, v| {
                seconds(v).map(|s| d.$field.keep_alive = s)
            })
            .azurite(concat!(stringify!($field), "KeepAliveTimeout"))
            .default("120")
            .means(concat!("How long an idle connection to the ", $service, " service stays open; 0 means no limit")),
        ]
    };
}

pub(super) static SECTIONS: &[Section] = &[
    Section {
        title: "Where it listens",
        flags: &[&[
            value("host", "HOST", |d, v| host(v).map(|h| d.hosts().for_each(|place| place.clone_from(&h)))).means(
                "Address of all four services, unless a service has its own flag; 0.0.0.0 or :: is every interface",
            ),
        ],
            endpoint!(blob, "Blob", "10000"),
            &[
            value("web-port", "PORT", |d, v| port(v).map(|p| d.web_port = Some(p))).means(
                "Port for static websites, at the Blob service's address; none unless given. The host selects the account \
                 (account.localhost); any other host is the website of the first account",
            ),
            ],
            &[
            value("dfs-port", "PORT", |d, v| port(v).map(|p| d.dfs_port = Some(p))).means(
                "Another port of the Blob service, for Data Lake clients whose requests nothing else distinguishes (C++, OpenDAL): none unless \
                 given. Others use the Blob service's own port, or account.dfs.localhost",
            ),
            ],
            endpoint!(queue, "Queue", "10001"),
            endpoint!(table, "Table", "10002"),
            endpoint!(file, "File", "10003"),
            &[
            switch("disable-product-style-url", |d, v| boolean(v).map(|off| d.config.path_style_only = off))
                .azurite("disableProductStyleUrl")
                .means("Always take the account from the path, never from the host name"),
        ]],
    },
    Section {
        title: "What it serves",
        flags: &[&[
            Flag { kind: FlagKind::Values("ACCOUNT"), ..value("account", "", |d, v| Ok(accounts::read(v).map(|a| d.config.accounts = a)?)) }
                .default(WELL_KNOWN_ACCOUNT)
                .means(
                    "An account: name[:key[:key2]], then any of ,versioning ,hns ,immutability ,access-tracking ,premium \
                     ,container-retention=DAYS ,share-retention=DAYS ,scope=NAME; repeat it for more; it replaces the default account. \
                     The name * is every name: such an account is made on its first use",
                ),
            switch("in-memory", |d, v| boolean(v).map(|on| d.in_memory = on))
                .azurite("inMemoryPersistence")
                .means("Keep everything in memory, which is the default"),
            value("location", "DIR", |d, v| path(v).map(|p| d.config.location = Some(p)))
                .azurite("location")
                .short('l')
                .means("Keep data in this directory, which is created if it does not exist; acknowledged writes survive a crash or a kill"),
            value("durability", "LEVEL", |d, v| durability(v).map(|level| d.durability = Some(level))).means(
                "When a write to --location is done: process, when the operating system has it (the default; it survives a kill, not \
                 a loss of power), or sync, when the disk has it",
            ).values(&["process", "sync"]),
            value("user", "USER", |d, v| Ok(user::read(v).map(|user| d.config.user = Some(user))?)).means(
                "If started as root, become this user before serving: UID, UID:GID, or owner, which is the owner of --location (the \
                 image uses owner; a directory that belongs to root is handed over to user 65532)",
            ),
            value("extent-memory-limit", "MEGABYTES", |d, v| {
                megabytes(v).map(|()| d.warn("--extent-memory-limit is not enforced: memory grows with what is stored"))
            })
            .azurite("extentMemoryLimit")
            .means("Accepted, but not enforced: memory grows with what is stored"),
            value("config", "FILE", |_, _| Ok(())).means(
                "Read settings from this TOML file: the flags without their dashes. Without it, lazuli.toml in the working directory is \
                 read if it exists; flags and variables take precedence",
            ),
            switch("stop-with-stdin", |d, v| boolean(v).map(|on| d.config.stop_with_stdin = on)).means(
                "Stop when standard input is closed: a parent that holds the other end of a pipe, and is killed, leaves no server behind",
            ),
            value("seed", "DIR", |d, v| path(v).map(|p| d.config.seed = Some(p))).means(
                "Give accounts that are empty the containers, queues, tables and shares of this directory: see docs/reference/seed.md",
            ),
            switch("control", |d, v| boolean(v).map(|on| d.config.control = on)).means(
                "Let tests move the clock, empty accounts, inject faults and look at requests: see docs/reference/control.md",
            ),
            Flag {
                kind: FlagKind::Values("HOST"),
                ..value("control-host", "", |d, v| hosts(v).map(|names| d.config.control_hosts = names))
            }
            .means(
                "A host name under which /_lazuli/ may be used besides addresses, localhost and names without a dot; repeat it for more. Any other \
                 name may belong to a page of another site",
            ),
            value("request-log", "N", |d, v| count(v).map(|count| d.config.request_log = count))
                .default("1000")
                .means("How many of the latest requests --control keeps for GET /_lazuli/requests"),
        ]],
    },
    Section {
        title: "TLS and sign-in",
        flags: &[&[
            value("tls", "MODE", |d, v| tls_off(v).map(|off| d.tls_off = off)).default("auto").values(&["auto", "off"]).means(
                "auto serves http and https at the same ports, with a certificate that the server makes (lazuli run, env and trust make \
                 clients trust it); off serves http only",
            ),
            Flag { kind: FlagKind::Values("NAME"), ..value("tls-name", "", |d, v| certificate_names(v).map(|names| d.tls_names = names)) }
                .means("Another name or address of the certificate that the server makes, such as that of its container; repeat it for more"),
            value("cert", "FILE", |d, v| path(v).map(|p| d.cert = Some(p)))
                .azurite("cert")
                .means("Certificate chain in PEM, for https only; requires --key"),
            value("key", "FILE", |d, v| path(v).map(|p| d.key = Some(p)))
                .azurite("key")
                .means("The certificate's private key in PEM; requires --cert"),
            value("pwd", "PASSWORD", |d, _| {
                d.password = true;
                Ok(())
            })
            .azurite("pwd")
            .means("Azurite's password of a PFX file: ignored beside --key; without it, refused with the command that converts the file to PEM"),
            value("oauth", "LEVEL", |d, v| oauth(v).map(|check| d.config.oauth = Some(check))).azurite("oauth").means(
                "Which bearer tokens the server accepts. local: those that it issues itself, as Entra ID and managed identities do. basic: \
                 those with the issuer, the audience and the times of Entra ID's, over https only. dev: all that have not expired. basic and \
                 dev check no signature. Without this flag it accepts none; for run, local is the default",
            ).values(&["local", "basic", "dev"]),
            value("credential", "KIND", |d, v| credential(v).map(|kind| d.config.credential = kind))
                .default("managed-identity")
                .values(&["managed-identity", "environment", "workload-identity", "none"])
                .means(
                    "How DefaultAzureCredential signs in to a server with --oauth local, by the variables of run and env. managed-identity: \
                     without a secret. environment: with a client id and a secret. workload-identity: with a client id and a file. none: \
                     without these variables",
                ),
            value("auth", "CHECK", |d, v| no_checks(v).map(|on| d.config.is_open = on)).default("keys").values(&["keys", "none"]).means(
                "What a request needs. keys: a signature with an account key, a SAS or a token. none: nothing; every request may do everything",
            ),
            value("cors", "ORIGINS", |d, v| any_origin(v).map(|all| d.any_origin = all)).default("rules").values(&["rules", "all"]).means(
                "Which web pages may send requests: rules, those of the service properties; or all, for a page under development",
            ),
            Flag { kind: FlagKind::Values("IDENTITY"), ..value("identity", "", |d, v| Ok(Principals::parse(v).map(|all| d.config.principals = all)?)) }
                .means(
                    "A principal with roles: name[:oid], then any of ,role=ROLE ,scope=CONTAINER (of the role before it) ,group=OID; repeat it \
                     for more. A role is a built-in one by its name in Azure, or one of owner, contributor, reader, delegator, processor, \
                     sender, none. Without this flag every principal may do everything",
                ),
        ]],
    },
    Section {
        title: "Logging",
        flags: &[&[
            value("log", "LEVEL", |d, v| level(v).map(|l| d.config.log.level = l))
                .default("info")
                .values(&["error", "warn", "info", "debug", "trace"])
                .means("The log level: error, warn, info, debug or trace"),
            value("log-format", "FORMAT", |d, v| log_format(v).map(|format| d.config.log.format = format))
                .default("text")
                .values(&["text", "json"])
                .means("How the log is written to standard output: text, or json with one object per line"),
            switch("silent", |d, v| boolean(v).map(|on| d.config.log.silent = on))
                .azurite("silent")
                .short('s')
                .means("Do not log a line for each request"),
            value("debug", "FILE", |d, v| path(v).map(|p| d.config.debug = Some(p)))
                .azurite("debug")
                .short('d')
                .means("Also write a log of the level debug to this file, as text, whatever --log, --log-format and --silent say"),
        ]],
    },
    Section {
        title: "Accepted for Azurite's sake",
        flags: &[&[
            switch("loose", |_, v| boolean(v).map(drop)).azurite("loose").short('L').means("There is no strict mode to loosen"),
            switch("skip-api-version-check", |_, v| boolean(v).map(drop))
                .azurite("skipApiVersionCheck")
                .means("Every well-formed x-ms-version is served anyway"),
            switch("disable-telemetry", |_, v| boolean(v).map(drop)).azurite("disableTelemetry").means("There is no telemetry"),
        ]],
    },
    Section {
        title: "Instead of serving",
        flags: &[&[
            command("run").means(
                "Start a server at free ports, with --oauth local, then the command after --, with the variables below; stop when it ends, and \
                 exit with its status. The server logs warnings only, to standard error",
            ),
            command("env").means(
                "Print the variables that lead a client to the server with these flags, over https: eval \"$(lazuli env)\"",
            ),
            Flag { kind: FlagKind::CommandValue("FORMAT"), ..value("format", "", |_, v| format(v).map(drop)) }
                .values(&["sh", "powershell", "cmd", "dotenv", "plain"])
                .means("Who reads what env prints: sh, powershell, cmd, dotenv (a file .env), or plain, without quotes"),
            command("trust").means(
                "Add the certificate authority to the list of those that the system trusts, and print each command. Servers without --location \
                 share an authority, each --location has its own",
            ),
            command("undo").means("With trust: remove the authority from that list"),
            command("import").means(
                "Import the workspace of --from-azurite into --location, and exit: with 1 if some items were not imported, with 2 if none were",
            ),
            value("from-azurite", "DIR", |d, v| path(v).map(|p| d.from_azurite = Some(p)))
                .means("The Azurite workspace that import reads"),
            command("check").means("Report what --location contains and whether any of it is damaged; change nothing, and exit with 0 or 1"),
            command("health").means("Check the health of the server that runs with these flags, and exit with 0 or 1"),
            Flag { kind: FlagKind::CommandValue("SHELL"), ..value("completions", "", |_, v| shell(v).map(drop)) }
                .values(&["bash", "zsh", "fish", "powershell"])
                .means("Print the script that completes these flags in a shell: bash, zsh, fish or powershell"),
            command("man").means("Print the man page, in troff"),
            command("version").short('v').means("Print the version"),
            command("help").short('h').means("Print this help"),
        ]],
    },
];

pub(super) static VARIABLES: &[Variable] = &[
    Variable {
        name: "AZURITE_ACCOUNTS",
        yields_to: Some("account"),
        meaning: "The accounts, as name:key[:key2] separated by ;. They replace the default account. --account takes precedence",
        set: |d, v| {
            d.config.accounts = accounts::read_azurite(v)?;
            if !d.config.accounts.iter().any(|account| account.name == WELL_KNOWN_ACCOUNT) {
                d.warn("AZURITE_ACCOUNTS replaces devstoreaccount1; to keep it, name it there too");
            }
            Ok(())
        },
    },
    Variable {
        name: "AZURITE_SKIP_API_VERSION_CHECK",
        yields_to: None,
        meaning: "Accepted: every well-formed x-ms-version is served anyway",
        set: |_, _| Ok(()),
    },
    Variable {
        name: "AZURITE_DB",
        yields_to: None,
        meaning: "Ignored with a warning: nothing is kept in a database",
        set: |d, _| {
            d.warn("AZURITE_DB is ignored: nothing is kept in a database");
            Ok(())
        },
    },
];

/// All flags, in the order of the table.
pub(super) fn flags() -> impl Iterator<Item = &'static Flag> {
    SECTIONS.iter().flat_map(Section::flags)
}

const fn value(name: &'static str, word: &'static str, set: Set) -> Flag {
    Flag { name, short: None, azurite: None, kind: FlagKind::Value(word), default: None, values: &[], meaning: "", set }
}

const fn switch(name: &'static str, set: Set) -> Flag {
    Flag { kind: FlagKind::Switch, ..value(name, "", set) }
}

const fn command(name: &'static str) -> Flag {
    Flag { kind: FlagKind::Command, ..value(name, "", |_, _| Ok(())) }
}

impl Flag {
    const fn short(self, letter: char) -> Flag {
        Flag { short: Some(letter), ..self }
    }

    const fn azurite(self, name: &'static str) -> Flag {
        Flag { azurite: Some(name), ..self }
    }

    const fn default(self, value: &'static str) -> Flag {
        Flag { default: Some(value), ..self }
    }

    const fn values(self, values: &'static [&'static str]) -> Flag {
        Flag { values, ..self }
    }

    const fn means(self, meaning: &'static str) -> Flag {
        Flag { meaning, ..self }
    }

    /// The environment variable of the flag, if it has one.
    pub(super) fn variable(&self) -> Option<String> {
        match self.kind {
            FlagKind::Command | FlagKind::CommandValue(_) => None,
            _ => Some(format!("LAZULI_{}", self.name.to_uppercase().replace('-', "_"))),
        }
    }

    /// All names as they are written, the own name first.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let azurite = self.azurite.filter(|name| *name != self.name);
        [self.name]
            .into_iter()
            .chain(azurite)
            .map(|name| format!("--{name}"))
            .chain(self.short.map(|letter| format!("-{letter}")))
    }

    /// The placeholder for the value in `--help`.
    pub(super) fn word(&self) -> Option<&'static str> {
        match self.kind {
            FlagKind::Value(word) | FlagKind::Values(word) | FlagKind::CommandValue(word) => Some(word),
            FlagKind::Switch | FlagKind::Command => None,
        }
    }
}
