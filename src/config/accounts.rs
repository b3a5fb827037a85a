//! The accounts in the value of a flag or variable: `name[:key[:key2]][,versioning][,scope=NAME]…`, separated by `;`.
//!
//! Messages contain the account's name, never its key.

use crate::account::{ANY_NAME, Account, WELL_KNOWN_ACCOUNT};
use crate::config::WELL_KNOWN_KEY;
use crate::rules::names;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use thiserror::Error;

/// What is wrong with the value of `--account` or `AZURITE_ACCOUNTS`.
#[derive(Debug, Error)]
pub enum AccountError {
    #[error("no account is named")]
    NoAccount,
    #[error("account {0:?} is named twice")]
    Duplicate(String),
    /// The name is absent where the text may be a key in the wrong place.
    #[error("{} has no key; write name:key[:key2], with ; between accounts", described(.0.as_deref()))]
    MissingKey(Option<String>),
    #[error("{0:?} is not an account's name: 3 to 24 lower-case letters and digits")]
    InvalidName(String),
    #[error("account {0:?} has more than two keys")]
    TooManyKeys(String),
    #[error("a key of account {0:?} is not base64")]
    InvalidKey(String),
    #[error("account {account:?}: {option:?} is not an option; the options are {OPTIONS}")]
    UnknownOption { account: String, option: String },
    #[error(
        "account {account:?} cannot have the encryption scope {scope:?}: 3 to 63 lower-case letters, digits and dashes, each dash \
         between two of the others"
    )]
    InvalidScope { account: String, scope: String },
    #[error("account {account:?} cannot keep {resources} for {days:?} days: 1 to {MOST_DAYS}")]
    InvalidRetention { account: String, resources: &'static str, days: String },
    #[error("account {0:?} cannot have both hns and immutability, as with the real service")]
    HnsWithImmutability(String),
}

fn described(name: Option<&str>) -> String {
    name.map_or("an account".to_owned(), |name| format!("account {name}"))
}

/// As lenient about the last characters of a key as Azurite: each key that Azurite accepts is accepted.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

/// Parses one or more accounts.
pub fn read(text: &str) -> Result<Vec<Account>, AccountError> {
    let mut accounts: Vec<Account> = Vec::new();
    for text in entries(text) {
        let account = account(text)?;
        if accounts.iter().any(|other| other.name == account.name) {
            return Err(AccountError::Duplicate(account.name));
        }
        accounts.push(account);
    }
    // Every server has a first account, for the connection string.
    let declared = |account: &Account| account.name != ANY_NAME;
    if let Some(any) = accounts.first().filter(|_| !accounts.iter().any(declared)).cloned() {
        accounts.insert(0, Account { name: WELL_KNOWN_ACCOUNT.to_owned(), ..any });
    }
    accounts.sort_by_key(|account| !declared(account));
    if accounts.is_empty() { Err(AccountError::NoAccount) } else { Ok(accounts) }
}

/// Parses accounts as Azurite does: a key is required, and is decoded as Node.js decodes it.
pub(super) fn read_azurite(text: &str) -> Result<Vec<Account>, AccountError> {
    match entries(text).find(|entry| !entry.contains(':')) {
        Some(entry) => Err(AccountError::MissingKey(Some(entry).filter(|entry| names::account(entry)).map(str::to_owned))),
        None => {
            let as_node = |entry: &str| {
                let mut parts = entry.split(':');
                let name = parts.next().unwrap_or_default().to_owned();
                parts.fold(name, |entry, key| format!("{entry}:{}", as_node_reads(key)))
            };
            read(&entries(text).map(as_node).collect::<Vec<_>>().join(";"))
        }
    }
}

/// The characters of a key that `Buffer.from(key, "base64")` of Node.js decodes: those of either alphabet, up to the first `=`. It
/// skips all others.
fn as_node_reads(key: &str) -> String {
    let until = key.split('=').next().unwrap_or_default();
    let known = until.chars().filter_map(|letter| match letter {
        '-' => Some('+'),
        '_' => Some('/'),
        letter => Some(letter).filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/')),
    });
    let mut known: String = known.collect();
    // A single character after the last group of four holds less than a byte.
    if known.len() % 4 == 1 {
        known.pop();
    }
    known
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|entry| !entry.is_empty())
}

fn account(text: &str) -> Result<Account, AccountError> {
    let mut words = text.split(',').map(str::trim);
    let mut parts = words.next().unwrap_or_default().split(':');

    let name = parts.next().unwrap_or_default().to_owned();
    let letters = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if name != ANY_NAME && (!letters || !(3..=24).contains(&name.len())) {
        return Err(AccountError::InvalidName(name));
    }

    let mut keys = vec![key(&name, parts.next().unwrap_or(WELL_KNOWN_KEY))?];
    keys.extend(parts.next().map(|text| key(&name, text)).transpose()?);
    if parts.next().is_some() {
        return Err(AccountError::TooManyKeys(name));
    }

    let mut account = Account { name, keys, ..Account::default() };
    for word in words {
        match word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value))) {
            ("versioning", None) => account.versioning = true,
            ("hns", None) => account.hns = true,
            // A protected state becomes a version when the blob is overwritten.
            ("immutability", None) => (account.immutability, account.versioning) = (true, true),
            ("access-tracking", None) => account.access_tracking = true,
            ("premium", None) => account.premium = true,
            ("container-retention", Some(days)) => {
                account.container_retention = Some(self::days(&account.name, "containers", days)?);
            }
            ("share-retention", Some(days)) => account.share_retention = Some(self::days(&account.name, "shares", days)?),
            ("scope", Some(scope)) if account.scopes.declare(scope) => (),
            ("scope", Some(scope)) => {
                return Err(AccountError::InvalidScope { account: account.name, scope: scope.to_owned() });
            }
            _ => return Err(AccountError::UnknownOption { account: account.name, option: word.to_owned() }),
        }
    }
    if account.hns && account.immutability {
        return Err(AccountError::HnsWithImmutability(account.name));
    }
    Ok(account)
}

/// The options of an account, for messages.
const OPTIONS: &str =
    "versioning, hns, immutability, access-tracking, premium, container-retention=DAYS, share-retention=DAYS and scope=NAME";

/// The longest retention of deleted resources, in days.
const MOST_DAYS: u32 = 365;

fn days(account: &str, resources: &'static str, text: &str) -> Result<u32, AccountError> {
    let days = text.parse().ok().filter(|days| (1..=MOST_DAYS).contains(days));
    days.ok_or_else(|| AccountError::InvalidRetention { account: account.to_owned(), resources, days: text.to_owned() })
}

fn key(account: &str, text: &str) -> Result<Vec<u8>, AccountError> {
    match BASE64.decode(text) {
        Ok(key) if !key.is_empty() => Ok(key),
        _ => Err(AccountError::InvalidKey(account.to_owned())),
    }
}
