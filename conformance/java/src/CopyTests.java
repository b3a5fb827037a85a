import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.BlobHttpHeaders;
import com.azure.storage.blob.models.BlobRange;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.models.CopyStatusType;
import com.azure.storage.blob.options.BlobBeginCopyOptions;
import com.azure.storage.blob.options.BlobCopyFromUrlOptions;
import com.azure.storage.blob.options.BlobParallelUploadOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CopyTests extends Suite {
  static BlobBeginCopyOptions from(BlobClient source) {
    return new BlobBeginCopyOptions(source.getBlobUrl()).setPollInterval(Duration.ofMillis(1));
  }

  @Test
  void aCopyCarriesContentAndMetadata() {
    BlobContainerClient container = newContainer();
    BlobClient source = container.getBlobClient("source #?% blob"), target = container.getBlobClient("copy");
    var options =
        new BlobParallelUploadOptions(BinaryData.fromString("to copy"))
            .setMetadata(Map.of("from", "source"))
            .setHeaders(new BlobHttpHeaders().setContentType("text/plain"));
    source.uploadWithResponse(options, null, null);
    var copied = target.beginCopy(from(source)).waitForCompletion().getValue();
    assertEquals(CopyStatusType.SUCCESS, copied.getCopyStatus());
    var properties = target.getProperties();
    assertEquals(copied.getCopyId(), properties.getCopyId());
    assertEquals(source.getBlobUrl(), properties.getCopySource());
    assertEquals("7/7", properties.getCopyProgress());
    assertEquals(Map.of("from", "source"), properties.getMetadata());
    assertEquals("text/plain", properties.getContentType());
    assertEquals("to copy", text(target));

    target.beginCopy(from(source).setMetadata(Map.of("own", "1"))).waitForCompletion();
    assertEquals(Map.of("own", "1"), target.getProperties().getMetadata());
    refused(409, "NoPendingCopyOperation CopyIdMismatch", () -> target.abortCopyFromUrl(copied.getCopyId()));
    var absent = new BlobRequestConditions().setIfNoneMatch("*");
    refused(409, "BlobAlreadyExists", () -> target.beginCopy(from(source).setDestinationRequestConditions(absent)).poll());
    refused(404, "BlobNotFound", () -> target.beginCopy(from(container.getBlobClient("missing"))).poll());
  }

  @Test
  void aCopyWithinTheCall() {
    BlobClient source = newBlob(), target = newContainer().getBlobClient("copy");
    target.copyFromUrlWithResponse(new BlobCopyFromUrlOptions(SasTests.readable(source)).setTags(Map.of("own", "1")), null, null);
    assertEquals("hello, world", text(target));
    assertEquals(Map.of("own", "1"), target.getTags());
  }

  @Test
  void aBlobFromAnAddress() {
    BlobClient source = newBlob(), target = newContainer().getBlobClient("whole");
    var blocks = target.getBlockBlobClient();
    blocks.uploadFromUrl(SasTests.readable(source));
    assertEquals("hello, world", text(target));
    blocks.stageBlockFromUrl(base64("1"), SasTests.readable(source), new BlobRange(7, 5L));
    blocks.commitBlockList(List.of(base64("1")), true);
    assertEquals("world", text(target));
    refused(401, "CannotVerifyCopySource", () -> blocks.uploadFromUrl(source.getBlobUrl(), true));
    assertEquals("world", text(target));
  }
}
