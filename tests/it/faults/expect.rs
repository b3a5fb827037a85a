//! `Expect: 100-continue`: a request that is refused by its head is refused before its body, in every service.

use super::Stored;
use super::wire::{Wire, head, head_of, request};
use lazuli::ServiceKind;

const PUT: &[(&str, &str)] = &[("x-ms-blob-type", "BlockBlob")];

/// The rest of the head of a request that waits for `100 Continue` before it sends three bytes.
const WAITS: &str = "content-length: 3\r\nexpect: 100-continue\r\n\r\n";

/// The body of a request that is refused is never sent for; that of any other is.
#[tokio::test]
async fn only_an_accepted_head_gets_100_continue() {
    let stored = Stored::new().await;
    for (target, headers, verdict) in [
        ("/nowhere/new", PUT, "404 ContainerNotFound"),
        ("/kept/digits?comp=foo", PUT, "400 InvalidQueryParameterValue"),
        ("/kept/digits", &[("x-ms-blob-type", "SuperBlob")], "400 InvalidHeaderValue"),
    ] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{}{WAITS}", head("PUT", target, headers, 3))).await;
        let answer = wire.hear("PUT").await.answer;
        assert_eq!(answer.verdict(), verdict, "{target}");
        assert_eq!(answer.header("connection"), "close", "{target}: nobody knows whether the body will still come");
        assert_eq!(wire.end().await, "");
        stored.unchanged(target).await;
    }
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    wire.say(format!("{}{WAITS}", head("PUT", "/kept/new", PUT, 3))).await;
    assert_eq!(wire.hear("PUT").await.line, "HTTP/1.1 100 Continue");
    wire.say("new").await;
    assert_eq!(wire.hear("PUT").await.answer.verdict(), "201");
    wire.say(request("GET", "/kept/new", &[], "")).await;
    assert_eq!(wire.hear("GET").await.answer.text(), "new");
}

/// A request with a malformed input: its method, its target, the malformed header if it is one, and the verdict. Set Service Properties
/// reads nothing but the version, and an answer to a malformed one names no version and no code.
type Malformed = (&'static str, &'static str, (&'static str, &'static str), &'static str);

/// No header.
const NOTHING: (&str, &str) = ("", "");

const OF_BLOBS: &[Malformed] = &[
    ("PUT", "/kept/new", ("x-ms-lease-id", "garbage"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new", ("if-modified-since", "yesterday"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new", ("if-unmodified-since", "tomorrow"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new", ("x-ms-if-tags", "tag = "), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new", ("if-match", "\"a\",\"b\""), "400 MultipleConditionHeadersNotSupported"),
    ("PUT", "/nowhere/new", ("if-none-match", "\"a\",\"b\""), "400 MultipleConditionHeadersNotSupported"),
    ("PUT", "/kept/new", ("x-ms-encryption-key", "c2hvcnQ="), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new", ("x-ms-meta-1st", "digit first"), "400 InvalidMetadata"),
    ("PUT", "/kept/new", ("x-ms-tags", "a=b&a=c"), "400 DuplicateTagNames"),
    ("PUT", "/kept/new", ("x-ms-access-tier", "Lukewarm"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new", ("content-md5", "no base64"), "400 InvalidMd5"),
    ("PUT", "/kept/new?comp=block&blockid=MDE%3D", ("x-ms-lease-id", "garbage"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=blocklist", ("x-ms-lease-id", "garbage"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=appendblock", ("x-ms-blob-condition-maxsize", "much"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=page", ("x-ms-range", "bytes=one-two"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?snapshot=now", NOTHING, "400 InvalidQueryParameterValue"),
    ("PUT", "/kept?restype=container&comp=acl", ("x-ms-lease-id", "garbage"), "400 InvalidHeaderValue"),
    ("PUT", "/kept?restype=container&comp=acl", ("if-modified-since", "yesterday"), "400 InvalidHeaderValue"),
    ("PUT", "/kept?restype=container&comp=acl", ("x-ms-blob-public-access", "everybody"), "400 InvalidHeaderValue"),
    ("PUT", "/?restype=service&comp=properties", ("x-ms-version", "soon"), "400"),
];

const OF_FILES: &[Malformed] = &[
    ("PUT", "/kept/new?comp=range", ("x-ms-lease-id", "garbage"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=range", ("x-ms-range", "bytes=one-two"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=range", ("x-ms-file-last-write-time", "yesterday"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=range", ("x-ms-write", "append"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=range", ("x-ms-write", "clear"), "400 InvalidHeaderValue"),
    ("PUT", "/kept/new?comp=range", ("content-md5", "no base64"), "400 InvalidMd5"),
    ("PUT", "/kept/new?comp=range&sharesnapshot=now", NOTHING, "400 InvalidQueryParameterValue"),
    ("PUT", "/kept?restype=share&comp=acl", ("x-ms-lease-id", "garbage"), "400 InvalidHeaderValue"),
    ("PUT", "/?restype=service&comp=properties", ("x-ms-version", "soon"), "400"),
];

const OF_QUEUES: &[Malformed] = &[
    ("POST", "/kept/messages?messagettl=long", NOTHING, "400 InvalidQueryParameterValue"),
    ("POST", "/kept/messages?messagettl=0", NOTHING, "400 OutOfRangeQueryParameterValue"),
    ("POST", "/kept/messages?visibilitytimeout=soon", NOTHING, "400 InvalidQueryParameterValue"),
    ("POST", "/kept/messages?visibilitytimeout=-1", NOTHING, "400 OutOfRangeQueryParameterValue"),
    ("POST", "/kept/messages?visibilitytimeout=9&messagettl=9", NOTHING, "400 InvalidQueryParameterValue"),
    ("PUT", "/kept/messages/id?popreceipt=garbage&visibilitytimeout=soon", NOTHING, "400 InvalidQueryParameterValue"),
    ("PUT", "/kept/messages/id?visibilitytimeout=1", NOTHING, "400 MissingRequiredQueryParameter"),
    ("PUT", "/?restype=service&comp=properties", ("x-ms-version", "soon"), "400"),
];

const OF_TABLES: &[Malformed] = &[
    ("POST", "/kept", ("accept", "text/html"), "415 MediaTypeNotSupported"),
    ("POST", "/kept", ("x-http-method", "FLY"), "400 XMethodIncorrectValue"),
    ("POST", "/kept?$orderby=a", NOTHING, "501 NotImplemented"),
    ("POST", "/Tables", ("accept", "text/html"), "415 MediaTypeNotSupported"),
    ("MERGE", "/kept(PartitionKey='p',RowKey='r')", ("if-match", "garbage"), "400 InvalidInput"),
    ("PUT", "/kept(PartitionKey='p',RowKey='r')", ("if-match", "garbage"), "400 InvalidInput"),
    ("PUT", "/kept(PartitionKey='p',RowKey='r')?$top=1", NOTHING, "501 NotImplemented"),
    ("PUT", "/kept?comp=acl", ("accept", "*/*"), "415 MediaTypeNotSupported"),
    ("PUT", "/?restype=service&comp=properties", ("x-ms-version", "soon"), "400"),
];

/// A malformed input of each group, and of each operation that has a body, is refused before the body is read.
#[tokio::test]
async fn malformed_inputs_are_refused_before_the_body() {
    for (kind, requests, well_formed) in [
        (ServiceKind::Blob, OF_BLOBS, &[PUT[0], ("x-ms-page-write", "update")][..]),
        (ServiceKind::File, OF_FILES, &[("x-ms-write", "update"), ("x-ms-range", "bytes=0-2")]),
        (ServiceKind::Queue, OF_QUEUES, &[]),
        (ServiceKind::Table, OF_TABLES, &[("accept", "application/json"), ("content-type", "application/json")]),
    ] {
        // A refusal needs no share.
        let stored = if kind == ServiceKind::File { Stored::new().await } else { Stored::of(kind).await };
        for &(method, target, malformed, verdict) in requests {
            let mut headers: Vec<_> = well_formed.iter().copied().filter(|(name, _)| *name != malformed.0).collect();
            headers.extend(Some(malformed).filter(|malformed| *malformed != NOTHING));
            let mut wire = Wire::to(&stored.server, kind).await;
            wire.say(format!("{}{WAITS}", head_of(kind, method, target, &headers, 3))).await;
            let answer = wire.hear(method).await;
            assert_eq!(answer.answer.verdict(), verdict, "{kind:?} {method} {target} {malformed:?}: {}", answer.line);
            stored.unchanged(target).await;
        }
    }
}
