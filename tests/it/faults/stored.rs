//! What is stored before a test, and whether it is still the same after.

use crate::house::{Answer, House};
use lazuli::operation::ServiceKind;

/// What a test finds stored, and must find again: of blobs, a container with metadata and a policy, a blob of ten digits with
/// metadata, and a block that waits; of queues, one with metadata, a policy and two messages, one of them taken; of tables, one with a
/// policy and two entities.
pub struct Stored {
    pub house: House,
    kind: ServiceKind,
    before: String,
}

impl Stored {
    pub async fn new() -> Stored {
        Stored::with(&[]).await
    }

    pub async fn with(arguments: &[&str]) -> Stored {
        let house = House::with(arguments).await;
        let make = house.ask("PUT", "/kept?restype=container").header("x-ms-meta-colour", "blue");
        assert_eq!(make.send().await.verdict(), "201");
        let policy = "<SignedIdentifiers><SignedIdentifier><Id>one</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>\
                      </SignedIdentifier></SignedIdentifiers>";
        assert_eq!(house.ask("PUT", "/kept?restype=container&comp=acl").body(policy).send().await.verdict(), "200");
        let put = house.ask("PUT", "/kept/digits").header("x-ms-blob-type", "BlockBlob").header("x-ms-meta-shape", "round");
        assert_eq!(put.body("0123456789").send().await.verdict(), "201");
        let block = house.ask("PUT", "/kept/waiting?comp=block&blockid=YWE%3D").body("a block");
        assert_eq!(block.send().await.verdict(), "201");
        let before = everything(&house).await;
        Stored { house, kind: ServiceKind::Blob, before }
    }

    /// Of a service.
    pub async fn of(kind: ServiceKind) -> Stored {
        if kind == ServiceKind::Blob {
            return Stored::new().await;
        }
        let house = House::new().await;
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
            let answer = house.ask(method, target).of(kind).header("x-ms-meta-colour", "blue").body(body).send().await;
            assert_eq!(answer.status / 100, 2, "{method} {target}: {}", answer.text());
        }
        let before = everything_of(&house, kind).await;
        Stored { house, kind, before }
    }

    /// Fails if anything stored is not as it was.
    pub async fn unchanged(&self, after: &str) {
        let now = match self.kind {
            ServiceKind::Blob => everything(&self.house).await,
            kind => everything_of(&self.house, kind).await,
        };
        assert_eq!(now, self.before, "{after} changed something");
    }
}

/// All that can be seen of the account: its containers with their stamps, metadata, leases and policies, its blobs likewise, their
/// content, the blocks that wait, the service's properties.
async fn everything(house: &House) -> String {
    let mut seen = Vec::new();
    let containers = house.ask("GET", "/?comp=list&include=metadata").send().await;
    assert_eq!(containers.verdict(), "200");
    for container in containers.elements("Name") {
        let listing = format!("/{container}?restype=container&comp=list&include=metadata,uncommittedblobs,tags,copy");
        let blobs = house.ask("GET", &listing).send().await;
        assert_eq!(blobs.verdict(), "200");
        for blob in blobs.elements("Name") {
            seen.push(house.ask("GET", &format!("/{container}/{blob}")).send().await);
            seen.push(house.ask("GET", &format!("/{container}/{blob}?comp=blocklist&blocklisttype=all")).send().await);
        }
        seen.push(blobs);
        seen.push(house.ask("GET", &format!("/{container}?restype=container&comp=acl")).send().await);
    }
    seen.push(containers);
    seen.push(house.ask("GET", "/?restype=service&comp=properties").send().await);
    let host = house.host(ServiceKind::Blob);
    let told = |answer: &Answer| match answer.status {
        200 => answer.text().replace(&host, "host"),
        _ => answer.verdict(),
    };
    seen.iter().map(told).collect::<Vec<_>>().join("\n")
}

/// The same of queues and tables.
async fn everything_of(house: &House, kind: ServiceKind) -> String {
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
        let answer = house.ask("GET", target).of(kind).send().await;
        assert_eq!(answer.verdict(), "200", "{target}: {}", answer.text());
        seen += &answer.text().replace(&house.host(kind), "host");
    }
    if kind == ServiceKind::Queue {
        let answer = house.ask("GET", "/kept?comp=metadata").of(kind).send().await;
        seen += answer.header("x-ms-approximate-messages-count");
    }
    seen
}
