import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobListDetails;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.blob.models.TaggedBlobItem;
import com.azure.storage.blob.options.BlobParallelUploadOptions;
import com.azure.storage.blob.options.FindBlobsOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is listed, and what tags find. */
class ListingTests extends Suite {
  static List<String> listed(BlobContainerClient container, ListBlobsOptions options) {
    return names(container.listBlobs(options, null), BlobItem::getName);
  }

  @Test
  void everyNameIsListed() {
    BlobContainerClient container = newContainer();
    List<String> want = List.of("a/1", "a/2", "a/ü & <b>", "b", "c%20d", "e\uffff", "日本/😀");
    for (String name : want) {
      var options = new BlobParallelUploadOptions(BinaryData.fromString(name)).setMetadata(Map.of("name", "of-it")).setTags(Map.of("kind", "listed"));
      container.getBlobClient(name).uploadWithResponse(options, null, null);
    }
    List<String> found = listed(container, new ListBlobsOptions());
    assertEquals(want.stream().sorted().toList(), found.stream().sorted().toList());
    for (int size : new int[] {1, 2, 3, 100}) {
      List<String> paged = new ArrayList<>();
      container.listBlobs(new ListBlobsOptions().setMaxResultsPerPage(size), null).iterableByPage().forEach(page -> paged.addAll(names(page.getValue(), BlobItem::getName)));
      assertEquals(found, paged);
    }
    assertEquals(want.subList(0, 3), listed(container, new ListBlobsOptions().setPrefix("a/")));
    assertEquals(List.of(), listed(container, new ListBlobsOptions().setPrefix("none")));

    var details = new BlobListDetails().setRetrieveMetadata(true).setRetrieveTags(true);
    for (BlobItem item : container.listBlobs(new ListBlobsOptions().setDetails(details), null)) {
      var known = container.getBlobClient(item.getName()).getProperties();
      assertEquals(item.getName().getBytes(java.nio.charset.StandardCharsets.UTF_8).length, item.getProperties().getContentLength());
      assertEquals(Map.of("name", "of-it"), item.getMetadata());
      assertEquals(Map.of("kind", "listed"), item.getTags());
      assertEquals(known.getETag().replace("\"", ""), item.getProperties().getETag()); // a listing writes ETags without quotes
      assertEquals(known.getLastModified(), item.getProperties().getLastModified());
      assertArrayEquals(known.getContentMd5(), item.getProperties().getContentMd5());
    }
  }

  /** What is at one level, sorted: the SDK gives the folders of a page after its blobs. */
  static List<String> level(BlobContainerClient container, ListBlobsOptions options, Function<BlobItem, String> name) {
    return names(container.listBlobsByHierarchy("/", options, null), name).stream().sorted().toList();
  }

  @Test
  void aListingOfFolders() {
    BlobContainerClient container = newContainer();
    for (String name : List.of("a", "b/1", "b/2", "b/c/3", "d/4", "e")) put(container.getBlobClient(name), "x");
    for (int size : new int[] {1, 2, 10}) {
      var options = new ListBlobsOptions().setMaxResultsPerPage(size);
      assertEquals(
          List.of("a", "b/ folder", "d/ folder", "e"),
          level(container, options, item -> item.getName() + (Boolean.TRUE.equals(item.isPrefix()) ? " folder" : "")));
      assertEquals(List.of("b/1", "b/2", "b/c/"), level(container, options.setPrefix("b/"), BlobItem::getName));
    }
  }

  @Test
  void aListingOfWhatIsNotCommitted() {
    BlobContainerClient container = newContainer();
    put(container.getBlobClient("there"), "x");
    container.getBlobClient("coming").getBlockBlobClient().stageBlock(base64("1"), BinaryData.fromString("x"));
    assertEquals(List.of("there"), listed(container, new ListBlobsOptions()));
    var details = new BlobListDetails().setRetrieveUncommittedBlobs(true);
    assertEquals(List.of("coming", "there"), listed(container, new ListBlobsOptions().setDetails(details)).stream().sorted().toList());
  }

  @Test
  void aListingOfNothing() {
    refused(404, "ContainerNotFound", () -> listed(BLOBS.getBlobContainerClient(unique()), new ListBlobsOptions()));
  }

  @Test
  void tagsAreSetWhole() {
    var blob = newBlob();
    var before = blob.getProperties();
    assertEquals(Map.of(), blob.getTags());
    Map<String, String> want = Map.of("colour", "blue", "size + shape", "large: round/oval");
    blob.setTags(want);
    assertEquals(want, blob.getTags());
    blob.setTags(Map.of("other", "1"));
    assertEquals(Map.of("other", "1"), blob.getTags());
    assertEquals(before.getETag(), blob.getProperties().getETag());
    var many = IntStream.range(0, 11).boxed().collect(Collectors.toMap(String::valueOf, n -> ""));
    refused(400, "TagsTooLarge InvalidTag InvalidXmlDocument", () -> blob.setTags(many));
    assertEquals(Map.of("other", "1"), blob.getTags());
  }

  @Test
  void tagsAreSearched() {
    String mark = unique();
    List<BlobContainerClient> containers = List.of(newContainer(), newContainer());
    for (int n = 0; n < 3; n++) {
      var options = new BlobParallelUploadOptions(BinaryData.fromString("x")).setTags(Map.of("mark", mark, "n", "" + n));
      containers.get(n % 2).getBlobClient("" + n).uploadWithResponse(options, null, null);
    }
    String where = "mark = '" + mark + "'";
    for (int size : new int[] {1, 2, 10}) {
      List<String> found = new ArrayList<>();
      BLOBS.findBlobsByTags(new FindBlobsOptions(where).setMaxResultsPerPage(size), null, null).iterableByPage().forEach(page -> found.addAll(names(page.getValue(), TaggedBlobItem::getName)));
      assertEquals(List.of("0", "1", "2"), found.stream().sorted().toList());
    }
    assertEquals(List.of("2"), names(BLOBS.findBlobsByTags(where + " AND n > '1'"), TaggedBlobItem::getName));
    var here = containers.get(0).findBlobsByTags(where).stream().toList();
    assertEquals(List.of("0", "2"), here.stream().map(TaggedBlobItem::getName).sorted().toList());
    assertEquals(mark, here.get(0).getTags().get("mark"));
    refused(400, "InvalidQueryParameterValue", () -> BLOBS.findBlobsByTags("mark like 'x'").stream().count());
  }
}
