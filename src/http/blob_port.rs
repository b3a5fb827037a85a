//! The port of the Blob service, which has two APIs: Blob and Data Lake.

use crate::http::pipeline::Pipeline;
use crate::http::{host, target};
use crate::operation::header_text;
use crate::rules::lake::route::{Api, RequestFacts};
use axum::body::Body;
use http::{Method, Request};
use std::sync::Arc;

/// The pipelines of the two APIs at a port.
#[derive(Clone, Debug)]
pub struct BlobPort {
    pub blob: Arc<Pipeline>,
    pub lake: Arc<Pipeline>,
    /// Whether requests that nothing else distinguishes are for Data Lake.
    pub is_lake_listener: bool,
}

impl BlobPort {
    /// The pipeline of the API that a request is for. The Blob service answers preflight requests for both.
    pub fn pipeline(&self, request: &Request<Body>) -> &Arc<Pipeline> {
        if *request.method() == Method::OPTIONS {
            return &self.blob;
        }
        let headers = request.headers();
        let host = host::of(request.uri(), headers);
        if self.blob.serves_site(host) {
            return &self.blob;
        }
        let query = request.uri().query().unwrap_or_default().as_bytes();
        // Split once, because the rule looks for a dozen names in every request.
        let pairs = query.split(|byte| *byte == b'&');
        let names: Vec<&[u8]> = pairs.filter_map(|pair| pair.split(|byte| *byte == b'=').next()).collect();
        let has_query = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name.as_bytes()));
        let header = |name: &str| header_text(headers, name);
        let facts = RequestFacts {
            method: request.method().as_str(),
            host: self.blob.has_host_style().then(|| target::api(host)).flatten(),
            is_lake_listener: self.is_lake_listener,
            has_query: &has_query,
            header: &header,
        };
        match Api::of(&facts) {
            Api::Blob => &self.blob,
            Api::Lake => &self.lake,
        }
    }
}
