//! The targets of the paths of the Queue service, and what else it has of its own as a service.

use crate::operation::{Operation, ReplyFuture, Request, ResourcePath, Target};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::names::QueueName;
use crate::services::queue::ops;
use crate::services::queue::queues::Queues;
use crate::services::queue::state::Queue;
use crate::services::shared::service::{ServiceResource, split_path};
use http::Method;

/// The part of a path between the name of the queue and the id of the message.
const MESSAGES: &str = "messages";

impl ServiceResource for Queue {
    fn operations() -> &'static [&'static Operation<Queues>] {
        ops::ALL
    }

    fn start<'a>(queues: &'a Queues, operation: &Operation<Queues>, request: Request) -> Result<ReplyFuture<'a>, StorageError> {
        let reads = matches!(request.method, Method::GET | Method::HEAD);
        let reply = operation.start(queues, request)?;
        Ok(Box::pin(async move {
            let reply = reply.await?;
            // Every read has this header (recorded).
            Ok(if reads { reply.with("cache-control", "no-cache") } else { reply })
        }))
    }

    fn target(resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        let Some((queue, below)) = split_path(resource.path) else { return Ok(Target::Service) };
        let queue = QueueName::parse(&names::decode(queue)?)?;
        let (part, id) = below.split_once('/').unwrap_or((below, ""));
        match (part, id) {
            ("", "") => Ok(Target::Queue { queue }),
            (MESSAGES, "") => Ok(Target::Messages { queue }),
            (MESSAGES, id) if !id.contains('/') => Ok(Target::Message { queue, id: names::decode(id)? }),
            _ => Err(ErrorCode::InvalidUri.with_reason(format!("a queue has no resource {below:?}"))),
        }
    }
}
