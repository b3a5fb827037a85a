# Uploads and downloads with azcopy, whose own variables choose the way to sign in. It sends tokens to Azure's hosts and to those that a
# flag names, and makes no container at another host.
set -eu
. ./bearer.sh
export AZCOPY_LOG_LOCATION="$HOME" AZCOPY_JOB_PLAN_LOCATION="$HOME"
if [ -n "${AZURE_CLIENT_SECRET:-}" ]; then
  export AZCOPY_AUTO_LOGIN_TYPE=SPN AZCOPY_SPA_APPLICATION_ID="$AZURE_CLIENT_ID" AZCOPY_SPA_CLIENT_SECRET="$AZURE_CLIENT_SECRET" \
    AZCOPY_TENANT_ID="$AZURE_TENANT_ID" AZCOPY_ACTIVE_DIRECTORY_ENDPOINT="$AZURE_AUTHORITY_HOST"
elif [ -n "${AZURE_FEDERATED_TOKEN_FILE:-}" ]; then
  export AZCOPY_AUTO_LOGIN_TYPE=WORKLOAD
else
  export AZCOPY_AUTO_LOGIN_TYPE=MSI
fi

transfer() { # SOURCE DESTINATION FROM-TO ENDPOINT
  server=${4#https://}
  azcopy copy "$1" "$2" --from-to "$3" --trusted-microsoft-suffixes "${server%%/*}" --check-version=false
}

mkdir -p "$HOME/from"
echo blob >"$HOME/from/a"
bearer --request PUT --data "" "$AZURE_STORAGE_BLOB_ENDPOINT/box?restype=container"
transfer "$HOME/from/a" "$AZURE_STORAGE_BLOB_ENDPOINT/box/a" LocalBlob "$AZURE_STORAGE_BLOB_ENDPOINT"
transfer "$AZURE_STORAGE_BLOB_ENDPOINT/box/a" "$HOME/blob" BlobLocal "$AZURE_STORAGE_BLOB_ENDPOINT"
cmp "$HOME/from/a" "$HOME/blob"

bearer --request PUT --data "" "$AZURE_STORAGE_FILE_ENDPOINT/share?restype=share"
transfer "$HOME/from/a" "$AZURE_STORAGE_FILE_ENDPOINT/share/a" LocalFile "$AZURE_STORAGE_FILE_ENDPOINT"
transfer "$AZURE_STORAGE_FILE_ENDPOINT/share/a" "$HOME/file" FileLocal "$AZURE_STORAGE_FILE_ENDPOINT"
cmp "$HOME/from/a" "$HOME/file"
