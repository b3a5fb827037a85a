//! What a service stores under a name of an account: a container, queue, table or share.

use crate::operation::ServiceKind;
use crate::rules::auth::roles::ServiceActions;
use crate::rules::error::ErrorCode;
use crate::rules::time::Timestamp;
use crate::store::Persist;
use std::borrow::Cow;

/// A container, queue, table or share, with its content.
pub trait Resource: Persist {
    /// The service that has it.
    const KIND: ServiceKind;
    /// The actions of the service's roles.
    const ACTIONS: ServiceActions;
    /// The error for a name that does not exist, and for a write to a resource that is deleted meanwhile.
    const MISSING: ErrorCode;

    /// The key of a name in the index. Names of tables are compared without regard to case.
    fn key(name: &str) -> Cow<'_, str> {
        name.into()
    }

    /// The time of the newest entity tag, if it has such tags. The next one is later.
    fn latest(&mut self) -> Option<&mut Timestamp> {
        None
    }
}
