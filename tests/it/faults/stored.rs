//! The data before a test, and whether it is the same after it.

use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;

/// What a test finds stored, and must find again: of blobs, a container with metadata and a policy, a blob of ten digits with
/// metadata, and a block that waits; of queues, one with metadata, a policy and two messages, one of them taken; of tables, one with a
/// policy and two entities.
pub struct Stored {
    pub server: TestServer,
    kind: ServiceKind,
    before: String,
}

impl Stored {
    pub async fn new() -> Stored {
        Stored::with(&[]).await
    }

    pub async fn with(arguments: &[&str]) -> Stored {
        let server = TestServer::with(arguments).await;
        let make = server.request("PUT", "/kept?restype=container").header("x-ms-meta-colour", "blue");
        assert_eq!(make.send().await.verdict(), "201");
        let policy = "<SignedIdentifiers><SignedIdentifier><Id>one</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>\
                      </SignedIdentifier></SignedIdentifiers>";
        assert_eq!(server.request("PUT", "/kept?restype=container&comp=acl").body(policy).send().await.verdict(), "200");
        let put = server.request("PUT", "/kept/digits").header("x-ms-blob-type", "BlockBlob").header("x-ms-meta-shape", "round");
        assert_eq!(put.body("0123456789").send().await.verdict(), "201");
        let block = server.request("PUT", "/kept/waiting?comp=block&blockid=YWE%3D").body("a block");
        assert_eq!(block.send().await.verdict(), "201");
        let before = everything(&server).await;
        Stored { server, kind: ServiceKind::Blob, before }
    }

    /// Of a service.
    pub async fn of(kind: ServiceKind) -> Stored {
        if kind == ServiceKind::Blob {
            return Stored::new().await;
        }
        let server = TestServer::new().await;
        let policy = "<SignedIdentifiers><SignedIdentifier><Id>one</Id></SignedIdentifier></SignedIdentifiers>";
        let message = |text: &str| format!("<QueueMessage><MessageText>{text}</MessageText></QueueMessage>");
        let steps = match kind {
            ServiceKind::Queue => vec![
                ("PUT", "/kept", String::new()),
                ("POST", "/kept/messages", message("taken")),
                ("GET", "/kept/messages?visibilitytimeout=3600", String::new()),
                ("POST", "/kept/messages", message("waiting")),
                ("PUT", "/kept?comp=acl", policy.to_owned()),
            ],
            _ => vec![
                ("POST", "/Tables", r#"{"TableName":"kept"}"#.to_owned()),
                ("PUT", "/kept(PartitionKey='p',RowKey='r')", r#"{"a":1}"#.to_owned()),
                ("PUT", "/kept(PartitionKey='p',RowKey='s')", r#"{"b":"x"}"#.to_owned()),
                ("PUT", "/kept?comp=acl", policy.to_owned()),
            ],
        };
        for (method, target, body) in steps {
            let answer = server.request(method, target).of(kind).header("x-ms-meta-colour", "blue").body(body).send().await;
            assert_eq!(answer.status / 100, 2, "{method} {target}: {}", answer.text());
        }
        let before = everything_of(&server, kind).await;
        Stored { server, kind, before }
    }

    /// Fails if any data changed.
    pub async fn unchanged(&self, after: &str) {
        let now = match self.kind {
            ServiceKind::Blob => everything(&self.server).await,
            kind => everything_of(&self.server, kind).await,
        };
        assert_eq!(now, self.before, "{after} changed something");
    }
}

/// Everything that a client can read of the account: its containers with their ETags, times, metadata, leases and policies, its blobs
/// likewise, their content, uncommitted blocks, the properties of the service.
async fn everything(server: &TestServer) -> String {
    let mut seen = Vec::new();
    let containers = server.request("GET", "/?comp=list&include=metadata").send().await;
    assert_eq!(containers.verdict(), "200");
    for container in containers.elements("Name") {
        let listing = format!("/{container}?restype=container&comp=list&include=metadata,uncommittedblobs,tags,copy");
        let blobs = server.request("GET", &listing).send().await;
        assert_eq!(blobs.verdict(), "200");
        for blob in blobs.elements("Name") {
            seen.push(server.request("GET", &format!("/{container}/{blob}")).send().await);
            seen.push(server.request("GET", &format!("/{container}/{blob}?comp=blocklist&blocklisttype=all")).send().await);
        }
        seen.push(blobs);
        seen.push(server.request("GET", &format!("/{container}?restype=container&comp=acl")).send().await);
    }
    seen.push(containers);
    seen.push(server.request("GET", "/?restype=service&comp=properties").send().await);
    let host = server.host(ServiceKind::Blob);
    let reported = |answer: &Answer| match answer.status {
        200 => answer.text().replace(&host, "host"),
        _ => answer.verdict(),
    };
    seen.iter().map(reported).collect::<Vec<_>>().join("\n")
}

/// The same of queues and tables.
async fn everything_of(server: &TestServer, kind: ServiceKind) -> String {
    let targets = match kind {
        ServiceKind::Queue => [
            "/?comp=list&include=metadata",
            "/?restype=service&comp=properties",
            "/kept?comp=acl",
            "/kept/messages?peekonly=true&numofmessages=32",
        ],
        _ => ["/Tables", "/?restype=service&comp=properties", "/kept?comp=acl", "/kept()"],
    };
    let mut seen = String::new();
    for target in targets {
        let answer = server.request("GET", target).of(kind).send().await;
        assert_eq!(answer.verdict(), "200", "{target}: {}", answer.text());
        seen += &answer.text().replace(&server.host(kind), "host");
    }
    if kind == ServiceKind::Queue {
        let answer = server.request("GET", "/kept?comp=metadata").of(kind).send().await;
        seen += answer.header("x-ms-approximate-messages-count");
    }
    seen
}
