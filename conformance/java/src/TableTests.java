import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.azure.core.credential.AzureNamedKeyCredential;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.ListTablesOptions;
import com.azure.data.tables.models.TableAccessPolicy;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import com.azure.data.tables.models.TableItem;
import com.azure.data.tables.models.TableSignedIdentifier;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import com.azure.data.tables.models.TableTransactionFailedException;
import com.azure.data.tables.sas.TableAccountSasPermission;
import com.azure.data.tables.sas.TableAccountSasResourceType;
import com.azure.data.tables.sas.TableAccountSasService;
import com.azure.data.tables.sas.TableAccountSasSignatureValues;
import com.azure.data.tables.sas.TableSasPermission;
import com.azure.data.tables.sas.TableSasSignatureValues;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TableTests extends Suite {
  static final RetryOptions NEVER = new RetryOptions(new FixedDelayOptions(0, Duration.ZERO));
  static final TableServiceClient TABLES = new TableServiceClientBuilder().connectionString(CONNECTION_STRING).retryOptions(NEVER).buildClient();

  TableClient newTable(String name) {
    TableClient table = TABLES.createTable(name);
    after(table::deleteTable);
    return table;
  }

  static TableEntity entity(String row, Map<String, Object> properties) {
    TableEntity made = new TableEntity("p", row);
    properties.forEach(made::addProperty);
    return made;
  }

  /** The properties of an entity, without those that every entity has. */
  static Map<String, Object> read(TableClient table, String row) {
    var found = new java.util.HashMap<>(table.getEntity("p", row).getProperties());
    found.keySet().removeIf(name -> name.contains("odata.") || List.of("PartitionKey", "RowKey", "Timestamp").contains(name));
    return found;
  }

  static String rows(TableClient table, String filter) {
    return String.join("", names(table.listEntities(new ListEntitiesOptions().setFilter(filter), null, null), TableEntity::getRowKey));
  }

  /** A change of an entity as it was read, if nobody has changed it since. */
  static void update(TableClient table, TableEntity entity, TableEntityUpdateMode mode) {
    table.updateEntityWithResponse(entity, mode, true, null, null);
  }

  @Test
  void tablesAreMadeListedAndDeleted() {
    String stem = unique();
    for (String letter : List.of("c", "a", "b")) newTable(stem + letter);
    refused(409, "TableAlreadyExists", () -> TABLES.createTable(stem + "A"));
    refused(400, "InvalidResourceName", () -> TABLES.createTable("0digit"));
    var filter = "TableName ge '%s' and TableName lt '%s'".formatted(stem, stem + "z");
    for (int size : new int[] {1, 2, 10}) {
      var options = new ListTablesOptions().setFilter(filter).setTop(size);
      assertEquals(List.of(stem + "a", stem + "b", stem + "c"), names(TABLES.listTables(options, null, null), TableItem::getName));
    }
  }

  @Test
  void everyTypeComesBack() {
    TableClient table = newTable(unique());
    Map<String, Object> want =
        Map.of(
            "text", "é'\"\\\n啊😀",
            "small", 39,
            "ratio", 3.5,
            "large", 9223372036854775807L,
            "yes", true,
            "born", OffsetDateTime.parse("1973-10-04T01:02:03.4567890Z"),
            "id", UUID.fromString("c9da6455-213d-42c9-9a79-3e9149a57833"));
    byte[] bytes = {0, 1, (byte) 254, (byte) 255};
    table.createEntity(entity("r", want).addProperty("bytes", bytes));
    Map<String, Object> found = read(table, "r");
    assertArrayEquals(bytes, (byte[]) found.remove("bytes"));
    assertEquals(want, found);
    TableEntity whole = table.getEntity("p", "r");
    assertNotNull(whole.getETag());
    assertNotNull(whole.getTimestamp());
    assertEquals(39, table.getEntityWithResponse("p", "r", List.of("small"), null, null).getValue().getProperty("small"));
  }

  @Test
  void oddKeys() {
    TableClient table = newTable(unique());
    for (String row : List.of("it's", "a b", "%41+&=:@,;$!*()", "é啊😀", "''")) {
      table.createEntity(entity(row, Map.of("n", 1)));
      table.updateEntity(entity(row, Map.of("n", 2)), TableEntityUpdateMode.MERGE);
      assertEquals(Map.of("n", 2), read(table, row));
      assertEquals(row, rows(table, "RowKey eq '" + row.replace("'", "''") + "'"));
      table.deleteEntity("p", row);
      refused(404, "ResourceNotFound", () -> table.getEntity("p", row));
    }
  }

  @Test
  void entitiesChangeOnTheirConditions() {
    TableClient table = newTable(unique());
    table.createEntity(entity("r", Map.of("a", 1, "b", 2)));
    TableEntity seen = table.getEntity("p", "r");
    refused(409, "EntityAlreadyExists", () -> table.createEntity(entity("r", Map.of())));
    refused(404, "ResourceNotFound", () -> table.updateEntity(entity("none", Map.of())));
    update(table, seen.addProperty("b", 3), TableEntityUpdateMode.MERGE);
    assertEquals(Map.of("a", 1, "b", 3), read(table, "r"));
    refused(412, "UpdateConditionNotSatisfied", () -> update(table, seen, TableEntityUpdateMode.REPLACE));
    refused(412, "UpdateConditionNotSatisfied", () -> table.deleteEntityWithResponse(seen, true, null, null));
    table.upsertEntityWithResponse(entity("r", Map.of("c", 4)), TableEntityUpdateMode.MERGE, null, null);
    assertEquals(Map.of("a", 1, "b", 3, "c", 4), read(table, "r"));
    table.upsertEntityWithResponse(entity("r", Map.of("d", 5)), TableEntityUpdateMode.REPLACE, null, null);
    assertEquals(Map.of("d", 5), read(table, "r"));
    table.upsertEntity(entity("new", Map.of()));
    table.deleteEntityWithResponse(table.getEntity("p", "r"), true, null, null);
    assertEquals("new", rows(table, null));
  }

  @Test
  void queriesAndPages() {
    TableClient table = newTable(unique());
    for (int n = 0; n < 9; n++) table.createEntity(entity("" + n, Map.of("n", n, "even", n % 2 == 0, "large", (long) n)));
    Map.of(
            "n gt 6", "78",
            "even eq true and n lt 4", "02",
            "large ge 7L", "78",
            "not (n lt 7)", "78",
            "n eq '7'", "",
            "PartitionKey eq 'p' and RowKey ge '7'", "78")
        .forEach((filter, expected) -> assertEquals(expected, rows(table, filter)));
    var pages = table.listEntities(new ListEntitiesOptions().setTop(4), null, null).streamByPage();
    assertEquals(List.of("0123", "4567", "8"), pages.map(page -> String.join("", names(page.getValue(), TableEntity::getRowKey))).toList());
    refused(400, "InvalidInput", () -> rows(table, "aaa bbb ccc"));
  }

  @Test
  void transactionsAreAllOrNothing() {
    TableClient table = newTable(unique());
    var done =
        table.submitTransaction(
            List.of(
                new TableTransactionAction(TableTransactionActionType.CREATE, entity("a", Map.of("n", 1))),
                new TableTransactionAction(TableTransactionActionType.UPSERT_MERGE, entity("b", Map.of("n", 2))),
                new TableTransactionAction(TableTransactionActionType.UPSERT_REPLACE, entity("it's", Map.of("n", 3)))));
    assertEquals(List.of(204, 204, 204), done.getTransactionActionResponses().stream().map(part -> part.getStatusCode()).toList());
    var clash =
        List.of(
            new TableTransactionAction(TableTransactionActionType.CREATE, entity("c", Map.of())),
            new TableTransactionAction(TableTransactionActionType.CREATE, entity("a", Map.of())));
    var refusal = assertThrows(TableTransactionFailedException.class, () -> table.submitTransaction(clash));
    assertEquals("EntityAlreadyExists", refusal.getValue().getErrorCode().toString());
    assertEquals(1, refusal.getFailedTransactionActionIndex());
    assertEquals("abit's", rows(table, null));
    table.submitTransaction(
        List.of(
            new TableTransactionAction(TableTransactionActionType.UPDATE_MERGE, entity("a", Map.of("m", 2))),
            new TableTransactionAction(TableTransactionActionType.UPDATE_REPLACE, entity("b", Map.of("k", 7))),
            new TableTransactionAction(TableTransactionActionType.DELETE, entity("it's", Map.of()))));
    assertEquals(Map.of("n", 1, "m", 2), read(table, "a"));
    assertEquals(Map.of("k", 7), read(table, "b"));
    assertEquals("ab", rows(table, null));
  }

  @Test
  void tokensHoldToTheirLettersAndBounds() {
    TableClient table = newTable(unique());
    for (String row : List.of("a", "b", "c")) table.createEntity(entity(row, Map.of()));
    var values =
        new TableSasSignatureValues(inAnHour(), TableSasPermission.parse("rau"))
            .setStartPartitionKey("p")
            .setStartRowKey("b")
            .setEndPartitionKey("p")
            .setEndRowKey("c");
    var bounded =
        new TableClientBuilder().endpoint(TABLE_URL).tableName(table.getTableName()).sasToken(table.generateSas(values)).retryOptions(NEVER).buildClient();
    assertEquals("bc", rows(bounded, null));
    bounded.upsertEntity(entity("b", Map.of("n", 1)));
    refused(403, "AuthorizationFailure", () -> bounded.upsertEntity(entity("a", Map.of("n", 1))));
    refused(403, "AuthorizationPermissionMismatch", () -> bounded.deleteEntity("p", "b"));

    var whole =
        new TableAccountSasSignatureValues(
            inAnHour(), TableAccountSasPermission.parse("rl"), TableAccountSasService.parse("t"), TableAccountSasResourceType.parse("sco"));
    var reader = new TableServiceClientBuilder().endpoint(TABLE_URL).sasToken(TABLES.generateAccountSas(whole)).retryOptions(NEVER).buildClient();
    assertEquals("abc", rows(reader.getTableClient(table.getTableName()), null));
    refused(403, "AuthorizationPermissionMismatch", () -> reader.createTable(unique()));
  }

  @Test
  void policiesGrant() {
    TableClient table = newTable(unique());
    table.createEntity(entity("a", Map.of()));
    var policy = new TableAccessPolicy().setPermissions("r").setStartsOn(anHourAgo()).setExpiresOn(inAnHour());
    table.setAccessPolicies(List.of(new TableSignedIdentifier("readers").setAccessPolicy(policy)));
    var kept = table.getAccessPolicies().getIdentifiers().get(0);
    assertEquals("readers r", kept.getId() + " " + kept.getAccessPolicy().getPermissions());
    String token = table.generateSas(new TableSasSignatureValues("readers"));
    var reader = new TableClientBuilder().endpoint(TABLE_URL).tableName(table.getTableName()).sasToken(token).retryOptions(NEVER).buildClient();
    assertEquals("a", rows(reader, null));
    refused(403, "AuthorizationPermissionMismatch", () -> reader.deleteEntity("p", "a"));
    table.setAccessPolicies(List.of());
    refused(403, "AuthenticationFailed", () -> rows(reader, null));
  }

  @Test
  void aUserWorks() {
    var users =
        new TableServiceClientBuilder().endpoint(required("SECURE_TABLE_URL")).credential(identity()).httpClient(trusting()).retryOptions(NEVER).buildClient();
    TableClient table = users.createTable(unique());
    after(table::deleteTable);
    table.createEntity(entity("r", Map.of("a", "b")));
    assertEquals(Map.of("a", "b"), read(table, "r"));
  }

  @Test
  void propertiesAndStatisticsOfTheService() {
    var properties = TABLES.getProperties();
    assertEquals("1.0", properties.getLogging().getAnalyticsVersion());
    TABLES.setProperties(properties);
    var secondary =
        new TableServiceClientBuilder().endpoint(TABLE_URL + "-secondary").credential(new AzureNamedKeyCredential(ACCOUNT, KEY)).retryOptions(NEVER).buildClient();
    assertEquals("live", secondary.getStatistics().getGeoReplication().getStatus().toString());
  }
}
