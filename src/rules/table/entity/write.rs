//! Writes of entities.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::entity::{Entity, Key, Value, check_size};
use crate::rules::time::Timestamp;

/// The kinds of write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The entity must not exist.
    Insert,
    /// Replaces all properties.
    Replace,
    /// Keeps the properties that are not given.
    Merge,
    Delete,
}

/// A write of one entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub key: Key,
    pub change: Change,
    /// The state that the entity must have. Without it, Replace and Merge create an entity that does not exist.
    pub condition: Option<EntityCondition>,
    pub properties: Vec<(Box<str>, Value)>,
}

impl Write {
    /// Returns the new state of the entity, with this timestamp, or `None` if it is deleted.
    ///
    /// # Errors
    /// 409 EntityAlreadyExists, 404 ResourceNotFound, 412 UpdateConditionNotSatisfied; 400 for an entity that is too large.
    pub fn apply(self, current: Option<&Entity>, timestamp: Timestamp) -> Result<Option<Entity>, StorageError> {
        match (self.change, current, self.condition) {
            (Change::Insert, Some(_), _) => return Err(ErrorCode::EntityAlreadyExists.into()),
            (Change::Delete, None, _) | (_, None, Some(_)) => return Err(ErrorCode::ResourceNotFound.into()),
            (_, Some(current), Some(condition)) => condition.check(current.timestamp)?,
            _ => {}
        }
        let properties = match (self.change, current) {
            (Change::Delete, _) => return Ok(None),
            (Change::Merge, Some(current)) => merged(current, self.properties),
            _ => self.properties,
        };
        check_size(&self.key, &properties)?;
        Ok(Some(Entity { timestamp, properties: properties.into() }))
    }
}

/// The properties of an entity, with those given in the place of those of the same name, or at the end.
fn merged(current: &Entity, given: Vec<(Box<str>, Value)>) -> Vec<(Box<str>, Value)> {
    let mut properties = current.properties.to_vec();
    for (name, value) in given {
        match properties.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => properties.push((name, value)),
        }
    }
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEN: Timestamp = Timestamp::from_unix(1, 0);
    const NOW: Timestamp = Timestamp::from_unix(2, 0);

    fn properties(names: &[(&str, i32)]) -> Vec<(Box<str>, Value)> {
        names.iter().map(|(name, number)| ((*name).into(), Value::Int32(*number))).collect()
    }

    fn write(change: Change, condition: Option<EntityCondition>, names: &[(&str, i32)]) -> Write {
        Write { key: Key::new("p", "r"), change, condition, properties: properties(names) }
    }

    #[test]
    fn each_write_depends_on_the_current_entity_and_the_condition() {
        use Change::{Delete, Insert, Merge, Replace};
        let current = Entity { timestamp: THEN, properties: properties(&[("a", 1), ("b", 2)]).into() };
        let (any, right, wrong) = (Some(EntityCondition::Any), Some(EntityCondition::Is(THEN)), Some(EntityCondition::Is(NOW)));
        type Outcome = Result<Option<&'static [(&'static str, i32)]>, ErrorCode>;
        let rows: &[(Change, Option<EntityCondition>, bool, Outcome)] = &[
            (Insert, None, false, Ok(Some(&[("b", 3), ("c", 4)]))),
            (Insert, None, true, Err(ErrorCode::EntityAlreadyExists)),
            (Replace, None, false, Ok(Some(&[("b", 3), ("c", 4)]))),
            (Replace, None, true, Ok(Some(&[("b", 3), ("c", 4)]))),
            (Replace, any, true, Ok(Some(&[("b", 3), ("c", 4)]))),
            (Replace, right, true, Ok(Some(&[("b", 3), ("c", 4)]))),
            (Replace, wrong, true, Err(ErrorCode::UpdateConditionNotSatisfied)),
            (Replace, any, false, Err(ErrorCode::ResourceNotFound)),
            (Replace, wrong, false, Err(ErrorCode::ResourceNotFound)),
            (Merge, None, false, Ok(Some(&[("b", 3), ("c", 4)]))),
            (Merge, None, true, Ok(Some(&[("a", 1), ("b", 3), ("c", 4)]))),
            (Merge, right, true, Ok(Some(&[("a", 1), ("b", 3), ("c", 4)]))),
            (Merge, wrong, true, Err(ErrorCode::UpdateConditionNotSatisfied)),
            (Merge, any, false, Err(ErrorCode::ResourceNotFound)),
            (Delete, any, true, Ok(None)),
            (Delete, right, true, Ok(None)),
            (Delete, wrong, true, Err(ErrorCode::UpdateConditionNotSatisfied)),
            (Delete, any, false, Err(ErrorCode::ResourceNotFound)),
        ];
        for (change, condition, there, expected) in rows {
            let outcome = write(*change, *condition, &[("b", 3), ("c", 4)]).apply(there.then_some(&current), NOW);
            let expected =
                expected.map(|entity| entity.map(|names| Entity { timestamp: NOW, properties: properties(names).into() }));
            assert_eq!(outcome.map_err(|error| error.code()), expected, "{change:?} {condition:?} {there}");
        }
    }

    fn insert(properties: Vec<(Box<str>, Value)>) -> Result<(), ErrorCode> {
        let write = Write { key: Key::new("p", "r"), change: Change::Insert, condition: None, properties };
        write.apply(None, NOW).map(|_| ()).map_err(|error| error.code())
    }

    #[test]
    fn entities_have_limits() {
        let many = |count: i32| (0..count).map(|n| (format!("p{n}").into(), Value::Int32(n))).collect();
        assert_eq!(insert(many(252)), Ok(()));
        assert_eq!(insert(many(253)), Err(ErrorCode::TooManyProperties));

        let text = |length: usize| vec![("s".into(), Value::String("é".repeat(length).into()))];
        assert_eq!(insert(text(32 << 10)), Ok(()));
        assert_eq!(insert(text((32 << 10) + 1)), Err(ErrorCode::PropertyValueTooLarge));
        let bytes = |length: usize| vec![("b".into(), Value::Binary(vec![0; length].into()))];
        assert_eq!(insert(bytes(64 << 10)), Ok(()));
        assert_eq!(insert(bytes((64 << 10) + 1)), Err(ErrorCode::PropertyValueTooLarge));

        // Sixteen values of 64 KiB are 1 MiB, without the names.
        let large = |count: usize| -> Vec<(Box<str>, Value)> {
            (0..count).map(|n| (format!("b{n}").into(), Value::Binary(vec![0; 64 << 10].into()))).collect()
        };
        assert_eq!(insert(large(15)), Ok(()));
        assert_eq!(insert(large(16)), Err(ErrorCode::EntityTooLarge));
        assert_eq!(
            insert(bytes(1 << 20)),
            Err(ErrorCode::EntityTooLarge),
            "the size of the entity is checked before that of its values"
        );
        assert_eq!(insert(text(1 << 19)), Err(ErrorCode::EntityTooLarge));

        let full = Entity { timestamp: THEN, properties: many(252).into() };
        let refused = write(Change::Merge, None, &[("one_more", 1)]).apply(Some(&full), NOW);
        assert_eq!(refused.unwrap_err().code(), ErrorCode::TooManyProperties, "a merge counts the properties that it keeps");
        assert!(write(Change::Merge, None, &[("p1", 1)]).apply(Some(&full), NOW).is_ok());
    }
}
