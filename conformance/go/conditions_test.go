package conformance

import (
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
)

func when(conditions blob.ModifiedAccessConditions) *blob.AccessConditions {
	return &blob.AccessConditions{ModifiedAccessConditions: &conditions}
}

const stale = azcore.ETag(`"0x8D0000000000000"`)

func TestConditions(t *testing.T) {
	client := newBlob(t)
	done(client.SetTags(ctx, map[string]string{"colour": "blue"}, nil))(t)
	found := done(client.GetProperties(ctx, nil))(t)
	before, after := found.LastModified.Add(-time.Hour), found.LastModified.Add(time.Hour)
	unmet := map[string]blob.ModifiedAccessConditions{
		"If-Match":            {IfMatch: to.Ptr(stale)},
		"If-None-Match":       {IfNoneMatch: found.ETag},
		"If-Modified-Since":   {IfModifiedSince: &after},
		"If-Unmodified-Since": {IfUnmodifiedSince: &before},
		"x-ms-if-tags":        {IfTags: to.Ptr("colour = 'red'")},
	}
	met := map[string]blob.ModifiedAccessConditions{
		"If-Match":            {IfMatch: found.ETag},
		"If-Match *":          {IfMatch: to.Ptr(azcore.ETagAny)},
		"If-None-Match":       {IfNoneMatch: to.Ptr(stale)},
		"If-Modified-Since":   {IfModifiedSince: &before},
		"If-Unmodified-Since": {IfUnmodifiedSince: found.LastModified},
		"x-ms-if-tags":        {IfTags: to.Ptr("colour = 'blue'")},
	}
	for name, condition := range met {
		t.Run(name+" met", func(t *testing.T) {
			equal(t, done(get(client, &blob.DownloadStreamOptions{AccessConditions: when(condition)}))(t), "hello, world")
		})
	}
	for name, condition := range unmet {
		t.Run(name+" unmet", func(t *testing.T) {
			if name == "If-None-Match" || name == "If-Modified-Since" {
				// The SDK takes "not modified" for an answer.
				equal(t, *done(client.DownloadStream(ctx, &blob.DownloadStreamOptions{AccessConditions: when(condition)}))(t).ErrorCode, "ConditionNotMet")
				_, err := client.GetProperties(ctx, &blob.GetPropertiesOptions{AccessConditions: when(condition)})
				refused(t, err, 304, "ConditionNotMet")
			} else {
				_, err := get(client, &blob.DownloadStreamOptions{AccessConditions: when(condition)})
				refused(t, err, 412, "ConditionNotMet")
			}
			_, err := client.Upload(ctx, body("new"), &blockblob.UploadOptions{AccessConditions: when(condition)})
			refused(t, err, 412, "ConditionNotMet")
			_, err = client.SetMetadata(ctx, metadata("a", "b"), &blob.SetMetadataOptions{AccessConditions: when(condition)})
			refused(t, err, 412, "ConditionNotMet")
			_, err = client.Delete(ctx, &blob.DeleteOptions{AccessConditions: when(condition)})
			refused(t, err, 412, "ConditionNotMet")
		})
	}
	equal(t, done(client.GetProperties(ctx, nil))(t).ETag, found.ETag)
}

func TestOnlyTheFirstCreates(t *testing.T) {
	client := newContainer(t).NewBlockBlobClient("once")
	absent := when(blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)})
	done(client.Upload(ctx, body("first"), &blockblob.UploadOptions{AccessConditions: absent}))(t)
	_, err := client.Upload(ctx, body("second"), &blockblob.UploadOptions{AccessConditions: absent})
	refused(t, err, 409, "BlobAlreadyExists")
	_, err = client.CommitBlockList(ctx, nil, &blockblob.CommitBlockListOptions{AccessConditions: absent})
	refused(t, err, 409, "BlobAlreadyExists")
	equal(t, text(t, client), "first")
}

func TestOneOfTwoWritersWins(t *testing.T) {
	client := newBlob(t)
	seen := done(client.GetProperties(ctx, nil))(t).ETag
	first := &blockblob.UploadOptions{AccessConditions: when(blob.ModifiedAccessConditions{IfMatch: seen})}
	done(client.Upload(ctx, body("first"), first))(t)
	_, err := client.Upload(ctx, body("second"), first)
	refused(t, err, 412, "ConditionNotMet")
	equal(t, text(t, client), "first")
}
