import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.BlobClientBuilder;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.blob.BlobServiceClient;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.blob.models.BlobAccessPolicy;
import com.azure.storage.blob.models.BlobContainerItem;
import com.azure.storage.blob.models.BlobSignedIdentifier;
import com.azure.storage.blob.models.ListBlobContainersOptions;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.blob.sas.BlobContainerSasPermission;
import com.azure.storage.blob.sas.BlobSasPermission;
import com.azure.storage.blob.sas.BlobServiceSasSignatureValues;
import com.azure.storage.common.sas.AccountSasPermission;
import com.azure.storage.common.sas.AccountSasResourceType;
import com.azure.storage.common.sas.AccountSasService;
import com.azure.storage.common.sas.AccountSasSignatureValues;
import com.azure.storage.common.sas.SasIpRange;
import com.azure.storage.common.sas.SasProtocol;
import java.util.List;
import org.junit.jupiter.api.Test;

class SasTests extends Suite {
  static BlobServiceSasSignatureValues allowed(String letters) {
    return new BlobServiceSasSignatureValues(inAnHour(), BlobSasPermission.parse(letters));
  }

  /** A client of this blob with a token of these values. */
  static BlobClient bearing(BlobClient blob, BlobServiceSasSignatureValues values) {
    return new BlobClientBuilder().endpoint(blob.getBlobUrl() + "?" + blob.generateSas(values)).retryOptions(ONCE).buildClient();
  }

  /** A blob's address with a token that reads it. */
  static String readable(BlobClient blob) {
    return blob.getBlobUrl() + "?" + blob.generateSas(allowed("rt"));
  }

  static String token(BlobContainerClient container, BlobContainerSasPermission permission) {
    return container.generateSas(new BlobServiceSasSignatureValues(inAnHour(), permission));
  }

  @Test
  void aTokenForABlob() {
    BlobClient blob = newBlob();
    BlobClient reader = bearing(blob, allowed("r").setContentType("text/x-own"));
    assertEquals("hello, world", text(reader));
    assertEquals("text/x-own", reader.getProperties().getContentType());
    refused(403, "AuthorizationPermissionMismatch", () -> put(reader, "new"));
    refused(403, "UnauthorizedBlobOverwrite", () -> put(bearing(blob, allowed("c")), "new"));
    put(bearing(blob, allowed("w")), "new");
    assertEquals("new", text(blob));
  }

  @Test
  void aTokenHasItsTimeAndItsPlace() {
    BlobClient blob = newBlob();
    var past = allowed("r").setExpiryTime(now().minusMinutes(1));
    refused(403, "AuthenticationFailed", () -> text(bearing(blob, past)));
    var future = allowed("r").setStartTime(inAnHour()).setExpiryTime(inAnHour().plusHours(1));
    refused(403, "AuthenticationFailed", () -> text(bearing(blob, future)));
    var elsewhere = allowed("r").setSasIpRange(SasIpRange.parse("203.0.113.7"));
    refused(403, "AuthorizationSourceIPMismatch", () -> text(bearing(blob, elsewhere)));
    var secured = allowed("r").setProtocol(SasProtocol.HTTPS_ONLY);
    refused(403, "AuthorizationProtocolMismatch", () -> text(bearing(blob, secured)));
    var good = allowed("r").setStartTime(anHourAgo()).setSasIpRange(SasIpRange.parse("0.0.0.0-255.255.255.255"));
    assertEquals("hello, world", text(bearing(blob, good)));
  }

  @Test
  void aTokenForAContainer() {
    BlobContainerClient container = newContainer();
    put(container.getBlobClient("a b/ü"), "x");
    String token = token(container, BlobContainerSasPermission.parse("rlc"));
    var holder = new BlobContainerClientBuilder().endpoint(container.getBlobContainerUrl()).sasToken(token).retryOptions(ONCE).buildClient();
    assertEquals(List.of("a b/ü"), ListingTests.listed(holder, new ListBlobsOptions()));
    assertEquals("x", text(holder.getBlobClient("a b/ü")));
    holder.getBlobClient("new").upload(BinaryData.fromString("data"));
    refused(403, "AuthorizationPermissionMismatch", () -> holder.getBlobClient("new").delete());
    refused(403, "AuthorizationFailure AuthorizationPermissionMismatch", holder::delete);
  }

  static BlobServiceClient account(String letters, String resources) {
    var values =
        new AccountSasSignatureValues(
            inAnHour(), AccountSasPermission.parse(letters), AccountSasService.parse("b"), AccountSasResourceType.parse(resources));
    return new BlobServiceClientBuilder().endpoint(BLOB_URL).sasToken(BLOBS.generateAccountSas(values)).retryOptions(ONCE).buildClient();
  }

  @Test
  void aTokenForTheAccount() {
    BlobServiceClient holder = account("rwdlc", "sco");
    BlobContainerClient container = holder.createBlobContainer(unique());
    after(container::delete);
    put(container.getBlobClient("a"), "data");
    var options = new ListBlobContainersOptions().setPrefix(container.getBlobContainerName());
    assertEquals(List.of(container.getBlobContainerName()), names(holder.listBlobContainers(options, null), BlobContainerItem::getName));
    refused(403, "AuthorizationResourceTypeMismatch", () -> account("l", "o").listBlobContainers().stream().count());
    refused(403, "AuthorizationPermissionMismatch", () -> account("r", "sco").createBlobContainer(unique()));
  }

  @Test
  void aStoredPolicyGrantsUntilItIsRevoked() {
    BlobClient blob = newBlob();
    BlobContainerClient container = blob.getContainerClient();
    var policy = new BlobAccessPolicy().setPermissions("r").setStartsOn(anHourAgo()).setExpiresOn(inAnHour());
    container.setAccessPolicy(null, List.of(new BlobSignedIdentifier().setId("readers").setAccessPolicy(policy)));
    var kept = container.getAccessPolicy().getIdentifiers().get(0);
    assertEquals("readers r", kept.getId() + " " + kept.getAccessPolicy().getPermissions());
    assertEquals(policy.getExpiresOn().toInstant(), kept.getAccessPolicy().getExpiresOn().toInstant());
    BlobClient reader = bearing(blob, new BlobServiceSasSignatureValues("readers"));
    assertEquals("hello, world", text(reader));
    refused(403, "AuthorizationPermissionMismatch", reader::delete);
    container.setAccessPolicy(null, List.of());
    refused(403, "AuthenticationFailed", () -> text(reader));
  }

  @Test
  void aUserWorksAndDelegates() {
    String address = required("SECURE_BLOB_URL");
    var trusting = trusting();
    var users = new BlobServiceClientBuilder().endpoint(address).credential(identity()).httpClient(trusting).retryOptions(ONCE).buildClient();
    BlobContainerClient container = users.createBlobContainer(unique());
    after(container::delete);
    BlobClient blob = container.getBlobClient("a");
    put(blob, "lent");
    assertEquals("lent", text(blob));

    // The clock of this server is the machine's.
    var start = java.time.OffsetDateTime.now().minusHours(1);
    var lent = users.getUserDelegationKey(start, start.plusHours(2));
    assertEquals(List.of(USER, TENANT, "b"), List.of(lent.getSignedObjectId(), lent.getSignedTenantId(), lent.getSignedService()));
    var values = new BlobServiceSasSignatureValues(start.plusHours(2), BlobSasPermission.parse("r")).setStartTime(start);
    String token = blob.generateUserDelegationSas(values, lent, ACCOUNT, null);
    var reader = new BlobClientBuilder().endpoint(blob.getBlobUrl() + "?" + token).httpClient(trusting).retryOptions(ONCE).buildClient();
    assertEquals("lent", text(reader));
    refused(403, "AuthorizationPermissionMismatch", reader::delete);
    refused(400, "InvalidXmlNodeValue", () -> users.getUserDelegationKey(start, start.plusDays(8)));
  }
}
