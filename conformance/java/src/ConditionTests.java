import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.models.BlobProperties;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.options.BlobParallelUploadOptions;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConditionTests extends Suite {
  /** The conditions there are, each as it is met and as it is not. */
  enum Condition {
    MATCH((c, p) -> c.setIfMatch(p.getETag()), (c, p) -> c.setIfMatch(STALE)),
    NONE_MATCH((c, p) -> c.setIfNoneMatch(STALE), (c, p) -> c.setIfNoneMatch(p.getETag())),
    MODIFIED((c, p) -> c.setIfModifiedSince(p.getLastModified().minusHours(1)), (c, p) -> c.setIfModifiedSince(p.getLastModified().plusHours(1))),
    UNMODIFIED((c, p) -> c.setIfUnmodifiedSince(p.getLastModified()), (c, p) -> c.setIfUnmodifiedSince(p.getLastModified().minusHours(1))),
    TAGS((c, p) -> c.setTagsConditions("colour = 'blue'"), (c, p) -> c.setTagsConditions("colour = 'red'"));

    final BiConsumer<BlobRequestConditions, BlobProperties> met, unmet;

    Condition(BiConsumer<BlobRequestConditions, BlobProperties> met, BiConsumer<BlobRequestConditions, BlobProperties> unmet) {
      this.met = met;
      this.unmet = unmet;
    }
  }

  static void upload(BlobClient blob, String content, BlobRequestConditions conditions) {
    blob.uploadWithResponse(new BlobParallelUploadOptions(BinaryData.fromString(content)).setRequestConditions(conditions), null, null);
  }

  @ParameterizedTest
  @EnumSource
  void conditionsGuardReadsAndWrites(Condition condition) {
    BlobClient blob = newBlob();
    blob.setTags(Map.of("colour", "blue"));
    var met = new BlobRequestConditions();
    var unmet = new BlobRequestConditions();
    var properties = blob.getProperties();
    condition.met.accept(met, properties);
    condition.unmet.accept(unmet, properties);

    int status = List.of(Condition.NONE_MATCH, Condition.MODIFIED).contains(condition) ? 304 : 412;
    refused(status, "ConditionNotMet", () -> blob.downloadContentWithResponse(null, unmet, null, null));
    refused(status, "ConditionNotMet", () -> blob.getPropertiesWithResponse(unmet, null, null));
    refused(412, "ConditionNotMet", () -> upload(blob, "new", unmet));
    refused(412, "ConditionNotMet", () -> blob.setMetadataWithResponse(Map.of(), unmet, null, null));
    refused(412, "ConditionNotMet", () -> blob.deleteWithResponse(null, unmet, null, null));
    assertEquals(properties.getETag(), blob.getProperties().getETag());
    assertEquals("hello, world", blob.downloadContentWithResponse(null, met, null, null).getValue().toString());
    upload(blob, "new", met);
    assertEquals("new", text(blob));
  }

  @Test
  void onlyTheFirstCreates() {
    BlobClient blob = newContainer().getBlobClient("once");
    var absent = new BlobRequestConditions().setIfNoneMatch("*");
    upload(blob, "first", absent);
    refused(409, "BlobAlreadyExists", () -> upload(blob, "second", absent));
    refused(409, "BlobAlreadyExists", () -> blob.getBlockBlobClient().commitBlockList(List.of()));
    assertEquals("first", text(blob));
  }

  @Test
  void oneOfTwoWritersWins() {
    BlobClient blob = newBlob();
    var seen = new BlobRequestConditions().setIfMatch(blob.getProperties().getETag());
    upload(blob, "first", seen);
    refused(412, "ConditionNotMet", () -> upload(blob, "second", seen));
    assertEquals("first", text(blob));
  }
}
