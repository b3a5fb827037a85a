# Uploads and downloads with azcopy, and a signature that the Azure CLI makes.
set -eu
export AZURE_CONFIG_DIR="$HOME/az" AZURE_CORE_COLLECT_TELEMETRY=no AZCOPY_LOG_LOCATION="$HOME" AZCOPY_JOB_PLAN_LOCATION="$HOME"
az storage container create --name box
sas=$(az storage container generate-sas --name box --permissions racwdl --expiry 2099-01-01 --output tsv)
mkdir -p "$HOME/from"
echo blob >"$HOME/from/a"
azcopy copy "$HOME/from/*" "$AZURE_STORAGE_BLOB_ENDPOINT/box?$sas" --from-to LocalBlob --check-version=false
azcopy copy "$AZURE_STORAGE_BLOB_ENDPOINT/box/a?$sas" "$HOME/to" --from-to BlobLocal --check-version=false
cmp "$HOME/from/a" "$HOME/to"
