//! Resources from a folder or a document.

use crate::control::error::ControlError;
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, Parameter, ParameterKind, json};
use crate::seed::document::Seed;
use crate::seed::error::SeedError;
use crate::seed::{SeedCounts, read};
use axum::body::Body;
use http::Response;

pub const SPECS: &[ControlSpec] = &[ControlSpec {
    method: "POST",
    path: "/seed",
    access: Access::Control,
    summary: "Creates the resources of a document, or without one those of the directory that `--seed` names. What exists stays, except \
              blobs, entities, files and messages of the same names, which are replaced.",
    parameters: &[Parameter::optional("account", ParameterKind::Account, "the account, the first if absent")],
    body: Some(Document::json(
        "A seed, as [seed.md](seed.md) describes it",
        r#"{"containers":{"photos":{"blobs":{"hello.txt":"hello"}}},"queues":{"jobs":["one"]},"tables":{"people":[{"PartitionKey":"p","RowKey":"r"}]}}"#,
    )),
    answer: Document::json(
        "How many resources were written",
        r#"{"blobs":1,"containers":1,"entities":1,"messages":1,"queues":1,"tables":1}"#,
    ),
    handle: |request| Box::pin(write(request)),
}];

async fn write(mut request: ControlRequest) -> Result<Response<Body>, ControlError> {
    let document = request.bytes().await?;
    let seeder = &request.state.seeder;
    let seed: Seed = match (document.is_empty(), seeder.folder.clone()) {
        (false, _) => Seed::parse(&document).map_err(|error| ControlError::invalid(error.to_string()))?,
        (true, Some(folder)) => {
            let seed = tokio::task::spawn_blocking(move || read(&folder)).await;
            seed.map_err(|error| ControlError::failed(error.to_string()))?.map_err(|error| refusal(&error))?
        }
        (true, None) => return Err(ControlError::invalid("the body has to be a seed, because the server has no --seed")),
    };
    let written: SeedCounts = seeder.write(seed, request.text("account").as_deref()).await.map_err(|error| refusal(&error))?;
    Ok(json(&written.json()))
}

fn refusal(error: &SeedError) -> ControlError {
    match error {
        SeedError::UnknownAccount(_) => ControlError::missing(error.to_string()),
        _ => ControlError::invalid(error.to_string()),
    }
}
