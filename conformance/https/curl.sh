# The health of every service, over https, with curl.
set -eu
for endpoint in "$AZURE_STORAGE_BLOB_ENDPOINT" "$AZURE_STORAGE_QUEUE_ENDPOINT" "$AZURE_STORAGE_TABLE_ENDPOINT" "$AZURE_STORAGE_FILE_ENDPOINT"; do
  case $endpoint in https://*) ;; *) exit 1 ;; esac
  curl --silent --show-error --fail "${endpoint%/*}/_lazuli/health"
done
