//! Immutable storage with the official crate, which parses modes and dates strictly.

use super::{account_sas, sas_url};
use crate::server::TestServer;
use azure_core::http::{RequestContent, Url};
use azure_core::time::OffsetDateTime;
use azure_storage_blob::BlobServiceClient;
use azure_storage_blob::models::{
    BlobClientGetPropertiesResultHeaders, BlobClientSetImmutabilityPolicyOptions, ImmutabilityPolicyMode,
};
use lazuli::WELL_KNOWN_KEY;

#[tokio::test]
async fn policies_and_holds() {
    let server = TestServer::with(&["--account", &format!("devstoreaccount1:{WELL_KNOWN_KEY},immutability")]).await;
    let service = |url: &str| BlobServiceClient::new(Url::parse(url).unwrap(), None, None).unwrap();
    let container = service(&sas_url(&server)).blob_container_client("kept");
    container.create(None).await.unwrap();
    let blob = container.blob_client("b");
    blob.upload(RequestContent::from(b"one".to_vec()), None).await.unwrap();

    let until = OffsetDateTime::from_unix_timestamp(4_000_000_000).unwrap();
    let options = BlobClientSetImmutabilityPolicyOptions {
        immutability_policy_mode: Some(ImmutabilityPolicyMode::Unlocked),
        ..Default::default()
    };
    blob.set_immutability_policy(&until, Some(options)).await.unwrap();
    blob.set_legal_hold(true, None).await.unwrap();
    let properties = blob.get_properties(None).await.unwrap();
    assert_eq!(properties.immutability_policy_expires_on().unwrap(), Some(until));
    assert_eq!(properties.immutability_policy_mode().unwrap(), Some(ImmutabilityPolicyMode::Unlocked));
    assert_eq!(properties.legal_hold().unwrap(), Some(true));
    assert!(blob.set_metadata(&[("n".to_owned(), "1".to_owned())].into(), None).await.is_err());

    blob.set_legal_hold(false, None).await.unwrap();
    blob.delete_immutability_policy(None).await.unwrap();
    let properties = blob.get_properties(None).await.unwrap();
    assert_eq!(properties.immutability_policy_mode().unwrap(), None);
    assert_eq!(properties.legal_hold().unwrap(), Some(false));
    blob.set_metadata(&[("n".to_owned(), "1".to_owned())].into(), None).await.unwrap();

    // It needs the letter `i`, which a writer does not have.
    let writer = service(&format!("{}?{}", server.blob_url(), account_sas("rwdxcf"))).blob_client("kept", "b");
    assert!(writer.set_legal_hold(true, None).await.is_err());
}
