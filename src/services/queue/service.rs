//! The implementation of [`Service`] for queues.

use crate::operation::{OperationSpec, ReplyFuture, Request, ResourcePath, Service, ServiceKind, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::names::QueueName;
use crate::rules::versions::Version;
use crate::services::queue::ops;
use crate::services::queue::queues::Queues;
use http::Method;
use std::pin::Pin;
use std::sync::Arc;

/// The part of a path between the name of the queue and the id of the message.
const MESSAGES: &str = "messages";

impl Service for Queues {
    fn kind(&self) -> ServiceKind {
        ServiceKind::Queue
    }

    fn operations(&self) -> Vec<&'static OperationSpec> {
        ops::ALL.iter().map(|op| &op.spec).collect()
    }

    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError> {
        let operation = ops::ALL.get(index).ok_or(ErrorCode::NotImplemented)?;
        let reads = matches!(request.method, Method::GET | Method::HEAD);
        let reply = operation.start(self, request)?;
        Ok(Box::pin(async move {
            let reply = reply.await?;
            // Every read has this header (recorded).
            Ok(if reads { reply.with("cache-control", "no-cache") } else { reply })
        }))
    }

    fn target(&self, resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        let path = resource.path.strip_prefix('/').unwrap_or(resource.path);
        if path.is_empty() {
            return Ok(Target::Service);
        }
        let (queue, below) = path.split_once('/').unwrap_or((path, ""));
        let queue = QueueName::parse(&names::decode(queue)?)?;
        let (part, id) = below.split_once('/').unwrap_or((below, ""));
        match (part, id) {
            ("", "") => Ok(Target::Queue { queue }),
            (MESSAGES, "") => Ok(Target::Messages { queue }),
            (MESSAGES, id) if !id.contains('/') => Ok(Target::Message { queue, id: names::decode(id)? }),
            _ => Err(ErrorCode::InvalidUri.with_reason(format!("a queue has no resource {below:?}"))),
        }
    }

    fn public_access(&self, _: &str, _: &Target) -> PublicAccess {
        PublicAccess::Private
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let queue = self.find(account, target.container_name()?).ok()?.read();
        queue.policies().iter().find(|policy| policy.id == id).cloned()
    }

    fn cors(&self, account: &str) -> Arc<[CorsRule]> {
        self.account(account).map_or_else(|_| Arc::default(), |account| account.properties.read().cors.clone())
    }

    fn default_version(&self, _: &str) -> Option<Version> {
        None
    }

    fn reset(&self) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + '_>> {
        Box::pin(self.clear())
    }
}
