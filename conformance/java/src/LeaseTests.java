import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.models.LeaseDurationType;
import com.azure.storage.blob.models.LeaseStateType;
import com.azure.storage.blob.models.LeaseStatusType;
import com.azure.storage.blob.options.BlobBreakLeaseOptions;
import com.azure.storage.blob.specialized.BlobLeaseClient;
import com.azure.storage.blob.specialized.BlobLeaseClientBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTests extends Suite {
  static BlobLeaseClient holder(BlobClient blob, String id) {
    return new BlobLeaseClientBuilder().blobClient(blob).leaseId(id).buildClient();
  }

  static LeaseStateType state(BlobClient blob) {
    return blob.getProperties().getLeaseState();
  }

  static void upload(BlobClient blob, String lease) {
    ConditionTests.upload(blob, "new", new BlobRequestConditions().setLeaseId(lease));
  }

  @Test
  void aLeasedBlobIsItsHolders() {
    BlobClient blob = newBlob();
    BlobLeaseClient mine = holder(blob, ONE), theirs = holder(blob, TWO);
    assertEquals(ONE, mine.acquireLease(15));
    var properties = blob.getProperties();
    assertEquals(LeaseStateType.LEASED, properties.getLeaseState());
    assertEquals(LeaseDurationType.FIXED, properties.getLeaseDuration());
    assertEquals(LeaseStatusType.LOCKED, properties.getLeaseStatus());
    refused(409, "LeaseAlreadyPresent", () -> theirs.acquireLease(-1));
    refused(409, "LeaseIdMismatchWithLeaseOperation", theirs::renewLease);
    refused(412, "LeaseIdMissing", () -> put(blob, "new"));
    refused(412, "LeaseIdMismatchWithBlobOperation", () -> upload(blob, TWO));
    upload(blob, ONE);
    assertEquals("new", text(blob));
    assertEquals(TWO, mine.changeLease(TWO));
    theirs.releaseLease();
    assertEquals(LeaseStateType.AVAILABLE, state(blob));
    refused(412, "LeaseNotPresentWithBlobOperation LeaseLost", () -> upload(blob, ONE));
  }

  @Test
  void aLeaseIsBroken() {
    BlobClient blob = newBlob();
    BlobLeaseClient mine = holder(blob, ONE);
    mine.acquireLease(-1);
    assertEquals(0, mine.breakLease());
    assertEquals(LeaseStateType.BROKEN, state(blob));
    refused(409, "LeaseIsBrokenAndCannotBeRenewed", mine::renewLease);
    holder(blob, TWO).acquireLease(60);
  }

  @Test
  void aLeaseRunsOut() {
    BlobClient blob = newBlob();
    BlobLeaseClient mine = holder(blob, ONE);
    mine.acquireLease(15);
    advance(Duration.ofSeconds(15));
    assertEquals(LeaseStateType.EXPIRED, state(blob));
    mine.renewLease();
    int left = mine.breakLeaseWithResponse(new BlobBreakLeaseOptions().setBreakPeriod(Duration.ofSeconds(60)), null, null).getValue();
    assertTrue(left <= 15 && left >= 10, left + " seconds are left");
    assertEquals(LeaseStateType.BREAKING, state(blob));
    advance(Duration.ofSeconds(15));
    put(blob, "free again");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 14, 61})
  void aDurationHasBounds(int seconds) {
    BlobClient blob = newBlob();
    refused(400, "InvalidHeaderValue", () -> holder(blob, ONE).acquireLease(seconds));
  }

  @Test
  void aLeasedContainerIsNotDeleted() {
    BlobContainerClient container = newContainer();
    BlobLeaseClient mine = new BlobLeaseClientBuilder().containerClient(container).leaseId(ONE).buildClient();
    mine.acquireLease(60);
    refused(412, "LeaseIdMissing", container::delete);
    put(container.getBlobClient("a"), "leases are of the container, not of what is in it");
    mine.renewLease();
    container.deleteWithResponse(new BlobRequestConditions().setLeaseId(ONE), null, null);
  }
}
