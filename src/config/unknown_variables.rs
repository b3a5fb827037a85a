//! Warnings about `LAZULI_…` variables that belong to no flag, most often misspelled ones.

use crate::client_variables::CONTROLLED;
use crate::config::arguments::distance;
use crate::config::flags::{Flag, flags};

/// The prefix of the variables of flags.
const PREFIX: &str = "LAZULI_";

/// Returns a warning for each of these variables, pairs of name and value, that has the prefix and belongs to no flag.
pub fn unknown_variables(variables: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let known: Vec<String> = flags().filter_map(Flag::variable).collect();
    let is_known = |name: &String| known.contains(name) || name == CONTROLLED;
    let unknown =
        |(name, value): &(String, String)| name.starts_with(PREFIX) && !is_known(name) && !is_of_kubernetes(name, value);
    let mut found: Vec<String> = variables.into_iter().filter(unknown).map(|(name, _)| name).collect();
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

/// Returns true for the variables by which Kubernetes and Docker's links describe a service with the name `lazuli` to containers:
/// `LAZULI_PORT=tcp://10.0.0.1:10000`, `LAZULI_PORT_10000_TCP_PROTO=tcp`. A `LAZULI_PORT` that is a number is an error of the user.
fn is_of_kubernetes(name: &str, value: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    let of_port = rest.strip_prefix("PORT_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    rest.starts_with("SERVICE_HOST") || rest.starts_with("SERVICE_PORT") || rest == "PORT" && value.contains("://") || of_port
}
