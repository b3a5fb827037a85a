// The Azure SDK for Go against a real server. Here is what the tests share: where the server is, a container for each test that
// asks, and how a refusal is read.
package conformance

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
)

var (
	account  = setting("AZURE_STORAGE_ACCOUNT", "devstoreaccount1")
	key      = setting("AZURE_STORAGE_KEY", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==")
	blobURL  = setting("BLOB_URL", "http://127.0.0.1:10000/"+account)
	queueURL = setting("QUEUE_URL", "http://127.0.0.1:10001/"+account)
	tableURL = setting("TABLE_URL", "http://127.0.0.1:10002/"+account)

	connectionString = setting("AZURE_STORAGE_CONNECTION_STRING", fmt.Sprintf(
		"DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;BlobEndpoint=%s;QueueEndpoint=%s;TableEndpoint=%s;",
		account, key, blobURL, queueURL, tableURL))

	// No retries: a refusal is what many tests are about, and a server error must show at once. A token may go by plain HTTP.
	options = azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}, InsecureAllowCredentialWithHTTP: true}

	credential = must(azblob.NewSharedKeyCredential(account, key))
	blobs      = must(service.NewClientFromConnectionString(connectionString, &service.ClientOptions{ClientOptions: options}))
	ctx        = context.Background()
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// must is for what cannot fail but by a mistake in the suite.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// ok ends the test if there was an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// done is ok for calls that give something: done(call(…))(t).
func done[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %.500v, not %.500v", show(got), show(want))
	}
}

// show writes what a pointer points to.
func show(value any) any {
	if pointer := reflect.ValueOf(value); pointer.Kind() == reflect.Pointer && !pointer.IsNil() {
		return pointer.Elem().Interface()
	}
	return value
}

// refused holds a call's error to this status and one of these codes.
func refused(t *testing.T, err error, status int, codes ...string) {
	t.Helper()
	var refusal *azcore.ResponseError
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v, not %d %v", err, status, codes)
	}
	if refusal.StatusCode != status || !slices.Contains(codes, refusal.ErrorCode) {
		t.Fatalf("got %d %s, not %d %v", refusal.StatusCode, refusal.ErrorCode, status, codes)
	}
}

var counter = time.Now().UnixNano()

// unique is a name that nobody else has, fit for everything that has a name.
func unique() string {
	counter++
	return fmt.Sprintf("go%d", counter)
}

// now is the server's time, which a test may have moved: the date of an answer, whatever it says.
func now(t *testing.T) time.Time {
	t.Helper()
	answer, err := http.Get(blobURL)
	ok(t, err)
	answer.Body.Close()
	return done(http.ParseTime(answer.Header.Get("Date")))(t)
}

func inAnHour(t *testing.T) time.Time  { return now(t).Add(time.Hour) }
func anHourAgo(t *testing.T) time.Time { return now(t).Add(-time.Hour) }

// advance moves the server's clock on.
func advance(t *testing.T, by time.Duration) {
	t.Helper()
	control := os.Getenv("LAZULI_CONTROL_URL")
	if control == "" {
		t.Skip("the server's clock cannot be moved: LAZULI_CONTROL_URL is not set")
	}
	answer, err := http.Post(fmt.Sprintf("%s/clock?seconds=%d", control, int(by.Seconds())), "", nil)
	ok(t, err)
	answer.Body.Close()
	equal(t, answer.StatusCode, http.StatusOK)
}

// newContainer is gone after the test, leased or not.
func newContainer(t *testing.T) *container.Client {
	t.Helper()
	client := blobs.NewContainerClient(unique())
	_, err := client.Create(ctx, nil)
	ok(t, err)
	t.Cleanup(func() { remove(t, client) })
	return client
}

func remove(t *testing.T, client *container.Client) {
	_, err := client.Delete(ctx, nil)
	var refusal *azcore.ResponseError
	if errors.As(err, &refusal) && refusal.ErrorCode == "LeaseIdMissing" {
		holder := must(lease.NewContainerClient(client, nil))
		_, err = holder.BreakLease(ctx, &lease.ContainerBreakOptions{BreakPeriod: to.Ptr[int32](0)})
		ok(t, err)
		_, err = client.Delete(ctx, nil)
	}
	if errors.As(err, &refusal) && refusal.ErrorCode == "ContainerNotFound" {
		return
	}
	ok(t, err)
}

// newBlob is a small blob in a container of its own.
func newBlob(t *testing.T) *blockblob.Client {
	t.Helper()
	client := newContainer(t).NewBlockBlobClient("hello.txt")
	put(t, client, "hello, world")
	return client
}

// containerOf is where this blob is.
func containerOf(t *testing.T, blob interface{ URL() string }) *container.Client {
	t.Helper()
	return blobs.NewContainerClient(done(azblob.ParseURL(blob.URL()))(t).ContainerName)
}

func body(content string) io.ReadSeekCloser {
	return streaming.NopCloser(strings.NewReader(content))
}

func put(t *testing.T, client *blockblob.Client, content string) blockblob.UploadResponse {
	t.Helper()
	return done(client.Upload(ctx, body(content), nil))(t)
}

type downloader interface {
	DownloadStream(context.Context, *azblob.DownloadStreamOptions) (azblob.DownloadStreamResponse, error)
}

// get is the content of a blob, or its refusal.
func get(client downloader, options *azblob.DownloadStreamOptions) (string, error) {
	answer, err := client.DownloadStream(ctx, options)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return string(content), err
}

// text is the content of a blob that is there.
func text(t *testing.T, client downloader) string {
	t.Helper()
	return done(get(client, nil))(t)
}

// pages is everything that a pager gives, a page an item.
func pages[T any](pager *runtime.Pager[T]) (all []T, err error) {
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, page)
	}
	return all, nil
}

// names are the names of these items.
func names[T any](items []T, name func(T) *string) []string {
	found := []string{}
	for _, item := range items {
		found = append(found, *name(item))
	}
	return found
}

// metadata is made of names and values in turn. They come back with the first letter large, as Go writes headers.
func metadata(pairs ...string) map[string]*string {
	made := map[string]*string{}
	for i := 0; i < len(pairs); i += 2 {
		made[pairs[i]] = &pairs[i+1]
	}
	return made
}

// pattern has bytes that differ from place to place, so that a piece put in the wrong place shows.
func pattern(size int) []byte {
	made := make([]byte, 0, size+4)
	for at := uint32(0); len(made) < size; at++ {
		made = binary.BigEndian.AppendUint32(made, at*2654435761)
	}
	return made[:size]
}

// same compares contents too large to print.
func same(t *testing.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Fatalf("got other content: %d bytes, not %d", len(got), len(want))
	}
}

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
