//! What the log may not hold: signatures, and what requests bring along to be let in or to decipher with. Refusals show the client what it
//! signed, and that is the client's to see; the log may be anybody's.

/// The headers whose values are secret.
const HEADERS: [&str; 4] =
    ["authorization", "x-ms-copy-source-authorization", super::encryption::PLAIN.key, super::encryption::SOURCE.key];

/// What a signature stands behind, in a URL and in a refusal, and what ends it.
const SIGNATURES: [(&str, &[char]); 2] =
    [("sig=", &['&', '\'', '"', ' ']), ("mac signature found in the http request '", &['\''])];

/// Whether this header's value is secret.
pub fn is_secret(header: &str) -> bool {
    HEADERS.iter().any(|name| name.eq_ignore_ascii_case(header))
}

/// A text for the log: a URL, or a refusal that shows what was signed, where each header has a line of its own.
pub fn masked(text: &str) -> String {
    text.split('\n').map(masked_line).collect::<Vec<_>>().join("\n")
}

fn masked_line(line: &str) -> String {
    if let Some((name, _)) = line.split_once(':').filter(|(name, _)| is_secret(name.trim())) {
        return format!("{name}:…");
    }
    SIGNATURES.iter().fold(line.to_owned(), |line, (before, ends)| masked_after(&line, before, ends))
}

/// The text with what follows each `before` masked, up to one of `ends`.
fn masked_after(text: &str, before: &str, ends: &[char]) -> String {
    let lower = text.to_ascii_lowercase();
    let mut masked = String::new();
    let mut at = 0;
    while let Some(found) = lower[at..].find(before) {
        let start = at + found + before.len();
        masked.push_str(&text[at..start]);
        masked.push('…');
        at = text[start..].find(ends).map_or(text.len(), |length| start + length);
    }
    masked + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_does_not_show() {
        for (text, shown) in [
            ("/a/b?sv=1&sig=abc%3D&se=2", "/a/b?sv=1&sig=…&se=2"),
            ("/a/b?SIG=abc", "/a/b?SIG=…"),
            ("/a?sig=a&x-ms-copy-source=/b?sig=b", "/a?sig=…&x-ms-copy-source=/b?sig=…"),
            (
                "PUT\n\nx-ms-encryption-key:k=\nx-ms-encryption-key-sha256:s",
                "PUT\n\nx-ms-encryption-key:…\nx-ms-encryption-key-sha256:s",
            ),
            ("x-ms-copy-source-authorization:Bearer t\n/a/b", "x-ms-copy-source-authorization:…\n/a/b"),
            ("x-ms-copy-source:http://a/b?sig=c&se=d\nx-ms-date:e", "x-ms-copy-source:http://a/b?sig=…&se=d\nx-ms-date:e"),
            (
                "The MAC signature found in the HTTP request 'abc=' is not",
                "The MAC signature found in the HTTP request '…' is not",
            ),
            ("nothing: of the ‘kind’, sig", "nothing: of the ‘kind’, sig"),
            ("ſig=1&sig=", "ſig=1&sig=…"),
        ] {
            assert_eq!(masked(text), shown);
        }
        assert!(is_secret("X-MS-Encryption-Key") && !is_secret("x-ms-encryption-key-sha256"));
    }
}
