//! A part of a batch, performed as if it had come alone: its own route, its own authorization, the same checks.

use super::super::render::{self, Asked};
use super::super::target::Addressed;
use super::super::told::Told;
use super::{Asker, Head, Known, is_echoed};
use crate::op::{Body as Sent, Call, Parts, Row, Target};
use crate::rules::batch::Part;
use crate::rules::fault::{Code, Fault};
use http::header::{HeaderName, HeaderValue};
use std::borrow::Cow;
use std::pin::Pin;

/// What a part is held to: the account of its batch, the container if the batch has one, and the operations that there are in batches.
pub(super) struct Batch {
    account: String,
    container: String,
    rows: &'static [&'static Row],
}

impl Batch {
    /// Where a part's path leads: never out of the batch's account. Some clients leave the account out of it where the batch's own path
    /// has it, and sign what they write.
    pub(super) fn place<'a>(&'a self, place: Option<Addressed<'a>>, path: &'a str) -> Addressed<'a> {
        let without = || Addressed { account: Cow::Borrowed(&self.account), secondary: false, path, in_path: false };
        place.filter(|place| place.account == self.account).unwrap_or_else(without)
    }

    /// Checks that a part may be in the batch.
    pub(super) fn admits(&self, row: &Row, target: &Target) -> Result<(), Fault> {
        if !self.rows.iter().any(|known| known.name == row.name) {
            return Err(Code::InvalidInput.because(format!("{} is not for batches", row.name)));
        }
        if !self.container.is_empty() && self.container != target.container {
            return Err(Code::InvalidInput.because(format!("the batch is for {:?} only", self.container)));
        }
        Ok(())
    }
}

impl Parts for Asker {
    fn answer<'a>(
        &'a self,
        call: &'a Call,
        part: Result<&'a Part, Fault>,
        rows: &'static [&'static Row],
    ) -> Pin<Box<dyn Future<Output = String> + Send + 'a>> {
        Box::pin(async move {
            let request_id = uuid::Uuid::from_bytes(self.pipeline.world.id()).to_string();
            // A refusal of the whole batch carries the batch's own id.
            let client_id = match &part {
                Ok(part) => part.header("x-ms-client-request-id").and_then(|id| HeaderValue::from_str(id).ok()),
                Err(_) => call.headers.get("x-ms-client-request-id").cloned(),
            };
            let client_id = client_id.filter(is_echoed);
            let began = self.pipeline.world.machine();
            let (method, uri) = part.as_ref().map_or(("-", "-"), |part| (part.method.as_str(), part.target.as_str()));

            let mut known = Known::of_part(call.version);
            let outcome = match part.and_then(|part| self.head_of(call, part, rows)) {
                Ok(head) => self.pipeline.perform(head, true, &mut Sent::default(), &mut known).await,
                Err(fault) => Err(fault),
            };

            let asked = Asked {
                kind: self.pipeline.service.kind(),
                head: false,
                version: call.version,
                told: true,
                request_id: &request_id,
                client_request_id: client_id.as_ref(),
                now: call.now,
                site: false,
            };
            let status = outcome.as_ref().map_or_else(Fault::status, |reply| reply.status);
            let told = Told {
                kind: asked.kind,
                part: true,
                method,
                uri: &uri,
                row: known.row,
                status,
                refusal: outcome.as_ref().err(),
                request_id: &request_id,
                times: (began, self.pipeline.world.machine()),
            };
            told.tell();
            render::part(&outcome, &asked)
        })
    }
}

impl Asker {
    /// The head of a part: its own, but for the host, the moment and the version, which are the batch's.
    fn head_of(&self, call: &Call, part: &Part, rows: &'static [&'static Row]) -> Result<Head, Fault> {
        let mut request = http::Request::builder().method(part.method.as_str()).uri(part.target.as_str());
        for (name, value) in &part.headers {
            let name = HeaderName::try_from(name).map_err(|_| Fault::header(name, value))?;
            request = request.header(name, value);
        }
        let (parts, ()) = request.body(()).map_err(|error| Code::InvalidInput.because(error.to_string()))?.into_parts();
        let mut known = Known::of_part(call.version);
        let head = self.pipeline.head(parts, self.host.clone(), self.peer, Vec::new(), call.now, &mut known)?;
        let batch = Batch { account: call.account.name.clone(), container: call.container().to_owned(), rows };
        Ok(Head { version: Some(call.version), batch: Some(batch), ..head })
    }
}
