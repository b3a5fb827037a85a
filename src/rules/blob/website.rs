//! Static websites: the blob of `$web` for a path, and the error page without one.
//!
//! Paths are case-sensitive, as blob names are. The answer for a folder is its index document, whether or not the path ends in a slash,
//! without a redirect.

/// The container of an account's website.
pub const CONTAINER: &str = "$web";

/// The settings of an enabled website.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site<'a> {
    /// The name of the index document of a folder: `index.html`.
    pub index: Option<&'a str>,
    /// The path of the index document of folders without their own.
    pub default_index: Option<&'a str>,
    /// The path of the error document for a 404.
    pub error: Option<&'a str>,
}

impl<'a> Site<'a> {
    /// The names of the blobs for a path, which is decoded and has no leading slash. The first that exists is the answer.
    pub fn candidates(&self, path: &str) -> Vec<String> {
        let is_folder = path.is_empty() || path.ends_with('/');
        let slash = if is_folder { "" } else { "/" };
        let index = self.index.map(|index| format!("{path}{slash}{index}"));
        let itself = (!path.is_empty()).then(|| path.to_owned());
        let default = self.default_index.map(name_of).filter(|_| is_folder).map(str::to_owned);
        match is_folder {
            true => [index, itself, default].into_iter().flatten().collect(),
            false => [itself, index].into_iter().flatten().collect(),
        }
    }

    /// The name of the error document for a 404.
    pub fn error_document(&self) -> Option<&'a str> {
        self.error.map(name_of)
    }
}

/// A blob's name from the path of a setting, which may have a leading slash.
fn name_of(path: &str) -> &str {
    path.strip_prefix('/').unwrap_or(path)
}

/// The error page of a website, on one line (recorded).
pub fn page(status: u16, code: &str, message: &str, request_id: &str, time: &str) -> String {
    let message = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<!DOCTYPE html><html><head><title>{code}</title></head><body><h1>{message}</h1><p><ul>\
         <li>HttpStatusCode: {status}</li><li>ErrorCode: {code}</li>\
         <li>RequestId : {request_id}</li><li>TimeStamp : {time}</li></ul></p></body></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_may_mean() {
        let none = Site::default();
        let index = Site { index: Some("index.html"), ..none };
        let fallback = Site { default_index: Some("/app/start.html"), ..none };
        let both = Site { index: Some("index.html"), ..fallback };
        #[rustfmt::skip]
        let table: [(Site<'_>, &str, &[&str]); 14] = [
            (none,     "",          &[]),
            (none,     "a.html",    &["a.html"]),
            (none,     "a/",        &["a/"]),
            (index,    "",          &["index.html"]),
            (index,    "a.html",    &["a.html", "a.html/index.html"]),
            (index,    "a/b",       &["a/b", "a/b/index.html"]),
            (index,    "a/b/",      &["a/b/index.html", "a/b/"]),
            (index,    "/",         &["/index.html", "/"]),
            (index,    "A/Ä ö",     &["A/Ä ö", "A/Ä ö/index.html"]),
            (fallback, "",          &["app/start.html"]),
            (fallback, "a",         &["a"]),
            (fallback, "a/",        &["a/", "app/start.html"]),
            (both,     "",          &["index.html", "app/start.html"]),
            (both,     "a/",        &["a/index.html", "a/", "app/start.html"]),
        ];
        for (site, path, wanted) in table {
            assert_eq!(site.candidates(path), wanted, "{path:?} of {site:?}");
        }
    }

    #[test]
    fn the_error_document() {
        for (error, wanted) in [(None, None), (Some("404.html"), Some("404.html")), (Some("/e/404.html"), Some("e/404.html"))] {
            assert_eq!(Site { error, ..Site::default() }.error_document(), wanted);
        }
    }

    #[test]
    fn the_page_is_the_recorded_one() {
        assert_eq!(
            page(
                404,
                "WebContentNotFound",
                "The requested content does not exist.",
                "3fe6c986-701e-0032-7eb7-9498bc000000",
                "2020-09-27T10:16:08.7083353Z"
            ),
            "<!DOCTYPE html><html><head><title>WebContentNotFound</title></head><body>\
             <h1>The requested content does not exist.</h1><p><ul><li>HttpStatusCode: 404</li><li>ErrorCode: WebContentNotFound</li>\
             <li>RequestId : 3fe6c986-701e-0032-7eb7-9498bc000000</li><li>TimeStamp : 2020-09-27T10:16:08.7083353Z</li></ul></p>\
             </body></html>"
        );
    }
}
