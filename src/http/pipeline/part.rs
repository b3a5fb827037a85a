//! A part of a batch, performed as if it had come alone: its own route, its own authorization, the same checks.

use crate::http::access_log::AccessLine;
use crate::http::pipeline::{OnBehalf, RequestHead, RequestProgress, is_echoed};
use crate::http::render;
use crate::http::render::ResponseContext;
use crate::http::target::AccountAddress;
use crate::operation::{Body as Sent, OperationSpec, Parts, Request, Target};
use crate::rules::batch::BatchPart;
use crate::rules::error::{ErrorCode, StorageError};
use http::header::{HeaderName, HeaderValue};
use std::borrow::Cow;
use std::pin::Pin;

/// What a part is held to: the account of its batch, the container if the batch has one, and the operations that there are in batches.
pub(super) struct Batch {
    account: String,
    container: Option<String>,
    operations: &'static [&'static OperationSpec],
}

impl Batch {
    /// Where a part's path leads: never out of the batch's account. Some clients leave the account out of it where the batch's own path
    /// has it, and sign what they write.
    pub(super) fn place<'a>(&'a self, place: Option<AccountAddress<'a>>, path: &'a str) -> AccountAddress<'a> {
        let without = || AccountAddress { account: Cow::Borrowed(&self.account), secondary: false, path, in_path: false };
        place.filter(|place| place.account == self.account).unwrap_or_else(without)
    }

    /// Checks that a part may be in the batch.
    pub(super) fn admits(&self, spec: &OperationSpec, target: &Target) -> Result<(), StorageError> {
        if !self.operations.iter().any(|known| known.name == spec.name) {
            return Err(ErrorCode::InvalidInput.with_reason(format!("{} is not for batches", spec.name)));
        }
        if let Some(container) = self.container.as_deref().filter(|container| Some(*container) != target.container_name()) {
            return Err(ErrorCode::InvalidInput.with_reason(format!("the batch is for {container:?} only")));
        }
        Ok(())
    }
}

impl Parts for OnBehalf {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        part: Result<&'a BatchPart, StorageError>,
        operations: &'static [&'static OperationSpec],
    ) -> Pin<Box<dyn Future<Output = String> + Send + 'a>> {
        Box::pin(async move {
            let request_id = uuid::Uuid::from_bytes(self.pipeline.environment.id()).to_string();
            // A refusal of the whole batch carries the batch's own id.
            let client_id = match &part {
                Ok(part) => part.header("x-ms-client-request-id").and_then(|id| HeaderValue::from_str(id).ok()),
                Err(_) => request.headers.get("x-ms-client-request-id").cloned(),
            };
            let client_id = client_id.filter(is_echoed);
            let began = self.pipeline.environment.machine();
            let (method, uri) = part.as_ref().map_or(("-", "-"), |part| (part.method.as_str(), part.target.as_str()));

            let mut known = RequestProgress::of_part(request.version);
            let outcome = match part.and_then(|part| self.head_of(request, part, operations)) {
                Ok(head) => self.pipeline.perform(head, true, &mut Sent::default(), &mut known).await,
                Err(error) => Err(error),
            };

            let asked = ResponseContext {
                kind: self.pipeline.service.kind(),
                head: false,
                version: request.version,
                shows_version: true,
                request_id: &request_id,
                client_request_id: client_id.as_ref(),
                now: request.now,
                site: false,
            };
            let status = outcome.as_ref().map_or_else(StorageError::status, |reply| reply.status);
            let told = AccessLine {
                kind: asked.kind,
                part: true,
                method,
                uri: &uri,
                spec: known.spec,
                status,
                refusal: outcome.as_ref().err(),
                request_id: &request_id,
                times: (began, self.pipeline.environment.machine()),
            };
            told.log();
            render::part(&outcome, &asked)
        })
    }
}

impl OnBehalf {
    /// The head of a part: its own, but for the host, the moment and the version, which are the batch's.
    fn head_of(
        &self,
        request: &Request,
        part: &BatchPart,
        operations: &'static [&'static OperationSpec],
    ) -> Result<RequestHead, StorageError> {
        let mut builder = http::Request::builder().method(part.method.as_str()).uri(part.target.as_str());
        for (name, value) in &part.headers {
            let name = HeaderName::try_from(name).map_err(|_| StorageError::invalid_header(name, value))?;
            builder = builder.header(name, value);
        }
        let (parts, ()) = builder.body(()).map_err(|error| ErrorCode::InvalidInput.with_reason(error.to_string()))?.into_parts();
        let mut known = RequestProgress::of_part(request.version);
        let head = self.pipeline.head(parts, self.host.clone(), self.peer, Vec::new(), request.now, &mut known)?;
        let batch = Batch {
            account: request.account.name.clone(),
            container: request.target.container_name().map(str::to_owned),
            operations,
        };
        Ok(RequestHead { version: Some(request.version), batch: Some(batch), ..head })
    }
}
