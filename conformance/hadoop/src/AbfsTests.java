import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hadoop's ABFS driver, which Spark and Hive use, with an account that has a hierarchical namespace. */
class AbfsTests {
  static final String ADDRESS = System.getenv("HIERARCHICAL_BLOB_URL");
  static final String KEY =
      System.getenv()
          .getOrDefault(
              "AZURE_STORAGE_KEY", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==");
  static final String ALICE = "11111111-1111-1111-1111-111111111111";
  static final int MIB = 1 << 20;

  FileSystem files;

  /** The driver knows an account by its host at Azure; the endpoint says where that host is. */
  static FileSystem open(String container, String... settings) throws IOException {
    Assumptions.assumeTrue(ADDRESS != null, "HIERARCHICAL_BLOB_URL is not set");
    URI server = URI.create(ADDRESS);
    String host = server.getPath().substring(1) + ".dfs.core.windows.net";
    Configuration made = new Configuration();
    made.set("fs.azure.abfs.endpoint", server.getAuthority());
    made.set("fs.azure.always.use.https", "false");
    // From 3.5 on the driver's default is Apache's client, which it cannot make without TLS.
    made.set("fs.azure.networking.library", "JDK_HTTP_URL_CONNECTION");
    made.set("fs.azure.account.key." + host, KEY);
    made.set("fs.azure.createRemoteFileSystemDuringInitialization", "true");
    made.set("fs.azure.io.retry.max.retries", "0");
    for (int i = 0; i < settings.length; i += 2) made.set(settings[i], settings[i + 1]);
    return FileSystem.newInstance(URI.create("abfs://" + container + "@" + host + "/"), made);
  }

  @BeforeEach
  void openFiles() throws IOException {
    files = open("hadoop-" + UUID.randomUUID());
  }

  /** The driver deletes no container: everything below its root is deleted. */
  @AfterEach
  void deleteFiles() throws IOException {
    if (files == null) return;
    for (FileStatus one : files.listStatus(new Path("/"))) files.delete(one.getPath(), true);
    files.close();
  }

  static Path at(String path) {
    return new Path("/" + path);
  }

  Path write(String path, byte[] content) throws IOException {
    try (var out = files.create(at(path))) {
      out.write(content);
    }
    return at(path);
  }

  Path write(String path, String content) throws IOException {
    return write(path, content.getBytes(StandardCharsets.UTF_8));
  }

  byte[] read(Path path) throws IOException {
    try (var in = files.open(path)) {
      return in.readAllBytes();
    }
  }

  String text(Path path) throws IOException {
    return new String(read(path), StandardCharsets.UTF_8);
  }

  /** The names in a directory, those of directories with a slash. */
  List<String> names(String path) throws IOException {
    var found = new ArrayList<String>();
    for (FileStatus one : files.listStatus(at(path))) found.add(one.getPath().getName() + (one.isDirectory() ? "/" : ""));
    return found;
  }

  static byte[] pattern(int size) {
    ByteBuffer made = ByteBuffer.allocate(size + 4);
    for (int at = 0; made.position() < size; at++) made.putInt(at * 0x9E3779B1);
    return Arrays.copyOf(made.array(), size);
  }

  @Test
  void theNamespaceIsHierarchical() throws IOException {
    assertTrue(files.hasPathCapability(at(""), CommonPathCapabilities.FS_ACLS));
    FileStatus root = files.getFileStatus(at(""));
    assertTrue(root.isDirectory());
    assertEquals("rwxr-x---", root.getPermission().toString());
  }

  @Test
  void directories() throws IOException {
    assertTrue(files.mkdirs(at("a/b/c")));
    assertTrue(files.mkdirs(at("a/b/c")), "one that exists is a success");
    assertTrue(files.getFileStatus(at("a/b")).isDirectory());
    assertEquals(List.of("b/"), names("a"));
    write("a/file", "content");
    assertThrows(FileAlreadyExistsException.class, () -> files.mkdirs(at("a/file")));
    assertThrows(IOException.class, () -> files.mkdirs(at("a/file/below")));
    assertThrows(FileNotFoundException.class, () -> files.getFileStatus(at("absent")));
    assertThrows(FileNotFoundException.class, () -> files.listStatus(at("absent")));
  }

  @Test
  void filesAreCreatedAndReplaced() throws IOException {
    Path path = write("f", "hello, world");
    assertEquals("hello, world", text(path));
    FileStatus found = files.getFileStatus(path);
    assertEquals(12, found.getLen());
    assertEquals("rw-r--r--", found.getPermission().toString(), "the driver's umask, 022");
    assertThrows(FileAlreadyExistsException.class, () -> files.create(path, false));
    try (var out = files.create(path, true)) {
      out.write('x');
    }
    assertEquals("x", text(path));
    files.mkdirs(at("d"));
    assertThrows(IOException.class, () -> files.create(at("d"), true));
    assertThrows(FileNotFoundException.class, () -> files.open(at("absent")));
    assertThrows(FileNotFoundException.class, () -> files.open(at("d")));
  }

  @Test
  void largeFilesGoInPieces() throws IOException {
    try (FileSystem small = open("hadoop-" + UUID.randomUUID(), "fs.azure.write.request.size", "65536")) {
      byte[] content = pattern(MIB + 7);
      try (var out = small.create(at("large"))) {
        out.write(content);
      }
      try (var in = small.open(at("large"))) {
        assertArrayEquals(content, in.readAllBytes());
        in.seek(700_000);
        byte[] piece = new byte[100];
        in.readFully(piece);
        assertArrayEquals(Arrays.copyOfRange(content, 700_000, 700_100), piece);
        in.readFully(5, piece);
        assertArrayEquals(Arrays.copyOfRange(content, 5, 105), piece);
      }
      small.delete(at("large"), false);
    }
  }

  @Test
  void whatIsFlushedIsThere() throws IOException {
    try (var out = files.create(at("log"))) {
      out.write("one\n".getBytes(StandardCharsets.UTF_8));
      out.hflush();
      assertEquals("one\n", text(at("log")));
      out.write("two\n".getBytes(StandardCharsets.UTF_8));
      out.hsync();
      assertEquals("one\ntwo\n", text(at("log")));
      out.write("three\n".getBytes(StandardCharsets.UTF_8));
    }
    try (var out = files.append(at("log"))) {
      out.write("four\n".getBytes(StandardCharsets.UTF_8));
    }
    assertEquals("one\ntwo\nthree\nfour\n", text(at("log")));
    assertThrows(FileNotFoundException.class, () -> files.append(at("absent")));
  }

  @Test
  void aReaderOfAFileThatChangesIsRefused() throws IOException {
    Path path = write("f", pattern(100));
    try (var in = files.open(path)) {
      write("f", "other");
      assertThrows(IOException.class, in::read);
    }
  }

  @Test
  void renames() throws IOException {
    write("a/1", "1");
    write("a/b/2", "2");
    assertTrue(files.rename(at("a"), at("z")));
    assertEquals(List.of("1", "b/"), names("z"));
    assertEquals("2", text(at("z/b/2")));
    assertFalse(files.exists(at("a")));
    assertTrue(files.rename(at("z/1"), at("z/one")));
    assertFalse(files.rename(at("absent"), at("new")));
    assertFalse(files.rename(at("z/one"), at("no/such/parent")));
    assertFalse(files.rename(at("z"), at("z/b/below")));
  }

  @Test
  void renamesOntoAndInto() throws IOException {
    write("one", "1");
    write("two", "2");
    assertFalse(files.rename(at("one"), at("two")), "onto a file");
    files.mkdirs(at("d"));
    assertTrue(files.rename(at("one"), at("d")), "into a directory");
    assertEquals("1", text(at("d/one")));
    write("one", "again");
    assertFalse(files.rename(at("one"), at("d")), "into a directory that has the name");
    files.mkdirs(at("e/sub"));
    assertTrue(files.rename(at("e"), at("d")));
    assertEquals(List.of("e/", "one"), names("d"));
    assertTrue(files.exists(at("d/e/sub")));
    assertFalse(files.rename(at("d"), at("two")), "a directory onto a file");
  }

  @Test
  void lists() throws IOException {
    for (int n = 0; n < 12; n++) write("d/f%02d".formatted(n), "x".repeat(n));
    write("d/sub/deep", "deep");
    try (FileSystem paged = open(URI.create(files.getUri().toString()).getUserInfo(), "fs.azure.list.max.results", "5")) {
      FileStatus[] found = paged.listStatus(at("d"));
      assertEquals(13, found.length);
      assertEquals("f00 f11 sub", String.join(" ", found[0].getPath().getName(), found[11].getPath().getName(), found[12].getPath().getName()));
      assertEquals(11, found[11].getLen());
      var all = new ArrayList<String>();
      for (var each = paged.listFiles(at("d"), true); each.hasNext(); ) all.add(each.next().getPath().getName());
      assertEquals(13, all.size());
      assertTrue(all.contains("deep"));
    }
    assertEquals(1, files.listStatus(at("d/f00")).length);
    assertEquals(2, files.globStatus(at("d/f1*")).length);
    assertEquals(13, files.getContentSummary(at("d")).getFileCount());
  }

  @Test
  void deletes() throws IOException {
    write("d/f", "x");
    assertThrows(IOException.class, () -> files.delete(at("d"), false));
    assertTrue(files.delete(at("d/f"), false));
    assertFalse(files.delete(at("d/f"), false));
    assertTrue(files.delete(at("d"), false), "an empty directory");
    write("d/a/b", "x");
    assertTrue(files.delete(at("d"), true));
    assertFalse(files.exists(at("d")));
  }

  @Test
  void permissionsAndOwners() throws IOException {
    Path path = write("f", "x");
    files.setPermission(path, new FsPermission("640"));
    assertEquals("rw-r-----", files.getFileStatus(path).getPermission().toString());
    files.mkdirs(at("d"), new FsPermission("1777"));
    files.setPermission(at("d"), new FsPermission("1770"));
    assertTrue(files.getFileStatus(at("d")).getPermission().getStickyBit());
    files.setOwner(path, ALICE, "group");
    FileStatus found = files.getFileStatus(path);
    assertEquals(List.of(ALICE, "group"), List.of(found.getOwner(), found.getGroup()));
    files.access(path, FsAction.READ);
  }

  @Test
  void accessControlLists() throws IOException {
    Path path = at("d");
    files.mkdirs(path, new FsPermission("750"));
    files.modifyAclEntries(path, AclEntry.parseAclSpec("user:" + ALICE + ":rwx,default:user:" + ALICE + ":r-x", true));
    var status = files.getAclStatus(path);
    assertTrue(status.getEntries().contains(AclEntry.parseAclEntry("user:" + ALICE + ":rwx", true)));
    assertTrue(status.getEntries().contains(AclEntry.parseAclEntry("default:user:" + ALICE + ":r-x", true)));
    assertEquals("rwxrwx---", status.getPermission().toString(), "the mask is shown as the group's");
    assertTrue(files.getFileStatus(path).hasAcl());
    assertTrue(files.getAclStatus(write("d/child", "x")).getEntries().contains(AclEntry.parseAclEntry("user:" + ALICE + ":r-x", true)));
    files.removeAclEntries(path, AclEntry.parseAclSpec("user:" + ALICE, false));
    assertFalse(files.getAclStatus(path).getEntries().contains(AclEntry.parseAclEntry("user:" + ALICE + ":rwx", true)));
    files.removeDefaultAcl(path);
    assertTrue(files.getAclStatus(path).getEntries().stream().noneMatch(one -> one.toString().startsWith("default")));
    files.setAcl(path, AclEntry.parseAclSpec("user::rwx,group::r--,other::---,user:" + ALICE + ":r--", true));
    assertTrue(files.getAclStatus(path).getEntries().contains(AclEntry.parseAclEntry("user:" + ALICE + ":r--", true)));
    files.removeAcl(path);
    assertEquals(List.of(), files.getAclStatus(path).getEntries().stream().filter(one -> one.getName() != null).toList());
    assertThrows(IOException.class, () -> files.setAcl(at("d/child"), AclEntry.parseAclSpec("default:user::rwx", true)));
    assertThrows(FileNotFoundException.class, () -> files.getAclStatus(at("absent")));
  }

  @Test
  void extendedAttributes() throws IOException {
    for (Path path : List.of(write("f", "x"), at("d"))) {
      files.mkdirs(at("d"));
      byte[] value = "value".getBytes(StandardCharsets.UTF_8);
      files.setXAttr(path, "user.key", value);
      assertArrayEquals(value, files.getXAttr(path, "user.key"));
      assertThrows(IOException.class, () -> files.setXAttr(path, "user.key", value, java.util.EnumSet.of(XAttrSetFlag.CREATE)));
      files.setXAttr(path, "user.other", value);
      assertArrayEquals(value, files.getXAttr(path, "user.key"));
    }
  }

  @Test
  void creationOnlyOfWhatDoesNotExist() throws IOException {
    write("once", "1");
    assertThrows(FileAlreadyExistsException.class, () -> files.createFile(at("once")).overwrite(false).build());
    assertThrows(FileNotFoundException.class, () -> files.createNonRecursive(at("no/parent/f"), true, 4096, (short) 1, 4096, null));
  }
}
