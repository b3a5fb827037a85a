//! `object_store` against its own rules: the suites that it runs against Azure and Azurite.

use super::{EVERYTHING, account_sas, pattern};
use crate::server::TestServer;
use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::{StreamExt, TryStreamExt};
use http::Method;
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as Connector;
use hyper_util::rt::TokioExecutor;
use lazuli::config::{WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use lazuli::operation::ServiceKind;
use object_store::azure::{MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use object_store::path::Path;
use object_store::signer::Signer;
use object_store::{
    Attribute, Attributes, ClientOptions, CopyMode, CopyOptions, Error, GetOptions, GetRange, MultipartUpload, ObjectStore,
    ObjectStoreExt, PutMode, PutOptions, Result, UpdateVersion, integration,
};
use percent_encoding::percent_decode_str;
use std::time::Duration;

/// Plain HTTP to one server, whatever the requested address: `use_emulator` means port 10000, and a test's server has another.
#[derive(Clone, Debug)]
struct Wire {
    host: String,
    client: Client<Connector, HttpRequestBody>,
}

impl Wire {
    fn to(server: &TestServer) -> Wire {
        Wire { host: server.host(ServiceKind::Blob), client: Client::builder(TokioExecutor::new()).build_http() }
    }
}

#[async_trait]
impl HttpService for Wire {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let requested = request.uri().authority().unwrap().as_str().parse().unwrap();
        request.headers_mut().insert(http::header::HOST, requested);
        let path = request.uri().path_and_query().unwrap();
        *request.uri_mut() = format!("http://{}{path}", self.host).parse().unwrap();
        let response = self.client.request(request).await.map_err(|error| HttpError::new(HttpErrorKind::Request, error))?;
        let broken = |error| HttpError::new(HttpErrorKind::Interrupted, error);
        Ok(response.map(|body| HttpResponseBody::new(body.map_err(broken))))
    }
}

impl HttpConnector for Wire {
    fn connect(&self, _options: &ClientOptions) -> Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// Everything about a client but its address and its secret.
fn client(server: &TestServer) -> MicrosoftAzureBuilder {
    MicrosoftAzureBuilder::new().with_container_name("objects").with_http_connector(Wire::to(server))
}

/// One that knows the emulator by itself.
fn of_emulator(server: &TestServer) -> MicrosoftAzureBuilder {
    client(server).with_use_emulator(true)
}

/// A client with a configured endpoint.
fn of_endpoint(server: &TestServer) -> MicrosoftAzureBuilder {
    client(server).with_account(WELL_KNOWN_ACCOUNT).with_endpoint(server.blob_url()).with_allow_http(true)
}

/// A server with a container, and a store over it with the account's key.
async fn with_key() -> (TestServer, MicrosoftAzure) {
    let server = TestServer::new().await;
    server.container("objects").await;
    let store = of_emulator(&server).build().unwrap();
    (server, store)
}

/// A server with a container, and a store over it with a SAS.
async fn with_sas() -> (TestServer, MicrosoftAzure) {
    let server = TestServer::new().await;
    server.container("objects").await;
    let sas: Vec<(String, String)> = account_sas(EVERYTHING)
        .split('&')
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(name, value)| (name.to_owned(), percent_decode_str(value).decode_utf8().unwrap().into_owned()))
        .collect();
    let store = of_endpoint(&server).with_sas_authorization(sas).build().unwrap();
    (server, store)
}

async fn read(store: &dyn ObjectStore, path: &Path) -> Bytes {
    store.get(path).await.unwrap().bytes().await.unwrap()
}

async fn names(store: &dyn ObjectStore, prefix: Option<&Path>) -> Vec<String> {
    store.list(prefix).map_ok(|meta| meta.location.to_string()).try_collect().await.unwrap()
}

#[tokio::test]
async fn its_suite_of_puts_gets_and_lists() {
    let (_server, store) = with_key().await;
    integration::put_get_delete_list(&store).await;
    integration::list_with_offset_exclusivity(&store).await;
    integration::list_uses_directories_correctly(&store).await;
    integration::list_with_delimiter(&store).await;
    integration::list_paginated(&store, &store).await;
}

#[tokio::test]
async fn its_suite_of_conditions() {
    let (_server, store) = with_key().await;
    integration::get_opts(&store).await;
    integration::put_opts(&store, true).await;
}

#[tokio::test]
async fn its_suite_of_copies() {
    let (_server, store) = with_key().await;
    integration::rename_and_copy(&store).await;
    integration::copy_if_not_exists(&store).await;
    integration::copy_rename_nonexistent_object(&store).await;
}

#[tokio::test]
async fn its_suite_of_parts() {
    let (_server, store) = with_key().await;
    integration::stream_get(&store).await;
    integration::multipart(&store, &store).await;
    integration::multipart_put_part_out_of_order(&store, &store).await;
    integration::multipart_out_of_order(&store).await;
    integration::multipart_race_condition(&store, false).await;
}

#[tokio::test]
async fn its_suite_of_attributes() {
    let (_server, store) = with_key().await;
    integration::put_get_attributes(&store).await;
}

#[tokio::test]
async fn a_key_at_a_given_endpoint_signs_every_request() {
    let server = TestServer::new().await;
    server.container("objects").await;
    let store = of_endpoint(&server).with_access_key(WELL_KNOWN_KEY).build().unwrap();
    let path = Path::from("well signed/ü +&=.txt");
    store.put(&path, "signed".into()).await.unwrap();
    assert_eq!(read(&store, &path).await, "signed");
    assert_eq!(names(&store, Some(&Path::from("well signed"))).await, [path.to_string()]);
    assert_eq!(store.head(&path).await.unwrap().size, 6);

    let path = Path::from("signed/url.txt");
    store.put(&path, "signed".into()).await.unwrap();
    let url = store.signed_url(Method::GET, &path, Duration::from_secs(60)).await.unwrap();
    let wire = HttpClient::new(Wire::to(&server));
    let request = || wire.execute(http::Request::get(url.as_str()).body(HttpRequestBody::empty()).unwrap());
    let answer = request().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.into_body().bytes().await.unwrap(), "signed");
    server.wait(61);
    assert_eq!(request().await.unwrap().status(), 403);
}

#[tokio::test]
async fn a_sas_is_enough_for_a_days_work() {
    let (_server, store) = with_sas().await;
    let path = Path::from("day/one.bin");
    let attributes = Attributes::from_iter([
        (Attribute::ContentType, "text/plain"),
        (Attribute::CacheControl, "max-age=60"),
        (Attribute::Metadata("made_by".into()), "a client"),
    ]);
    store.put_opts(&path, "0123456789".into(), attributes.clone().into()).await.unwrap();
    let got = store.get(&path).await.unwrap();
    assert_eq!(got.attributes, attributes);
    assert_eq!(got.bytes().await.unwrap(), "0123456789");
    assert_eq!(store.get_range(&path, 2..5).await.unwrap(), "234");
    let tail = GetOptions::new().with_range(Some(GetRange::Offset(7)));
    assert_eq!(store.get_opts(&path, tail).await.unwrap().bytes().await.unwrap(), "789");

    let once = PutOptions::from(PutMode::Create);
    assert!(matches!(store.put_opts(&path, "x".into(), once.clone()).await, Err(Error::AlreadyExists { .. })));
    let version = UpdateVersion { e_tag: store.head(&path).await.unwrap().e_tag, version: None };
    let update = PutOptions::from(PutMode::Update(version));
    store.put_opts(&path, "updated".into(), update.clone()).await.unwrap();
    assert!(matches!(store.put_opts(&path, "late".into(), update).await, Err(Error::Precondition { .. })));
    assert_eq!(read(&store, &path).await, "updated");

    let copy = Path::from("day/two/copy.bin");
    store.copy(&path, &copy).await.unwrap();
    assert_eq!(read(&store, &copy).await, "updated");
    assert!(matches!(store.copy_if_not_exists(&path, &copy).await, Err(Error::AlreadyExists { .. })));
    let missing = store.copy_opts(&Path::from("nothing"), &copy, CopyOptions::new().with_mode(CopyMode::Overwrite)).await;
    assert!(matches!(missing, Err(Error::NotFound { .. })), "{missing:?}");

    let listed = store.list_with_delimiter(Some(&Path::from("day"))).await.unwrap();
    assert_eq!(listed.common_prefixes, [Path::from("day/two")]);
    assert_eq!(listed.objects.iter().map(|meta| &meta.location).collect::<Vec<_>>(), [&path]);
    let from = store.list_with_offset(None, &path).map_ok(|meta| meta.location).try_collect::<Vec<_>>().await.unwrap();
    assert_eq!(from, [copy]);
    store.put(&Path::from("a day/in/May"), "spaced".into()).await.unwrap();
    assert_eq!(names(&store, Some(&Path::from("a day"))).await, ["a day/in/May"]);

    let paths = ["day/one.bin", "nothing", "a day/in/May"].map(Path::from);
    let gone: Vec<_> = store.delete_stream(futures::stream::iter(paths.map(Ok)).boxed()).collect().await;
    assert!(matches!(&gone[..], [Ok(_), Err(Error::NotFound { .. }), Ok(_)]), "{gone:?}");
    assert_eq!(names(&store, None).await, ["day/two/copy.bin"]);
}

#[tokio::test]
async fn a_sas_uploads_parts() {
    let (_server, store) = with_sas().await;
    let path = Path::from("parts.bin");
    let content = Bytes::from(pattern(12 << 20));
    let mut upload = store.put_multipart(&path).await.unwrap();
    let parts: Vec<_> = (0..3).map(|n| upload.put_part(content.slice(n << 22..(n + 1) << 22).into())).collect();
    futures::future::try_join_all(parts).await.unwrap();
    upload.complete().await.unwrap();
    assert!(read(&store, &path).await == content);
    let ranges = [(4 << 20) - 1..(4 << 20) + 1, 0..3, (12 << 20) - 5..12 << 20];
    let got = store.get_ranges(&path, &ranges).await.unwrap();
    for (range, bytes) in ranges.iter().zip(got) {
        assert_eq!(bytes, content.slice(range.start as usize..range.end as usize));
    }
}

#[tokio::test]
async fn a_sas_without_letters_is_refused() {
    let server = TestServer::new().await;
    server.container("objects").await;
    server.blob("/objects/b", "b").await;
    let sas = [("sv", "2021-12-02"), ("ss", "b"), ("srt", "sco"), ("sp", "r"), ("se", "2099-12-31T00:00:00Z"), ("sig", "AAAA")];
    let store = of_endpoint(&server).with_sas_authorization(sas.map(|(name, value)| (name.to_owned(), value.to_owned()))).build();
    let refused = store.unwrap().get(&Path::from("b")).await;
    assert!(matches!(refused, Err(Error::PermissionDenied { .. })), "{refused:?}");
}
