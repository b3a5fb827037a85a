package conformance

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/directory"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/file"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/lease"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/sas"
	fileservice "github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/service"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/share"
)

var (
	fileURL        = setting("FILE_URL", "http://127.0.0.1:10003/"+account)
	fileCredential = must(fileservice.NewSharedKeyCredential(account, key))
	files          = must(fileservice.NewClientWithSharedKeyCredential(fileURL, fileCredential, &fileservice.ClientOptions{ClientOptions: options}))
)

// newShare is gone after the test, with its snapshots, leased or not.
func newShare(t *testing.T) *share.Client {
	t.Helper()
	client := files.NewShareClient(unique())
	done(client.Create(ctx, nil))(t)
	t.Cleanup(func() {
		whole := &share.DeleteOptions{DeleteSnapshots: to.Ptr(share.DeleteSnapshotsOptionTypeInclude)}
		_, err := client.Delete(ctx, whole)
		var refusal *azcore.ResponseError
		if errors.As(err, &refusal) && refusal.ErrorCode == "LeaseIdMissing" {
			done(must(lease.NewShareClient(client, nil)).Break(ctx, &lease.ShareBreakOptions{BreakPeriod: to.Ptr[int32](0)}))(t)
			_, err = client.Delete(ctx, whole)
		}
		ok(t, err)
	})
	return client
}

// newFile is a file in the root of a share.
func newFile(t *testing.T, holding *share.Client, name, content string) *file.Client {
	t.Helper()
	client := holding.NewRootDirectoryClient().NewFileClient(name)
	done(client.Create(ctx, int64(len(content)), nil))(t)
	ok(t, client.UploadBuffer(ctx, []byte(content), nil))
	return client
}

// contentOf is what a file holds.
func contentOf(t *testing.T, client *file.Client) string {
	t.Helper()
	buffer := make([]byte, *done(client.GetProperties(ctx, nil))(t).ContentLength)
	done(client.DownloadBuffer(ctx, buffer, nil))(t)
	return string(buffer)
}

// entries are the directories, with a slash, and files of a directory.
func entries(t *testing.T, client *directory.Client, options *directory.ListFilesAndDirectoriesOptions) []string {
	t.Helper()
	found := []string{}
	for _, page := range done(pages(client.NewListFilesAndDirectoriesPager(options)))(t) {
		for _, one := range page.Segment.Directories {
			found = append(found, *one.Name+"/")
		}
		for _, one := range page.Segment.Files {
			found = append(found, *one.Name)
		}
	}
	return found
}

func TestAShareComesAndGoes(t *testing.T) {
	client := done(share.NewClientFromConnectionString(connectionString+"FileEndpoint="+fileURL+";", unique(), &share.ClientOptions{ClientOptions: options}))(t)
	done(client.Create(ctx, &share.CreateOptions{Metadata: metadata("colour", "red"), Quota: to.Ptr[int32](7)}))(t)
	_, err := client.Create(ctx, nil)
	refused(t, err, 409, "ShareAlreadyExists")
	done(client.SetProperties(ctx, &share.SetPropertiesOptions{Quota: to.Ptr[int32](8), AccessTier: to.Ptr(share.AccessTierCool)}))(t)
	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, *found.Quota, 8)
	equal(t, *found.AccessTier, "Cool")
	equal(t, found.Metadata, metadata("Colour", "red"))
	equal(t, *done(client.GetStatistics(ctx, nil))(t).ShareUsageBytes, 0)
	done(client.Delete(ctx, nil))(t)
	_, err = client.GetProperties(ctx, nil)
	refused(t, err, 404, "ShareNotFound")
}

func TestSharesAreListedPageByPage(t *testing.T) {
	stem := unique()
	for _, letter := range []string{"c", "a", "b"} {
		done(files.CreateShare(ctx, stem+letter, nil))(t)
		t.Cleanup(func() { done(files.DeleteShare(ctx, stem+letter, nil))(t) })
	}
	for _, size := range []int32{1, 2, 10} {
		found := []string{}
		for _, page := range done(pages(files.NewListSharesPager(&fileservice.ListSharesOptions{Prefix: &stem, MaxResults: &size})))(t) {
			found = append(found, names(page.Shares, func(one *fileservice.Share) *string { return one.Name })...)
		}
		equal(t, found, []string{stem + "a", stem + "b", stem + "c"})
	}
}

func TestATreeOfFiles(t *testing.T) {
	holding := newShare(t)
	top := holding.NewDirectoryClient("Top")
	done(top.Create(ctx, &directory.CreateOptions{Metadata: metadata("k", "v")}))(t)
	equal(t, done(holding.NewDirectoryClient("tOP").GetProperties(ctx, nil))(t).Metadata, metadata("K", "v"))
	for _, name := range []string{"b", "A", "c"} {
		done(top.NewFileClient(name).Create(ctx, 3, nil))(t)
	}
	done(top.NewSubdirectoryClient("sub").Create(ctx, nil))(t)
	for _, size := range []int32{1, 3, 100} {
		found := entries(t, top, &directory.ListFilesAndDirectoriesOptions{MaxResults: &size})
		equal(t, len(found), 4)
		equal(t, strings.Contains(strings.Join(found, " "), "sub/"), true)
	}
	equal(t, entries(t, top, &directory.ListFilesAndDirectoriesOptions{Prefix: to.Ptr("a")}), []string{"A"})
	_, err := top.Delete(ctx, nil)
	refused(t, err, 409, "DirectoryNotEmpty")
	_, err = holding.NewDirectoryClient("none/sub").Create(ctx, nil)
	refused(t, err, 404, "ParentNotFound")
	_, err = top.NewFileClient("sub").Create(ctx, 1, nil)
	refused(t, err, 409, "ResourceTypeMismatch")
}

func TestFilesComeBackAsTheyWereUploaded(t *testing.T) {
	root := newShare(t).NewRootDirectoryClient()
	for name, size := range map[string]int{"empty": 0, "small": 5000, "large": 9*mib + 7} {
		content := pattern(size)
		client := root.NewFileClient(name)
		done(client.Create(ctx, int64(size), nil))(t)
		if size > 0 { // the SDK sends no empty range
			ok(t, client.UploadBuffer(ctx, content, &file.UploadBufferOptions{ChunkSize: mib, Concurrency: 3}))
		}
		same(t, []byte(contentOf(t, client)), content)
	}
	streamed := root.NewFileClient("streamed")
	done(streamed.Create(ctx, 3*mib, nil))(t)
	ok(t, streamed.UploadStream(ctx, bytes.NewReader(pattern(3*mib)), &file.UploadStreamOptions{ChunkSize: mib, Concurrency: 2}))
	same(t, []byte(contentOf(t, streamed)), pattern(3*mib))
	done(streamed.Resize(ctx, 20, nil))(t)
	done(streamed.SetHTTPHeaders(ctx, &file.SetHTTPHeadersOptions{HTTPHeaders: &file.HTTPHeaders{ContentType: to.Ptr("text/plain")}}))(t)
	found := done(streamed.GetProperties(ctx, nil))(t)
	equal(t, *found.ContentLength, 20)
	equal(t, *found.ContentType, "text/plain")
	done(streamed.Delete(ctx, nil))(t)
	_, err := streamed.GetProperties(ctx, nil)
	refused(t, err, 404, "ResourceNotFound")
}

func TestRangesOfAFile(t *testing.T) {
	holding := newShare(t)
	client := holding.NewRootDirectoryClient().NewFileClient("f")
	done(client.Create(ctx, 4096, nil))(t)
	fill := func(letter string, at int64) {
		done(client.UploadRange(ctx, at, body(strings.Repeat(letter, 512)), nil))(t)
	}
	fill("a", 512)
	fill("b", 2048)
	list := func(options *file.GetRangeListOptions) (written, cleared []int64) {
		found := done(client.GetRangeList(ctx, options))(t)
		for _, one := range found.Ranges {
			written = append(written, *one.Start, *one.End)
		}
		for _, one := range found.ClearRanges {
			cleared = append(cleared, *one.Start, *one.End)
		}
		return written, cleared
	}
	written, _ := list(nil)
	equal(t, written, []int64{512, 1023, 2048, 2559})
	taken := done(holding.CreateSnapshot(ctx, nil))(t)
	done(client.ClearRange(ctx, file.HTTPRange{Offset: 512, Count: 512}, nil))(t)
	fill("c", 3072)
	written, cleared := list(&file.GetRangeListOptions{PrevShareSnapshot: taken.Snapshot})
	equal(t, written, []int64{3072, 3583})
	equal(t, cleared, []int64{512, 1023})
	before := done(holding.WithSnapshot(*taken.Snapshot))(t).NewRootDirectoryClient().NewFileClient("f")
	equal(t, contentOf(t, before)[512:515], "aaa")
	_, err := holding.Delete(ctx, nil)
	refused(t, err, 409, "ShareHasSnapshots")
	_, err = client.UploadRange(ctx, 4096, body("x"), nil)
	refused(t, err, 416, "InvalidRange")
}

func TestFilesAreRenamedAndCopied(t *testing.T) {
	holding := newShare(t)
	source := newFile(t, holding, "old", "hello, world")
	target := holding.NewRootDirectoryClient().NewFileClient("copy")
	copied := done(target.StartCopyFromURL(ctx, source.URL(), nil))(t)
	equal(t, *copied.CopyStatus, "success")
	equal(t, contentOf(t, target), "hello, world")
	done(target.UploadRangeFromURL(ctx, done(source.GetSASURL(sas.FilePermissions{Read: true}, inAnHour(t), nil))(t), 7, 0, 5, nil))(t)
	equal(t, contentOf(t, target), "world, world")

	_, err := source.Rename(ctx, "copy", nil)
	refused(t, err, 409, "ResourceAlreadyExists")
	done(source.Rename(ctx, "copy", &file.RenameOptions{ReplaceIfExists: to.Ptr(true)}))(t)
	equal(t, contentOf(t, target), "hello, world")
	done(holding.NewDirectoryClient("from").Create(ctx, nil))(t)
	done(target.Rename(ctx, "from/deep", nil))(t)
	done(holding.NewDirectoryClient("from").Rename(ctx, "to", nil))(t)
	equal(t, entries(t, holding.NewRootDirectoryClient(), nil), []string{"to/"})
	equal(t, contentOf(t, holding.NewDirectoryClient("to").NewFileClient("deep")), "hello, world")
}

func TestLeasesOfFilesAndShares(t *testing.T) {
	holding := newShare(t)
	client := newFile(t, holding, "f", "data")
	mine := must(lease.NewFileClient(client, &lease.FileClientOptions{LeaseID: to.Ptr(one)}))
	equal(t, *done(mine.Acquire(ctx, nil))(t).LeaseID, one)
	_, err := client.Delete(ctx, nil)
	refused(t, err, 412, "LeaseIdMissing")
	done(client.Delete(ctx, &file.DeleteOptions{LeaseAccessConditions: &file.LeaseAccessConditions{LeaseID: to.Ptr(one)}}))(t)
	whole := must(lease.NewShareClient(holding, &lease.ShareClientOptions{LeaseID: to.Ptr(two)}))
	done(whole.Acquire(ctx, 60, nil))(t)
	_, err = holding.Delete(ctx, nil)
	refused(t, err, 412, "LeaseIdMissing")
	done(whole.Release(ctx, nil))(t)
}

func TestTokensOfFiles(t *testing.T) {
	holding := newShare(t)
	source := newFile(t, holding, "f", "data")
	address := done(source.GetSASURL(sas.FilePermissions{Read: true}, inAnHour(t), nil))(t)
	reader := done(file.NewClientWithNoCredential(address, &file.ClientOptions{ClientOptions: options}))(t)
	equal(t, contentOf(t, reader), "data")
	_, err := reader.Delete(ctx, nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")

	token := done(sas.AccountSignatureValues{Permissions: "rl", ResourceTypes: "sco", ExpiryTime: inAnHour(t)}.SignWithSharedKey(fileCredential))(t)
	lister := done(fileservice.NewClientWithNoCredential(fileURL+"?"+token.Encode(), &fileservice.ClientOptions{ClientOptions: options}))(t)
	name := done(file.ParseURL(source.URL()))(t).ShareName
	equal(t, entries(t, lister.NewShareClient(name).NewRootDirectoryClient(), nil), []string{"f"})

	done(holding.SetAccessPolicy(ctx, &share.SetAccessPolicyOptions{ShareACL: []*share.SignedIdentifier{{
		ID:           to.Ptr("readers"),
		AccessPolicy: &share.AccessPolicy{Permission: to.Ptr("r"), Start: to.Ptr(anHourAgo(t)), Expiry: to.Ptr(inAnHour(t))},
	}}}))(t)
	equal(t, *done(holding.GetAccessPolicy(ctx, nil))(t).SignedIdentifiers[0].ID, "readers")
}

func TestAUserWorksWithFiles(t *testing.T) {
	holding := newShare(t)
	newFile(t, holding, "f", "data")
	name := done(file.ParseURL(holding.URL()))(t).ShareName
	users := done(fileservice.NewClient(fileURL, identity{}, &fileservice.ClientOptions{
		ClientOptions: options, FileRequestIntent: to.Ptr(fileservice.ShareTokenIntentBackup),
	}))(t)
	equal(t, contentOf(t, users.NewShareClient(name).NewRootDirectoryClient().NewFileClient("f")), "data")
}

func TestPropertiesOfTheFileService(t *testing.T) {
	before := done(files.GetProperties(ctx, nil))(t)
	t.Cleanup(func() {
		done(files.SetProperties(ctx, &fileservice.SetPropertiesOptions{CORS: []*fileservice.CORSRule{}}))(t)
	})
	rule := &fileservice.CORSRule{
		AllowedOrigins: to.Ptr("http://example.test"), AllowedMethods: to.Ptr("GET"), AllowedHeaders: to.Ptr("*"),
		ExposedHeaders: to.Ptr("*"), MaxAgeInSeconds: to.Ptr[int32](5),
	}
	done(files.SetProperties(ctx, &fileservice.SetPropertiesOptions{CORS: []*fileservice.CORSRule{rule}}))(t)
	after := done(files.GetProperties(ctx, nil))(t)
	equal(t, after.CORS, []*fileservice.CORSRule{rule})
	equal(t, after.HourMetrics, before.HourMetrics)
}
