//! What a write makes of an entity that stands there, or of none.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::entity::{Entity, Key, Value, check_size};
use crate::rules::time::Timestamp;

/// The kinds of write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new entity, and none may stand there.
    Insert,
    /// All properties anew.
    Replace,
    /// These properties beside those that are there.
    Merge,
    /// None.
    Delete,
}

/// A write of one entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// Where.
    pub key: Key,
    /// What.
    pub change: Change,
    /// The state that must stand there. Without it, Replace and Merge make the entity where there is none.
    pub condition: Option<EntityCondition>,
    /// The properties.
    pub properties: Vec<(Box<str>, Value)>,
}

impl Write {
    /// The entity that comes of it, written at this moment; none, where it is deleted.
    ///
    /// # Errors
    /// 409 EntityAlreadyExists, 404 ResourceNotFound, 412 UpdateConditionNotSatisfied; 400 for an entity that is too large.
    pub fn apply(self, stands: Option<&Entity>, stamp: Timestamp) -> Result<Option<Entity>, StorageError> {
        match (self.change, stands, self.condition) {
            (Change::Insert, Some(_), _) => return Err(ErrorCode::EntityAlreadyExists.into()),
            (Change::Delete, None, _) | (_, None, Some(_)) => return Err(ErrorCode::ResourceNotFound.into()),
            (_, Some(stands), Some(condition)) => condition.check(stands.timestamp)?,
            _ => {}
        }
        let properties = match (self.change, stands) {
            (Change::Delete, _) => return Ok(None),
            (Change::Merge, Some(stands)) => merged(stands, self.properties),
            _ => self.properties,
        };
        check_size(&self.key, &properties)?;
        Ok(Some(Entity { timestamp: stamp, properties: properties.into() }))
    }
}

/// The properties of an entity, with these in the place of those of their names, or after them.
fn merged(stands: &Entity, given: Vec<(Box<str>, Value)>) -> Vec<(Box<str>, Value)> {
    let mut properties = stands.properties.to_vec();
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
    fn one_table_of_writes() {
        use Change::{Delete, Insert, Merge, Replace};
        let stands = Entity { timestamp: THEN, properties: properties(&[("a", 1), ("b", 2)]).into() };
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
            let outcome = write(*change, *condition, &[("b", 3), ("c", 4)]).apply(there.then_some(&stands), NOW);
            let expected = expected.map(|made| made.map(|names| Entity { timestamp: NOW, properties: properties(names).into() }));
            assert_eq!(outcome.map_err(|error| error.code()), expected, "{change:?} {condition:?} {there}");
        }
    }

    fn insert(properties: Vec<(Box<str>, Value)>) -> Result<(), ErrorCode> {
        let write = Write { key: Key::new("p", "r"), change: Change::Insert, condition: None, properties };
        write.apply(None, NOW).map(|_| ()).map_err(|error| error.code())
    }

    #[test]
    fn entities_have_bounds() {
        let many = |count: i32| (0..count).map(|n| (format!("p{n}").into(), Value::Int32(n))).collect();
        assert_eq!(insert(many(252)), Ok(()));
        assert_eq!(insert(many(253)), Err(ErrorCode::TooManyProperties));

        let text = |length: usize| vec![("s".into(), Value::String("é".repeat(length).into()))];
        assert_eq!(insert(text(32 << 10)), Ok(()));
        assert_eq!(insert(text((32 << 10) + 1)), Err(ErrorCode::PropertyValueTooLarge));
        let bytes = |length: usize| vec![("b".into(), Value::Binary(vec![0; length].into()))];
        assert_eq!(insert(bytes(64 << 10)), Ok(()));
        assert_eq!(insert(bytes((64 << 10) + 1)), Err(ErrorCode::PropertyValueTooLarge));

        // Sixteen times 64 KiB is 1 MiB, and there are names.
        let large = |count: usize| -> Vec<(Box<str>, Value)> {
            (0..count).map(|n| (format!("b{n}").into(), Value::Binary(vec![0; 64 << 10].into()))).collect()
        };
        assert_eq!(insert(large(15)), Ok(()));
        assert_eq!(insert(large(16)), Err(ErrorCode::EntityTooLarge));
        assert_eq!(insert(bytes(1 << 20)), Err(ErrorCode::EntityTooLarge), "the entity comes before its values");
        assert_eq!(insert(text(1 << 19)), Err(ErrorCode::EntityTooLarge));

        let full = Entity { timestamp: THEN, properties: many(252).into() };
        let refused = write(Change::Merge, None, &[("one_more", 1)]).apply(Some(&full), NOW);
        assert_eq!(refused.unwrap_err().code(), ErrorCode::TooManyProperties, "a merge counts what was there");
        assert!(write(Change::Merge, None, &[("p1", 1)]).apply(Some(&full), NOW).is_ok());
    }
}
