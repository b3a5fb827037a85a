# Writes and reads with curl, in every service.
set -eu
. ./bearer.sh

equal() {
  [ "$1" = "$2" ] || { echo "$1, not $2" >&2; exit 1; }
}

bearer --request PUT --data "" "$AZURE_STORAGE_BLOB_ENDPOINT/box?restype=container"
bearer --request PUT --data blob --header "x-ms-blob-type: BlockBlob" "$AZURE_STORAGE_BLOB_ENDPOINT/box/a"
equal "$(bearer "$AZURE_STORAGE_BLOB_ENDPOINT/box/a")" blob

bearer --request PUT --data "" "$AZURE_STORAGE_QUEUE_ENDPOINT/work"
bearer --output "$HOME/put" --data "<QueueMessage><MessageText>message</MessageText></QueueMessage>" "$AZURE_STORAGE_QUEUE_ENDPOINT/work/messages"
equal "$(bearer "$AZURE_STORAGE_QUEUE_ENDPOINT/work/messages" | sed 's/.*<MessageText>\(.*\)<\/MessageText>.*/\1/')" message

json="Content-Type: application/json"
plain="Accept: application/json;odata=nometadata"
bearer --output "$HOME/table" --header "$json" --header "$plain" --data '{"TableName":"people"}' "$AZURE_STORAGE_TABLE_ENDPOINT/Tables"
bearer --output "$HOME/entity" --header "$json" --header "$plain" --data '{"PartitionKey":"p","RowKey":"r","Age":7}' "$AZURE_STORAGE_TABLE_ENDPOINT/people"
equal "$(bearer --header "$plain" --globoff "$AZURE_STORAGE_TABLE_ENDPOINT/people(PartitionKey='p',RowKey='r')?\$select=Age")" '{"Age":7}'

bearer --request PUT --data "" "$AZURE_STORAGE_FILE_ENDPOINT/share?restype=share"
bearer --request PUT --data "" --header "x-ms-type: file" --header "x-ms-content-length: 4" "$AZURE_STORAGE_FILE_ENDPOINT/share/a"
bearer --request PUT --data file --header "x-ms-write: update" --header "x-ms-range: bytes=0-3" "$AZURE_STORAGE_FILE_ENDPOINT/share/a?comp=range"
equal "$(bearer "$AZURE_STORAGE_FILE_ENDPOINT/share/a")" file
