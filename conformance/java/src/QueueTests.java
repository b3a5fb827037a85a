import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.azure.storage.common.sas.AccountSasPermission;
import com.azure.storage.common.sas.AccountSasResourceType;
import com.azure.storage.common.sas.AccountSasService;
import com.azure.storage.common.sas.AccountSasSignatureValues;
import com.azure.storage.queue.QueueClient;
import com.azure.storage.queue.QueueClientBuilder;
import com.azure.storage.queue.QueueServiceClient;
import com.azure.storage.queue.QueueServiceClientBuilder;
import com.azure.storage.queue.models.PeekedMessageItem;
import com.azure.storage.queue.models.QueueAccessPolicy;
import com.azure.storage.queue.models.QueueItem;
import com.azure.storage.queue.models.QueueMessageItem;
import com.azure.storage.queue.models.QueueServiceProperties;
import com.azure.storage.queue.models.QueueSignedIdentifier;
import com.azure.storage.queue.models.QueuesSegmentOptions;
import com.azure.storage.queue.sas.QueueSasPermission;
import com.azure.storage.queue.sas.QueueServiceSasSignatureValues;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QueueTests extends Suite {
  static final QueueServiceClient QUEUES = new QueueServiceClientBuilder().connectionString(CONNECTION_STRING).retryOptions(ONCE).buildClient();

  QueueClient newQueue(String name) {
    QueueClient queue = QUEUES.createQueue(name);
    after(queue::delete);
    return queue;
  }

  /** The messages that are taken, hidden for a minute. */
  static List<String> taken(QueueClient queue) {
    return names(queue.receiveMessages(32, Duration.ofMinutes(1), null, null), message -> message.getBody().toString());
  }

  /** The messages that can be looked at. */
  static List<String> seen(QueueClient queue) {
    return names(queue.peekMessages(32, null, null), message -> message.getBody().toString());
  }

  static void send(QueueClient queue, String text, Duration hidden, Duration life) {
    queue.sendMessageWithResponse(text, hidden, life, null, null);
  }

  static int count(QueueClient queue) {
    return queue.getProperties().getApproximateMessagesCount();
  }

  @Test
  void aQueueComesAndGoes() {
    QueueClient queue = QUEUES.getQueueClient(unique());
    queue.createWithResponse(Map.of("a", "1"), null, null);
    assertFalse(queue.createIfNotExists());
    refused(409, "QueueAlreadyExists", queue::create);
    queue.setMetadata(Map.of("b", "two"));
    assertEquals(Map.of("b", "two"), queue.getProperties().getMetadata());
    assertEquals(0, count(queue));
    queue.delete();
    refused(404, "QueueNotFound", queue::delete);
    refused(404, "QueueNotFound", () -> queue.sendMessage("x"));
    refused(400, "InvalidResourceName", () -> QUEUES.createQueue("UPPERCASE"));
  }

  @Test
  void queuesAreListedPageByPage() {
    String stem = unique();
    for (String letter : List.of("c", "a", "b")) newQueue(stem + letter);
    for (int size : new int[] {1, 2, 3, 10}) {
      var options = new QueuesSegmentOptions().setPrefix(stem).setMaxResultsPerPage(size).setIncludeMetadata(true);
      assertEquals(List.of(stem + "a", stem + "b", stem + "c"), names(QUEUES.listQueues(options, null, null), QueueItem::getName));
    }
  }

  @Test
  void textsComeBackAsTheyWereSent() {
    QueueClient queue = newQueue(unique());
    for (String text : List.of("hello", " sp\tace\n", "啊齄丂狛狜 😀", "<a>&amp;'\"</a>", "x".repeat(64 * 1024))) {
      var sent = queue.sendMessage(text);
      QueueMessageItem got = queue.receiveMessage();
      assertEquals(text, got.getBody().toString());
      assertEquals(sent.getMessageId(), got.getMessageId());
      assertEquals(1, got.getDequeueCount());
      assertEquals(Duration.ofDays(7), Duration.between(got.getInsertionTime(), got.getExpirationTime()));
      queue.deleteMessage(got.getMessageId(), got.getPopReceipt());
    }
    refused(413, "RequestBodyTooLarge", () -> queue.sendMessage("x".repeat(64 * 1024 + 1)));
    assertEquals(List.of(), seen(queue));
  }

  @Test
  void whatIsTakenIsHidden() {
    QueueClient queue = newQueue(unique());
    for (String text : List.of("one", "two", "three")) queue.sendMessage(text);
    assertEquals(List.of("one", "two", "three"), seen(queue));
    assertEquals(List.of("one", "two", "three"), taken(queue));
    assertEquals(List.of(), taken(queue));
    send(queue, "later", Duration.ofSeconds(90), Duration.ofSeconds(-1));
    send(queue, "short", null, Duration.ofSeconds(30));
    assertEquals(List.of("short"), seen(queue));
    assertEquals(5, count(queue));
    advance(Duration.ofSeconds(60));
    assertEquals(List.of("one", "two", "three"), taken(queue));
    advance(Duration.ofSeconds(30));
    assertEquals(List.of("later"), seen(queue));
    queue.clearMessages();
    assertEquals(0, count(queue));
    refused(400, "OutOfRangeQueryParameterValue", () -> queue.receiveMessages(33).stream().count());
  }

  @Test
  void whoHoldsAMessageMayChangeIt() {
    QueueClient queue = newQueue(unique());
    queue.sendMessage("before");
    QueueMessageItem got = queue.receiveMessage();
    var updated = queue.updateMessage(got.getMessageId(), got.getPopReceipt(), "after", Duration.ZERO);
    refused(404, "MessageNotFound", () -> queue.updateMessage(got.getMessageId(), got.getPopReceipt(), "again", Duration.ZERO));
    refused(404, "MessageNotFound", () -> queue.deleteMessage(got.getMessageId(), got.getPopReceipt()));
    refused(400, "InvalidQueryParameterValue", () -> queue.deleteMessage(got.getMessageId(), "nonsense"));
    QueueMessageItem again = queue.receiveMessage();
    assertEquals("after", again.getBody().toString());
    assertEquals(2, again.getDequeueCount());
    assertNotEquals(updated.getPopReceipt(), again.getPopReceipt());
    queue.deleteMessage(again.getMessageId(), again.getPopReceipt());
    assertEquals(0, count(queue));
  }

  static QueueClient bearing(QueueClient queue, QueueServiceSasSignatureValues values) {
    return new QueueClientBuilder().endpoint(queue.getQueueUrl()).sasToken(queue.generateSas(values)).retryOptions(ONCE).buildClient();
  }

  static QueueClient allowed(QueueClient queue, String letters) {
    return bearing(queue, new QueueServiceSasSignatureValues(inAnHour(), QueueSasPermission.parse(letters)));
  }

  @Test
  void tokensOfAQueue() {
    QueueClient queue = newQueue(unique());
    allowed(queue, "a").sendMessage("by token");
    assertEquals(List.of("by token"), seen(allowed(queue, "r")));
    refused(403, "AuthorizationPermissionMismatch", () -> allowed(queue, "rau").receiveMessage());
    assertEquals(List.of("by token"), taken(allowed(queue, "p")));

    var policy = new QueueAccessPolicy().setPermissions("r").setStartsOn(anHourAgo()).setExpiresOn(inAnHour());
    queue.setAccessPolicy(List.of(new QueueSignedIdentifier().setId("readers").setAccessPolicy(policy)));
    assertEquals(List.of("readers"), names(queue.getAccessPolicy(), QueueSignedIdentifier::getId));
    QueueClient reader = bearing(queue, new QueueServiceSasSignatureValues("readers"));
    assertEquals(List.of(), seen(reader));
    queue.setAccessPolicy(List.of());
    refused(403, "AuthenticationFailed", reader::peekMessage);

    var values =
        new AccountSasSignatureValues(inAnHour(), AccountSasPermission.parse("l"), AccountSasService.parse("q"), AccountSasResourceType.parse("sc"));
    var lister = new QueueServiceClientBuilder().endpoint(QUEUE_URL).sasToken(QUEUES.generateAccountSas(values)).retryOptions(ONCE).buildClient();
    var options = new QueuesSegmentOptions().setPrefix(queue.getQueueName());
    assertEquals(List.of(queue.getQueueName()), names(lister.listQueues(options, null, null), QueueItem::getName));
    refused(403, "AuthorizationPermissionMismatch", () -> lister.createQueue(unique()));
  }

  @Test
  void aUserWorksAndDelegates() {
    var trusting = trusting();
    var users =
        new QueueServiceClientBuilder().endpoint(required("SECURE_QUEUE_URL")).credential(identity()).httpClient(trusting).retryOptions(ONCE).buildClient();
    QueueClient queue = users.createQueue(unique());
    after(queue::delete);
    queue.sendMessage("by name");
    // The clock of this server is the machine's.
    var start = OffsetDateTime.now().minusHours(1);
    var lent = users.getUserDelegationKey(start, start.plusHours(2));
    assertEquals("q", lent.getSignedService());
    var values = new QueueServiceSasSignatureValues(start.plusHours(2), QueueSasPermission.parse("r")).setStartTime(start);
    String token = queue.generateUserDelegationSas(values, lent);
    var reader = new QueueClientBuilder().endpoint(queue.getQueueUrl()).sasToken(token).httpClient(trusting).retryOptions(ONCE).buildClient();
    assertEquals(List.of("by name"), names(reader.peekMessages(32, null, null), (PeekedMessageItem message) -> message.getBody().toString()));
    refused(403, "AuthorizationPermissionMismatch", reader::receiveMessage);
  }

  @Test
  void propertiesOfTheService() {
    QueueServiceProperties properties = QUEUES.getProperties();
    assertEquals("1.0", properties.getAnalyticsLogging().getVersion());
    QUEUES.setProperties(properties);
    // Not the statistics: the SDK looks for another root element than the service's.
  }
}
