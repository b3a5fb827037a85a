//! The headers that describe the content of a blob or a file to its readers.

use crate::operation::Reply;
use serde::{Deserialize, Serialize};

/// The headers that describe a content.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentHeaders {
    pub content_type: Option<Box<str>>,
    pub encoding: Option<Box<str>>,
    pub language: Option<Box<str>>,
    /// Content-MD5 as the client wrote it, which may be no MD5 (recorded).
    pub md5: Option<Box<str>>,
    pub cache_control: Option<Box<str>>,
    pub disposition: Option<Box<str>>,
}

/// The Content-Type of a blob or a file that was created without one.
pub const DEFAULT_TYPE: &str = "application/octet-stream";

/// The names of the headers in a response, in the order of the fields.
pub const IN_RESPONSE: [&str; 6] =
    ["content-type", "content-encoding", "content-language", "content-md5", "cache-control", "content-disposition"];

impl ContentHeaders {
    /// Reads the headers with these names, in the order of the fields.
    pub fn read<'a>(names: [&'static str; 6], header: impl Fn(&'static str) -> Option<&'a str>) -> ContentHeaders {
        let text = |name| header(name).filter(|text| !text.is_empty()).map(Box::from);
        let [content_type, encoding, language, md5, cache_control, disposition] = names.map(text);
        ContentHeaders { content_type, encoding, language, md5, cache_control, disposition }
    }

    /// These headers, and where one is absent, the other's.
    pub fn over(self, other: &ContentHeaders) -> ContentHeaders {
        ContentHeaders {
            content_type: self.content_type.or_else(|| other.content_type.clone()),
            encoding: self.encoding.or_else(|| other.encoding.clone()),
            language: self.language.or_else(|| other.language.clone()),
            md5: self.md5.or_else(|| other.md5.clone()),
            cache_control: self.cache_control.or_else(|| other.cache_control.clone()),
            disposition: self.disposition.or_else(|| other.disposition.clone()),
        }
    }

    /// Adds the headers to a response, except for the content type and the MD5.
    pub fn describe(&self, reply: Reply) -> Reply {
        reply
            .with_some("content-encoding", self.encoding.as_deref())
            .with_some("content-language", self.language.as_deref())
            .with_some("cache-control", self.cache_control.as_deref())
            .with_some("content-disposition", self.disposition.as_deref())
    }
}
