# Copies with rclone.
set -eu
export RCLONE_CONFIG="$HOME/none" RCLONE_CONFIG_HERE_TYPE=azureblob RCLONE_CONFIG_HERE_ACCOUNT="$AZURE_STORAGE_ACCOUNT" \
  RCLONE_CONFIG_HERE_KEY="$AZURE_STORAGE_KEY" RCLONE_CONFIG_HERE_ENDPOINT="$AZURE_STORAGE_BLOB_ENDPOINT"
mkdir -p "$HOME/there"
echo blob >"$HOME/there/a"
rclone mkdir here:box
rclone copy "$HOME/there" here:box
rclone cat here:box/a | cmp - "$HOME/there/a"
