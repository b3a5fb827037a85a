//! Secrets in the log: signatures, credentials and encryption keys are masked. Errors show the client what it signed; the log may have
//! other readers.

/// The headers whose values are secret.
const HEADERS: [&str; 4] =
    ["authorization", "x-ms-copy-source-authorization", "x-ms-encryption-key", "x-ms-source-encryption-key"];

/// The texts before a signature, in a URL and in an error, and the characters that end it.
const SIGNATURES: [(&str, &[char]); 2] =
    [("sig=", &['&', '\'', '"', ' ']), ("mac signature found in the http request '", &['\''])];

/// Returns true if the value of this header is secret.
pub fn is_secret(header: &str) -> bool {
    HEADERS.iter().any(|name| name.eq_ignore_ascii_case(header))
}

/// Masks the secrets in a text: a URL, or an error with a string to sign, in which every header has its own line.
pub fn masked(text: &str) -> String {
    text.split('\n').map(masked_line).collect::<Vec<_>>().join("\n")
}

fn masked_line(line: &str) -> String {
    // In a string to sign, a parameter of the URL has the form of a header.
    if let Some((name, _)) = line.split_once(':').filter(|(name, _)| is_secret(name.trim()) || name.eq_ignore_ascii_case("sig")) {
        return format!("{name}:…");
    }
    SIGNATURES.iter().fold(line.to_owned(), |line, (before, ends)| masked_after(&line, before, ends))
}

/// Masks what follows each `before`, up to one of `ends`.
fn masked_after(text: &str, before: &str, ends: &[char]) -> String {
    let mut masked = String::new();
    let (mut done, mut at) = (0, 0);
    let may_begin = |byte: &u8| *byte == b'%' || before.as_bytes().first().is_some_and(|first| byte.eq_ignore_ascii_case(first));
    while let Some(skipped) = text.as_bytes()[at..].iter().position(may_begin) {
        at += skipped;
        let Some(length) = length_of(before, &text.as_bytes()[at..]) else {
            at += 1;
            continue;
        };
        let start = at + length;
        masked.push_str(&text[done..start]);
        masked.push('…');
        done = text[start..].find(ends).map_or(text.len(), |length| start + length);
        at = done;
    }
    masked + &text[done..]
}

/// The length in bytes of `word` at the start of `text`: in any letter case, and with escaped characters, because `%73ig` is `sig` too.
fn length_of(word: &str, text: &[u8]) -> Option<usize> {
    word.bytes().try_fold(0, |at, wanted| {
        let (found, length) = match *text.get(at..)? {
            [b'%', high, low, ..] => (hex(high)? << 4 | hex(low)?, 3),
            [plain, ..] => (plain, 1),
            [] => return None,
        };
        found.eq_ignore_ascii_case(&wanted).then_some(at + length)
    })
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
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
            ("/a/b\ncomp:list\nsig:abc=\nsv:1", "/a/b\ncomp:list\nsig:…\nsv:1"),
            ("x-ms-copy-source-authorization:Bearer t\n/a/b", "x-ms-copy-source-authorization:…\n/a/b"),
            ("x-ms-copy-source:http://a/b?sig=c&se=d\nx-ms-date:e", "x-ms-copy-source:http://a/b?sig=…&se=d\nx-ms-date:e"),
            (
                "The MAC signature found in the HTTP request 'abc=' is not",
                "The MAC signature found in the HTTP request '…' is not",
            ),
            ("nothing: of the ‘kind’, sig", "nothing: of the ‘kind’, sig"),
            ("ſig=1&sig=", "ſig=1&sig=…"),
            ("/a?%73ig=abc&se=2", "/a?%73ig=…&se=2"),
            ("/a?s%49G%3dabc&se=2", "/a?s%49G%3d…&se=2"),
            ("/a?%7", "/a?%7"),
            ("50% sig=a b", "50% sig=… b"),
        ] {
            assert_eq!(masked(text), shown);
        }
        assert!(is_secret("X-MS-Encryption-Key") && !is_secret("x-ms-encryption-key-sha256"));
    }
}
