import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import com.azure.storage.common.ParallelTransferOptions;
import com.azure.storage.common.StorageSharedKeyCredential;
import com.azure.storage.file.datalake.DataLakeDirectoryClient;
import com.azure.storage.file.datalake.DataLakeFileClient;
import com.azure.storage.file.datalake.DataLakeFileSystemClient;
import com.azure.storage.file.datalake.DataLakeFileSystemClientBuilder;
import com.azure.storage.file.datalake.DataLakeServiceClient;
import com.azure.storage.file.datalake.DataLakeServiceClientBuilder;
import com.azure.storage.file.datalake.models.AccessControlChangeCounters;
import com.azure.storage.file.datalake.models.DataLakeRequestConditions;
import com.azure.storage.file.datalake.models.DataLakeRetentionPolicy;
import com.azure.storage.file.datalake.models.FileExpirationOffset;
import com.azure.storage.file.datalake.models.ListPathsOptions;
import com.azure.storage.file.datalake.models.PathAccessControlEntry;
import com.azure.storage.file.datalake.models.PathHttpHeaders;
import com.azure.storage.file.datalake.models.PathItem;
import com.azure.storage.file.datalake.models.PathPermissions;
import com.azure.storage.file.datalake.models.PathRemoveAccessControlEntry;
import com.azure.storage.file.datalake.options.FileParallelUploadOptions;
import com.azure.storage.file.datalake.options.FileScheduleDeletionOptions;
import com.azure.storage.file.datalake.options.PathSetAccessControlRecursiveOptions;
import com.azure.storage.file.datalake.sas.DataLakeServiceSasSignatureValues;
import com.azure.storage.file.datalake.sas.FileSystemSasPermission;
import com.azure.storage.file.datalake.sas.PathSasPermission;
import com.azure.storage.file.datalake.specialized.DataLakeLeaseClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The Data Lake client, with an account that has a hierarchical namespace. */
class LakeTests extends Suite {
  private String address;
  private DataLakeServiceClient lake;
  private DataLakeFileSystemClient home;

  @BeforeEach
  void open() {
    address = required("HIERARCHICAL_BLOB_URL");
    var credential = new StorageSharedKeyCredential(address.substring(address.lastIndexOf('/') + 1), KEY);
    lake = new DataLakeServiceClientBuilder().endpoint(address).credential(credential).retryOptions(ONCE).buildClient();
    home = newFileSystem();
  }

  private DataLakeFileSystemClient newFileSystem() {
    DataLakeFileSystemClient made = lake.createFileSystem(unique());
    after(made::deleteIfExists);
    return made;
  }

  private DataLakeFileClient write(String path, String content) {
    DataLakeFileClient file = home.getFileClient(path);
    file.upload(BinaryData.fromString(content), true);
    return file;
  }

  private static String read(DataLakeFileClient file) {
    var out = new ByteArrayOutputStream();
    file.read(out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static String name(PathItem path) {
    return path.getName() + (path.isDirectory() ? "/" : "");
  }

  private static List<String> paths(DataLakeFileSystemClient home) {
    return names(home.listPaths(new ListPathsOptions().setRecursive(true), null), LakeTests::name);
  }

  private static DataLakeRequestConditions onlyNew() {
    return new DataLakeRequestConditions().setIfNoneMatch("*");
  }

  private static DataLakeRequestConditions leased(String lease) {
    return new DataLakeRequestConditions().setLeaseId(lease);
  }

  @Test
  void aFileSystemComesAndGoes() {
    home.setMetadata(Map.of("colour", "red"));
    assertEquals(Map.of("colour", "red"), home.getProperties().getMetadata());
    refused(409, "ContainerAlreadyExists FilesystemAlreadyExists", home::create);
    assertFalse(home.createIfNotExists());
    home.delete();
    assertFalse(home.exists());
    refused(404, "ContainerNotFound FilesystemNotFound", home::getProperties);
    refused(404, "FilesystemNotFound", () -> home.createDirectory("d", true));
    refused(404, "FilesystemNotFound", () -> paths(home));
  }

  @Test
  void directories() {
    DataLakeDirectoryClient directory = home.createDirectory("a/b");
    directory.createFile("file");
    directory.createSubdirectory("sub");
    directory.setMetadata(Map.of("k", "v"));
    assertEquals("v", directory.getProperties().getMetadata().get("k"));
    assertTrue(directory.getProperties().isDirectory());
    assertEquals(List.of("a/", "a/b/", "a/b/file", "a/b/sub/"), paths(home));
    refused(409, "PathAlreadyExists", () -> home.createDirectory("a/b"));
    home.createDirectory("a/b", true);
    refused(409, "DirectoryNotEmpty", directory::delete);
    directory.deleteRecursively();
    assertFalse(directory.exists());
    refused(404, "PathNotFound", directory::delete);
    assertFalse(directory.deleteIfExists());
  }

  @Test
  void files() {
    DataLakeFileClient file = home.createFile("a/b.txt");
    refused(409, "PathAlreadyExists", () -> home.createFile("a/b.txt"));
    file.append(BinaryData.fromString("hello, "), 0);
    file.append(BinaryData.fromString("world"), 7);
    assertEquals(0, file.getProperties().getFileSize());
    refused(400, "InvalidFlushPosition", () -> file.flush(13, true));
    var stale = new DataLakeRequestConditions().setIfMatch(STALE);
    refused(412, "ConditionNotMet", () -> file.flushWithResponse(12, false, false, null, stale, null, Context.NONE));
    var headers = new PathHttpHeaders().setContentType("text/plain");
    file.flushWithResponse(12, false, true, headers, new DataLakeRequestConditions(), null, Context.NONE);
    assertEquals("hello, world", read(file));
    assertEquals("text/plain", file.getProperties().getContentType());
    file.setHttpHeaders(new PathHttpHeaders().setCacheControl("no-cache"));
    assertEquals("no-cache", file.getProperties().getCacheControl());
    refused(409, "PathConflict", () -> home.createFile("a/b.txt/below", true));
    refused(404, "PathNotFound", () -> home.getFileClient("absent").append(BinaryData.fromString("x"), 0));
    file.delete();
    refused(404, "PathNotFound", file::delete);
    refused(404, "BlobNotFound PathNotFound", file::getProperties);
  }

  @Test
  void largeFilesGoInPieces() {
    byte[] content = pattern(5 * MIB + 7);
    DataLakeFileClient file = home.getFileClient("ä ö/large+%.bin");
    var pieces = new ParallelTransferOptions().setBlockSizeLong((long) MIB).setMaxSingleUploadSizeLong((long) MIB).setMaxConcurrency(3);
    file.uploadWithResponse(
        new FileParallelUploadOptions(new ByteArrayInputStream(content)).setParallelTransferOptions(pieces), null, Context.NONE);
    var out = new ByteArrayOutputStream();
    file.read(out);
    assertArrayEquals(content, out.toByteArray());
    refused(409, "PathAlreadyExists", () -> file.uploadWithResponse(
        new FileParallelUploadOptions(BinaryData.fromString("x")).setRequestConditions(onlyNew()), null, Context.NONE));
  }

  @Test
  void renames() {
    DataLakeFileClient file = write("a/b/file", "hello, world");
    String etag = file.getProperties().getETag();
    DataLakeFileClient renamed = file.rename(null, "a/b/renamed");
    assertEquals("hello, world", read(renamed));
    assertEquals(etag, renamed.getProperties().getETag());
    write("other", "other");
    refused(404, "SourcePathNotFound", () -> file.rename(null, "new"));
    refused(404, "RenameDestinationParentPathNotFound", () -> renamed.rename(null, "no/such/parent"));
    refused(409, "PathAlreadyExists", () -> renamed.renameWithResponse(null, "other", null, onlyNew(), null, Context.NONE));
    var stale = new DataLakeRequestConditions().setIfMatch(STALE);
    refused(412, "SourceConditionNotMet", () -> renamed.renameWithResponse(null, "other", stale, null, null, Context.NONE));
    home.getDirectoryClient("a").rename(null, "z");
    assertEquals(List.of("other", "z/", "z/b/", "z/b/renamed"), paths(home));
    refused(409, "InvalidRenameSourcePath", () -> home.getDirectoryClient("z").rename(null, "z/b/below"));
    refused(409, "InvalidSourceOrDestinationResourceType", () -> home.getDirectoryClient("z").rename(null, "other"));
    home.getFileClient("z/b/renamed").rename(null, "other");
    assertEquals("hello, world", read(home.getFileClient("other")));
    DataLakeFileSystemClient elsewhere = newFileSystem();
    home.getFileClient("other").rename(elsewhere.getFileSystemName(), "there");
    assertEquals(List.of("there"), paths(elsewhere));
  }

  @Test
  void leases() {
    DataLakeFileClient file = write("file", "content");
    var lease = new DataLakeLeaseClientBuilder().fileClient(file).leaseId(ONE).buildClient();
    lease.acquireLease(30);
    refused(412, "LeaseIdMissing", () -> file.append(BinaryData.fromString("!"), 7));
    refused(412, "LeaseIdMissing", file::delete);
    refused(412, "LeaseIdMissing", () -> file.rename(null, "new"));
    file.appendWithResponse(BinaryData.fromString("!"), 7, null, ONE, null, Context.NONE);
    file.flushWithResponse(8, false, false, null, leased(ONE), null, Context.NONE);
    lease.renewLease();
    lease.releaseLease();
    refused(412, "LeaseNotPresent LeaseNotPresentWithBlobOperation", () -> file.deleteWithResponse(leased(ONE), null, Context.NONE));
    assertEquals("content!", read(file));
  }

  @Test
  void accessControl() {
    DataLakeFileClient file = write("d/1", "1");
    write("d/sub/2", "2");
    var found = file.getAccessControl();
    assertEquals(List.of("$superuser", "$superuser"), List.of(found.getOwner(), found.getGroup()));
    file.setPermissions(PathPermissions.parseOctal("0754"), null, null);
    assertEquals(PathPermissions.parseOctal("0754"), file.getAccessControl().getPermissions());
    var entries = PathAccessControlEntry.parseList("user::rwx,user:" + ONE + ":r-x,group::r-x,other::---");
    file.setAccessControlList(entries, TWO, null);
    found = file.getAccessControl();
    assertEquals(List.of("$superuser", TWO), List.of(found.getOwner(), found.getGroup()));
    assertTrue(PathAccessControlEntry.serializeList(found.getAccessControlList()).contains("mask::r-x"));
    refused(404, "PathNotFound", () -> home.getFileClient("absent").getAccessControl());
    DataLakeDirectoryClient directory = home.getDirectoryClient("d");
    var seen = new ArrayList<Long>();
    var options = new PathSetAccessControlRecursiveOptions(entries).setBatchSize(2).setProgressHandler(
        one -> seen.add(changed(one.getValue().getBatchCounters())));
    var counters = directory.setAccessControlRecursiveWithResponse(options, null, Context.NONE).getValue().getCounters();
    assertEquals(List.of(2L, 2L, 0L), List.of(counters.getChangedDirectoriesCount(), counters.getChangedFilesCount(), counters.getFailedChangesCount()));
    assertEquals(List.of(2L, 2L), seen);
    directory.removeAccessControlRecursive(PathRemoveAccessControlEntry.parseList("mask,user:" + ONE));
    assertFalse(PathAccessControlEntry.serializeList(file.getAccessControl().getAccessControlList()).contains(ONE));
  }

  private static long changed(AccessControlChangeCounters counters) {
    return counters.getChangedDirectoriesCount() + counters.getChangedFilesCount();
  }

  @Test
  void listsPageByPage() {
    for (int n = 0; n < 5; n++) write("d/" + n, "x");
    var pages = new ArrayList<List<String>>();
    home.listPaths(new ListPathsOptions().setPath("d").setMaxResults(2), null)
        .iterableByPage()
        .forEach(page -> pages.add(names(page.getValue(), PathItem::getName)));
    assertEquals(List.of(List.of("d/0", "d/1"), List.of("d/2", "d/3"), List.of("d/4")), pages);
    PathItem first = home.getDirectoryClient("d").listPaths().iterator().next();
    assertEquals(List.of("d/0", "1", "$superuser", "rw-r-----"), List.of(first.getName(), "" + first.getContentLength(), first.getOwner(), first.getPermissions()));
    refused(404, "PathNotFound", () -> names(home.listPaths(new ListPathsOptions().setPath("absent"), null), PathItem::getName));
  }

  @Test
  void deletedPathsComeBack() {
    var properties = lake.getProperties();
    lake.setProperties(properties.setDeleteRetentionPolicy(new DataLakeRetentionPolicy().setEnabled(true).setDays(7)));
    after(() -> lake.setProperties(properties.setDeleteRetentionPolicy(new DataLakeRetentionPolicy().setEnabled(false))));
    write("d/sub/file", "hello, world");
    home.getDirectoryClient("d").deleteRecursively();
    var deleted = home.listDeletedPaths().stream().toList();
    assertEquals(List.of("d"), names(deleted, one -> one.getPath()));
    home.undeletePath("d", deleted.get(0).getDeletionId());
    assertEquals("hello, world", read(home.getFileClient("d/sub/file")));
  }

  @Test
  void expiry() {
    DataLakeFileClient file = write("short", "lived");
    file.scheduleDeletion(new FileScheduleDeletionOptions(Duration.ofMinutes(1), FileExpirationOffset.NOW));
    assertTrue(file.getProperties().getExpiresOn() != null);
    advance(Duration.ofSeconds(61));
    assertFalse(file.exists());
  }

  @Test
  void queries() {
    var out = new ByteArrayOutputStream();
    write("people.csv", "Ada,36\nGrace,85\n").query(out, "SELECT _1 from BlobStorage WHERE CAST(_2 AS INT) > 40");
    assertEquals("Grace\n", out.toString(StandardCharsets.UTF_8));
  }

  private DataLakeFileSystemClient signed(String sas) {
    return new DataLakeFileSystemClientBuilder()
        .endpoint(address)
        .fileSystemName(home.getFileSystemName())
        .sasToken(sas)
        .retryOptions(ONCE)
        .buildClient();
  }

  @Test
  void signatures() {
    DataLakeFileClient file = write("d/file", "hello, world");
    write("elsewhere", "elsewhere");
    var read = new FileSystemSasPermission().setReadPermission(true).setListPermission(true);
    DataLakeFileSystemClient whole = signed(home.generateSas(new DataLakeServiceSasSignatureValues(inAnHour(), read)));
    assertEquals(List.of("d/", "d/file", "elsewhere"), paths(whole));
    refused(403, "AuthorizationPermissionMismatch", () -> whole.createDirectory("new", true));
    var below = new PathSasPermission().setReadPermission(true).setListPermission(true);
    DataLakeFileSystemClient directory = signed(home.getDirectoryClient("d").generateSas(new DataLakeServiceSasSignatureValues(inAnHour(), below)));
    assertEquals("hello, world", read(directory.getFileClient("d/file")));
    refused(403, "AuthenticationFailed", () -> read(directory.getFileClient("elsewhere")));
    var only = new PathSasPermission().setReadPermission(true);
    DataLakeFileSystemClient one = signed(file.generateSas(new DataLakeServiceSasSignatureValues(inAnHour(), only)));
    assertEquals("hello, world", read(one.getFileClient("d/file")));
    refused(403, "AuthorizationPermissionMismatch", () -> one.getFileClient("d/file").append(BinaryData.fromString("x"), 12));
    assertEquals(List.of("d/file"), names(directory.getDirectoryClient("d").listPaths(), PathItem::getName));
  }
}
