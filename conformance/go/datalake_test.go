package conformance

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake"
	lakedirectory "github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake/directory"
	lakefile "github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake/file"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake/filesystem"
	lakelease "github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake/lease"
	lakesas "github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake/sas"
	lakeservice "github.com/Azure/azure-sdk-for-go/sdk/storage/azdatalake/service"
)

const alice = "11111111-1111-1111-1111-111111111111"

// newLake is a client of the account that has a hierarchical namespace.
func newLake(t *testing.T) *lakeservice.Client {
	t.Helper()
	address := os.Getenv("HIERARCHICAL_BLOB_URL")
	if address == "" {
		t.Skip("HIERARCHICAL_BLOB_URL is not set")
	}
	holder := done(azdatalake.NewSharedKeyCredential(address[strings.LastIndex(address, "/")+1:], key))(t)
	return done(lakeservice.NewClientWithSharedKeyCredential(address, holder, &lakeservice.ClientOptions{ClientOptions: options}))(t)
}

// newFileSystem is gone after the test.
func newFileSystem(t *testing.T) *filesystem.Client {
	t.Helper()
	home := newLake(t).NewFileSystemClient(unique())
	done(home.Create(ctx, nil))(t)
	t.Cleanup(func() { done(home.Delete(ctx, nil))(t) })
	return home
}

func writePath(t *testing.T, home *filesystem.Client, path, content string) *lakefile.Client {
	t.Helper()
	client := home.NewFileClient(path)
	done(client.Create(ctx, nil))(t)
	ok(t, client.UploadBuffer(ctx, []byte(content), nil))
	return client
}

func readPath(t *testing.T, client *lakefile.Client) string {
	t.Helper()
	answer := done(client.DownloadStream(ctx, nil))(t)
	defer answer.Body.Close()
	return string(done(io.ReadAll(answer.Body))(t))
}

// pathsOf are the names of all paths, those of directories with a slash.
func pathsOf(t *testing.T, home *filesystem.Client, options *filesystem.ListPathsOptions) []string {
	t.Helper()
	found := []string{}
	for _, page := range done(pages(home.NewListPathsPager(true, options)))(t) {
		for _, one := range page.Paths {
			name := *one.Name
			if one.IsDirectory != nil && *one.IsDirectory {
				name += "/"
			}
			found = append(found, name)
		}
	}
	return found
}

func TestAFileSystemComesAndGoes(t *testing.T) {
	home := newLake(t).NewFileSystemClient(unique())
	_, err := home.GetProperties(ctx, nil)
	refused(t, err, 404, "FileSystemNotFound") // the client's own name of the Blob service's ContainerNotFound
	_, err = home.NewFileClient("f").Create(ctx, nil)
	refused(t, err, 404, "FilesystemNotFound")
	_, err = pages(home.NewListPathsPager(true, nil))
	refused(t, err, 404, "FilesystemNotFound")
	done(home.Create(ctx, &filesystem.CreateOptions{Metadata: metadata("colour", "red")}))(t)
	_, err = home.Create(ctx, nil)
	refused(t, err, 409, "FileSystemAlreadyExists")
	equal(t, done(home.GetProperties(ctx, nil))(t).Metadata, metadata("Colour", "red"))
	done(home.Delete(ctx, nil))(t)
}

func TestDirectoriesOfALake(t *testing.T) {
	home := newFileSystem(t)
	directory := home.NewDirectoryClient("a/b")
	done(directory.Create(ctx, nil))(t)
	done(done(directory.NewFileClient("file"))(t).Create(ctx, nil))(t)
	done(done(directory.NewSubdirectoryClient("sub"))(t).Create(ctx, nil))(t)
	done(directory.Create(ctx, nil))(t)
	equal(t, pathsOf(t, home, nil), []string{"a/", "a/b/", "a/b/file", "a/b/sub/"})
	none := &lakedirectory.AccessConditions{ModifiedAccessConditions: &lakedirectory.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}}
	_, err := directory.Create(ctx, &lakedirectory.CreateOptions{AccessConditions: none})
	refused(t, err, 409, "PathAlreadyExists")
	done(directory.SetMetadata(ctx, metadata("k", "v"), nil))(t)
	equal(t, *done(directory.GetProperties(ctx, nil))(t).Metadata["K"], "v")
	done(directory.Delete(ctx, nil))(t)
	equal(t, pathsOf(t, home, nil), []string{"a/"})
	_, err = directory.Delete(ctx, nil)
	refused(t, err, 404, "PathNotFound")
}

func TestFilesOfALake(t *testing.T) {
	home := newFileSystem(t)
	client := home.NewFileClient("a/b.txt")
	done(client.Create(ctx, &lakefile.CreateOptions{HTTPHeaders: &lakefile.HTTPHeaders{ContentType: to.Ptr("text/plain")}}))(t)
	none := &lakefile.AccessConditions{ModifiedAccessConditions: &lakefile.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}}
	_, err := client.Create(ctx, &lakefile.CreateOptions{AccessConditions: none})
	refused(t, err, 409, "PathAlreadyExists")
	done(client.AppendData(ctx, 7, body("world"), nil))(t)
	done(client.AppendData(ctx, 0, body("hello, "), nil))(t)
	equal(t, *done(client.GetProperties(ctx, nil))(t).ContentLength, 0)
	_, err = client.FlushData(ctx, 13, nil)
	refused(t, err, 400, "InvalidFlushPosition")
	done(client.FlushData(ctx, 7, &lakefile.FlushDataOptions{RetainUncommittedData: to.Ptr(true)}))(t)
	equal(t, readPath(t, client), "hello, ")
	old := &lakefile.AccessConditions{ModifiedAccessConditions: &lakefile.ModifiedAccessConditions{IfMatch: to.Ptr(azcore.ETag(stale))}}
	_, err = client.FlushData(ctx, 12, &lakefile.FlushDataOptions{AccessConditions: old})
	refused(t, err, 412, "ConditionNotMet")
	flushed := done(client.FlushData(ctx, 12, &lakefile.FlushDataOptions{Close: to.Ptr(true)}))(t)
	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, readPath(t, client), "hello, world")
	equal(t, *found.ETag, *flushed.ETag)
	equal(t, *found.ContentType, "text/plain")
	_, err = home.NewFileClient("a/b.txt/below").Create(ctx, nil)
	refused(t, err, 409, "PathConflict")
	_, err = home.NewFileClient("absent").AppendData(ctx, 0, body("x"), nil)
	refused(t, err, 404, "PathNotFound")
	done(client.SetHTTPHeaders(ctx, lakefile.HTTPHeaders{CacheControl: to.Ptr("no-cache")}, nil))(t)
	equal(t, *done(client.GetProperties(ctx, nil))(t).CacheControl, "no-cache")
	done(client.Delete(ctx, nil))(t)
	_, err = client.Delete(ctx, nil)
	refused(t, err, 404, "PathNotFound")
	_, err = client.GetProperties(ctx, nil)
	refused(t, err, 404, "BlobNotFound", "PathNotFound")
}

func TestALargeFileOfALake(t *testing.T) {
	home, content := newFileSystem(t), pattern(5<<20+7)
	client := home.NewFileClient("ä ö/large+%.bin")
	done(client.Create(ctx, nil))(t)
	ok(t, client.UploadBuffer(ctx, content, &lakefile.UploadBufferOptions{ChunkSize: 1 << 20, Concurrency: 3}))
	back := make([]byte, len(content))
	done(client.DownloadBuffer(ctx, back, &lakefile.DownloadBufferOptions{ChunkSize: 1 << 20}))(t)
	same(t, back, content)
	done(client.Create(ctx, nil))(t)
	ok(t, client.UploadStream(ctx, bytes.NewReader(content[:3000]), &lakefile.UploadStreamOptions{ChunkSize: 1000}))
	equal(t, *done(client.GetProperties(ctx, nil))(t).ContentLength, 3000)
	equal(t, pathsOf(t, home, nil), []string{"ä ö/", "ä ö/large+%.bin"})
}

func TestRenamesInALake(t *testing.T) {
	home := newFileSystem(t)
	client := writePath(t, home, "a/b/file", "hello, world")
	before := done(client.GetProperties(ctx, nil))(t)
	done(client.Rename(ctx, "a/b/renamed", nil))(t)
	renamed := home.NewFileClient("a/b/renamed")
	equal(t, readPath(t, renamed), "hello, world")
	equal(t, *done(renamed.GetProperties(ctx, nil))(t).ETag, *before.ETag)
	_, err := client.Rename(ctx, "new", nil)
	refused(t, err, 404, "SourcePathNotFound")
	_, err = renamed.Rename(ctx, "no/such/parent", nil)
	refused(t, err, 404, "RenameDestinationParentPathNotFound")
	other := writePath(t, home, "other", "other")
	none := &lakefile.AccessConditions{ModifiedAccessConditions: &lakefile.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}}
	_, err = renamed.Rename(ctx, "other", &lakefile.RenameOptions{AccessConditions: none})
	refused(t, err, 409, "PathAlreadyExists")
	old := &lakefile.SourceAccessConditions{SourceModifiedAccessConditions: &lakefile.SourceModifiedAccessConditions{SourceIfMatch: to.Ptr(azcore.ETag(stale))}}
	_, err = renamed.Rename(ctx, "other", &lakefile.RenameOptions{SourceAccessConditions: old})
	refused(t, err, 412, "SourceConditionNotMet")
	done(home.NewDirectoryClient("a").Rename(ctx, "z", nil))(t)
	equal(t, pathsOf(t, home, nil), []string{"other", "z/", "z/b/", "z/b/renamed"})
	_, err = home.NewDirectoryClient("z").Rename(ctx, "z/b/below", nil)
	refused(t, err, 409, "InvalidRenameSourcePath")
	_, err = home.NewDirectoryClient("z").Rename(ctx, "other", nil)
	refused(t, err, 409, "InvalidSourceOrDestinationResourceType")
	done(home.NewFileClient("z/b/renamed").Rename(ctx, "other", nil))(t)
	equal(t, readPath(t, other), "hello, world")
}

func TestLeasesInALake(t *testing.T) {
	client := writePath(t, newFileSystem(t), "file", "content")
	holder := done(lakelease.NewPathClient(client, &lakelease.PathClientOptions{LeaseID: to.Ptr(alice)}))(t)
	done(holder.AcquireLease(ctx, 30, nil))(t)
	_, err := client.AppendData(ctx, 7, body("!"), nil)
	refused(t, err, 412, "LeaseIdMissing")
	_, err = client.Delete(ctx, nil)
	refused(t, err, 412, "LeaseIdMissing")
	_, err = client.Rename(ctx, "new", nil)
	refused(t, err, 412, "LeaseIdMissing")
	held := &lakefile.LeaseAccessConditions{LeaseID: to.Ptr(alice)}
	done(client.AppendData(ctx, 7, body("!"), &lakefile.AppendDataOptions{LeaseAccessConditions: held}))(t)
	done(client.FlushData(ctx, 8, &lakefile.FlushDataOptions{AccessConditions: &lakefile.AccessConditions{LeaseAccessConditions: held}}))(t)
	done(holder.RenewLease(ctx, nil))(t)
	done(holder.ReleaseLease(ctx, nil))(t)
	_, err = client.Delete(ctx, &lakefile.DeleteOptions{AccessConditions: &lakefile.AccessConditions{LeaseAccessConditions: held}})
	refused(t, err, 412, "LeaseNotPresent", "LeaseNotPresentWithBlobOperation")
	equal(t, readPath(t, client), "content!")
}

func TestAccessControlInALake(t *testing.T) {
	home := newFileSystem(t)
	client := writePath(t, home, "d/1", "1")
	writePath(t, home, "d/sub/2", "2")
	found := done(client.GetAccessControl(ctx, nil))(t)
	equal(t, []string{*found.Owner, *found.Group, *found.Permissions}, []string{"$superuser", "$superuser", "rw-r-----"})
	done(client.SetAccessControl(ctx, &lakefile.SetAccessControlOptions{Permissions: to.Ptr("0754")}))(t)
	equal(t, *done(client.GetAccessControl(ctx, nil))(t).ACL, "user::rwx,group::r-x,other::r--")
	_, err := client.SetAccessControl(ctx, &lakefile.SetAccessControlOptions{ACL: to.Ptr("asdf")})
	refused(t, err, 400, "InvaldAccessControlList")
	_, err = home.NewFileClient("absent").GetAccessControl(ctx, nil)
	refused(t, err, 404, "PathNotFound")
	directory := home.NewDirectoryClient("d")
	set := done(directory.SetAccessControlRecursive(ctx, "user::rwx,user:"+alice+":r-x,group::r-x,other::---",
		&lakedirectory.SetAccessControlRecursiveOptions{BatchSize: to.Ptr[int32](2)}))(t)
	equal(t, []int32{*set.DirectoriesSuccessful, *set.FilesSuccessful, *set.FailureCount}, []int32{2, 2, 0})
	equal(t, *done(client.GetAccessControl(ctx, nil))(t).ACL, "user::rwx,user:"+alice+":r-x,group::r-x,mask::r-x,other::---")
	done(directory.UpdateAccessControlRecursive(ctx, "user:"+alice+":rwx", nil))(t)
	equal(t, *done(client.GetAccessControl(ctx, nil))(t).Permissions, "rwxrwx---+")
	done(directory.RemoveAccessControlRecursive(ctx, "mask,user:"+alice, nil))(t)
	equal(t, *done(client.GetAccessControl(ctx, nil))(t).ACL, "user::rwx,group::r-x,other::---")
}

func TestPathsPageByPage(t *testing.T) {
	home := newFileSystem(t)
	want := []string{"d/"}
	done(home.NewDirectoryClient("d").Create(ctx, nil))(t)
	for _, name := range []string{"d/1", "d/2", "d/3", "d/4"} {
		done(home.NewFileClient(name).Create(ctx, nil))(t)
		want = append(want, name)
	}
	for _, size := range []int32{1, 2, 5, 100} {
		equal(t, pathsOf(t, home, &filesystem.ListPathsOptions{MaxResults: &size}), want)
	}
	equal(t, pathsOf(t, home, &filesystem.ListPathsOptions{Prefix: to.Ptr("d")}), want[1:])
	_, err := pages(home.NewListPathsPager(true, &filesystem.ListPathsOptions{Prefix: to.Ptr("absent")}))
	refused(t, err, 404, "PathNotFound")
}

func TestExpiryInALake(t *testing.T) {
	client := writePath(t, newFileSystem(t), "short", "lived")
	done(client.SetExpiry(ctx, lakefile.SetExpiryValues{ExpiryType: lakefile.SetExpiryTypeRelativeToNow, ExpiresOn: "60000"}, nil))(t)
	advance(t, 61*time.Second)
	_, err := client.GetProperties(ctx, nil)
	refused(t, err, 404, "BlobNotFound", "PathNotFound")
}

func TestSignaturesInALake(t *testing.T) {
	home := newFileSystem(t)
	client := writePath(t, home, "d/file", "hello, world")
	writePath(t, home, "elsewhere", "elsewhere")
	signed := func(address string) *filesystem.Client {
		query := address[strings.Index(address, "?"):]
		return done(filesystem.NewClientWithNoCredential(home.DFSURL()+query, &filesystem.ClientOptions{ClientOptions: options}))(t)
	}
	whole := signed(done(home.GetSASURL(lakesas.FileSystemPermissions{Read: true, List: true}, inAnHour(t), nil))(t))
	equal(t, pathsOf(t, whole, nil), []string{"d/", "d/file", "elsewhere"})
	_, err := whole.NewFileClient("new").Create(ctx, nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
	directory := signed(done(home.NewDirectoryClient("d").GetSASURL(lakesas.DirectoryPermissions{Read: true, List: true}, inAnHour(t), nil))(t))
	equal(t, readPath(t, directory.NewFileClient("d/file")), "hello, world")
	_, err = directory.NewFileClient("elsewhere").DownloadStream(ctx, nil)
	refused(t, err, 403, "AuthenticationFailed")
	only := signed(done(client.GetSASURL(lakesas.FilePermissions{Read: true}, inAnHour(t), nil))(t))
	equal(t, readPath(t, only.NewFileClient("d/file")), "hello, world")
	_, err = only.NewFileClient("d/file").AppendData(ctx, 12, body("x"), nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
	equal(t, pathsOf(t, directory, &filesystem.ListPathsOptions{Prefix: to.Ptr("d")}), []string{"d/file"})
}
