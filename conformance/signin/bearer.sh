# Defines `bearer`, which is curl with a token: by a secret, by an assertion, or of the managed identity, as the SDKs choose.
fetch() {
  curl --silent --show-error --fail "$@"
}

by_client() { # The proof of the client, as options of curl.
  fetch "$AZURE_AUTHORITY_HOST/$AZURE_TENANT_ID/oauth2/v2.0/token" --data grant_type=client_credentials \
    --data "client_id=$AZURE_CLIENT_ID" --data-urlencode "scope=https://storage.azure.com/.default" "$@"
}

if [ -n "${AZURE_CLIENT_SECRET:-}" ]; then
  answer=$(by_client --data "client_secret=$AZURE_CLIENT_SECRET")
elif [ -n "${AZURE_FEDERATED_TOKEN_FILE:-}" ]; then
  answer=$(by_client --data client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer \
    --data-urlencode "client_assertion@$AZURE_FEDERATED_TOKEN_FILE")
else
  answer=$(fetch "$IDENTITY_ENDPOINT?api-version=2019-08-01&resource=https://storage.azure.com" \
    --header "X-IDENTITY-HEADER: $IDENTITY_HEADER")
fi
token=$(printf %s "$answer" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

bearer() {
  fetch --header "Authorization: Bearer $token" --header "x-ms-version: 2026-04-06" --header "x-ms-file-request-intent: backup" "$@"
}
