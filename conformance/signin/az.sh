# Blobs, queues, tables and files with the Azure CLI, after `az login`.
set -eu
. ./bearer.sh
export AZURE_CONFIG_DIR="$HOME/az" AZURE_CORE_COLLECT_TELEMETRY=no AZURE_CORE_ONLY_SHOW_ERRORS=yes

if [ -n "${AZURE_CLIENT_ID:-}" ]; then
  # An authority that ends in `adfs` is one whose tenant the CLI does not look up, so any id is one.
  az cloud update --name AzureCloud --endpoint-active-directory "$AZURE_AUTHORITY_HOST/$AZURE_TENANT_ID"
  tenant=00000000-0000-0000-0000-000000000000
  if [ -n "${AZURE_CLIENT_SECRET:-}" ]; then
    set -- --password "$AZURE_CLIENT_SECRET"
  else
    set -- --federated-token "$(cat "$AZURE_FEDERATED_TOKEN_FILE")"
  fi
  az login --service-principal --username "$AZURE_CLIENT_ID" "$@" --tenant "$tenant" --skip-subscription-discovery
else
  # For a managed identity the CLI lists the subscriptions, and no flag prevents it. The issuer's list is empty.
  az cloud update --name AzureCloud --skip-endpoint-discovery --endpoint-resource-manager "$AZURE_AUTHORITY_HOST/_lazuli/identity"
  az login --identity --allow-no-subscriptions
fi

# The variables name a key too, so each command says that it uses the token.
storage() { # COMMAND...
  case $1 in
    container | blob) set -- "$@" --blob-endpoint "$AZURE_STORAGE_BLOB_ENDPOINT" ;;
    queue | message) set -- "$@" --queue-endpoint "$AZURE_STORAGE_QUEUE_ENDPOINT" ;;
    table | entity) set -- "$@" --table-endpoint "$AZURE_STORAGE_TABLE_ENDPOINT" ;;
    file) set -- "$@" --file-endpoint "$AZURE_STORAGE_FILE_ENDPOINT" --backup-intent ;;
  esac
  az storage "$@" --auth-mode login --output tsv
}

equal() {
  [ "$1" = "$2" ] || { echo "$1, not $2" >&2; exit 1; }
}

echo content >"$HOME/a"
storage container create --name box
storage blob upload --container-name box --name a --file "$HOME/a"
storage blob download --container-name box --name a --file "$HOME/blob"
cmp "$HOME/a" "$HOME/blob"

storage queue create --name work
storage message put --queue-name work --content message
equal "$(storage message get --queue-name work --query "[0].content")" message

storage table create --name people
storage entity insert --table-name people --entity PartitionKey=p RowKey=r Name=entity
equal "$(storage entity show --table-name people --partition-key p --row-key r --query Name)" entity

# The CLI makes shares with keys only.
bearer --request PUT --data "" "$AZURE_STORAGE_FILE_ENDPOINT/share?restype=share"
storage file upload --share-name share --source "$HOME/a"
storage file download --share-name share --path a --dest "$HOME/file"
cmp "$HOME/a" "$HOME/file"
