//! Variables that look like ours and are not: most often a flag's variable with a letter wrong.

use super::arguments::distance;
use super::flags::{Flag, flags};

/// What all variables of ours begin with.
const PREFIX: &str = "LAZULI_";

/// A warning for each of these names that looks like a flag's variable and is none.
pub fn strangers(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let known: Vec<String> = flags().filter_map(Flag::variable).collect();
    let strange = |name: &String| name.starts_with(PREFIX) && !known.contains(name) && !is_of_kubernetes(name);
    let mut found: Vec<String> = names.into_iter().filter(strange).collect();
    found.sort();
    found.iter().map(|name| warning(name, &known)).collect()
}

fn warning(name: &str, known: &[String]) -> String {
    let near = |other: &&String| distance(name, other) * 2 <= name.len() - PREFIX.len();
    let name = name.escape_debug();
    match known.iter().filter(near).min_by_key(|other| distance(&name.to_string(), other)) {
        Some(other) => format!("{name} is no variable of a flag, and ignored; did you mean {other}?"),
        None => format!("{name} is no variable of a flag, and ignored"),
    }
}

/// Kubernetes tells every container about a service of the name «lazuli» in variables like these, and Docker's links do too.
fn is_of_kubernetes(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    rest.starts_with("SERVICE_HOST") || rest.starts_with("SERVICE_PORT") || rest == "PORT" || rest.starts_with("PORT_")
}
