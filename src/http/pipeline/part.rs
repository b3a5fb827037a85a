//! The parts of a batch. Each is performed like a request of its own, with its own route and authorization.

use crate::diagnostics::faults::Injection;
use crate::http::access_log::AccessLine;
use crate::http::pipeline::OnBehalf;
use crate::http::pipeline::batch_scope::BatchScope;
use crate::http::pipeline::head::{RequestHead, RequestProgress, is_echoed};
use crate::http::render;
use crate::http::render::ResponseContext;
use crate::http::serve::Peer;
use crate::operation::{Body as Sent, OperationSpec, Parts, Request};
use crate::rules::batch::BatchPart;
use crate::rules::error::{ErrorCode, StorageError};
use http::header::{HeaderName, HeaderValue};
use std::pin::Pin;

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

            let mut progress = RequestProgress::of_part(request.version);
            let outcome = match part.and_then(|part| self.head_of(request, part, operations)) {
                Ok(head) => self.pipeline.perform(head, true, &mut Sent::default(), &mut progress).await,
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
                account: Some(&request.account.name),
                method,
                uri: &uri,
                spec: progress.spec,
                status,
                error: outcome.as_ref().err(),
                request_id: &request_id,
                client_request_id: client_id.as_ref(),
                user_agent: None,
                bytes: (0, None),
                fault: progress.fault.as_deref().map(Injection::names),
                now: request.now,
                times: (began, self.pipeline.environment.machine()),
            };
            line.keep(&self.pipeline.diagnostics);
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
        let mut progress = RequestProgress::of_part(request.version);
        let head = RequestHead::parse(parts, self.host.clone(), Peer::new(self.peer, self.https), request.now, &mut progress)?;
        let batch = BatchScope {
            account: request.account.name.clone(),
            container: request.target.container_name().map(str::to_owned),
            operations,
        };
        Ok(RequestHead { version: Some(request.version), batch: Some(batch), ..head })
    }
}
