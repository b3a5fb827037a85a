//! Accounts as flags and variables write them: `name[:key[:key2]][,versioning][,scope=NAME]…`, with `;` between accounts.
//!
//! What is wrong is said with the account's name and never with its key.

use crate::config::{AccountConfig, WELL_KNOWN_KEY};
use crate::rules::encryption::Scopes;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};

/// As lenient about a key's last characters as Azurite, so that every key it takes is taken.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true),
);

/// Reads one account or several.
pub(super) fn read(text: &str) -> Result<Vec<AccountConfig>, String> {
    let mut accounts: Vec<AccountConfig> = Vec::new();
    for text in entries(text) {
        let account = account(text)?;
        if accounts.iter().any(|other| other.name == account.name) {
            return Err(format!("account {:?} is named twice", account.name));
        }
        accounts.push(account);
    }
    if accounts.is_empty() { Err("no account is named".to_owned()) } else { Ok(accounts) }
}

/// Reads accounts as Azurite does: a key is required, and is what Node.js would make of it.
pub(super) fn read_azurite(text: &str) -> Result<Vec<AccountConfig>, String> {
    match entries(text).find(|entry| !entry.contains(':')) {
        Some(entry) => Err(format!("{} has no key; write name:key[:key2], with ; between accounts", named(entry))),
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

/// An account by its name, where that is one: a text that is not may be a key in the wrong place, and is not shown.
fn named(entry: &str) -> String {
    if crate::rules::names::account(entry) { format!("account {entry}") } else { "an account".to_owned() }
}

/// What `Buffer.from(key, "base64")` of Node.js reads of a key: up to the first `=`, either alphabet, and nothing of any other
/// character.
fn as_node_reads(key: &str) -> String {
    let until = key.split('=').next().unwrap_or_default();
    let known = until.chars().filter_map(|letter| match letter {
        '-' => Some('+'),
        '_' => Some('/'),
        letter => Some(letter).filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/')),
    });
    let mut known: String = known.collect();
    // A single character after the last group of four is less than a byte.
    if known.len() % 4 == 1 {
        known.pop();
    }
    known
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|entry| !entry.is_empty())
}

fn account(text: &str) -> Result<AccountConfig, String> {
    let mut words = text.split(',').map(str::trim);
    let mut parts = words.next().unwrap_or_default().split(':');

    let name = parts.next().unwrap_or_default().to_owned();
    let letters = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if !letters || !(3..=24).contains(&name.len()) {
        return Err(format!("{name:?} is not an account's name: 3 to 24 lower-case letters and digits"));
    }

    let key = key(&name, parts.next().unwrap_or(WELL_KNOWN_KEY))?;
    let key2 = parts.next().map(|text| self::key(&name, text)).transpose()?;
    if parts.next().is_some() {
        return Err(format!("account {name:?} has more than two keys"));
    }

    let mut account = AccountConfig {
        name,
        key,
        key2,
        versioning: false,
        hns: false,
        immutability: false,
        access_tracking: false,
        premium: false,
        container_retention: None,
        share_retention: None,
        scopes: Scopes::default(),
    };
    for word in words {
        match word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value))) {
            ("versioning", None) => account.versioning = true,
            ("hns", None) => account.hns = true,
            // What must not change is kept as a version while the blob goes on.
            ("immutability", None) => (account.immutability, account.versioning) = (true, true),
            ("access-tracking", None) => account.access_tracking = true,
            ("premium", None) => account.premium = true,
            ("container-retention", Some(days)) => {
                account.container_retention = Some(self::days(&account.name, "containers", days)?);
            }
            ("share-retention", Some(days)) => account.share_retention = Some(self::days(&account.name, "shares", days)?),
            ("scope", Some(scope)) if account.scopes.declare(scope) => (),
            ("scope", Some(scope)) => {
                return Err(format!(
                    "account {:?} cannot have the encryption scope {scope:?}: 3 to 63 lower-case letters, digits and dashes, \
                     each dash between two of the others",
                    account.name
                ));
            }
            _ => return Err(format!("account {:?} cannot have {word:?} switched on: only {OPTIONS}", account.name)),
        }
    }
    if account.hns && account.immutability {
        return Err(format!("account {:?} cannot have both hns and immutability, as with the real service", account.name));
    }
    Ok(account)
}

/// What an account can have switched on.
const OPTIONS: &str =
    "versioning, hns, immutability, access-tracking, premium, container-retention=DAYS, share-retention=DAYS and scope=NAME";

/// The most days that the service keeps anything deleted.
const MOST_DAYS: u32 = 365;

fn days(account: &str, what: &str, text: &str) -> Result<u32, String> {
    let days = text.parse().ok().filter(|days| (1..=MOST_DAYS).contains(days));
    days.ok_or_else(|| format!("account {account:?} cannot keep {what} for {text:?} days: 1 to {MOST_DAYS}"))
}

fn key(account: &str, text: &str) -> Result<Vec<u8>, String> {
    match BASE64.decode(text) {
        Ok(key) if !key.is_empty() => Ok(key),
        _ => Err(format!("a key of account {account:?} is not base64")),
    }
}
