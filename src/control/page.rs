//! `docs/reference/control.md` and `docs/reference/openapi.json`, written from the declarations of the control requests.

use crate::control::spec::{ControlSpec, PREFIX};
use crate::control::specs;

/// The parts of the page before and after the table.
const INTRODUCTION: &str = include_str!("introduction.md");
const DETAILS: &str = include_str!("details.md");

fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    text += "\n| request | what it does | who may send it |\n|---|---|---|\n";
    for spec in specs() {
        text += &format!("| {} | {} | {} |\n", request(spec), summary(spec), spec.access.name());
    }
    text + "\n" + DETAILS
}

/// The method and the path, and the parameters of the query.
fn request(spec: &ControlSpec) -> String {
    let parameters: Vec<String> = spec
        .parameters
        .iter()
        .filter(|parameter| !spec.is_in_path(parameter))
        .map(|parameter| match parameter.required {
            true => format!("<br>**`{}=`** {}", parameter.name, parameter.meaning),
            false => format!("<br>`{}=` {}", parameter.name, parameter.meaning),
        })
        .collect();
    format!("`{} {PREFIX}{}`{}", spec.method, spec.path, parameters.concat())
}

fn summary(spec: &ControlSpec) -> String {
    let body = spec.body.as_ref().map_or(String::new(), |body| format!("<br>Body: {}.", body.meaning));
    format!("{}{body}", spec.summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::openapi;

    #[expect(clippy::disallowed_methods, reason = "this test looks after pages of the documentation")]
    fn check(path: &str, text: &str) {
        let file = format!("{}/docs/reference/{path}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, text).unwrap();
        }
        let found = std::fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
        assert!(found == text.replace("\r\n", "\n"), "docs/reference/{path} is stale: UPDATE_DOCS=1 cargo test control");
    }

    #[test]
    fn docs_reference_control_md_is_fresh() {
        check("control.md", &page());
    }

    #[test]
    fn docs_reference_openapi_json_is_fresh() {
        check("openapi.json", &(serde_json::to_string_pretty(&openapi::description(specs())).unwrap() + "\n"));
    }

    #[test]
    fn examples_are_json() {
        let documents = specs().flat_map(|spec| spec.body.iter().chain([&spec.answer]));
        for document in documents.filter(|document| document.content_type == "application/json" && !document.example.is_empty()) {
            assert!(serde_json::from_str::<serde_json::Value>(document.example).is_ok(), "{}", document.example);
        }
    }
}
