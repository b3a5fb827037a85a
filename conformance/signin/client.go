// Writes and reads with DefaultAzureCredential and the endpoints that `lazuli run` sets.
package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	blobservice "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
	lakeservice "github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake/service"
	fileservice "github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/service"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"
)

var ctx = context.Background()

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func equal(got, expected string) {
	if got != expected {
		log.Fatalf("%q, not %q", got, expected)
	}
}

func read(body io.Reader) string {
	return string(must(io.ReadAll(body)))
}

func main() {
	credential := must(azidentity.NewDefaultAzureCredential(nil))
	blobs(credential)
	queues(credential)
	tables(credential)
	files(credential)
	lake(credential)
}

func blobs(credential *azidentity.DefaultAzureCredential) {
	service := must(azblob.NewClient(os.Getenv("AZURE_STORAGE_BLOB_ENDPOINT"), credential, nil))
	if !strings.HasPrefix(service.URL(), "https://") {
		log.Fatal(service.URL())
	}
	must(service.CreateContainer(ctx, "box", nil))
	must(service.UploadBuffer(ctx, "box", "a", []byte("blob"), nil))
	equal(read(must(service.DownloadStream(ctx, "box", "a", nil)).Body), "blob")

	// The SDK takes the first label of the host for the account in a signature, so the host names it, and every connection leads to the server.
	server := must(url.Parse(service.URL()))
	direct := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Host)
	}}
	options := azcore.ClientOptions{Transport: &http.Client{Transport: direct}}
	host := "https://" + os.Getenv("AZURE_STORAGE_ACCOUNT") + ".blob.localhost:" + server.Port()
	delegator := must(blobservice.NewClient(host, credential, &blobservice.ClientOptions{ClientOptions: options}))

	start, expiry := time.Now().UTC().Add(-5*time.Minute), time.Now().UTC().Add(time.Hour)
	period := blobservice.KeyInfo{Start: to.Ptr(start.Format(sas.TimeFormat)), Expiry: to.Ptr(expiry.Format(sas.TimeFormat))}
	key := must(delegator.GetUserDelegationCredential(ctx, period, nil))
	values := sas.BlobSignatureValues{ContainerName: "box", BlobName: "a", Permissions: "r", StartTime: start, ExpiryTime: expiry}
	signature := must(values.SignWithUserDelegation(key))
	signed := must(blob.NewClientWithNoCredential(service.URL()+"/box/a?"+signature.Encode(), nil))
	equal(read(must(signed.DownloadStream(ctx, nil)).Body), "blob")
}

func queues(credential *azidentity.DefaultAzureCredential) {
	service := must(azqueue.NewServiceClient(os.Getenv("AZURE_STORAGE_QUEUE_ENDPOINT"), credential, nil))
	queue := service.NewQueueClient("work")
	must(queue.Create(ctx, nil))
	must(queue.EnqueueMessage(ctx, "message", nil))
	equal(*must(queue.DequeueMessage(ctx, nil)).Messages[0].MessageText, "message")
}

func tables(credential *azidentity.DefaultAzureCredential) {
	service := must(aztables.NewServiceClient(os.Getenv("AZURE_STORAGE_TABLE_ENDPOINT"), credential, nil))
	must(service.CreateTable(ctx, "people", nil))
	table := service.NewClient("people")
	must(table.AddEntity(ctx, []byte(`{"PartitionKey":"p","RowKey":"r","Name":"entity"}`), nil))
	var entity struct{ Name string }
	check(json.Unmarshal(must(table.GetEntity(ctx, "p", "r", nil)).Value, &entity))
	equal(entity.Name, "entity")
}

func files(credential *azidentity.DefaultAzureCredential) {
	options := fileservice.ClientOptions{FileRequestIntent: to.Ptr(fileservice.ShareTokenIntentBackup)}
	service := must(fileservice.NewClient(os.Getenv("AZURE_STORAGE_FILE_ENDPOINT"), credential, &options))
	share := service.NewShareClient("share")
	must(share.Create(ctx, nil))
	file := share.NewRootDirectoryClient().NewFileClient("a")
	must(file.Create(ctx, 4, nil))
	check(file.UploadBuffer(ctx, []byte("file"), nil))
	equal(read(must(file.DownloadStream(ctx, nil)).Body), "file")
}

func lake(credential *azidentity.DefaultAzureCredential) {
	service := must(lakeservice.NewClient(os.Getenv("AZURE_STORAGE_DFS_ENDPOINT"), credential, nil))
	system := service.NewFileSystemClient("lake")
	must(system.Create(ctx, nil))
	file := system.NewFileClient("a")
	must(file.Create(ctx, nil))
	check(file.UploadBuffer(ctx, []byte("lake"), nil))
	equal(read(must(file.DownloadStream(ctx, nil)).Body), "lake")
}
