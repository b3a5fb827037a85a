package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/appendblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/pageblob"
)

// Append blobs

func newLog(t *testing.T) *appendblob.Client {
	t.Helper()
	client := newContainer(t).NewAppendBlobClient("log")
	done(client.Create(ctx, nil))(t)
	return client
}

func TestAnAppendBlobGrows(t *testing.T) {
	log := newLog(t)
	first := done(log.AppendBlock(ctx, body("one "), nil))(t)
	equal(t, []string{*first.BlobAppendOffset, fmt.Sprint(*first.BlobCommittedBlockCount)}, []string{"0", "1"})
	second := done(log.AppendBlock(ctx, body("two"), &appendblob.AppendBlockOptions{
		AppendPositionAccessConditions: &appendblob.AppendPositionAccessConditions{AppendPosition: to.Ptr[int64](4), MaxSize: to.Ptr[int64](7)},
	}))(t)
	equal(t, *second.BlobAppendOffset, "4")
	_, err := log.AppendBlock(ctx, body("three"), &appendblob.AppendBlockOptions{
		AppendPositionAccessConditions: &appendblob.AppendPositionAccessConditions{AppendPosition: to.Ptr[int64](4)},
	})
	refused(t, err, 412, "AppendPositionConditionNotMet")
	_, err = log.AppendBlock(ctx, body("x"), &appendblob.AppendBlockOptions{
		AppendPositionAccessConditions: &appendblob.AppendPositionAccessConditions{MaxSize: to.Ptr[int64](7)},
	})
	refused(t, err, 412, "MaxBlobSizeConditionNotMet")
	equal(t, text(t, log), "one two")
	found := done(log.GetProperties(ctx, nil))(t)
	equal(t, *found.BlobType, blob.BlobTypeAppendBlob)
	equal(t, *found.BlobCommittedBlockCount, 2)
}

func TestASealedAppendBlobIsOnlyRead(t *testing.T) {
	log := newLog(t)
	done(log.AppendBlock(ctx, body("data"), nil))(t)
	equal(t, *done(log.Seal(ctx, nil))(t).IsSealed, true)
	_, err := log.AppendBlock(ctx, body("more"), nil)
	refused(t, err, 409, "BlobIsSealed")
	equal(t, *done(log.GetProperties(ctx, nil))(t).IsSealed, true)
	equal(t, text(t, log), "data")
}

func TestNoLineOfManyWritersIsLost(t *testing.T) {
	log := newLog(t)
	var writers sync.WaitGroup
	errs := make(chan error, 32)
	for n := range 32 {
		writers.Go(func() {
			_, err := log.AppendBlock(ctx, body(fmt.Sprintf("%02d\n", n)), nil)
			errs <- err
		})
	}
	writers.Wait()
	for range 32 {
		ok(t, <-errs)
	}
	content := text(t, log)
	equal(t, len(content), 96)
	for n := range 32 {
		equal(t, strings.Count(content, fmt.Sprintf("%02d\n", n)), 1)
	}
}

func TestABlockIsAppendedFromAnotherBlob(t *testing.T) {
	log, source := newLog(t), newBlob(t)
	address := readable(t, source)
	added := done(log.AppendBlockFromURL(ctx, address, &appendblob.AppendBlockFromURLOptions{Range: blob.HTTPRange{Offset: 7, Count: 5}}))(t)
	equal(t, *added.BlobAppendOffset, "0")
	equal(t, text(t, log), "world")
}

// Page blobs

const page = 512

func newDisk(t *testing.T) *pageblob.Client {
	t.Helper()
	client := newContainer(t).NewPageBlobClient("disk")
	done(client.Create(ctx, 8*page, nil))(t)
	return client
}

func write(t *testing.T, disk *pageblob.Client, letter string, place int64) {
	t.Helper()
	done(disk.UploadPages(ctx, body(strings.Repeat(letter, page)), blob.HTTPRange{Offset: place * page, Count: page}, nil))(t)
}

// ranges are the first and last page of each range.
func ranges(t *testing.T, disk *pageblob.Client, options *pageblob.GetPageRangesOptions) (found [][2]int64) {
	t.Helper()
	for _, list := range done(pages(disk.NewGetPageRangesPager(options)))(t) {
		for _, one := range list.PageRange {
			found = append(found, [2]int64{*one.Start / page, *one.End / page})
		}
	}
	return found
}

func TestPagesAreWrittenAndCleared(t *testing.T) {
	disk := newDisk(t)
	equal(t, text(t, disk), strings.Repeat("\x00", 8*page))
	equal(t, len(ranges(t, disk, nil)), 0)
	for place, letter := range map[int64]string{1: "a", 2: "b", 5: "c"} {
		write(t, disk, letter, place)
	}
	equal(t, ranges(t, disk, nil), [][2]int64{{1, 2}, {5, 5}})
	done(disk.ClearPages(ctx, blob.HTTPRange{Offset: 2 * page, Count: page}, nil))(t)
	equal(t, ranges(t, disk, nil), [][2]int64{{1, 1}, {5, 5}})
	equal(t, ranges(t, disk, &pageblob.GetPageRangesOptions{MaxResults: to.Ptr[int32](1)}), [][2]int64{{1, 1}, {5, 5}})
	want := bytes.Repeat([]byte{0}, 8*page)
	copy(want[page:], strings.Repeat("a", page))
	copy(want[5*page:], strings.Repeat("c", page))
	same(t, []byte(text(t, disk)), want)
	_, err := disk.UploadPages(ctx, body(strings.Repeat("x", page)), blob.HTTPRange{Offset: 8 * page, Count: page}, nil)
	refused(t, err, 416, "InvalidPageRange")
}

func TestWhatChangedSinceASnapshot(t *testing.T) {
	disk := newDisk(t)
	for place := range int64(3) {
		write(t, disk, "a", place)
	}
	taken := done(disk.CreateSnapshot(ctx, nil))(t)
	write(t, disk, "b", 1)
	done(disk.ClearPages(ctx, blob.HTTPRange{Offset: 2 * page, Count: page}, nil))(t)
	write(t, disk, "c", 6)
	changes := done(pages(disk.NewGetPageRangesDiffPager(&pageblob.GetPageRangesDiffOptions{PrevSnapshot: taken.Snapshot})))(t)
	written, cleared := []int64{}, []int64{}
	for _, change := range changes {
		for _, one := range change.PageRange {
			written = append(written, *one.Start/page, *one.End/page)
		}
		for _, one := range change.ClearRange {
			cleared = append(cleared, *one.Start/page, *one.End/page)
		}
	}
	equal(t, written, []int64{1, 1, 6, 6})
	equal(t, cleared, []int64{2, 2})
}

func TestAPageBlobIsResizedAndNumbered(t *testing.T) {
	disk := newDisk(t)
	write(t, disk, "z", 7)
	done(disk.Resize(ctx, page, nil))(t)
	done(disk.Resize(ctx, 8*page, nil))(t)
	equal(t, text(t, disk), strings.Repeat("\x00", 8*page))
	number := func(action pageblob.SequenceNumberActionType, to *int64) int64 {
		return *done(disk.UpdateSequenceNumber(ctx, &pageblob.UpdateSequenceNumberOptions{ActionType: &action, SequenceNumber: to}))(t).BlobSequenceNumber
	}
	equal(t, number(pageblob.SequenceNumberActionTypeUpdate, to.Ptr[int64](7)), 7)
	equal(t, number(pageblob.SequenceNumberActionTypeMax, to.Ptr[int64](5)), 7)
	equal(t, number(pageblob.SequenceNumberActionTypeIncrement, nil), 8)
	_, err := disk.UploadPages(ctx, body(strings.Repeat("x", page)), blob.HTTPRange{Count: page}, &pageblob.UploadPagesOptions{
		SequenceNumberAccessConditions: &pageblob.SequenceNumberAccessConditions{IfSequenceNumberLessThan: to.Ptr[int64](8)},
	})
	refused(t, err, 412, "SequenceNumberConditionNotMet")
}

func TestPagesComeFromAnotherBlob(t *testing.T) {
	disk, source := newDisk(t), newContainer(t).NewBlockBlobClient("source")
	put(t, source, strings.Repeat("a", page)+strings.Repeat("b", page))
	done(disk.UploadPagesFromURL(ctx, readable(t, source), page, 3*page, page, nil))(t)
	equal(t, ranges(t, disk, nil), [][2]int64{{3, 3}})
	equal(t, done(get(disk, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: 4*page - 1, Count: 2}}))(t), "b\x00")
}
