//! Reads the XML of a refusal strictly.

use quick_xml::Reader;
use quick_xml::events::Event;

/// An element without attributes.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub text: String,
    pub children: Vec<Element>,
}

/// The root element of a document, if the document is well-formed and its root has this name.
pub fn parse(document: &[u8], root: &str) -> Option<Element> {
    let text = std::str::from_utf8(document).ok()?;
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => {
                open.push(Element { name: tag.local_name().as_ref().to_owned(), ..Element::default() });
            }
            Event::Empty(tag) => {
                let name = tag.local_name().as_ref().to_owned();
                open.last_mut()?.children.push(Element { name, ..Element::default() });
            }
            Event::Text(text) => open.last_mut()?.text += &text,
            Event::GeneralRef(entity) => {
                open.last_mut()?.text += &quick_xml::escape::unescape(&format!("&{};", &*entity)).ok()?;
            }
            Event::End(_) => {
                let closed = open.pop()?;
                open.last_mut()?.children.push(closed);
            }
            Event::Decl(_) => {}
            Event::Eof => break,
            _ => return None,
        }
    }
    let [document] = <[Element; 1]>::try_from(open).ok()?;
    let [element] = <[Element; 1]>::try_from(document.children).ok()?;
    (element.name == root && document.text.is_empty()).then_some(element)
}
