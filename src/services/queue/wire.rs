//! Messages in XML.

use crate::operation::xml::Writer;
use crate::operation::{Body, xml};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::queue::message::{Message, TEXT};
use std::sync::Arc;

/// The largest document, in bytes: each byte of the text may be written as a reference such as `&quot;`.
const DOCUMENT: u64 = TEXT * 6 + 1024;

/// The operations that return messages. Each returns other elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageView {
    /// All but the text.
    Put,
    /// All.
    Get,
    /// All but the pop receipt and the time of visibility.
    Peek,
}

/// The answer with these messages.
pub fn document<'a>(messages: impl Iterator<Item = &'a Message>, view: MessageView) -> String {
    let mut xml = Writer::new();
    xml.nest("QueueMessagesList", |xml| messages.for_each(|message| write(xml, message, view)));
    xml.finish()
}

fn write(xml: &mut Writer, message: &Message, view: MessageView) {
    xml.open("QueueMessage").leaf("MessageId", message.id.hyphenated().to_string());
    xml.leaf("InsertionTime", message.inserted.rfc1123()).leaf("ExpirationTime", message.expires.rfc1123());
    if view != MessageView::Peek {
        xml.leaf("PopReceipt", message.receipt.text()).leaf("TimeNextVisible", message.visible.rfc1123());
    }
    if view != MessageView::Put {
        xml.leaf("DequeueCount", message.dequeued.to_string()).leaf("MessageText", &*message.text);
    }
    xml.close("QueueMessage");
}

/// Reads the text of the message in a body; `None` without a body.
///
/// # Errors
/// 413 RequestBodyTooLarge for a text over 64 KiB; 400 InvalidXmlDocument unless the body is a `QueueMessage` with one `MessageText` of
/// characters that XML allows.
pub async fn read_text(body: &mut Body) -> Result<Option<Arc<str>>, StorageError> {
    let too_large = |error: StorageError| match error.code() {
        ErrorCode::RequestBodyTooLarge => StorageError::too_large(TEXT),
        _ => error,
    };
    let document = body.bytes(DOCUMENT).await.map_err(too_large)?;
    if document.is_empty() {
        return Ok(None);
    }
    text_of(&document).map(Some)
}

fn text_of(document: &[u8]) -> Result<Arc<str>, StorageError> {
    let bad = || StorageError::invalid_xml("Error parsing Xml content");
    let message = xml::parse(document, "QueueMessage").map_err(|error| bad().with_reason(error.to_string()))?;
    let [element] = message.children.as_slice() else {
        return Err(bad().with_reason("QueueMessage has one element, MessageText"));
    };
    if element.name != "MessageText" || !element.children.is_empty() || !message.text.trim().is_empty() {
        return Err(bad().with_reason(format!("{} is not MessageText", element.name)));
    }
    if element.text.contains(names::unfit_for_xml) {
        return Err(bad().with_reason("a character that XML does not allow"));
    }
    if element.text.len() as u64 > TEXT {
        return Err(StorageError::too_large(TEXT));
    }
    Ok(element.text.as_str().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_read_as_written() {
        let full = "x".repeat(TEXT as usize);
        for (inside, text) in [
            ("<MessageText>message1</MessageText>", "message1"),
            ("<MessageText>  a\n\tb  </MessageText>", "  a\n\tb  "),
            ("<MessageText>&lt;a&gt;&amp;&#x41;&quot;</MessageText>", "<a>&A\""),
            ("<MessageText><![CDATA[<x>&amp;]]></MessageText>", "<x>&amp;"),
            ("\n  <MessageText>啊齄丂狛狜</MessageText>\n", "啊齄丂狛狜"),
            ("<MessageText />", ""),
            ("<!-- a note --><MessageText>a<!-- b -->c</MessageText>", "ac"),
            ("<MessageText>a&#xD;&#10;b</MessageText>", "a\r\nb"),
            (&format!("<MessageText>{full}</MessageText>"), &full),
        ] {
            let document = format!("<?xml version='1.0' encoding='utf-8'?>\n<QueueMessage>{inside}</QueueMessage>");
            assert_eq!(text_of(document.as_bytes()).as_deref(), Ok(text), "{inside:.80}");
        }
    }

    #[test]
    fn a_malformed_message_is_refused() {
        let over = format!("<QueueMessage><MessageText>{}</MessageText></QueueMessage>", "x".repeat(TEXT as usize + 1));
        for (document, code) in [
            ("hello", "InvalidXmlDocument"),
            ("<QueueMessage/>", "InvalidXmlDocument"),
            ("<QueueMessage>text</QueueMessage>", "InvalidXmlDocument"),
            ("<MessageText>text</MessageText>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>a</MessageText>", "InvalidXmlDocument"),
            ("<QueueMessage><messagetext>a</messagetext></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>a</MessageText><More/></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><More/><MessageText>a</MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>a</MessageText><MessageText>b</MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText><b>a</b></MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage>text<MessageText>a</MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>\u{1}</MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>&#xB;</MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>\u{ffff}</MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>a & b</MessageText></QueueMessage>", "InvalidXmlDocument"),
            ("<QueueMessage><MessageText>&nbsp;</MessageText></QueueMessage>", "InvalidXmlDocument"),
            (&over, "RequestBodyTooLarge"),
        ] {
            assert_eq!(text_of(document.as_bytes()).unwrap_err().code().name(), code, "{document:.80}");
        }
    }
}
