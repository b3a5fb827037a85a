//! Checkpoints: the state of all accounts, or of one, under a name; and the way back to it.

use crate::control::error::ControlError;
use crate::control::saved::Checkpoint;
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, Parameter, ParameterKind, json};
use crate::control::state::ControlState;
use crate::control::time::KEEP_CLOCK;
use crate::operation::{LockedService, NewTags, SavedState, WriterAtWork};
use crate::rules::error::StorageError;
use crate::store::journal::Durable;
use axum::body::Body;
use http::Response;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const ACCOUNT: Parameter = Parameter::optional("account", ParameterKind::Account, "only this account");
const NAME: Parameter = Parameter::required("name", ParameterKind::Name, "the name of the checkpoint");

pub const SPECS: &[ControlSpec] = &[
    ControlSpec {
        method: "GET",
        path: "/checkpoints",
        access: Access::Control,
        summary: "Lists the checkpoints.",
        parameters: &[],
        body: None,
        answer: Document::json("The checkpoints by name; account is null if all accounts are in it", LIST),
        handle: |request| Box::pin(async move { Ok(json(&request.state.checkpoints.json())) }),
    },
    ControlSpec {
        method: "POST",
        path: "/checkpoints/{name}",
        access: Access::Control,
        summary: "Saves the state of all accounts, or of one, under a name, which may be in use. Nothing is copied.",
        parameters: &[NAME, ACCOUNT],
        body: None,
        answer: Document::json("The checkpoint", CHECKPOINT),
        handle: |request| Box::pin(save(request)),
    },
    ControlSpec {
        method: "POST",
        path: "/checkpoints/{name}/restore",
        access: Access::Control,
        summary: "Makes all accounts, or one, what they were at the checkpoint, all at the same moment and on disk in one write. Sets the \
                  clock back too, unless only one account is restored.",
        parameters: &[NAME, KEEP_CLOCK, ACCOUNT],
        body: None,
        answer: Document::json("The checkpoint, and the time", CHECKPOINT),
        handle: |request| Box::pin(restore(request)),
    },
    ControlSpec {
        method: "DELETE",
        path: "/checkpoints/{name}",
        access: Access::Control,
        summary: "Deletes a checkpoint, and frees what only it still has.",
        parameters: &[NAME],
        body: None,
        answer: Document::json("Nothing", "{}"),
        handle: |request| {
            Box::pin(async move {
                let removed = request.state.checkpoints.0.lock().remove(request.required("name"));
                free(removed.ok_or_else(|| unknown(&request))?);
                Ok(json(&json!({})))
            })
        },
    },
];

const CHECKPOINT: &str = r#"{"name":"clean","created":"2026-01-01T00:00:00.0000000Z","account":null,"clock_offset_seconds":0,"now":"2026-01-01T00:00:00.0000000Z"}"#;
const LIST: &str =
    r#"{"checkpoints":[{"name":"clean","created":"2026-01-01T00:00:00.0000000Z","account":null,"clock_offset_seconds":0}]}"#;

/// Locks out the writers of an account, or of all accounts, in all services.
fn lock(state: &ControlState, account: Option<&str>) -> Vec<Box<dyn LockedService>> {
    loop {
        match state.services.iter().map(|service| service.lock(account)).collect::<Result<_, _>>() {
            Ok(locked) => return locked,
            // All locks are released by now.
            Err(writer) => WriterAtWork::wait(writer),
        }
    }
}

/// Runs a function that may take a while on a thread of its own.
async fn blocking<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> Result<T, ControlError> {
    tokio::task::spawn_blocking(run).await.map_err(|error| ControlError::failed(error.to_string()))
}

/// Frees states in the background: those of a million blobs take a second.
fn free<T: Send + 'static>(states: T) {
    drop(tokio::task::spawn_blocking(move || drop(states)));
}

async fn save(request: ControlRequest) -> Result<Response<Body>, ControlError> {
    let (state, account) = (request.state.clone(), request.text("account"));
    let saved = blocking(move || {
        let states = lock(&state, account.as_deref()).iter().map(|service| service.save()).collect();
        let (created, moved) = (state.environment.now(), state.environment.moved());
        Checkpoint { created, account, states, moved }
    });
    let (state, checkpoint) = (&request.state, Arc::new(saved.await?));
    let replaced = state.checkpoints.0.lock().insert(request.required("name").to_owned(), checkpoint.clone());
    free(replaced);
    Ok(answer(&request, &checkpoint))
}

async fn restore(request: ControlRequest) -> Result<Response<Body>, ControlError> {
    let checkpoint = request.state.checkpoints.0.lock().get(request.required("name")).cloned();
    let checkpoint = checkpoint.ok_or_else(|| unknown(&request))?;
    let account = match (request.text("account"), &checkpoint.account) {
        (Some(account), Some(own)) if account != *own => {
            return Err(ControlError::invalid(format!("this checkpoint is of the account {own:?} only")));
        }
        (account, own) => account.or_else(|| own.clone()),
    };
    let moved = (account.is_none() && request.text("clock").is_none()).then_some(checkpoint.moved);
    let (state, from) = (request.state.clone(), checkpoint.clone());
    let restored = blocking(move || {
        let restored = replace(&state, &from, account.as_deref(), moved);
        state.diagnostics.histories.clear(account.as_deref());
        // In this task, because the rest of the function does not run if the client closes the connection.
        if let Some(moved) = moved.filter(|_| restored.is_ok()) {
            state.environment.set_moved(moved);
        }
        restored
    });
    let (durable, replaced) = restored.await?.map_err(|error| ControlError::failed(error.message()))?;
    free(replaced);
    durable.wait().await.map_err(|error| ControlError::failed(error.message()))?;
    Ok(answer(&request, &checkpoint))
}

/// Replaces the state of an account, or of all accounts, in one change. `moved` is where the clock is set after it, if it is. Returns the
/// states before it, which nothing frees while writers wait.
fn replace(
    state: &ControlState,
    checkpoint: &Checkpoint,
    account: Option<&str>,
    moved: Option<Duration>,
) -> Result<(Durable, Vec<SavedState>), StorageError> {
    let mut locked = lock(state, account);
    let replaced = locked.iter().map(|service| service.save()).collect();
    let environment = &state.environment;
    let tags = NewTags::new(environment.moved_by(moved.unwrap_or_else(|| environment.moved())), environment.random());
    locked.iter_mut().zip(&checkpoint.states).for_each(|(service, saved)| service.prepare(saved, tags));
    let durable = state.store.append(|to| locked.iter().for_each(|service| service.write(to)))?;
    locked.into_iter().for_each(|service| service.publish());
    Ok((durable, replaced))
}

fn answer(request: &ControlRequest, checkpoint: &Checkpoint) -> Response<Body> {
    let mut answer = checkpoint.json(request.required("name"));
    answer["now"] = request.state.environment.now().iso().into();
    json(&answer)
}

fn unknown(request: &ControlRequest) -> ControlError {
    let name = request.required("name");
    ControlError::missing(format!(
        "there is no checkpoint {name:?}: POST /_lazuli/checkpoints/{name} saves one, and they end with the server"
    ))
}
