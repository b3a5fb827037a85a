//! `azure_storage_blob` with a token. The crate sends its credentials over https only, so a policy of its pipeline adds the token here.

use super::azure::refusal;
use crate::auth::{jwt, token};
use crate::server::TestServer;
use azure_core::base64;
use azure_core::http::headers::AUTHORIZATION;
use azure_core::http::policies::{Policy, PolicyResult};
use azure_core::http::{Context, Request, RequestContent, Url};
use azure_core::time::{Duration, OffsetDateTime};
use azure_storage_blob::models::KeyInfo;
use azure_storage_blob::{BlobServiceClient, BlobServiceClientOptions};
use std::sync::Arc;

/// Signs in as a user.
#[derive(Debug)]
struct As((&'static str, &'static str));

#[async_trait::async_trait]
#[expect(elided_lifetimes_in_paths, reason = "as the trait is declared")]
impl Policy for As {
    async fn send(&self, context: &Context, request: &mut Request, next: &[Arc<dyn Policy>]) -> PolicyResult {
        request.insert_header(AUTHORIZATION, jwt::of(self.0));
        next[0].send(context, request, &next[1..]).await
    }
}

fn signed_in(url: &str, user: (&'static str, &'static str)) -> BlobServiceClient {
    let mut options = BlobServiceClientOptions::default();
    options.client_options.per_call_policies.push(Arc::new(As(user)));
    BlobServiceClient::new(Url::parse(url).unwrap(), None, Some(options)).unwrap()
}

#[tokio::test]
async fn a_user_works_and_delegates() {
    let server = TestServer::with(&["--oauth", "dev"]).await;
    let service = signed_in(&server.blob_url(), jwt::ANN);
    let container = service.blob_container_client("work");
    container.create(None).await.unwrap();
    container.blob_client("blob").upload(RequestContent::from(b"work".to_vec()), None).await.unwrap();

    let now = OffsetDateTime::now_utc();
    let request = |days: i64| KeyInfo { start: Some(now), expiry: Some(now + Duration::days(days)), ..Default::default() };
    let key = service.get_user_delegation_key(request(1).try_into().unwrap(), None).await.unwrap().into_model().unwrap();
    let named = [key.signed_oid, key.signed_tid, key.signed_service].map(Option::unwrap_or_default);
    assert_eq!(named, [jwt::ANN.0, jwt::ANN.1, "b"]);
    let refused = service.get_user_delegation_key(request(8).try_into().unwrap(), None).await;
    assert_eq!(refusal(refused), "400 InvalidXmlNodeValue");

    let moment = |at: Option<OffsetDateTime>| {
        let at = crate::time::Timestamp::from_unix(at.unwrap().unix_timestamp());
        at.iso_to_second()
    };
    let [oid, tid, service] = named;
    let (start, expiry, version) = (moment(key.signed_start), moment(key.signed_expiry), key.signed_version.unwrap());
    let fields = format!(
        "sv=2021-12-02&sr=c&sp=r&se={expiry}&skoid={oid}&sktid={tid}&skt={start}&ske={expiry}&sks={service}&skv={version}"
    );
    let sas = token::delegated("work", &fields, &base64::encode(key.value.unwrap()), &[], "");
    let url = Url::parse(&format!("{}?{sas}", server.blob_url())).unwrap();
    let reader = BlobServiceClient::new(url, None, None).unwrap().blob_client("work", "blob");
    assert_eq!(reader.download(None).await.unwrap().body.collect().await.unwrap().as_ref(), b"work");
    assert_eq!(refusal(reader.delete(None).await), "403 AuthorizationPermissionMismatch");
}

#[tokio::test]
async fn a_token_is_refused_where_none_is_taken() {
    let server = TestServer::new().await;
    let created = signed_in(&server.blob_url(), jwt::ANN).blob_container_client("work").create(None).await;
    assert_eq!(refusal(created), "401 InvalidAuthenticationInfo");
}
