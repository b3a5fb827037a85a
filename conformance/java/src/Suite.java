import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.azure.core.credential.AccessToken;
import com.azure.core.credential.TokenCredential;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.netty.NettyAsyncHttpClientBuilder;
import com.azure.core.util.BinaryData;
import com.azure.data.tables.models.TableServiceException;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobServiceClient;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.blob.models.BlobErrorCode;
import com.azure.storage.blob.models.BlobStorageException;
import com.azure.storage.blob.specialized.BlobLeaseClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import com.azure.storage.common.policy.RequestRetryOptions;
import com.azure.storage.common.policy.RetryPolicyType;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;
import reactor.core.publisher.Mono;

/** What the tests share: where the server is, a container for each test that asks, and how a refusal is read. */
abstract class Suite {
  static final String ACCOUNT = setting("AZURE_STORAGE_ACCOUNT", "devstoreaccount1");
  static final String KEY =
      setting("AZURE_STORAGE_KEY", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==");
  static final String BLOB_URL = setting("BLOB_URL", "http://127.0.0.1:10000/" + ACCOUNT);
  static final String QUEUE_URL = setting("QUEUE_URL", "http://127.0.0.1:10001/" + ACCOUNT);
  static final String TABLE_URL = setting("TABLE_URL", "http://127.0.0.1:10002/" + ACCOUNT);
  static final String FILE_URL = setting("FILE_URL", "http://127.0.0.1:10003/" + ACCOUNT);
  static final String CONNECTION_STRING =
      setting(
          "AZURE_STORAGE_CONNECTION_STRING",
          "DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;BlobEndpoint=%s;QueueEndpoint=%s;TableEndpoint=%s;FileEndpoint=%s;"
              .formatted(ACCOUNT, KEY, BLOB_URL, QUEUE_URL, TABLE_URL, FILE_URL));

  static final int MIB = 1 << 20;
  static final String ONE = "00000000-1111-2222-3333-444444444444";
  static final String TWO = "55555555-6666-7777-8888-999999999999";
  static final String STALE = "\"0x8D0000000000000\"";

  /** One try: a refusal is what many tests are about, and a server error must show at once. */
  static final RequestRetryOptions ONCE = new RequestRetryOptions(RetryPolicyType.FIXED, 1, (Duration) null, null, null, null);

  static final StorageSharedKeyCredential CREDENTIAL = new StorageSharedKeyCredential(ACCOUNT, KEY);
  static final BlobServiceClient BLOBS = new BlobServiceClientBuilder().connectionString(CONNECTION_STRING).retryOptions(ONCE).buildClient();

  private static final java.net.http.HttpClient PLAIN = java.net.http.HttpClient.newHttpClient();
  private final Deque<Runnable> after = new ArrayDeque<>();

  static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  /** The endpoint that this variable names; without it the test is skipped. */
  static String required(String name) {
    Assumptions.assumeTrue(System.getenv(name) != null, name + " is not set");
    return System.getenv(name);
  }

  /** Is done after the test, last come first. */
  void after(Runnable act) {
    after.push(act);
  }

  @AfterEach
  void tidy() {
    while (!after.isEmpty()) after.pop().run();
  }

  static String unique() {
    return "java" + UUID.randomUUID().toString().replace("-", "");
  }

  /** The server's time, which a test may have moved: the date of an answer, whatever it says. */
  static OffsetDateTime now() {
    return ZonedDateTime.parse(ask("GET", BLOB_URL).headers().firstValue("date").orElseThrow(), DateTimeFormatter.RFC_1123_DATE_TIME)
        .toOffsetDateTime();
  }

  static OffsetDateTime inAnHour() {
    return now().plusHours(1);
  }

  static OffsetDateTime anHourAgo() {
    return now().minusHours(1);
  }

  /** Moves the server's clock on. */
  static void advance(Duration by) {
    String control = required("LAZULI_CONTROL_URL");
    assertEquals(200, ask("POST", control + "/clock?seconds=" + by.toSeconds()).statusCode());
  }

  private static java.net.http.HttpResponse<Void> ask(String method, String url) {
    try {
      return PLAIN.send(HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.noBody()).build(), BodyHandlers.discarding());
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  /** A client that trusts the server that speaks https. */
  static HttpClient trusting() {
    File certificate = new File(required("SECURE_CERTIFICATE"));
    try {
      var trust = SslContextBuilder.forClient().trustManager(certificate).build();
      return new NettyAsyncHttpClientBuilder(reactor.netty.http.client.HttpClient.create().secure(spec -> spec.sslContext(trust))).build();
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  static final String USER = "0bef7f36-c9d2-4d24-8066-c7e915fe5143";
  static final String TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";

  /** Signs in as a user, with a token that nobody signs. */
  static TokenCredential identity() {
    long at = System.currentTimeMillis() / 1000;
    String claims =
        """
        {"aud":"https://storage.azure.com","iss":"https://sts.windows.net/%s/","oid":"%s","tid":"%s","iat":%d,"nbf":%d,"exp":%d}"""
            .formatted(TENANT, USER, TENANT, at - 60, at - 60, at + 365 * 24 * 3600);
    Function<String, String> text = part -> Base64.getUrlEncoder().withoutPadding().encodeToString(part.getBytes(StandardCharsets.UTF_8));
    String token = text.apply("{\"alg\":\"RS256\",\"typ\":\"JWT\"}") + "." + text.apply(claims) + "." + text.apply("signature");
    return request -> Mono.just(new AccessToken(token, OffsetDateTime.now().plusHours(1)));
  }

  /** Where the code stands when the SDK reads neither headers nor body. */
  private static final Pattern CODE = Pattern.compile("\"code\":\"(\\w+)\"");

  /** The call is refused with this status and one of these error codes. */
  static void refused(int status, String codes, Executable call) {
    HttpResponseException refusal = assertThrows(HttpResponseException.class, call);
    String code =
        refusal instanceof TableServiceException table && table.getValue() != null
            ? table.getValue().getErrorCode().toString()
            : refusal.getResponse().getHeaderValue(HttpHeaderName.fromString("x-ms-error-code"));
    if (code == null) code = CODE.matcher(refusal.getMessage()).results().map(found -> found.group(1)).findFirst().orElse(null);
    String said = refusal.getResponse().getStatusCode() + " " + code;
    assertTrue(Arrays.stream(codes.split(" ")).anyMatch(one -> said.equals(status + " " + one)), said);
  }

  /** A container that is gone after the test, leased or not. */
  BlobContainerClient newContainer() {
    BlobContainerClient container = BLOBS.createBlobContainer(unique());
    after(() -> remove(container));
    return container;
  }

  static void remove(BlobContainerClient container) {
    try {
      container.deleteIfExists();
    } catch (BlobStorageException refusal) {
      if (!BlobErrorCode.LEASE_ID_MISSING.equals(refusal.getErrorCode())) throw refusal;
      new BlobLeaseClientBuilder().containerClient(container).buildClient().breakLease();
      container.delete();
    }
  }

  /** A small blob in a container of its own. */
  BlobClient newBlob() {
    BlobClient blob = newContainer().getBlobClient("hello.txt");
    put(blob, "hello, world");
    return blob;
  }

  static void put(BlobClient blob, String content) {
    blob.upload(BinaryData.fromString(content), true);
  }

  static String text(BlobClient blob) {
    return blob.downloadContent().toString();
  }

  static <T> List<String> names(Iterable<T> items, Function<T, String> name) {
    var found = new java.util.ArrayList<String>();
    items.forEach(item -> found.add(name.apply(item)));
    return found;
  }

  static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Bytes that differ from place to place, so that a piece put in the wrong place shows. */
  static byte[] pattern(int size) {
    ByteBuffer made = ByteBuffer.allocate(size + 4);
    for (int at = 0; made.position() < size; at++) made.putInt(at * 0x9E3779B1);
    return Arrays.copyOf(made.array(), size);
  }
}
