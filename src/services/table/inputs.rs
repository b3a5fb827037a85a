//! What the operations of the Table service read of a request.

use crate::operation::odata::{Metadata, QueryOptions};
use crate::operation::{FieldLocation, Fields, FromField, FromRequest, Input};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::Key;
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::odata;
use crate::rules::table::odata::{Filter, Select};
use crate::services::table::wire::read_token;

/// Whether the answer to an insertion has content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefer {
    Content,
    NoContent,
}

impl Prefer {
    /// Reads a `Prefer` header. Other preferences are ignored.
    fn read(header: &str) -> Option<Prefer> {
        match header.trim().to_ascii_lowercase().as_str() {
            "return-content" => Some(Prefer::Content),
            "return-no-content" => Some(Prefer::NoContent),
            _ => None,
        }
    }

    /// Its name, as `Preference-Applied` repeats it.
    pub const fn name(self) -> &'static str {
        match self {
            Prefer::Content => "return-content",
            Prefer::NoContent => "return-no-content",
        }
    }
}

/// How an insertion is answered. Only an answer with content needs a format that the client accepts.
#[derive(Clone, Copy, Debug)]
pub struct InsertAnswer {
    pub prefer: Option<Prefer>,
    pub metadata: Metadata,
}

impl FromRequest for InsertAnswer {
    const INPUTS: &'static [Input] = &[Input::header("prefer"), Input::query("$format"), Input::header("accept")];

    fn from_request(fields: &Fields<'_>) -> Result<InsertAnswer, StorageError> {
        QueryOptions::from_request(fields)?;
        let prefer = fields.header("prefer").and_then(Prefer::read);
        let metadata = match prefer {
            Some(Prefer::NoContent) => Metadata::default(),
            _ => Metadata::from_request(fields)?,
        };
        Ok(InsertAnswer { prefer, metadata })
    }
}

impl FromRequest for Option<EntityCondition> {
    const INPUTS: &'static [Input] = &[Input::header("if-match")];

    fn from_request(fields: &Fields<'_>) -> Result<Option<EntityCondition>, StorageError> {
        fields.header("if-match").map(EntityCondition::read).transpose()
    }
}

impl FromRequest for EntityCondition {
    const INPUTS: &'static [Input] = &[Input::required_header("if-match")];

    fn from_request(fields: &Fields<'_>) -> Result<EntityCondition, StorageError> {
        EntityCondition::read(&String::from_field(fields, FieldLocation::Header, "if-match")?)
    }
}

/// `$filter`. An empty one selects everything.
#[derive(Debug)]
pub struct FilterOption(pub Option<Filter>);

impl FromRequest for FilterOption {
    const INPUTS: &'static [Input] = &[Input::query("$filter")];

    fn from_request(fields: &Fields<'_>) -> Result<FilterOption, StorageError> {
        let filter = fields.query("$filter").filter(|filter| !filter.trim().is_empty());
        filter.map(odata::parse).transpose().map(FilterOption)
    }
}

/// `$select`: the properties, and the option as `odata.metadata` repeats it.
#[derive(Debug)]
pub struct SelectOption {
    pub select: Select,
    pub context: String,
}

impl FromRequest for SelectOption {
    const INPUTS: &'static [Input] = &[Input::query("$select")];

    fn from_request(fields: &Fields<'_>) -> Result<SelectOption, StorageError> {
        let text = fields.query.get("$select");
        let context = text.map(|text| format!("&$select={text}")).unwrap_or_default();
        Ok(SelectOption { select: text.map(Select::read).unwrap_or_default(), context })
    }
}

/// The most entities or tables of a page.
pub const MAX_PAGE: usize = 1000;

/// `$top`: the length of a page, 0 to 1000. An empty one is malformed.
#[derive(Clone, Copy, Debug)]
pub struct Top(pub usize);

impl FromRequest for Top {
    const INPUTS: &'static [Input] = &[Input::query("$top")];

    fn from_request(fields: &Fields<'_>) -> Result<Top, StorageError> {
        let Some(text) = fields.query.get("$top") else { return Ok(Top(MAX_PAGE)) };
        let top = text.trim().parse().ok().filter(|top| *top <= MAX_PAGE);
        top.map(Top).ok_or_else(|| ErrorCode::InvalidInput.with_reason(format!("$top is {text:?}")))
    }
}

/// The key at which a page of entities begins.
#[derive(Debug)]
pub struct StartKey(pub Key);

impl FromRequest for StartKey {
    const INPUTS: &'static [Input] = &[Input::query("nextpartitionkey"), Input::query("nextrowkey")];

    fn from_request(fields: &Fields<'_>) -> Result<StartKey, StorageError> {
        Ok(StartKey(Key::new(&continuation(fields, "nextpartitionkey")?, &continuation(fields, "nextrowkey")?)))
    }
}

/// The name at which a page of tables begins.
#[derive(Debug)]
pub struct StartTable(pub String);

impl FromRequest for StartTable {
    const INPUTS: &'static [Input] = &[Input::query("nexttablename")];

    fn from_request(fields: &Fields<'_>) -> Result<StartTable, StorageError> {
        continuation(fields, "nexttablename").map(StartTable)
    }
}

/// Reads a continuation token; an empty one is malformed, an absent one is the beginning.
fn continuation(fields: &Fields<'_>, name: &str) -> Result<String, StorageError> {
    fields.query.get(name).map_or(Ok(String::new()), read_token)
}
