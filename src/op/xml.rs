//! XML as the service writes and reads it: no indentation, empty elements as `<X />`, a byte order mark in front; and of what
//! clients send, a plain tree of elements.

use crate::rules::{fault::Fault, name};
use quick_xml::Reader;
use quick_xml::escape::partial_escape;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// How deep a request's document may nest. The deepest real one (service properties) has four levels.
const DEPTH: usize = 16;

/// A document being written.
#[derive(Debug)]
pub struct Writer {
    text: String,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer::new()
    }
}

impl Writer {
    /// A document that holds its declaration.
    pub fn new() -> Writer {
        Writer { text: String::from("\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>") }
    }

    /// `<name>`, to be closed by [`Writer::close`].
    pub fn open(&mut self, name: &str) -> &mut Writer {
        self.open_with(name, &[])
    }

    /// `<name a="b">`, to be closed by [`Writer::close`].
    pub fn open_with(&mut self, name: &str, attributes: &[(&str, &str)]) -> &mut Writer {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            self.text.push(' ');
            self.text.push_str(key);
            self.text.push_str("=\"");
            self.text.push_str(&quick_xml::escape::escape(&*fit(value)));
            self.text.push('"');
        }
        self.text.push('>');
        self
    }

    /// `</name>`.
    pub fn close(&mut self, name: &str) -> &mut Writer {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
        self
    }

    /// `<name>value</name>`, or `<name />` for an empty value.
    pub fn leaf(&mut self, name: &str, value: impl AsRef<str>) -> &mut Writer {
        self.leaf_with(name, &[], value)
    }

    /// [`Writer::leaf`] with attributes.
    pub fn leaf_with(&mut self, name: &str, attributes: &[(&str, &str)], value: impl AsRef<str>) -> &mut Writer {
        let value = value.as_ref();
        self.open_with(name, attributes);
        if value.is_empty() {
            self.text.pop();
            self.text.push_str(" />");
            return self;
        }
        self.text.push_str(&partial_escape(&*fit(value)));
        self.close(name)
    }

    /// [`Writer::leaf`] if there is a value.
    pub fn leaf_some(&mut self, name: &str, value: Option<impl AsRef<str>>) -> &mut Writer {
        match value {
            Some(value) => self.leaf(name, value),
            None => self,
        }
    }

    /// An element whose children `fill` writes; `<name />` when it writes none.
    pub fn nest(&mut self, name: &str, fill: impl FnOnce(&mut Writer)) -> &mut Writer {
        self.open(name);
        let inside = self.text.len();
        fill(self);
        if self.text.len() == inside {
            self.text.pop();
            self.text.push_str(" />");
            return self;
        }
        self.close(name)
    }

    /// The document.
    pub fn finish(self) -> String {
        self.text
    }
}

/// A text as XML 1.0 can hold it: for what it cannot (control characters, U+FFFE, U+FFFF) stands U+FFFD.
fn fit(text: &str) -> Cow<'_, str> {
    if text.contains(name::unfit_for_xml) { text.replace(name::unfit_for_xml, "\u{fffd}").into() } else { text.into() }
}

/// An element of a document that a client sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Its name, without a namespace prefix.
    pub name: String,
    /// The text right inside it.
    pub text: String,
    /// The elements inside it, in order.
    pub children: Vec<Element>,
}

impl Element {
    /// The first child of this name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of the first child of this name, without the space around it.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim())
    }

    /// The text of a child that must be there.
    ///
    /// # Errors
    /// 400 InvalidXmlDocument when it is not.
    pub fn need(&self, name: &str) -> Result<&str, Fault> {
        self.text_of(name).ok_or_else(|| Fault::xml(format!("{name} is missing from {}.", self.name)))
    }
}

/// Reads a document whose root must be called `root`.
///
/// # Errors
/// 400 InvalidXmlDocument for what is not well-formed UTF-8 XML, has a document type, nests too deep or has another root.
pub fn parse(document: &[u8], root: &str) -> Result<Element, Fault> {
    let text = std::str::from_utf8(document).map_err(|_| Fault::xml("The document is not UTF-8."))?;
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let bad = |reason: String| Fault::xml(reason);
    // The open elements, outermost first; the first one is a stand-in that holds the root.
    let mut open = vec![Element::default()];
    loop {
        let event = reader.read_event().map_err(|error| bad(error.to_string()))?;
        match event {
            Event::Start(tag) if open.len() <= DEPTH => open.push(element(&tag)),
            Event::Start(_) => return Err(bad("The document nests too deep.".into())),
            Event::Empty(tag) => append(&mut open, element(&tag)),
            Event::End(_) => {
                if let Some(done) = open.pop() {
                    append(&mut open, done);
                }
            }
            Event::Text(piece) => add_text(&mut open, &piece.xml10_content()),
            Event::CData(piece) => add_text(&mut open, &piece.xml10_content()),
            Event::GeneralRef(reference) => {
                let known = match &*reference {
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "amp" => Some('&'),
                    "apos" => Some('\''),
                    "quot" => Some('"'),
                    _ => reference.resolve_char_ref().map_err(|error| bad(error.to_string()))?,
                };
                let known = known.ok_or_else(|| bad(format!("Reference to undeclared entity '{}'.", &*reference)))?;
                add_text(&mut open, known.encode_utf8(&mut [0; 4]));
            }
            Event::DocType(_) => return Err(bad("For security reasons DTD is prohibited in this XML document.".into())),
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
    }
    let whole = open.pop().filter(|_| open.is_empty()).ok_or_else(|| bad("The document ends inside an element.".into()))?;
    let mut roots = whole.children.into_iter();
    match (roots.next(), roots.next()) {
        (Some(found), None) if found.name == root && whole.text.trim().is_empty() => Ok(found),
        (Some(found), None) => Err(bad(format!("The root element is {}, not {root}.", found.name))),
        _ => Err(bad("Root element is missing.".into())),
    }
}

fn element(tag: &BytesStart<'_>) -> Element {
    Element { name: tag.local_name().into_inner().to_owned(), ..Element::default() }
}

fn append(open: &mut [Element], done: Element) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(done);
    }
}

fn add_text(open: &mut [Element], text: &str) {
    if let Some(parent) = open.last_mut() {
        parent.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_the_service_writes() {
        let mut xml = Writer::new();
        xml.open_with("Root", &[("At", "a\"<b>")]).leaf("Empty", "").leaf("Text", "a<b>&c").nest("None", |_| ()).close("Root");
        let text = xml.finish();
        assert_eq!(
            text,
            "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><Root At=\"a&quot;&lt;b&gt;\"><Empty /><Text>a&lt;b&gt;&amp;c</Text><None /></Root>"
        );
    }

    #[test]
    fn writes_only_what_can_be_read() {
        let mut xml = Writer::new();
        xml.open_with("R", &[("A", "\u{1}")]).leaf("T", "a\u{0}\u{ffff}\tb\r\n").close("R");
        assert!(xml.finish().ends_with("<R A=\"\u{fffd}\"><T>a\u{fffd}\u{fffd}\tb&#13;\n</T></R>"));
    }

    #[test]
    fn reads_what_clients_send() {
        let sent = "\u{feff}<?xml version='1.0' encoding='utf-8'?>\n<L xmlns:p=\"urn:x\"><!-- note --><p:A>a&amp;b&#x41;</p:A><B/><C><![CDATA[<x>]]></C></L>\n";
        let root = parse(sent.as_bytes(), "L").unwrap();
        let seen: Vec<_> = root.children.iter().map(|child| (child.name.as_str(), child.text.as_str())).collect();
        assert_eq!(seen, [("A", "a&bA"), ("B", ""), ("C", "<x>")]);
        assert_eq!(root.text_of("A"), Some("a&bA"));
        assert!(root.need("D").is_err());
    }

    #[test]
    fn refuses_everything_else() {
        let deep = format!("<L>{}", "<a>".repeat(100_000));
        for sent in [
            &b""[..],
            b"  ",
            b"hello",
            b"<L>",
            b"<L></M>",
            b"<M/>",
            b"<L/><L/>",
            b"<L/>text",
            b"<L>&nope;</L>",
            b"<L>&#0;</L>",
            b"<!DOCTYPE L [<!ENTITY a \"b\">]><L/>",
            b"<L>\xff</L>",
            deep.as_bytes(),
        ] {
            let fault = parse(sent, "L").unwrap_err();
            assert_eq!(fault.code().name(), "InvalidXmlDocument", "{:?}", String::from_utf8_lossy(&sent[..sent.len().min(40)]));
        }
    }
}
