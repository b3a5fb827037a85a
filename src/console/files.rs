//! The files of the page, which are part of the binary.

use http::HeaderValue;
use sha2::{Digest, Sha256};

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    /// The path below `/_lazuli/console/`.
    pub path: &'static str,
    pub content_type: &'static str,
    pub content: &'static [u8],
    pub etag: HeaderValue,
}

macro_rules! files {
    ($($path:literal)*) => {
        &[$(($path, include_bytes!(concat!("page/", $path)))),*]
    };
}

/// The files, by their paths.
const FILES: &[(&str, &[u8])] = files! {
    "feed.js"
    "icon.svg"
    "main.js"
    "storage/blob.js"
    "storage/file.js"
    "storage/key.js"
    "storage/lake.js"
    "storage/queue.js"
    "storage/rest.js"
    "storage/server.js"
    "storage/table.js"
    "style.css"
    "tree.js"
    "ui/clipboard.js"
    "ui/dialog.js"
    "ui/dom.js"
    "ui/drop.js"
    "ui/format.js"
    "ui/frame.js"
    "ui/list.js"
    "ui/notify.js"
    "ui/pane.js"
    "ui/plot.js"
    "views/access.js"
    "views/blobs.js"
    "views/content.js"
    "views/control.js"
    "views/entities.js"
    "views/files.js"
    "views/foot.js"
    "views/journal.js"
    "views/kinds.js"
    "views/lease.js"
    "views/messages.js"
    "views/overview.js"
    "views/preview.js"
    "views/resources.js"
    "views/sas.js"
};

/// All files with what their responses need.
pub(super) fn assets() -> Vec<Asset> {
    FILES.iter().map(|(path, content)| Asset { path, content_type: content_type(path), content, etag: etag(content) }).collect()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// An ETag that changes with the content.
fn etag(content: &[u8]) -> HeaderValue {
    let digest = Sha256::digest(content);
    let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::try_from(format!("\"{digits}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The most bytes of all files together.
    const MOST: usize = 200 * 1024;
    /// Their placeholders are replaced before they are sent.
    const TEMPLATES: &[(&str, &[u8])] =
        &[("index.html", include_bytes!("page/index.html")), ("landing.html", include_bytes!("page/landing.html"))];

    #[test]
    fn every_file_of_the_page_is_listed_and_they_are_small() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/console/page");
        let (mut found, mut folders) = (BTreeSet::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => _ = found.insert(path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/")),
                }
            }
        }
        assert!(TEMPLATES.iter().all(|(template, _)| found.remove(*template)));
        assert_eq!(found, FILES.iter().map(|(path, _)| (*path).to_owned()).collect());
        let bytes: usize = FILES.iter().chain(TEMPLATES).map(|(_, content)| content.len()).sum();
        assert!(bytes < MOST, "{bytes} bytes");
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        assert!(assets().iter().all(|asset| asset.content_type != "application/octet-stream"));
        for (path, content) in FILES.iter().chain(TEMPLATES) {
            let text = std::str::from_utf8(content).unwrap();
            let loads =
                ["src=\"http", "href=\"http", "from \"http", "@import", "<script>", "<style>", " style=\"", "innerHTML", "eval("];
            for load in loads {
                assert!(!text.contains(load), "{path} contains {load}");
            }
        }
    }

    #[test]
    fn every_import_names_a_file() {
        for asset in assets().iter().filter(|asset| asset.path.ends_with(".js")) {
            let text = std::str::from_utf8(asset.content).unwrap();
            let folder = Path::new(asset.path).parent().unwrap();
            // The code that the page shows imports packages: that is text.
            for import in text
                .lines()
                .filter_map(|line| line.split_once("from \"")?.1.split_once('"'))
                .map(|(path, _)| path)
                .filter(|path| path.starts_with('.'))
            {
                let mut path = folder.to_owned();
                for part in import.split('/') {
                    match part {
                        "." => {}
                        ".." => _ = path.pop(),
                        name => path.push(name),
                    }
                }
                let path = path.to_str().unwrap().replace('\\', "/");
                assert!(FILES.iter().any(|(known, _)| *known == path), "{} imports {import}", asset.path);
            }
        }
    }
}
