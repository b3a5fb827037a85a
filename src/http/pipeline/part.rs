//! The parts of a batch. Each is performed like a request of its own, with its own route and authorization.

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

/// The limits of a part: the account of its batch, the container if the batch has one, and the operations that batches may contain.
pub(super) struct Batch {
    account: String,
    container: Option<String>,
    operations: &'static [&'static OperationSpec],
}

impl Batch {
    /// The address of a part, always in the account of the batch. Some clients omit the account from the path of a part, although the
    /// path of the batch has it, and sign the path without it.
    pub(super) fn address<'a>(&'a self, address: Option<AccountAddress<'a>>, path: &'a str) -> AccountAddress<'a> {
        let without = || AccountAddress { account: Cow::Borrowed(&self.account), secondary: false, path, in_path: false };
        address.filter(|address| address.account == self.account).unwrap_or_else(without)
    }

    /// Checks that the batch may contain a part.
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
            // An error of the whole batch has the client's id of the batch.
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

            let context = ResponseContext {
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
            let line = AccessLine {
                kind: context.kind,
                part: true,
                method,
                uri: &uri,
                spec: known.spec,
                status,
                error: outcome.as_ref().err(),
                request_id: &request_id,
                times: (began, self.pipeline.environment.machine()),
            };
            line.log();
            render::part(&outcome, &context)
        })
    }
}

impl OnBehalf {
    /// The head of a part. The host, the time and the version are those of the batch.
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
