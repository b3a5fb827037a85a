//! The texts of `--help` and `docs/configuration.md`, generated from the table of flags.

use crate::config::flags::{Flag, SECTIONS, VARIABLES};

/// The column of the descriptions in `--help`.
const MARGIN: usize = 42;
/// The longest line of `--help`, in characters.
const WIDTH: usize = 116;

/// The text of `--help`.
pub(super) fn help() -> String {
    let mut text =
        concat!("Lazuli ", env!("CARGO_PKG_VERSION"), ": Azure Storage on this machine, in Azurite's place\n\n").to_owned();
    text += "Usage: lazuli [FLAG]...\n";
    for section in SECTIONS {
        text += &format!("\n{}\n", section.title);
        for flag in section.flags {
            text += &entry(flag);
        }
    }
    text += "\nEvery flag but import and the last four has a variable: LAZULI_BLOB_PORT for --blob-port. The flag comes before it.\n\
             Azurite's names (--blobPort) and these variables of Azurite's are understood too:\n\n";
    for variable in VARIABLES {
        text += &columns(variable.name, variable.meaning);
    }
    text
}

fn entry(flag: &Flag) -> String {
    let short = flag.short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
    let word = flag.word().map_or(String::new(), |word| format!(" {word}"));
    let default = flag.default.map_or(String::new(), |value| format!(" [default: {value}]"));
    columns(&format!("{short}--{}{word}", flag.name), &format!("{}{default}", flag.meaning))
}

/// A term and its description in two columns, with the description wrapped.
fn columns(term: &str, meaning: &str) -> String {
    let mut text = format!("  {term:<width$}", width = MARGIN - 2);
    let mut column = text.len();
    for word in meaning.split(' ') {
        if column > MARGIN && column + 1 + word.len() > WIDTH {
            text = format!("{}\n{:MARGIN$}", text.trim_end(), "");
            column = MARGIN;
        }
        text += word;
        text.push(' ');
        column += word.len() + 1;
    }
    format!("{}\n", text.trim_end())
}

/// The text of `docs/configuration.md`.
pub fn reference() -> String {
    let mut text = INTRODUCTION.to_owned();
    for section in SECTIONS {
        text +=
            &format!("\n## {}\n\n| Flag | In Azurite | Variable | Default | Meaning |\n|---|---|---|---|---|\n", section.title);
        for flag in section.flags {
            text += &row(flag);
        }
    }
    text += VARIABLES_OF_AZURITE;
    for variable in VARIABLES {
        text += &format!("| `{}` | {} |\n", variable.name, variable.meaning);
    }
    text + REST
}

fn row(flag: &Flag) -> String {
    let code = |text: &str| format!("`{text}`");
    let word = flag.word().map_or(String::new(), |word| format!(" {word}"));
    let short = flag.short.map_or(String::new(), |letter| format!("`-{letter}`, "));
    format!(
        "| {short}`--{}{word}` | {} | {} | {} | {} |\n",
        flag.name,
        flag.azurite.map_or(String::new(), |name| format!("`--{name}`")),
        flag.variable().as_deref().map_or(String::new(), code),
        flag.default.map_or(String::new(), code),
        flag.meaning,
    )
}

const INTRODUCTION: &str = "\
<!-- Written from src/config/flags.rs by `UPDATE_DOCS=1 cargo test config`. Change that list, not this page. -->

# Configuration

Without any flag, Lazuli serves Blob, Queue, Table and File on 127.0.0.1 for the account `devstoreaccount1`, in memory.

- `--flag value` and `--flag=value` are the same. A switch stands alone or has `=true` or `=false`.
- Azurite's spelling of a flag means the same: `--blobPort` is `--blob-port`. Azurite has no File service;
  `--filePort` and its like are spelled as if it had.
- A flag comes before its environment variable, a variable before the default. An empty variable counts as none.
  In a variable, a switch is `true` (or `1`) or `false` (or `0`).
- Bare words (`azurite start`) are ignored, except that `help`, `version` and `import` mean `--help`,
  `--version` and `--import`.
- A mistake is one line on stderr and exit code 2, or 1 under one of Azurite's names, as with Azurite. It names the flag or variable.
- A variable `LAZULI_...` that is none of these is named in a warning.
";

const VARIABLES_OF_AZURITE: &str = "
## Variables of Azurite's

| Variable | Meaning |
|---|---|
";

const REST: &str = "
## Accounts

`--account name[:key[:key2]][,OPTION]...` says one account; the flag repeats, and `LAZULI_ACCOUNT` holds several with `;` between.

- The name has 3 to 24 lower-case letters and digits. Keys are base64; without one, the account has the well-known key of `devstoreaccount1`.
- `versioning`: every write to a blob makes a version.
- `hns`: the account says that it has a hierarchical namespace, and its blobs can be given an expiry. Data Lake Storage Gen2 itself is not
  there yet: its operations are answered with 501, on an account's `dfs` host and on the blob port. What it shares with Blob works, such as
  `create_file_system` of its client libraries, which is Create Container.
- `immutability`: blobs can be put under an immutability policy or a legal hold. It brings `versioning` with it.
- `access-tracking`: block blobs tell when they were last read or written, reads to the day: the first in 24 hours counts.
- `premium`: a page blob's tier is a size class, P4 to P80: the one it is given, or the smallest from P10 that holds it. A share is
  premium: it has provisioned IOPS and bandwidth, which other shares refuse.
- `container-retention=DAYS`: a deleted container is kept for so many days, 1 to 365, and can be restored. As with the real service, its
  name is not free for the first half minute.
- `share-retention=DAYS`: a deleted share is kept likewise.
- `scope=NAME`: the account has this encryption scope; it repeats. A new container, a write, or the signature of a write that names
  another is refused with 400. What was written in another before is kept, and can be read. An account for which none is named has
  every scope that is asked for.
- The accounts that are named are all there are: name `devstoreaccount1` among them to keep it.

```sh
lazuli --account devstoreaccount1,versioning --account lake,hns --account other:c2VjcmV0
```

## The log

Standard output gets the ready lines, then the log. Every request has a line: the service, the method and the URL with signatures masked,
the status, the operation, the error code if there is one, the milliseconds until the answer began, the request's id as the client got
it, and in parentheses why it was refused.

```text
2026-01-01T00:00:00.000000Z  INFO Blob GET /devstoreaccount1/cats/b 404 Get Blob: BlobNotFound, 0.112 ms, 5ee3f6f0-93a1-4b4a-a0b5-5f0a2a1f5f59
2026-01-01T00:00:00.000000Z  INFO Blob GET /other/c 404 -: ResourceNotFound, 0.031 ms, 94d77d49-6d1c-4f77-8f0f-4d2a3c0f9f51 (there is no account \"other\": --account adds one)
```

With `--log-format json` each line of the log is an object with `timestamp`, `level`, and for a request `service`, `method`, `uri`,
`status`, `operation`, `code`, `milliseconds`, `request_id` and `reason`. The ready lines stay as they are, and the file of `--debug` is
written as text.

Nothing waits for who reads these streams: up to 1 MiB is kept for a slow reader. Lines beyond that are dropped, and a line says how many.

## Names to start it by

The file name of the program, or of a link to it, decides what it serves. All flags are understood by each.

| Name | Blob | Queue | Table | File |
|---|---|---|---|---|
| `lazuli` (and any other) | yes | yes | yes | yes |
| `azurite` | yes | yes | yes | yes |
| `azurite-blob` | yes | | | |
| `azurite-queue` | | yes | | |
| `azurite-table` | | | yes | |

Each of Azurite's names prints the lines that Azurite prints when it is ready; Azurite has none for File.
";
