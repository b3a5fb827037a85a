//! Variables that look like ours and are not: most often a flag's variable with a letter wrong.

use crate::config::arguments::distance;
use crate::config::flags::{Flag, flags};

/// What all variables of ours begin with.
const PREFIX: &str = "LAZULI_";

/// A warning for each of these variables, names and values, that looks like a flag's and is none.
pub fn strangers(variables: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let known: Vec<String> = flags().filter_map(Flag::variable).collect();
    let strange =
        |(name, value): &(String, String)| name.starts_with(PREFIX) && !known.contains(name) && !is_of_kubernetes(name, value);
    let mut found: Vec<String> = variables.into_iter().filter(strange).map(|(name, _)| name).collect();
    found.sort();
    found.iter().map(|name| warning(name, &known)).collect()
}

fn warning(name: &str, known: &[String]) -> String {
    let near = |other: &&String| distance(name, other) * 3 <= name.len() - PREFIX.len();
    let name = name.escape_debug();
    match known.iter().filter(near).min_by_key(|other| distance(&name.to_string(), other)) {
        Some(other) => format!("{name} is ignored: no flag has this variable; did you mean {other}?"),
        None => format!("{name} is ignored: no flag has this variable"),
    }
}

/// Kubernetes tells every container about a service of the name `lazuli` in variables like these, and Docker's links do too:
/// `LAZULI_PORT=tcp://10.0.0.1:10000`, `LAZULI_PORT_10000_TCP_PROTO=tcp`. Somebody who wants to choose a port writes a number.
fn is_of_kubernetes(name: &str, value: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    let of_port = rest.strip_prefix("PORT_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    rest.starts_with("SERVICE_HOST") || rest.starts_with("SERVICE_PORT") || rest == "PORT" && value.contains("://") || of_port
}
