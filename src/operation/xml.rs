//! XML as the service writes it (a byte order mark, no indentation, empty elements as `<X />`), and a parser of the documents that
//! clients send.

use crate::rules::error::StorageError;
use crate::rules::names;
use quick_xml::Reader;
use quick_xml::escape::partial_escape;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use std::borrow::Cow;

/// The deepest nesting of a request's document. Service properties, the deepest, have four levels.
const DEPTH: usize = 16;
/// The room for a new document, in bytes. Most responses fit into it.
const CAPACITY: usize = 1024;

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
    /// A document with its declaration.
    pub fn new() -> Writer {
        let mut text = String::with_capacity(CAPACITY);
        text.push_str("\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>");
        Writer { text }
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

    /// [`Writer::leaf`], or nothing if the value is `None`.
    pub fn leaf_some(&mut self, name: &str, value: Option<impl AsRef<str>>) -> &mut Writer {
        match value {
            Some(value) => self.leaf(name, value),
            None => self,
        }
    }

    /// An element whose children `fill` writes; `<name />` if it writes none.
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

/// Replaces the characters that XML 1.0 does not allow (control characters, U+FFFE, U+FFFF) by U+FFFD.
fn fit(text: &str) -> Cow<'_, str> {
    if first_unfit(text).is_some() { text.replace(names::unfit_for_xml, "\u{fffd}").into() } else { text.into() }
}

/// The first character of a text that XML 1.0 does not allow. Most texts are printable ASCII, which is checked without decoding it.
fn first_unfit(text: &str) -> Option<char> {
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_printable { None } else { text.chars().find(|c| names::unfit_for_xml(*c)) }
}

/// An element of a document that a client sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// The name without a namespace prefix.
    pub name: String,
    /// The text directly inside the element.
    pub text: String,
    /// The child elements, in order.
    pub children: Vec<Element>,
}

impl Element {
    /// The first child of this name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The trimmed text of the first child of this name.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim())
    }

    /// The text of a required child.
    ///
    /// # Errors
    /// 400 InvalidXmlDocument when it is missing.
    pub fn need(&self, name: &str) -> Result<&str, StorageError> {
        self.text_of(name).ok_or_else(|| StorageError::invalid_xml(format!("{name} is missing from {}.", self.name)))
    }
}

/// Parses a document whose root element is `root`.
///
/// # Errors
/// 400 InvalidXmlDocument for a document that is not well-formed UTF-8 XML, has a DTD, nests too deep or has another root.
pub fn parse(document: &[u8], root: &str) -> Result<Element, StorageError> {
    let text = std::str::from_utf8(document).map_err(|_| StorageError::invalid_xml("The document is not UTF-8."))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // One byte order mark is allowed. The library would skip a second one.
    if text.starts_with('\u{feff}') {
        return Err(StorageError::invalid_xml("Data at the root level is invalid."));
    }
    if let Some(unfit) = first_unfit(text) {
        return Err(StorageError::invalid_xml(format!("U+{:04X} is an invalid character.", u32::from(unfit))));
    }
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    let bad = |reason: String| StorageError::invalid_xml(reason);
    let mut at_start = true;
    // The open elements, outermost first. The first is a placeholder whose child is the root.
    let mut open = vec![Element::default()];
    loop {
        let event = reader.read_event().map_err(|error| bad(error.to_string()))?;
        match event {
            Event::Start(tag) if open.len() <= DEPTH => open.push(element(&tag)?),
            Event::Start(_) => return Err(bad("The document nests too deep.".into())),
            Event::Empty(tag) => append(&mut open, element(&tag)?),
            Event::End(_) => {
                if let Some(done) = open.pop() {
                    append(&mut open, done);
                }
            }
            Event::Text(piece) if piece.contains("]]>") => return Err(bad("']]>' is not allowed in text.".into())),
            Event::Text(piece) => add_text(&mut open, &piece.xml10_content()),
            Event::CData(_) if open.len() == 1 => return Err(bad("Data at the root level is invalid.".into())),
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
                if names::unfit_for_xml(known) || open.len() == 1 {
                    return Err(bad(format!("'&{};' is an invalid character here.", &*reference)));
                }
                add_text(&mut open, known.encode_utf8(&mut [0; 4]));
            }
            Event::DocType(_) => return Err(bad("For security reasons DTD is prohibited in this XML document.".into())),
            Event::Decl(declaration) => check_declaration(&declaration, at_start, text.is_ascii())?,
            Event::PI(instruction) if instruction.target().eq_ignore_ascii_case("xml") || !is_name(instruction.target()) => {
                return Err(bad("A processing instruction has an invalid name.".into()));
            }
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
        at_start = false;
    }
    let document = open.pop().filter(|_| open.is_empty()).ok_or_else(|| bad("The document ends inside an element.".into()))?;
    let mut roots = document.children.into_iter();
    match (roots.next(), roots.next()) {
        (Some(found), None) if found.name == root && document.text.trim().is_empty() => Ok(found),
        (Some(found), None) => Err(bad(format!("The root element is {}, not {root}.", found.name))),
        _ => Err(bad("Root element is missing.".into())),
    }
}

/// Checks `<?xml version="1.0" encoding="…" standalone="…"?>`: it comes first, and names the actual encoding of the document.
fn check_declaration(declaration: &BytesDecl<'_>, at_start: bool, ascii: bool) -> Result<(), StorageError> {
    let bad = |reason: &str| StorageError::invalid_xml(reason);
    if !at_start {
        return Err(bad("Unexpected XML declaration. The XML declaration must be the first node in the document."));
    }
    let mut order = ["version", "encoding", "standalone"].into_iter();
    let mut named = 0;
    let inside = BytesStart::from_content(&**declaration, "xml".len());
    for attribute in inside.attributes() {
        let attribute = attribute.map_err(|error| bad(&error.to_string()))?;
        let (key, value) = (attribute.key.into_inner(), &*attribute.value);
        let known = order.any(|next| next == key) && (named > 0 || key == "version");
        let holds = match key {
            "version" => value == "1.0",
            // ASCII is the same in each of these encodings.
            "encoding" => {
                value.eq_ignore_ascii_case("utf-8") || ascii && SINGLE_BYTE.iter().any(|one| value.eq_ignore_ascii_case(one))
            }
            _ => matches!(value, "yes" | "no"),
        };
        if !known || !holds {
            return Err(bad(&format!("{key}=\"{value}\" is invalid in the XML declaration of this document.")));
        }
        named += 1;
    }
    if named > 0 { Ok(()) } else { Err(bad("The XML declaration names no version.")) }
}

/// The encodings that an ASCII document may name besides UTF-8.
const SINGLE_BYTE: [&str; 3] = ["us-ascii", "iso-8859-1", "windows-1252"];

/// Checks a start tag, and returns its element without text and children.
fn element(tag: &BytesStart<'_>) -> Result<Element, StorageError> {
    let bad = |reason: String| StorageError::invalid_xml(reason);
    if !is_name(tag.name().into_inner()) {
        return Err(bad(format!("{:?} is an invalid name.", tag.name().into_inner())));
    }
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| bad(error.to_string()))?;
        if !is_name(attribute.key.into_inner()) || attribute.value.contains('<') {
            return Err(bad(format!("The attribute {:?} is invalid.", attribute.key.into_inner())));
        }
    }
    Ok(Element { name: tag.local_name().into_inner().to_owned(), ..Element::default() })
}

/// Returns true for an XML name with at most one namespace prefix.
fn is_name(text: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let goes_on = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}' | '\u{2040}')
    };
    let part = |part: &str| part.starts_with(starts) && part.chars().all(goes_on);
    match text.split_once(':') {
        Some((prefix, local)) => part(prefix) && part(local),
        None => part(text),
    }
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
    fn reads_every_declaration_that_is_true() {
        for sent in [
            "<?xml version=\"1.0\"?><L/>",
            "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\r\n<L/>",
            "\u{feff}<?xml version='1.0' encoding='utf-8'?><L>\u{e9}</L>",
            "<?xml version='1.0' encoding='US-ASCII'?><L/>",
            "<?xml version='1.0' standalone='no'?><?style a?><!-- b --><L a='1' b='1' p:a='1'/>\n<!-- c -->",
        ] {
            assert_eq!(parse(sent.as_bytes(), "L").unwrap().name, "L", "{sent}");
        }
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
            b"<L a='1' a='2'/>",
            b"<L><B a='1' b='2' a='1'></B></L>",
            b"<L a/>",
            b"<L a=1/>",
            b"<L a='<'/>",
            b"<L 1a='1'/>",
            b"<1L/>",
            b"<L><a:b:c/></L>",
            "\u{feff}\u{feff}<L/>".as_bytes(),
            b"<L>\0</L>",
            b"<L>\x01</L>",
            b"<L a='\0'/>",
            b"<L><!-- \0 --></L>",
            "<L>\u{ffff}</L>".as_bytes(),
            b"<L>&#1;</L>",
            b"<L>&#xFFFE;</L>",
            b"<L>]]></L>",
            b"<L><!-- a -- b --></L>",
            b"<L/>&#32;",
            b"<L/><![CDATA[ ]]>",
            b"<?xml version='1.0' encoding='utf-16'?><L/>",
            b"<?xml version='1.0' encoding='utf-16'?><L></L>",
            "<?xml version='1.0' encoding='iso-8859-1'?><L>\u{e9}</L>".as_bytes(),
            b"<?xml version='1.1'?><L/>",
            b"<?xml encoding='utf-8'?><L/>",
            b"<?xml version='1.0' version='1.0'?><L/>",
            b"<?xml version='1.0' standalone='yes' encoding='utf-8'?><L/>",
            b"<?xml version='1.0' standalone='perhaps'?><L/>",
            b" <?xml version='1.0'?><L/>",
            b"<?xml version='1.0'?><?xml version='1.0'?><L/>",
            b"<L><?xml version='1.0'?></L>",
            deep.as_bytes(),
        ] {
            let begun = String::from_utf8_lossy(&sent[..sent.len().min(60)]);
            let code = parse(sent, "L").map_err(|error| error.code().name());
            assert_eq!(code, Err("InvalidXmlDocument"), "{begun:?}");
        }
    }
}
