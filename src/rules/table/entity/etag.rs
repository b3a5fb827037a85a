//! The entity tag of an entity, and `If-Match`.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names::decode;
use crate::rules::table::entity::value::date_text;
use crate::rules::time::Timestamp;

/// The tag of an entity with this timestamp: `W/"datetime'2021-05-26T15%3A48%3A22.2733885Z'"`.
pub fn of(timestamp: Timestamp) -> String {
    format!("W/\"datetime'{}'\"", date_text(timestamp).replace(':', "%3A"))
}

/// The condition of an `If-Match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityCondition {
    /// `*`
    Any,
    /// The state with this timestamp.
    Is(Timestamp),
    /// A well-formed weak tag that no entity has.
    Never,
}

impl EntityCondition {
    /// Reads the header.
    ///
    /// # Errors
    /// 400 InvalidInput unless it is `*` or one weak entity tag.
    pub fn read(text: &str) -> Result<EntityCondition, StorageError> {
        if text.trim() == "*" {
            return Ok(EntityCondition::Any);
        }
        let quoted = text.trim().strip_prefix("W/\"").and_then(|rest| rest.strip_suffix('"'));
        let Some(quoted) = quoted.filter(|inside| !inside.contains('"')) else {
            return Err(ErrorCode::InvalidInput.with_message(format!(
                "The etag value '{text}' specified in one of the request headers is not valid. Please make sure only one etag \
                 value is specified and is valid."
            )));
        };
        let inner = quoted.strip_prefix("datetime'").and_then(|rest| rest.strip_suffix('\''));
        let timestamp = inner.and_then(|date| decode(date).ok()).and_then(|date| Timestamp::parse_iso(&date));
        Ok(timestamp.map_or(EntityCondition::Never, EntityCondition::Is))
    }

    /// Checks the condition against the timestamp of an entity.
    ///
    /// # Errors
    /// 412 UpdateConditionNotSatisfied.
    pub fn check(self, timestamp: Timestamp) -> Result<(), StorageError> {
        match self {
            EntityCondition::Is(expected) if expected == timestamp => Ok(()),
            EntityCondition::Any => Ok(()),
            EntityCondition::Is(_) | EntityCondition::Never => Err(ErrorCode::UpdateConditionNotSatisfied.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_the_timestamp_and_matches_itself() {
        for (iso, tag) in [
            ("2021-05-26T15:48:22.2733885Z", "W/\"datetime'2021-05-26T15%3A48%3A22.2733885Z'\""),
            ("2017-11-10T02:43:44.449624Z", "W/\"datetime'2017-11-10T02%3A43%3A44.449624Z'\""),
            ("2017-11-10T02:43:44Z", "W/\"datetime'2017-11-10T02%3A43%3A44Z'\""),
        ] {
            let moment = Timestamp::parse_iso(iso).unwrap();
            assert_eq!(of(moment), tag);
            assert_eq!(EntityCondition::read(tag), Ok(EntityCondition::Is(moment)));
            assert_eq!(EntityCondition::read(&tag.replace("%3A", ":")), Ok(EntityCondition::Is(moment)));
            assert_eq!(EntityCondition::Is(moment).check(moment), Ok(()));
            assert_eq!(
                EntityCondition::Is(moment).check(moment.next()).unwrap_err().code(),
                ErrorCode::UpdateConditionNotSatisfied
            );
            assert_eq!(EntityCondition::Any.check(moment), Ok(()));
        }
        for text in ["W/\"wrong\"", "W/\"datetime'soon'\"", "W/\"\"", " W/\"0x8D\" "] {
            assert_eq!(EntityCondition::read(text), Ok(EntityCondition::Never), "{text}");
        }
        assert_eq!(
            EntityCondition::Never.check(Timestamp::default()).unwrap_err().code(),
            ErrorCode::UpdateConditionNotSatisfied
        );
        for text in ["", "x", "\"0x8D\"", "W/\"", "W/\"datetime'2017-11-10T02%3A43%3A44Z'\",*", "W/\"a\",W/\"b\""] {
            let error = EntityCondition::read(text).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidInput, "{text}");
            assert!(error.message().starts_with(&format!("The etag value '{text}' specified")), "{text}");
        }
    }
}
