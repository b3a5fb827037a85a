# Containers, blobs, queues and shares with the Azure CLI.
set -eu
export AZURE_CONFIG_DIR="$HOME/az" AZURE_CORE_COLLECT_TELEMETRY=no
az storage container create --name box
echo blob >"$HOME/a"
az storage blob upload --container-name box --name a --file "$HOME/a"
az storage blob download --container-name box --name a --file "$HOME/b"
cmp "$HOME/a" "$HOME/b"
az storage queue create --name work
az storage share create --name share
