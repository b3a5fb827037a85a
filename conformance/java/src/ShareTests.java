import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpPipelineCallContext;
import com.azure.core.http.policy.HttpPipelinePolicy;
import com.azure.core.http.policy.HttpPipelineSyncPolicy;
import com.azure.storage.common.ParallelTransferOptions;
import com.azure.storage.common.sas.AccountSasPermission;
import com.azure.storage.common.sas.AccountSasResourceType;
import com.azure.storage.common.sas.AccountSasService;
import com.azure.storage.common.sas.AccountSasSignatureValues;
import com.azure.storage.file.share.ShareClient;
import com.azure.storage.file.share.ShareDirectoryClient;
import com.azure.storage.file.share.ShareFileClient;
import com.azure.storage.file.share.ShareFileClientBuilder;
import com.azure.storage.file.share.ShareServiceClient;
import com.azure.storage.file.share.ShareServiceClientBuilder;
import com.azure.storage.file.share.models.ListSharesOptions;
import com.azure.storage.file.share.models.ShareFileItem;
import com.azure.storage.file.share.models.ShareFileUploadRangeOptions;
import com.azure.storage.file.share.models.ShareItem;
import com.azure.storage.file.share.models.ShareSnapshotsDeleteOptionType;
import com.azure.storage.file.share.models.ShareTokenIntent;
import com.azure.storage.file.share.options.ShareDeleteOptions;
import com.azure.storage.file.share.sas.ShareFileSasPermission;
import com.azure.storage.file.share.sas.ShareServiceSasSignatureValues;
import com.azure.storage.file.share.specialized.ShareLeaseClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShareTests extends Suite {
  static final ShareServiceClient FILES = at(FILE_URL).credential(CREDENTIAL).buildClient();

  /** The SDK drops port and path of an endpoint, so the account is named by the host, and a policy finds the way to the server. */
  static ShareServiceClientBuilder at(String address) {
    return new ShareServiceClientBuilder().endpoint(host(address)).addPolicy(towards(address)).retryOptions(ONCE);
  }

  static String host(String address) {
    return URI.create(address).getScheme() + "://" + ACCOUNT + ".file.localhost";
  }

  static HttpPipelinePolicy towards(String address) {
    URI server = URI.create(address);
    return new HttpPipelineSyncPolicy() {
      @Override
      protected void beforeSendingRequest(HttpPipelineCallContext context) {
        var request = context.getHttpRequest();
        request.setHeader(HttpHeaderName.HOST, request.getUrl().getHost());
        try {
          request.setUrl(new URL(server.getScheme(), server.getHost(), server.getPort(), request.getUrl().getFile()));
        } catch (MalformedURLException failure) {
          throw new AssertionError(failure);
        }
      }
    };
  }

  /** A share that is gone after the test, with its snapshots. */
  ShareClient newShare() {
    ShareClient share = FILES.createShare(unique());
    var whole = new ShareDeleteOptions().setDeleteSnapshotsOptions(ShareSnapshotsDeleteOptionType.INCLUDE);
    after(() -> share.deleteIfExistsWithResponse(whole, null, null));
    return share;
  }

  static ShareFileClient newFile(ShareClient share, String name, String content) {
    ShareFileClient file = share.createFile(name, content.length());
    file.upload(new ByteArrayInputStream(content.getBytes()), content.length(), (ParallelTransferOptions) null);
    return file;
  }

  static byte[] content(ShareFileClient file) {
    var got = new ByteArrayOutputStream();
    file.download(got);
    return got.toByteArray();
  }

  static String text(ShareFileClient file) {
    return new String(content(file));
  }

  /** The directories, with a slash, and files of a directory. */
  static List<String> entries(ShareDirectoryClient directory, String prefix, Integer size) {
    return names(directory.listFilesAndDirectories(prefix, size, null, null), item -> item.getName() + (item.isDirectory() ? "/" : ""))
        .stream()
        .sorted()
        .toList();
  }

  @Test
  void aShareComesAndGoes() {
    ShareClient share = FILES.getShareClient(unique());
    share.createWithResponse(Map.of("colour", "red"), 7, null, null);
    refused(409, "ShareAlreadyExists", share::create);
    share.setQuota(8);
    assertEquals(8, share.getProperties().getQuota());
    assertEquals(Map.of("colour", "red"), share.getProperties().getMetadata());
    assertEquals(0, share.getStatistics().getShareUsageInBytes());
    share.delete();
    assertFalse(share.exists());
    refused(404, "ShareNotFound", share::getProperties);
  }

  @Test
  void sharesAreListedPageByPage() {
    String stem = unique();
    for (String letter : List.of("c", "a", "b")) after(FILES.createShare(stem + letter)::delete);
    for (int size : new int[] {1, 2, 10}) {
      var options = new ListSharesOptions().setPrefix(stem).setMaxResultsPerPage(size);
      assertEquals(List.of(stem + "a", stem + "b", stem + "c"), names(FILES.listShares(options, null, null), ShareItem::getName));
    }
  }

  @Test
  void aTreeOfFiles() {
    ShareClient share = newShare();
    ShareDirectoryClient top = share.createDirectory("Top");
    top.setMetadata(Map.of("k", "v"));
    assertEquals(Map.of("k", "v"), share.getDirectoryClient("tOP").getProperties().getMetadata());
    for (String name : List.of("b", "A", "c")) top.createFile(name, 3);
    top.createSubdirectory("sub");
    for (int size : new int[] {1, 3, 100}) assertEquals(List.of("A", "b", "c", "sub/"), entries(top, null, size));
    assertEquals(List.of("A"), entries(top, "a", null));
    for (ShareFileItem item : top.listFilesAndDirectories("b", null, null, null)) assertEquals(3, item.getFileSize());
    refused(409, "DirectoryNotEmpty", top::delete);
    refused(404, "ParentNotFound", () -> share.createDirectory("none/sub"));
    refused(409, "ResourceTypeMismatch", () -> top.createFile("sub", 1));
  }

  @Test
  void filesComeBackAsTheyWereUploaded() {
    ShareDirectoryClient root = newShare().getRootDirectoryClient();
    for (int size : new int[] {5000, 9 * MIB + 7}) {
      byte[] data = pattern(size);
      ShareFileClient file = root.createFile("f" + size, size);
      file.upload(new ByteArrayInputStream(data), size, new ParallelTransferOptions().setBlockSizeLong((long) MIB).setMaxConcurrency(3));
      assertArrayEquals(data, content(file));
    }
    ShareFileClient empty = root.createFile("empty", 0);
    assertEquals("", text(empty));
    assertTrue(empty.exists());
    empty.delete();
    refused(404, "ResourceNotFound", empty::getProperties);
  }

  static void fill(ShareFileClient file, String letter, long at) {
    file.uploadRangeWithResponse(new ShareFileUploadRangeOptions(new ByteArrayInputStream(letter.repeat(512).getBytes()), 512).setOffset(at), null, null);
  }

  @Test
  void rangesOfAFile() {
    ShareClient share = newShare();
    ShareFileClient file = share.createFile("f", 4096);
    fill(file, "a", 512);
    fill(file, "b", 2048);
    assertEquals(List.of("512-1023", "2048-2559"), names(file.listRanges(), range -> range.getStart() + "-" + range.getEnd()));
    String snapshot = share.createSnapshot().getSnapshot();
    file.clearRangeWithResponse(512, 512, null, null);
    fill(file, "c", 3072);
    var changes = file.listRangesDiff(snapshot);
    assertEquals(List.of("3072-3583"), names(changes.getRanges(), range -> range.getStart() + "-" + range.getEnd()));
    assertEquals(List.of("512-1023"), names(changes.getClearRanges(), range -> range.getStart() + "-" + range.getEnd()));
    refused(409, "ShareHasSnapshots", share::delete);
    refused(416, "InvalidRange", () -> fill(file, "x", 4096));
  }

  @Test
  void aLeasedFileIsNotDeleted() {
    ShareFileClient file = newFile(newShare(), "f", "data");
    var lease = new ShareLeaseClientBuilder().fileClient(file).leaseId(ONE).buildClient();
    assertEquals(ONE, lease.acquireLease());
    refused(412, "LeaseIdMissing", file::delete);
    assertEquals(TWO, lease.changeLease(TWO));
    lease.releaseLease();
    file.delete();
  }

  @Test
  void tokensOfFiles() {
    ShareClient share = newShare();
    ShareFileClient file = newFile(share, "f", "data");
    String token = file.generateSas(new ShareServiceSasSignatureValues(inAnHour(), ShareFileSasPermission.parse("r")));
    var reader =
        new ShareFileClientBuilder().endpoint(host(FILE_URL)).addPolicy(towards(FILE_URL)).shareName(share.getShareName()).resourcePath("f").sasToken(token).retryOptions(ONCE).buildFileClient();
    assertEquals("data", text(reader));
    refused(403, "AuthorizationPermissionMismatch", reader::delete);
    var values =
        new AccountSasSignatureValues(inAnHour(), AccountSasPermission.parse("rl"), AccountSasService.parse("f"), AccountSasResourceType.parse("sco"));
    var lister = at(FILE_URL).sasToken(FILES.generateAccountSas(values)).buildClient();
    assertEquals(List.of("f"), entries(lister.getShareClient(share.getShareName()).getRootDirectoryClient(), null, null));
    refused(403, "AuthorizationPermissionMismatch", () -> lister.createShare(unique()));
  }

  @Test
  void aUserWorks() {
    String address = required("SECURE_FILE_URL");
    var trusting = trusting();
    var owner = at(address).credential(CREDENTIAL).httpClient(trusting).buildClient();
    ShareClient share = owner.createShare(unique());
    after(share::delete);
    newFile(share, "f", "data");
    var users =
        at(address).credential(identity()).shareTokenIntent(ShareTokenIntent.BACKUP).httpClient(trusting).buildClient();
    assertEquals("data", text(users.getShareClient(share.getShareName()).getFileClient("f")));
  }

  @Test
  void propertiesOfTheService() {
    var properties = FILES.getProperties();
    assertEquals("1.0", properties.getHourMetrics().getVersion());
    FILES.setProperties(properties);
  }
}
