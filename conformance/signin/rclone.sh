# Copies blobs and files with rclone, whose option `env_auth` is DefaultAzureCredential. It makes no shares.
set -eu
. ./bearer.sh
export RCLONE_CONFIG="$HOME/none" \
  RCLONE_CONFIG_BLOBS_TYPE=azureblob RCLONE_CONFIG_BLOBS_ENV_AUTH=true \
  RCLONE_CONFIG_BLOBS_ACCOUNT="$AZURE_STORAGE_ACCOUNT" RCLONE_CONFIG_BLOBS_ENDPOINT="$AZURE_STORAGE_BLOB_ENDPOINT" \
  RCLONE_CONFIG_FILES_TYPE=azurefiles RCLONE_CONFIG_FILES_ENV_AUTH=true RCLONE_CONFIG_FILES_SHARE_NAME=share \
  RCLONE_CONFIG_FILES_ACCOUNT="$AZURE_STORAGE_ACCOUNT" RCLONE_CONFIG_FILES_ENDPOINT="$AZURE_STORAGE_FILE_ENDPOINT"
mkdir -p "$HOME/there"
echo content >"$HOME/there/a"

rclone mkdir blobs:box
rclone copy "$HOME/there" blobs:box
rclone cat blobs:box/a | cmp - "$HOME/there/a"

bearer --request PUT --data "" "$AZURE_STORAGE_FILE_ENDPOINT/share?restype=share"
rclone copy "$HOME/there" files:box
rclone cat files:box/a | cmp - "$HOME/there/a"
