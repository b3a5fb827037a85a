import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.azure.core.http.rest.Response;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.blob.batch.BlobBatchClientBuilder;
import com.azure.storage.blob.models.AccessTier;
import com.azure.storage.blob.models.BlobStorageException;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.blob.sas.BlobContainerSasPermission;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchTests extends Suite {
  BlobContainerClient filled(String... names) {
    BlobContainerClient container = newContainer();
    for (String name : names) put(container.getBlobClient(name), "x");
    return container;
  }

  @Test
  void aBatchOfDeletions() {
    BlobContainerClient container = filled("a", "with space/ü+&=.txt", "kept");
    for (boolean whole : new boolean[] {true, false}) {
      var builder = whole ? new BlobBatchClientBuilder(BLOBS) : new BlobBatchClientBuilder(container);
      put(container.getBlobClient("a"), "x");
      put(container.getBlobClient("with space/ü+&=.txt"), "x");
      var client = builder.buildClient();
      var batch = client.getBlobBatch();
      List<Response<Void>> parts =
          List.of("a", "missing", "with space/ü+&=.txt").stream().map(name -> batch.deleteBlob(container.getBlobClient(name).getBlobUrl())).toList();
      client.submitBatchWithResponse(batch, false, null, null);
      assertEquals(202, parts.get(0).getStatusCode());
      var refusal = assertThrows(BlobStorageException.class, parts.get(1)::getStatusCode);
      assertEquals("404 BlobNotFound", refusal.getStatusCode() + " " + refusal.getErrorCode());
      assertEquals(202, parts.get(2).getStatusCode());
      assertEquals(List.of("kept"), ListingTests.listed(container, new ListBlobsOptions()));
    }
  }

  @Test
  void tiersAreSetInABatch() {
    BlobContainerClient container = filled("a", "b");
    var urls = List.of(container.getBlobClient("a").getBlobUrl(), container.getBlobClient("b").getBlobUrl());
    for (var part : new BlobBatchClientBuilder(BLOBS).buildClient().setBlobsAccessTier(urls, AccessTier.COOL)) assertEquals(200, part.getStatusCode());
    assertEquals(AccessTier.COOL, container.getBlobClient("b").getProperties().getAccessTier());
  }

  @Test
  void aBatchOfWhoHasATokenForTheContainer() {
    BlobContainerClient container = filled("a");
    for (boolean allowed : new boolean[] {false, true}) {
      var permission = new BlobContainerSasPermission().setReadPermission(true).setDeletePermission(allowed);
      String token = SasTests.token(container, permission);
      var holder = new BlobContainerClientBuilder().endpoint(container.getBlobContainerUrl()).sasToken(token).retryOptions(ONCE).buildClient();
      var client = new BlobBatchClientBuilder(holder).buildClient();
      var batch = client.getBlobBatch();
      var part = batch.deleteBlob(container.getBlobContainerName(), "a");
      client.submitBatchWithResponse(batch, false, null, null);
      if (allowed) assertEquals(202, part.getStatusCode());
      else assertEquals(403, assertThrows(BlobStorageException.class, part::getStatusCode).getStatusCode());
    }
    assertEquals(List.of(), ListingTests.listed(container, new ListBlobsOptions()));
  }
}
