//! The state of a table.
//!
//! The methods here are the only access to entities, and each respects the bounds of the caller's signature.

mod record;

use crate::operation::Request;
use crate::rules::auth::sas::Policy;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::key::Range;
use crate::rules::table::entity::{Entity, Key, Write};
use crate::rules::time::Timestamp;
use imbl::OrdMap;
use std::ops::Bound;
use std::sync::Arc;

/// A table and its entities: one cell of the store, so that a transaction is one write.
#[derive(Clone, Debug)]
pub struct Table {
    name: Arc<str>,
    entities: OrdMap<Key, Arc<Entity>>,
    pub policies: Arc<[Policy]>,
    /// The last timestamp. The next is later, so that no two states of an entity have the same tag.
    pub(super) latest: Timestamp,
}

impl Table {
    /// A table without entities.
    pub fn new(name: &str) -> Table {
        Table { name: name.into(), entities: OrdMap::new(), policies: Arc::default(), latest: Timestamp::default() }
    }

    /// The name that it was created with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An entity.
    ///
    /// # Errors
    /// 404 ResourceNotFound, also for an entity out of the bounds of the caller's signature.
    pub fn entity(&self, request: &Request, key: &Key) -> Result<&Arc<Entity>, StorageError> {
        Ok(self.entities.get(key).filter(|_| request.keys.holds(key)).ok_or(ErrorCode::ResourceNotFound)?)
    }

    /// The entities of ordered ranges, from a key on, within the bounds of the caller's signature.
    pub fn scan<'a>(
        &'a self,
        request: &'a Request,
        ranges: &'a [Range],
        from: &'a Key,
    ) -> impl Iterator<Item = (&'a Key, &'a Arc<Entity>)> {
        let rest = Range { from: from.clone(), to: None };
        let ranges = ranges.iter().map(move |range| range.clone().and(&request.keys).and(&rest));
        ranges.filter(|range| !range.is_empty()).flat_map(|Range { from, to }| {
            self.entities.range((Bound::Included(from), to.map_or(Bound::Unbounded, Bound::Excluded)))
        })
    }

    /// Writes an entity, and returns its new state, or `None` if it is deleted.
    ///
    /// # Errors
    /// 403 AuthorizationFailure for a key out of the bounds of the caller's signature; as [`Write::apply`].
    pub fn write(&mut self, request: &Request, write: Write) -> Result<Option<Arc<Entity>>, StorageError> {
        let key = write.key.clone();
        if !request.keys.holds(&key) {
            return Err(ErrorCode::AuthorizationFailure.with_reason(format!("{key:?} is out of the bounds of the signature")));
        }
        let last_modified = request.now.max(self.latest.next());
        match write.apply(self.entities.get(&key).map(|entity| &**entity), last_modified)? {
            Some(entity) => {
                self.latest = last_modified;
                let entity = Arc::new(entity);
                self.entities.insert(key, entity.clone());
                Ok(Some(entity))
            }
            None => {
                self.entities.remove(&key);
                Ok(None)
            }
        }
    }
}
