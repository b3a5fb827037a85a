import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobListDetails;
import com.azure.storage.blob.models.BlobRetentionPolicy;
import com.azure.storage.blob.models.DeleteSnapshotsOptionType;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.common.StorageSharedKeyCredential;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is kept of a blob's past: snapshots, versions, and what soft delete holds back. */
class HistoryTests extends Suite {
  @Test
  void aSnapshotStaysAsItWas() {
    BlobClient blob = newBlob();
    BlobContainerClient container = blob.getContainerClient();
    String first = blob.createSnapshot().getSnapshotId();
    put(blob, "after");
    String second = blob.createSnapshotWithResponse(Map.of("own", "1"), null, null, null).getValue().getSnapshotId();
    assertEquals("hello, world", text(blob.getSnapshotClient(first)));
    assertEquals(Map.of("own", "1"), blob.getSnapshotClient(second).getProperties().getMetadata());
    var all = new ListBlobsOptions().setDetails(new BlobListDetails().setRetrieveSnapshots(true));
    assertEquals(Arrays.asList(first, second, null), names(container.listBlobs(all, null), BlobItem::getSnapshot));
    refused(409, "SnapshotsPresent", blob::delete);
    blob.getSnapshotClient(second).delete();
    refused(404, "BlobNotFound", () -> text(blob.getSnapshotClient(second)));

    blob.beginCopy(CopyTests.from(blob.getSnapshotClient(first))).waitForCompletion();
    assertEquals("hello, world", text(blob));
    blob.deleteWithResponse(DeleteSnapshotsOptionType.ONLY, null, null, null);
    assertTrue(blob.exists());
    blob.createSnapshot();
    blob.deleteWithResponse(DeleteSnapshotsOptionType.INCLUDE, null, null, null);
    assertEquals(List.of(), ListingTests.listed(container, all));
  }

  @Test
  void versions() {
    String address = required("VERSIONED_BLOB_URL");
    var credential = new StorageSharedKeyCredential(address.substring(address.lastIndexOf('/') + 1), KEY);
    var versioned = new BlobServiceClientBuilder().endpoint(address).credential(credential).retryOptions(ONCE).buildClient();
    BlobContainerClient container = versioned.createBlobContainer(unique());
    after(container::delete);
    BlobClient blob = container.getBlobClient("a");
    List<String> ids = new ArrayList<>();
    for (String content : List.of("one", "two", "three"))
      ids.add(blob.getBlockBlobClient().upload(BinaryData.fromString(content), true).getVersionId());
    assertEquals(ids.stream().sorted().toList(), ids);
    assertEquals("one", text(blob.getVersionClient(ids.get(0))));
    assertEquals(true, blob.getProperties().isCurrentVersion());

    var all = new ListBlobsOptions().setDetails(new BlobListDetails().setRetrieveVersions(true));
    assertEquals(ids, names(container.listBlobs(all, null), BlobItem::getVersionId));
    refused(403, "OperationNotAllowedOnRootBlob", () -> blob.getVersionClient(ids.get(2)).delete());
    blob.getVersionClient(ids.get(1)).delete();
    blob.delete();
    assertFalse(blob.exists());
    assertEquals(List.of(ids.get(0), ids.get(2)), names(container.listBlobs(all, null), BlobItem::getVersionId));
    assertEquals("three", text(blob.getVersionClient(ids.get(2))));
  }

  @Test
  void whatWasDeletedComesBack() {
    BlobClient blob = newBlob();
    after(() -> BLOBS.setProperties(BLOBS.getProperties().setDeleteRetentionPolicy(new BlobRetentionPolicy().setEnabled(false))));
    BLOBS.setProperties(BLOBS.getProperties().setDeleteRetentionPolicy(new BlobRetentionPolicy().setEnabled(true).setDays(2)));
    blob.delete();
    assertFalse(blob.exists());
    var all = new ListBlobsOptions().setDetails(new BlobListDetails().setRetrieveDeletedBlobs(true));
    BlobItem item = blob.getContainerClient().listBlobs(all, null).iterator().next();
    assertTrue(item.isDeleted());
    assertEquals(1, item.getProperties().getRemainingRetentionDays());
    blob.undelete();
    assertEquals("hello, world", text(blob));
    blob.delete();
    advance(Duration.ofHours(49));
    refused(404, "BlobNotFound", blob::undelete);
    assertEquals(List.of(), ListingTests.listed(blob.getContainerClient(), all));
  }
}
