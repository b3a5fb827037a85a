//! Copies, snapshots and versions share bytes with their source, and no write to one changes another: every sequence of a few steps is
//! compared with a model that shares nothing.

use crate::server::{Answer, TestServer};
use lazuli::WELL_KNOWN_KEY;

/// Steps of a sequence.
const LENGTH: u32 = 4;
/// Bytes of a page.
const PAGE: usize = 512;
/// Pages of a page blob.
const PAGES: usize = 3;

/// A step of a sequence.
#[derive(Clone, Copy, Debug)]
enum Step {
    WriteToOriginal,
    WriteToCopy,
    Copy,
    Snapshot,
    /// The original becomes its last snapshot again; its copy, where it has none.
    Promote,
}

const STEPS: [Step; 5] = [Step::WriteToOriginal, Step::WriteToCopy, Step::Copy, Step::Snapshot, Step::Promote];

/// The ways to write to a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Append,
    Blocks,
    Pages,
}

/// A state of a blob: its URL and its content, a letter for each append, block or page.
#[derive(Clone, Debug, Default)]
struct State {
    query: String,
    holds: Vec<u8>,
}

/// A blob and all its earlier states.
#[derive(Debug)]
struct Model {
    name: String,
    version: String,
    now: Vec<u8>,
    kept: Vec<State>,
}

impl Model {
    fn path(&self) -> String {
        format!("/box/{}", self.name)
    }

    /// Applies the answer to a write: a new version makes the state before it an earlier one.
    fn wrote(&mut self, answer: &Answer, expected: &str, holds: Vec<u8>) {
        assert_eq!(answer.verdict(), expected, "{}: {}", self.name, answer.text());
        let version = answer.header("x-ms-version-id");
        if !version.is_empty() && !self.version.is_empty() {
            self.kept.push(State { query: format!("versionid={}", self.version), holds: self.now.clone() });
        }
        if !version.is_empty() {
            version.clone_into(&mut self.version);
        }
        self.now = holds;
    }

    fn snapshots(&self) -> impl DoubleEndedIterator<Item = &State> {
        self.kept.iter().filter(|state| state.query.starts_with("snapshot"))
    }
}

async fn create(server: &TestServer, kind: Kind, name: String) -> Model {
    let mut model = Model { name, version: String::new(), now: Vec::new(), kept: Vec::new() };
    let put = server.request("PUT", &model.path());
    let (put, holds) = match kind {
        Kind::Append => (put.header("x-ms-blob-type", "AppendBlob"), Vec::new()),
        Kind::Blocks => (put.header("x-ms-blob-type", "BlockBlob"), Vec::new()),
        Kind::Pages => {
            let put = put.header("x-ms-blob-type", "PageBlob").header("x-ms-blob-content-length", PAGE * PAGES);
            (put, vec![0; PAGES])
        }
    };
    model.wrote(&put.send().await, "201", holds);
    model
}

/// Adds a letter, or overwrites a page of a page blob.
async fn write(server: &TestServer, kind: Kind, model: &mut Model, letter: u8) {
    let path = model.path();
    let mut holds = model.now.clone();
    let answer = match kind {
        Kind::Append => {
            holds.push(letter);
            server.request("PUT", &format!("{path}?comp=appendblock")).body(vec![letter]).send().await
        }
        Kind::Blocks => {
            let id = |letter: u8| format!("{:0>4}", char::from(letter));
            let staged =
                server.request("PUT", &format!("{path}?comp=block&blockid={}", id(letter))).body(vec![letter]).send().await;
            assert_eq!(staged.verdict(), "201", "{}", staged.text());
            holds.push(letter);
            let list: String = holds.iter().map(|&letter| format!("<Latest>{}</Latest>", id(letter))).collect();
            server.request("PUT", &format!("{path}?comp=blocklist")).body(format!("<BlockList>{list}</BlockList>")).send().await
        }
        Kind::Pages => {
            let page = usize::from(letter) % PAGES;
            holds[page] = letter;
            let range = format!("bytes={}-{}", page * PAGE, (page + 1) * PAGE - 1);
            let put = server
                .request("PUT", &format!("{path}?comp=page"))
                .header("x-ms-page-write", "update")
                .header("x-ms-range", range);
            put.body(vec![letter; PAGE]).send().await
        }
    };
    model.wrote(&answer, "201", holds);
}

async fn copy(server: &TestServer, from: (String, Vec<u8>), to: &mut Model) {
    let source = format!("{}{}", server.blob_url(), from.0);
    let answer = server.request("PUT", &to.path()).header("x-ms-copy-source", source).send().await;
    to.wrote(&answer, "202", from.1);
}

async fn snapshot(server: &TestServer, model: &mut Model) {
    let answer = server.request("PUT", &format!("{}?comp=snapshot", model.path())).send().await;
    model.kept.push(State { query: format!("snapshot={}", answer.header("x-ms-snapshot")), holds: model.now.clone() });
    let holds = model.now.clone();
    model.wrote(&answer, "201", holds);
}

/// Compares every state of the blob with the model.
async fn look(server: &TestServer, kind: Kind, model: &Model, context: &str) {
    let now = State { query: String::new(), holds: model.now.clone() };
    for state in model.kept.iter().chain([&now]) {
        let got = server.request("GET", &format!("{}?{}", model.path(), state.query)).send().await;
        assert_eq!(got.verdict(), "200", "{context}: {} {}", model.name, state.query);
        let times = if kind == Kind::Pages { PAGE } else { 1 };
        let wanted: Vec<u8> = state.holds.iter().flat_map(|&letter| std::iter::repeat_n(letter, times)).collect();
        assert!(got.body == wanted, "{context}: {} {} does not hold {:?}", model.name, state.query, state.holds);
    }
}

async fn every_order(kind: Kind) {
    let versioned = format!("devstoreaccount1:{WELL_KNOWN_KEY},versioning");
    for account in [vec![], vec!["--account", versioned.as_str()]] {
        let server = TestServer::with(&account).await;
        server.container("box").await;
        for number in 0..STEPS.len().pow(LENGTH) {
            let steps: Vec<Step> = (0..LENGTH).map(|at| STEPS[number / STEPS.len().pow(at) % STEPS.len()]).collect();
            let context = format!("{kind:?} {account:?} {steps:?}");
            let mut original = create(&server, kind, format!("{number}-original")).await;
            write(&server, kind, &mut original, b'a').await;
            let mut copied = create(&server, kind, format!("{number}-copy")).await;
            for (letter, &step) in (b'b'..).zip(&steps) {
                match step {
                    Step::WriteToOriginal => write(&server, kind, &mut original, letter).await,
                    Step::WriteToCopy => write(&server, kind, &mut copied, letter).await,
                    Step::Copy => copy(&server, (original.path(), original.now.clone()), &mut copied).await,
                    Step::Snapshot => snapshot(&server, &mut original).await,
                    Step::Promote => {
                        let last = original.snapshots().next_back();
                        let from = last.map(|state| (format!("{}?{}", original.path(), state.query), state.holds.clone()));
                        let from = from.unwrap_or_else(|| (copied.path(), copied.now.clone()));
                        copy(&server, from, &mut original).await;
                    }
                }
            }
            look(&server, kind, &original, &context).await;
            look(&server, kind, &copied, &context).await;
        }
    }
}

#[tokio::test]
async fn appending_in_every_order() {
    every_order(Kind::Append).await;
}

#[tokio::test]
async fn committing_blocks_in_every_order() {
    every_order(Kind::Blocks).await;
}

#[tokio::test]
async fn writing_pages_in_every_order() {
    every_order(Kind::Pages).await;
}
