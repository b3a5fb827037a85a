import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.models.AccessTier;
import com.azure.storage.blob.models.ArchiveStatus;
import com.azure.storage.blob.models.BlobHttpHeaders;
import com.azure.storage.blob.models.BlobRange;
import com.azure.storage.blob.models.BlobType;
import com.azure.storage.blob.models.Block;
import com.azure.storage.blob.models.BlockListType;
import com.azure.storage.blob.models.ParallelTransferOptions;
import com.azure.storage.blob.options.BlobParallelUploadOptions;
import com.azure.storage.blob.specialized.BlockBlobClient;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlobTests extends Suite {
  /** Small limits, so that a few megabytes already go up in blocks. */
  static final ParallelTransferOptions IN_BLOCKS =
      new ParallelTransferOptions().setBlockSizeLong((long) MIB).setMaxSingleUploadSizeLong((long) MIB).setMaxConcurrency(4);

  static List<Long> sizes(BlobClient blob) {
    return blob.getBlockBlobClient().listBlocks(BlockListType.COMMITTED).getCommittedBlocks().stream().map(Block::getSizeLong).toList();
  }

  @Test
  void aSmallBlobGoesUpAndDown() throws Exception {
    BlobClient blob = newContainer().getBlobClient("a folder/grüße #1?.txt");
    assertFalse(blob.exists());
    refused(404, "BlobNotFound", blob::downloadContent);
    byte[] md5 = MessageDigest.getInstance("MD5").digest("Hello".getBytes());
    var headers =
        new BlobHttpHeaders()
            .setContentType("text/plain")
            .setCacheControl("no-store")
            .setContentLanguage("de")
            .setContentDisposition("attachment")
            .setContentEncoding("identity")
            .setContentMd5(md5);
    var options =
        new BlobParallelUploadOptions(BinaryData.fromString("Hello"))
            .setHeaders(headers)
            .setMetadata(Map.of("author", "somebody"))
            .setTags(Map.of("topic", "greetings / more"));
    var uploaded = blob.uploadWithResponse(options, null, null).getValue();

    assertEquals("Hello", text(blob));
    var properties = blob.getProperties();
    assertEquals(uploaded.getETag(), properties.getETag());
    assertEquals(Map.of("author", "somebody"), properties.getMetadata());
    assertEquals(
        List.of("text/plain", "no-store", "de", "attachment", "identity"),
        List.of(
            properties.getContentType(),
            properties.getCacheControl(),
            properties.getContentLanguage(),
            properties.getContentDisposition(),
            properties.getContentEncoding()));
    assertArrayEquals(md5, properties.getContentMd5());
    assertEquals(BlobType.BLOCK_BLOB, properties.getBlobType());
    assertEquals(AccessTier.HOT, properties.getAccessTier());
    assertEquals(true, properties.isAccessTierInferred());
    assertEquals(1, properties.getTagCount());
    assertEquals(5, properties.getBlobSize());
    refused(409, "BlobAlreadyExists", () -> blob.upload(BinaryData.fromString("again")));
  }

  @Test
  void whatIsSaidOfABlobChanges() {
    BlobClient blob = newBlob();
    var before = blob.getProperties();
    blob.setHttpHeaders(new BlobHttpHeaders().setContentLanguage("fr"));
    blob.setMetadata(Map.of("a", "b"));
    var after = blob.getProperties();
    assertEquals("fr", after.getContentLanguage());
    assertNull(after.getContentMd5());
    assertEquals(Map.of("a", "b"), after.getMetadata());
    assertEquals(before.getCreationTime(), after.getCreationTime());
    assertNotEquals(before.getETag(), after.getETag());
  }

  @Test
  void anEmptyBlob() {
    BlobClient blob = newContainer().getBlobClient("empty");
    put(blob, "");
    assertEquals("", text(blob));
    blob.getBlockBlobClient().upload(new ByteArrayInputStream(new byte[0]), 0, true);
    assertEquals(0, blob.getProperties().getBlobSize());
    blob.getBlockBlobClient().commitBlockList(List.of(), true);
    assertEquals("", text(blob));
  }

  @Test
  void aLargeBlobGoesUpInParallelAndDownInPieces(@TempDir Path folder) throws IOException {
    byte[] content = pattern(5 * MIB + 17);
    BlobClient blob = newContainer().getBlobClient("large");
    var options =
        new BlobParallelUploadOptions(BinaryData.fromBytes(content)).setParallelTransferOptions(IN_BLOCKS).setMetadata(Map.of("made", "ofBlocks"));
    blob.uploadWithResponse(options, null, null);
    assertEquals(List.of((long) MIB, (long) MIB, (long) MIB, (long) MIB, (long) MIB, 17L), sizes(blob));
    assertEquals(Map.of("made", "ofBlocks"), blob.getProperties().getMetadata());
    assertArrayEquals(content, blob.downloadContent().toBytes());

    String file = folder.resolve("down").toString();
    blob.downloadToFileWithResponse(
        file, null, new ParallelTransferOptions().setBlockSizeLong(MIB + 1L).setMaxConcurrency(3), null, null, false, null, null);
    assertArrayEquals(content, Files.readAllBytes(Path.of(file)));

    BlobClient other = newContainer().getBlobClient("file");
    other.uploadFromFile(file, IN_BLOCKS, null, null, null, null, null);
    assertArrayEquals(content, other.downloadContent().toBytes());
    assertEquals(6, sizes(other).size());
  }

  @Test
  void aStreamIsWrittenAndRead() throws IOException {
    byte[] content = pattern(3 * MIB + 5);
    BlobClient blob = newContainer().getBlobClient("stream");
    try (var stream = blob.getBlockBlobClient().getBlobOutputStream(IN_BLOCKS, null, null, null, null)) {
      for (int at = 0; at < content.length; at += 100_000) stream.write(content, at, Math.min(100_000, content.length - at));
    }
    try (var stream = blob.openInputStream()) {
      assertArrayEquals(content, stream.readAllBytes());
    }
    assertEquals(4, sizes(blob).size());
  }

  @ParameterizedTest
  @CsvSource({"0,5,hello", "7,,world", "7,100,world", "11,1,d"})
  void ranges(long offset, Long count, String expected) {
    BlobClient blob = newBlob();
    var got = new ByteArrayOutputStream();
    var answer = blob.downloadStreamWithResponse(got, count == null ? new BlobRange(offset) : new BlobRange(offset, count), null, null, false, null, null);
    assertEquals(expected, got.toString());
    assertEquals(206, answer.getStatusCode());
    assertEquals(
        "bytes %d-%d/12".formatted(offset, offset + expected.length() - 1), answer.getDeserializedHeaders().getContentRange());
  }

  @Test
  void aRangeThatIsNotThere() {
    BlobClient blob = newBlob();
    refused(
        416,
        "InvalidRange",
        () -> blob.downloadStreamWithResponse(new ByteArrayOutputStream(), new BlobRange(12, 1L), null, null, false, null, null));
  }

  @Test
  void blocksWaitUntilTheyAreCommitted() {
    BlobClient blob = newContainer().getBlobClient("of three");
    BlockBlobClient blocks = blob.getBlockBlobClient();
    String one = base64("one"), two = base64("two"), six = base64("six");
    Map.of(one, "aaa", two, "bb", six, "c").forEach((id, content) -> blocks.stageBlock(id, BinaryData.fromString(content)));
    assertFalse(blob.exists());
    assertEquals(3, blocks.listBlocks(BlockListType.UNCOMMITTED).getUncommittedBlocks().size());
    blocks.commitBlockList(List.of(two, one));
    assertEquals("bbaaa", text(blob));
    var known = blocks.listBlocks(BlockListType.ALL);
    assertEquals(List.of(two, one), names(known.getCommittedBlocks(), Block::getName));
    assertEquals(0, known.getUncommittedBlocks().size());
    refused(400, "InvalidBlockList", () -> blocks.commitBlockList(List.of(six), true));
    blocks.stageBlock(base64("longer"), BinaryData.fromString("d"));
    refused(400, "InvalidBlobOrBlock", () -> blocks.stageBlock(one, BinaryData.fromString("d")));
    assertEquals("bbaaa", text(blob));
  }

  @Test
  void tiers() {
    BlobClient blob = newBlob();
    blob.setAccessTier(AccessTier.COOL);
    assertEquals(AccessTier.COOL, blob.getProperties().getAccessTier());
    blob.setAccessTier(AccessTier.ARCHIVE);
    refused(409, "BlobArchived", blob::downloadContent);
    blob.setAccessTier(AccessTier.HOT);
    assertEquals(ArchiveStatus.REHYDRATE_PENDING_TO_HOT, blob.getProperties().getArchiveStatus());
    assertTrue(blob.exists());
  }
}
