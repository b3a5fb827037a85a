//! How a URL names an account, a container and a blob, in every written form that a client may send.

use super::{path, send, send_signed, server_with_blob};
use crate::server::TestServer;
use lazuli::ServiceKind;

#[tokio::test]
async fn a_name_is_what_its_url_decodes_to() {
    let server = TestServer::new().await;
    server.container("box").await;
    let long = "%E7%8B%97".repeat(1024);
    let deep = ["a"; 254].join("/");
    // the path of the put, the name, another written form of the path
    for (put, name, get) in [
        ("a.txt", "a.txt", "%61.txt"),
        ("a%20b", "a b", "%61%20b"),
        ("a+b", "a+b", "a%2Bb"),
        ("a%2Bb%25", "a+b%", "a+b%25"),
        ("%E5%95%8A", "啊", "%e5%95%8a"),
        ("dir/sub/b", "dir/sub/b", "dir%2Fsub%2fb"),
        ("dir2%2Fb", "dir2/b", "dir2/b"),
        ("a//b", "a//b", "a%2F/b"),
        ("/lead", "/lead", "%2Flead"),
        ("trail/", "trail/", "trail%2F"),
        (".hidden", ".hidden", "%2Ehidden"),
        ("..a/b..", "..a/b..", "..a%2Fb.."),
        ("a%5Cb", "a/b", "a/b"),
        ("%3Fq%23h%26", "?q#h&amp;", "%3fq%23h&"),
        ("a%2541", "a%41", "a%2541"),
        ("!$&'()*,;=:@-_~", "!$&amp;'()*,;=:@-_~", "%21%24%26%27%28%29%2a%2c%3b%3d%3a%40-_~"),
        ("%00%01", "%00%01", "%00%01"),
        (&long, &"狗".repeat(1024), &long),
        (&deep, &deep, &deep),
    ] {
        let (put, get) = (path(&format!("/box/{put}")), path(&format!("/box/{get}")));
        let made = send_signed(&server, "PUT", &put, &[("x-ms-blob-type", "BlockBlob")], name).await;
        assert_eq!(made.verdict(), "201", "{put}: {}", made.text());
        let got = send_signed(&server, "GET", &get, &[], "").await;
        assert_eq!((got.status, got.text()), (200, name), "{get}");
        let listed = server.request("GET", "/box?restype=container&comp=list").send().await;
        let names: Vec<&str> = listed.text().split("</Name>").filter_map(|text| text.rsplit('>').next()).collect();
        assert_eq!(names[0], name, "{}", listed.text());
        assert_eq!(send_signed(&server, "DELETE", &get, &[], "").await.verdict(), "202", "{get}");
    }
}

#[tokio::test]
async fn what_names_nothing_is_refused() {
    let server = server_with_blob().await;
    server.container("$root").await;
    let (uri, range, name) = ("400 InvalidUri", "400 OutOfRangeInput", "400 InvalidResourceName");
    let long = format!("/box/{}", "a".repeat(1025));
    let deep = format!("/box/{}", ["a"; 255].join("/"));
    for (target, verdict) in [
        ("/box/%FF", uri),
        ("/box/%zz", uri),
        ("/box/%", uri),
        ("/box/%E5%95", uri),
        (&*long, range),
        (&*deep, range),
        ("/Box/blob", name),
        ("/b_x/blob", name),
        ("/a--b/blob", name),
        ("/ab/blob", range),
        ("/$nope/blob", name),
        ("/Box?restype=container", name),
        ("/ab?restype=container", range),
        ("/$root/a/b", name),
        ("/a%2Fb", name),
        ("/box/blob?prefix=%zz", "400 InvalidQueryParameterValue"),
        ("/box/blob?%zz=1", uri),
        ("/box/blob?comp=foo", "400 InvalidQueryParameterValue"),
    ] {
        let answer = send_signed(&server, "PUT", &path(target), &[("x-ms-blob-type", "BlockBlob")], "").await;
        assert_eq!(answer.verdict(), verdict, "{}", &target[..target.len().min(40)]);
    }
}

/// A request for a snapshot or version that does not exist neither returns nor deletes the current blob.
#[tokio::test]
async fn a_snapshot_or_version_that_is_not_there_is_not_the_blob() {
    let server = server_with_blob().await;
    for name in ["snapshot", "versionid"] {
        for (method, comp) in [("GET", ""), ("HEAD", ""), ("GET", "&comp=metadata"), ("GET", "&comp=blocklist"), ("DELETE", "")] {
            for (moment, verdict) in
                [("2020-01-01T00:00:00.0000000Z", "404 BlobNotFound"), ("yesterday", "400 InvalidQueryParameterValue")]
            {
                let answer = server.request(method, &format!("/box/blob?{name}={moment}{comp}")).send().await;
                assert_eq!(answer.verdict(), verdict, "{method} {name}={moment}{comp}");
            }
        }
    }
    assert_eq!(server.request("GET", "/box/blob").send().await.text(), "content");
}

#[tokio::test]
async fn the_root_and_web_containers() {
    let server = TestServer::new().await;
    assert_eq!(send_signed(&server, "GET", &path("/hello.txt"), &[], "").await.verdict(), "404 ContainerNotFound");
    for container in ["/$root", "/$web"] {
        server.container(&container[1..]).await;
        let again = send_signed(&server, "PUT", &path(&format!("{container}?restype=container")), &[], "").await;
        assert_eq!(again.verdict(), "409 ContainerAlreadyExists");
    }
    let block = [("x-ms-blob-type", "BlockBlob")];
    assert_eq!(send_signed(&server, "PUT", &path("/hello.txt"), &block, "hello").await.verdict(), "201");
    assert_eq!(send_signed(&server, "PUT", &path("/%24web/index.html"), &block, "<p>").await.verdict(), "201");
    let host = server.host(ServiceKind::Blob).replace("127.0.0.1", "devstoreaccount1.blob.localhost");
    for (target, text) in
        [("/hello.txt", "hello"), ("/$root/hello.txt", "hello"), ("/%24root/hello.txt", "hello"), ("/$web/index.html", "<p>")]
    {
        let answer = send_signed(&server, "GET", &path(target), &[], "").await;
        assert_eq!((answer.status, answer.text()), (200, text), "{target}");
        let answer = send_signed(&server, "GET", target, &[("Host", &host)], "").await;
        assert_eq!((answer.status, answer.text()), (200, text), "{host}{target}");
    }
    let listed = server.request("GET", "/$root?restype=container&comp=list").send().await;
    assert_eq!(listed.elements("Name"), ["hello.txt"]);
    let web = send_signed(&server, "GET", &path("/index.html"), &[], "").await;
    assert_eq!(web.verdict(), "404 BlobNotFound", "the other container is not the root");
}

/// The endpoint in a listing is the one that the client used, as the client wrote it.
#[tokio::test]
async fn a_listing_names_the_requested_endpoint() {
    let server = server_with_blob().await;
    let host = server.host(ServiceKind::Blob);
    let port = host.rsplit(':').next().unwrap();
    for (host, account, endpoint) in [
        (host.clone(), "/devstoreaccount1", format!("http://{host}/devstoreaccount1/")),
        (host.clone(), "/devstoreaccount1-secondary", format!("http://{host}/devstoreaccount1-secondary/")),
        (format!("localhost:{port}"), "/devstoreaccount1", format!("http://localhost:{port}/devstoreaccount1/")),
        ("storage".into(), "/devstoreaccount1", "http://storage/devstoreaccount1/".into()),
        ("azurite.svc.local:80".into(), "/devstoreaccount1", "http://azurite.svc.local:80/devstoreaccount1/".into()),
        (format!("devstoreaccount1.blob.localhost:{port}"), "", format!("http://devstoreaccount1.blob.localhost:{port}/")),
        ("devstoreaccount1.blob.core.windows.net".into(), "", "http://devstoreaccount1.blob.core.windows.net/".into()),
        (
            format!("devstoreaccount1-secondary.blob.localhost:{port}"),
            "",
            format!("http://devstoreaccount1-secondary.blob.localhost:{port}/"),
        ),
    ] {
        for target in ["/?comp=list", "/box?restype=container&comp=list"] {
            let answer = send_signed(&server, "GET", &format!("{account}{target}"), &[("Host", &host)], "").await;
            assert_eq!(answer.verdict(), "200", "{host}{account}{target}: {}", answer.text());
            let said = format!("<EnumerationResults ServiceEndpoint=\"{endpoint}\"");
            assert!(answer.text().contains(&said), "{said}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn host_style_can_be_switched_off() {
    let server = TestServer::with(&["--disableProductStyleUrl"]).await;
    server.container("box").await;
    let host = server.host(ServiceKind::Blob).replace("127.0.0.1", "devstoreaccount1.blob.localhost");
    for (target, verdict) in
        [("/devstoreaccount1/box?restype=container", "200"), ("/box?restype=container", "404 ResourceNotFound")]
    {
        let answer = send_signed(&server, "GET", target, &[("Host", &host)], "").await;
        assert_eq!(answer.verdict(), verdict, "{target}");
    }
}

/// The request by which pyarrow, Spark and Trino find out that an account has no hierarchical namespace.
#[tokio::test]
async fn access_control_of_a_flat_account_is_refused() {
    let server = TestServer::new().await;
    server.container("box").await;
    for (method, target) in [
        ("HEAD", "/box/?action=getAccessControl&upn=false"),
        ("PATCH", "/box/blob?action=setAccessControl"),
        ("PATCH", "/box/blob?action=setAccessControlRecursive&mode=set"),
    ] {
        let answer = server.request(method, target).header("x-ms-acl", "user::rwx").send().await;
        assert_eq!(answer.verdict(), "400 HierarchicalNamespaceNotEnabled", "{method} {target}");
    }
}

/// Tools detect a storage emulator by an empty request: the answer is exactly 400.
#[tokio::test]
async fn nothing_is_at_the_top_of_the_port() {
    let server = TestServer::new().await;
    for (method, target) in [("GET", "/"), ("HEAD", "/"), ("GET", "/?comp=list"), ("GET", "//"), ("GET", "//box/blob")] {
        assert_eq!(send(&server, method, target, &[], "").await.status, 400, "{method} {target}");
    }
    let unknown = send(&server, "GET", "/nobody/box/blob", &[("x-ms-version", "2021-12-02")], "").await;
    assert_eq!(unknown.verdict(), "404 ResourceNotFound");
}
