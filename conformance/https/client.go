// Writes and reads over https with the variables of `lazuli run`.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx, connection := context.Background(), os.Getenv("AZURE_STORAGE_CONNECTION_STRING")
	blobs, err := azblob.NewClientFromConnectionString(connection, nil)
	check(err)
	if !strings.HasPrefix(blobs.URL(), "https://") {
		log.Fatal(blobs.URL())
	}
	_, err = blobs.CreateContainer(ctx, "box", nil)
	check(err)
	_, err = blobs.UploadBuffer(ctx, "box", "a", []byte("blob"), nil)
	check(err)
	got, err := blobs.DownloadStream(ctx, "box", "a", nil)
	check(err)
	content, err := io.ReadAll(got.Body)
	check(err)
	if string(content) != "blob" {
		log.Fatalf("%q", content)
	}

	queues, err := azqueue.NewServiceClientFromConnectionString(connection, nil)
	check(err)
	_, err = queues.CreateQueue(ctx, "work", nil)
	check(err)
	tables, err := aztables.NewServiceClientFromConnectionString(connection, nil)
	check(err)
	_, err = tables.CreateTable(ctx, "people", nil)
	check(err)
}
