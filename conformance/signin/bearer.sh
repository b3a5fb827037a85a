# Defines `bearer`, which is curl with a token: by a secret, by an assertion, or of the managed identity, as the SDKs choose.
issuer=$AZURE_AUTHORITY_HOST/$AZURE_TENANT_ID/oauth2/v2.0/token
audience=https://storage.azure.com
if [ -n "${AZURE_CLIENT_SECRET:-}" ]; then
  set -- --data "client_secret=$AZURE_CLIENT_SECRET"
elif [ -n "${AZURE_FEDERATED_TOKEN_FILE:-}" ]; then
  set -- --data client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer \
    --data-urlencode "client_assertion@$AZURE_FEDERATED_TOKEN_FILE"
else
  set --
fi
if [ $# -gt 0 ]; then
  answer=$(curl --silent --show-error --fail "$issuer" --data grant_type=client_credentials --data "client_id=$AZURE_CLIENT_ID" \
    --data-urlencode "scope=$audience/.default" "$@")
else
  answer=$(curl --silent --show-error --fail "$IDENTITY_ENDPOINT?api-version=2019-08-01&resource=$audience" \
    --header "X-IDENTITY-HEADER: $IDENTITY_HEADER")
fi
token=$(printf %s "$answer" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

bearer() {
  curl --silent --show-error --fail --header "Authorization: Bearer $token" --header "x-ms-version: 2026-04-06" \
    --header "x-ms-file-request-intent: backup" "$@"
}
