import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.models.AppendBlobRequestConditions;
import com.azure.storage.blob.models.BlobRange;
import com.azure.storage.blob.models.BlobType;
import com.azure.storage.blob.models.PageBlobRequestConditions;
import com.azure.storage.blob.models.PageRange;
import com.azure.storage.blob.models.PageRangeItem;
import com.azure.storage.blob.models.SequenceNumberActionType;
import com.azure.storage.blob.specialized.AppendBlobClient;
import com.azure.storage.blob.specialized.PageBlobClient;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Append blobs and page blobs. */
class KindTests extends Suite {
  static final int PAGE = 512;

  AppendBlobClient newLog() {
    AppendBlobClient log = newContainer().getBlobClient("log").getAppendBlobClient();
    log.create();
    return log;
  }

  static long append(AppendBlobClient log, String text, AppendBlobRequestConditions conditions) {
    var answer = log.appendBlockWithResponse(new ByteArrayInputStream(text.getBytes()), text.length(), null, conditions, null, null);
    return Long.parseLong(answer.getValue().getBlobAppendOffset());
  }

  @Test
  void anAppendBlobGrows() {
    AppendBlobClient log = newLog();
    assertEquals(0, append(log, "one ", null));
    assertEquals(4, append(log, "two", new AppendBlobRequestConditions().setAppendPosition(4L).setMaxSize(7L)));
    refused(412, "AppendPositionConditionNotMet", () -> append(log, "x", new AppendBlobRequestConditions().setAppendPosition(4L)));
    refused(412, "MaxBlobSizeConditionNotMet", () -> append(log, "x", new AppendBlobRequestConditions().setMaxSize(7L)));
    assertEquals("one two", log.downloadContent().toString());
    var properties = log.getProperties();
    assertEquals(BlobType.APPEND_BLOB, properties.getBlobType());
    assertEquals(2, properties.getCommittedBlockCount());
  }

  @Test
  void aSealedAppendBlobIsOnlyRead() {
    AppendBlobClient log = newLog();
    append(log, "data", null);
    log.seal();
    refused(409, "BlobIsSealed", () -> append(log, "more", null));
    assertEquals(true, log.getProperties().isSealed());
  }

  @Test
  void noLineOfManyWritersIsLost() {
    AppendBlobClient log = newLog();
    List<Long> places = IntStream.range(0, 32).parallel().mapToObj(n -> append(log, "%02d\n".formatted(n), null)).sorted().toList();
    assertEquals(IntStream.range(0, 32).mapToObj(n -> n * 3L).toList(), places);
    assertEquals(IntStream.range(0, 32).mapToObj("%02d"::formatted).toList(), log.downloadContent().toString().lines().sorted().toList());
  }

  @Test
  void aBlockIsAppendedFromAnotherBlob() {
    AppendBlobClient log = newLog();
    BlobClient source = newBlob();
    log.appendBlockFromUrl(SasTests.readable(source), new BlobRange(7, 5L));
    assertEquals("world", log.downloadContent().toString());
  }

  PageBlobClient newDisk() {
    PageBlobClient disk = newContainer().getBlobClient("disk").getPageBlobClient();
    disk.create(8 * PAGE);
    return disk;
  }

  static PageRange page(long place) {
    return new PageRange().setStart(place * PAGE).setEnd((place + 1) * PAGE - 1);
  }

  static void write(PageBlobClient disk, char letter, long place) {
    byte[] content = new byte[PAGE];
    Arrays.fill(content, (byte) letter);
    disk.uploadPages(page(place), new ByteArrayInputStream(content));
  }

  static List<String> ranges(Iterable<PageRangeItem> items) {
    return names(
        items,
        item -> item.getRange().getOffset() / PAGE + "+" + item.getRange().getLength() / PAGE + (item.isClear() ? " cleared" : ""));
  }

  @Test
  void pagesAreWrittenAndCleared() {
    PageBlobClient disk = newDisk();
    assertArrayEquals(new byte[8 * PAGE], disk.downloadContent().toBytes());
    write(disk, 'a', 1);
    write(disk, 'b', 2);
    write(disk, 'c', 5);
    assertEquals(List.of("1+2", "5+1"), ranges(disk.listPageRanges(new BlobRange(0))));
    disk.clearPages(page(2));
    assertEquals(List.of("1+1", "5+1"), ranges(disk.listPageRanges(new BlobRange(0))));
    byte[] content = disk.downloadContent().toBytes();
    assertEquals("0 97 0 99", content[0] + " " + content[PAGE] + " " + content[2 * PAGE] + " " + content[5 * PAGE]);
    refused(416, "InvalidPageRange", () -> write(disk, 'x', 8));
  }

  @Test
  void whatChangedSinceASnapshot() {
    PageBlobClient disk = newDisk();
    for (int place = 0; place < 3; place++) write(disk, 'a', place);
    String snapshot = disk.createSnapshot().getSnapshotId();
    write(disk, 'b', 1);
    disk.clearPages(page(2));
    write(disk, 'c', 6);
    List<String> changes = ranges(disk.listPageRangesDiff(new BlobRange(0), snapshot)).stream().sorted().toList();
    assertEquals(List.of("1+1", "2+1 cleared", "6+1"), changes);
  }

  @Test
  void aPageBlobIsResizedAndNumbered() {
    PageBlobClient disk = newDisk();
    write(disk, 'z', 7);
    disk.resize(PAGE);
    disk.resize(8 * PAGE);
    assertArrayEquals(new byte[8 * PAGE], disk.downloadContent().toBytes());
    assertEquals(7, disk.updateSequenceNumber(SequenceNumberActionType.UPDATE, 7L).getBlobSequenceNumber());
    assertEquals(7, disk.updateSequenceNumber(SequenceNumberActionType.MAX, 5L).getBlobSequenceNumber());
    assertEquals(8, disk.updateSequenceNumber(SequenceNumberActionType.INCREMENT, null).getBlobSequenceNumber());
    var unmet = new PageBlobRequestConditions().setIfSequenceNumberLessThan(8L);
    refused(412, "SequenceNumberConditionNotMet", () -> disk.clearPagesWithResponse(page(0), unmet, null, null));
    assertTrue(disk.clearPagesWithResponse(page(0), new PageBlobRequestConditions().setIfSequenceNumberEqualTo(8L), null, null).getStatusCode() == 201);
  }

  @Test
  void pagesComeFromAnotherBlob() {
    PageBlobClient disk = newDisk();
    BlobClient source = newContainer().getBlobClient("source");
    put(source, "a".repeat(PAGE) + "b".repeat(PAGE));
    disk.uploadPagesFromUrl(page(3), SasTests.readable(source), (long) PAGE);
    assertEquals(List.of("3+1"), ranges(disk.listPageRanges(new BlobRange(0))));
    assertEquals('b', disk.downloadContent().toBytes()[4 * PAGE - 1]);
  }
}
