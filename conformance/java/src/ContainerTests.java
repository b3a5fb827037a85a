import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.blob.BlobServiceClient;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.blob.models.BlobContainerItem;
import com.azure.storage.blob.models.BlobContainerListDetails;
import com.azure.storage.blob.models.BlobCorsRule;
import com.azure.storage.blob.models.GeoReplicationStatus;
import com.azure.storage.blob.models.LeaseStateType;
import com.azure.storage.blob.models.ListBlobContainersOptions;
import com.azure.storage.blob.models.PublicAccessType;
import com.azure.storage.common.StorageSharedKeyCredential;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerTests extends Suite {
  @Test
  void aContainerComesAndGoes() {
    BlobContainerClient container = BLOBS.getBlobContainerClient(unique());
    assertFalse(container.exists());
    refused(404, "ContainerNotFound", container::getProperties);
    container.createWithResponse(Map.of("colour", "blue"), null, null, null);
    refused(409, "ContainerAlreadyExists", container::create);
    assertFalse(container.createIfNotExists());
    var properties = container.getProperties();
    assertEquals(Map.of("colour", "blue"), properties.getMetadata());
    assertEquals(LeaseStateType.AVAILABLE, properties.getLeaseState());
    assertFalse(properties.hasImmutabilityPolicy());
    container.setMetadata(Map.of("size", "small"));
    assertEquals(Map.of("size", "small"), container.getProperties().getMetadata());
    container.delete();
    assertFalse(container.exists());
    // The service accepts a second delete while it is deleting the container.
    container.delete();
    assertFalse(container.exists());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Upper", "a--b", "-a", "ab", "a_b"})
  void aNameHasRules(String name) {
    refused(400, "InvalidResourceName OutOfRangeInput", () -> BLOBS.createBlobContainer(name));
  }

  @Test
  void containersAreListedPageByPage() {
    String stem = unique();
    for (String letter : List.of("c", "a", "b")) {
      var container = BLOBS.createBlobContainerWithResponse(stem + letter, Map.of("letter", letter), null, null).getValue();
      after(container::delete);
    }
    var options = new ListBlobContainersOptions().setPrefix(stem).setDetails(new BlobContainerListDetails().setRetrieveMetadata(true));
    for (int size : new int[] {1, 2, 3, 10}) {
      List<String> letters = new ArrayList<>();
      BLOBS.listBlobContainers(options.setMaxResultsPerPage(size), null)
          .iterableByPage()
          .forEach(
              page -> {
                assertTrue(page.getValue().size() <= size);
                letters.addAll(names(page.getValue(), item -> item.getMetadata().get("letter")));
              });
      assertEquals(List.of("a", "b", "c"), letters);
    }
    assertEquals(List.of(stem + "a", stem + "b", stem + "c"), names(BLOBS.listBlobContainers(options, null), BlobContainerItem::getName));
  }

  @Test
  void whoMayReadWithoutAName() {
    BlobContainerClient container = newContainer();
    put(container.getBlobClient("a"), "data");
    var anyone = new BlobContainerClientBuilder().endpoint(container.getBlobContainerUrl()).retryOptions(ONCE).buildClient();
    refused(401, "NoAuthenticationInformation", anyone::getProperties);
    container.setAccessPolicy(PublicAccessType.BLOB, null);
    assertEquals("data", text(anyone.getBlobClient("a")));
    refused(401, "NoAuthenticationInformation", () -> anyone.listBlobs().stream().count());
    container.setAccessPolicy(PublicAccessType.CONTAINER, null);
    assertEquals(1, anyone.listBlobs().stream().count());
    assertEquals(PublicAccessType.CONTAINER, container.getAccessPolicy().getBlobAccessType());
    refused(401, "NoAuthenticationInformation", () -> put(anyone.getBlobClient("a"), "other"));
  }

  @Test
  void aWrongKey() {
    var wrong = new StorageSharedKeyCredential(ACCOUNT, base64("not the key"));
    BlobServiceClient client = new BlobServiceClientBuilder().endpoint(BLOB_URL).credential(wrong).retryOptions(ONCE).buildClient();
    refused(403, "AuthenticationFailed", client::getProperties);
    refused(403, "AuthenticationFailed", () -> client.createBlobContainer(unique()));
  }

  @Test
  void propertiesAndStatisticsOfTheService() {
    var properties = BLOBS.getProperties();
    var version = properties.getLogging().getVersion();
    after(() -> BLOBS.setProperties(BLOBS.getProperties().setCors(List.of())));
    var rule =
        new BlobCorsRule()
            .setAllowedOrigins("http://example.test")
            .setAllowedMethods("GET,PUT")
            .setAllowedHeaders("x-ms-*")
            .setExposedHeaders("etag")
            .setMaxAgeInSeconds(60);
    BLOBS.setProperties(properties.setCors(List.of(rule)));
    var after = BLOBS.getProperties();
    assertEquals("http://example.test", after.getCors().get(0).getAllowedOrigins());
    assertEquals(60, after.getCors().get(0).getMaxAgeInSeconds());
    assertEquals(version, after.getLogging().getVersion());
    assertEquals("StorageV2", BLOBS.getAccountInfo().getAccountKind().toString());
    var secondary = new BlobServiceClientBuilder().endpoint(BLOB_URL + "-secondary").credential(CREDENTIAL).retryOptions(ONCE).buildClient();
    assertEquals(GeoReplicationStatus.LIVE, secondary.getStatistics().getGeoReplication().getStatus());
  }
}
