package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

var (
	tables          = must(aztables.NewServiceClientFromConnectionString(connectionString, tableOptions()))
	tableCredential = must(aztables.NewSharedKeyCredential(account, key))
)

func tableOptions() *aztables.ClientOptions {
	return &aztables.ClientOptions{ClientOptions: options}
}

// newTable is gone after the test.
func newTable(t *testing.T, name string) *aztables.Client {
	t.Helper()
	client := tables.NewClient(name)
	done(client.CreateTable(ctx, nil))(t)
	t.Cleanup(func() { done(client.Delete(ctx, nil))(t) })
	return client
}

// entity is an entity of partition "p", as the SDK takes it.
func entity(row string, properties map[string]any) []byte {
	return must(json.Marshal(aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "p", RowKey: row}, Properties: properties}))
}

func add(t *testing.T, client *aztables.Client, row string, properties map[string]any) aztables.AddEntityResponse {
	t.Helper()
	return done(client.AddEntity(ctx, entity(row, properties), nil))(t)
}

func read(t *testing.T, client *aztables.Client, row string) aztables.EDMEntity {
	t.Helper()
	var found aztables.EDMEntity
	ok(t, json.Unmarshal(done(client.GetEntity(ctx, "p", row, nil))(t).Value, &found))
	return found
}

// query gives the row keys of what matches, a string a page.
func query(client *aztables.Client, options *aztables.ListEntitiesOptions) ([]string, error) {
	found := []string{}
	list, err := pages(client.NewListEntitiesPager(options))
	for _, page := range list {
		rows := ""
		for _, value := range page.Entities {
			var one aztables.EDMEntity
			if err := json.Unmarshal(value, &one); err != nil {
				return nil, err
			}
			rows += one.RowKey
		}
		found = append(found, rows)
	}
	return found, err
}

func rows(t *testing.T, client *aztables.Client, filter string) string {
	t.Helper()
	return strings.Join(done(query(client, &aztables.ListEntitiesOptions{Filter: &filter}))(t), "")
}

func TestTablesAreMadeListedAndDeleted(t *testing.T) {
	stem := unique()
	for _, letter := range []string{"c", "a", "b"} {
		newTable(t, stem+letter)
	}
	_, err := tables.CreateTable(ctx, stem+"A", nil)
	refused(t, err, 409, "TableAlreadyExists")
	_, err = tables.CreateTable(ctx, "0digit", nil)
	refused(t, err, 400, "InvalidResourceName")
	_, err = tables.DeleteTable(ctx, stem+"none", nil)
	refused(t, err, 404, "ResourceNotFound")
	filter := fmt.Sprintf("TableName ge '%s' and TableName lt '%s'", stem, stem+"z")
	found := []string{}
	list := done(pages(tables.NewListTablesPager(&aztables.ListTablesOptions{Filter: &filter, Top: to.Ptr[int32](2)})))(t)
	for _, page := range list {
		found = append(found, names(page.Tables, func(table *aztables.TableProperties) *string { return table.Name })...)
	}
	equal(t, found, []string{stem + "a", stem + "b", stem + "c"})
	equal(t, len(list), 2)
}

func TestEveryTypeComesBack(t *testing.T) {
	client := newTable(t, unique())
	want := map[string]any{
		"text": "é'\"\\\n啊😀", "small": int32(39), "ratio": 3.5, "large": aztables.EDMInt64(9223372036854775807), "yes": true,
		"born": aztables.EDMDateTime(time.Date(1973, 10, 4, 1, 2, 3, 456_789_000, time.UTC)),
		"id":   aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"), "bytes": aztables.EDMBinary{0, 1, 254, 255},
	}
	added := add(t, client, "r", want)
	found := read(t, client, "r")
	equal(t, found.Properties, want)
	equal(t, found.ETag, string(added.ETag))
	if age := now(t).Sub(time.Time(found.Timestamp)); age < -2*time.Second || age > time.Minute {
		t.Fatalf("the timestamp is %v old", age)
	}
}

func TestOddKeys(t *testing.T) {
	client := newTable(t, unique())
	// Plain JSON: EDMEntity writes each quote of a key twice.
	plain := func(row string, n int) []byte {
		return must(json.Marshal(map[string]any{"PartitionKey": "p", "RowKey": row, "n": n}))
	}
	for _, row := range []string{"it's", "a b", "%41+&=:@,;$!*()", "é啊😀", "''"} {
		done(client.AddEntity(ctx, plain(row, 1), nil))(t)
		done(client.UpdateEntity(ctx, plain(row, 2), nil))(t)
		equal(t, read(t, client, row).Properties, map[string]any{"n": int32(2)})
		equal(t, rows(t, client, "RowKey eq '"+strings.ReplaceAll(row, "'", "''")+"'"), row)
		done(client.DeleteEntity(ctx, "p", row, nil))(t)
		_, err := client.GetEntity(ctx, "p", row, nil)
		refused(t, err, 404, "ResourceNotFound")
	}
}

func TestEntitiesChangeOnTheirConditions(t *testing.T) {
	client := newTable(t, unique())
	added := add(t, client, "r", map[string]any{"a": int32(1), "b": int32(2)})
	_, err := client.AddEntity(ctx, entity("r", nil), nil)
	refused(t, err, 409, "EntityAlreadyExists")
	_, err = client.UpdateEntity(ctx, entity("none", nil), nil)
	refused(t, err, 404, "ResourceNotFound")
	merge := &aztables.UpdateEntityOptions{IfMatch: &added.ETag, UpdateMode: aztables.UpdateModeMerge}
	done(client.UpdateEntity(ctx, entity("r", map[string]any{"b": int32(3)}), merge))(t)
	equal(t, read(t, client, "r").Properties, map[string]any{"a": int32(1), "b": int32(3)})
	_, err = client.UpdateEntity(ctx, entity("r", nil), &aztables.UpdateEntityOptions{IfMatch: &added.ETag, UpdateMode: aztables.UpdateModeReplace})
	refused(t, err, 412, "UpdateConditionNotSatisfied")
	_, err = client.DeleteEntity(ctx, "p", "r", &aztables.DeleteEntityOptions{IfMatch: &added.ETag})
	refused(t, err, 412, "UpdateConditionNotSatisfied")

	done(client.UpsertEntity(ctx, entity("r", map[string]any{"c": int32(4)}), &aztables.UpsertEntityOptions{UpdateMode: aztables.UpdateModeMerge}))(t)
	equal(t, read(t, client, "r").Properties, map[string]any{"a": int32(1), "b": int32(3), "c": int32(4)})
	done(client.UpsertEntity(ctx, entity("r", map[string]any{"d": int32(5)}), &aztables.UpsertEntityOptions{UpdateMode: aztables.UpdateModeReplace}))(t)
	equal(t, read(t, client, "r").Properties, map[string]any{"d": int32(5)})
	done(client.UpsertEntity(ctx, entity("new", nil), nil))(t)
	done(client.DeleteEntity(ctx, "p", "r", &aztables.DeleteEntityOptions{IfMatch: to.Ptr(azcore.ETag(read(t, client, "r").ETag))}))(t)
	equal(t, rows(t, client, ""), "new")
}

func TestQueriesAndPages(t *testing.T) {
	client := newTable(t, unique())
	for n := range 9 {
		add(t, client, fmt.Sprint(n), map[string]any{"n": int32(n), "even": n%2 == 0, "large": aztables.EDMInt64(n)})
	}
	for filter, expected := range map[string]string{
		"n gt 6": "78", "even eq true and n lt 4": "02", "large ge 7L": "78", "not (n lt 7)": "78", "n eq '7'": "",
		"PartitionKey eq 'p' and RowKey ge '7'": "78", "": "012345678",
	} {
		equal(t, rows(t, client, filter), expected)
	}
	equal(t, done(query(client, &aztables.ListEntitiesOptions{Top: to.Ptr[int32](4)}))(t), []string{"0123", "4567", "8"})
	_, err := query(client, &aztables.ListEntitiesOptions{Filter: to.Ptr("aaa bbb ccc")})
	refused(t, err, 400, "InvalidInput")
	chosen := done(client.NewListEntitiesPager(&aztables.ListEntitiesOptions{Select: to.Ptr("n")}).NextPage(ctx))(t)
	var one aztables.EDMEntity
	ok(t, json.Unmarshal(chosen.Entities[3], &one))
	equal(t, one.Properties, map[string]any{"n": int32(3)})
}

// undone is refused for a transaction: its answer is 202, and the SDK leaves the refusal in its text.
func undone(t *testing.T, err error, status, code string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "HTTP/1.1 "+status) || !strings.Contains(err.Error(), code) {
		t.Fatalf("got %v, not %s %s", err, status, code)
	}
}

func TestTransactionsAreAllOrNothing(t *testing.T) {
	client := newTable(t, unique())
	n := func(n int32) map[string]any { return map[string]any{"n": n} }
	done(client.SubmitTransaction(ctx, []aztables.TransactionAction{
		{ActionType: aztables.TransactionTypeAdd, Entity: entity("a", n(1))},
		{ActionType: aztables.TransactionTypeInsertMerge, Entity: entity("b", n(2))},
		{ActionType: aztables.TransactionTypeInsertReplace, Entity: entity("c", n(3))},
	}, nil))(t)
	equal(t, rows(t, client, ""), "abc")
	_, err := client.SubmitTransaction(ctx, []aztables.TransactionAction{
		{ActionType: aztables.TransactionTypeAdd, Entity: entity("d", nil)},
		{ActionType: aztables.TransactionTypeAdd, Entity: entity("a", nil)},
	}, nil)
	undone(t, err, "409 Conflict", "EntityAlreadyExists")
	_, err = client.SubmitTransaction(ctx, []aztables.TransactionAction{
		{ActionType: aztables.TransactionTypeDelete, Entity: entity("a", nil)},
		{ActionType: aztables.TransactionTypeUpdateMerge, Entity: entity("b", n(9)), IfMatch: to.Ptr(azcore.ETag(read(t, client, "a").ETag))},
	}, nil)
	undone(t, err, "412 Precondition Failed", "UpdateConditionNotSatisfied")
	equal(t, rows(t, client, ""), "abc")
	done(client.SubmitTransaction(ctx, []aztables.TransactionAction{
		{ActionType: aztables.TransactionTypeUpdateMerge, Entity: entity("a", map[string]any{"m": int32(2)})},
		{ActionType: aztables.TransactionTypeUpdateReplace, Entity: entity("b", n(7))},
		{ActionType: aztables.TransactionTypeDelete, Entity: entity("c", nil)},
	}, nil))(t)
	equal(t, read(t, client, "a").Properties, map[string]any{"n": int32(1), "m": int32(2)})
	equal(t, read(t, client, "b").Properties, n(7))
	equal(t, rows(t, client, ""), "ab")
}

func TestTokensOfATable(t *testing.T) {
	name := unique()
	client := newTable(t, name)
	for _, row := range []string{"a", "b", "c"} {
		add(t, client, row, nil)
	}
	// The SDK signs bounds of keys, but does not send them: other suites try these.
	token := done(aztables.SASSignatureValues{TableName: name, Permissions: "rau", ExpiryTime: inAnHour(t)}.Sign(tableCredential))(t)
	holder := done(aztables.NewClientWithNoCredential(tableURL+"/"+name+"?"+token, tableOptions()))(t)
	equal(t, rows(t, holder, ""), "abc")
	done(holder.UpsertEntity(ctx, entity("b", nil), nil))(t)
	_, err := holder.DeleteEntity(ctx, "p", "b", nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")

	all := done(aztables.AccountSASSignatureValues{Permissions: "rl", ResourceTypes: "sco", Services: "t", ExpiryTime: inAnHour(t)}.Sign(tableCredential))(t)
	reader := done(aztables.NewServiceClientWithNoCredential(tableURL+"?"+all.Encode(), tableOptions()))(t)
	equal(t, rows(t, reader.NewClient(name), ""), "abc")
	_, err = reader.CreateTable(ctx, unique(), nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
}

func TestPoliciesOfATable(t *testing.T) {
	client := newTable(t, unique())
	done(client.SetAccessPolicy(ctx, &aztables.SetAccessPolicyOptions{TableACL: []*aztables.SignedIdentifier{{
		ID:           to.Ptr("readers"),
		AccessPolicy: &aztables.AccessPolicy{Permission: to.Ptr("r"), Start: to.Ptr(anHourAgo(t)), Expiry: to.Ptr(inAnHour(t))},
	}}}))(t)
	kept := done(client.GetAccessPolicy(ctx, nil))(t).SignedIdentifiers
	equal(t, []string{*kept[0].ID, *kept[0].AccessPolicy.Permission}, []string{"readers", "r"})
}

func TestAUserWorksWithTables(t *testing.T) {
	// This SDK shows tokens over https alone.
	client := done(aztables.NewServiceClient(secure(t, "SECURE_TABLE_URL"), identity{}, &aztables.ClientOptions{ClientOptions: overHTTPS(t)}))(t).NewClient(unique())
	done(client.CreateTable(ctx, nil))(t)
	t.Cleanup(func() { done(client.Delete(ctx, nil))(t) })
	add(t, client, "r", map[string]any{"a": "b"})
	equal(t, read(t, client, "r").Properties, map[string]any{"a": "b"})
}

func TestPropertiesAndStatisticsOfTheTableService(t *testing.T) {
	before := done(tables.GetProperties(ctx, nil))(t)
	equal(t, *before.Logging.Version, "1.0")
	t.Cleanup(func() {
		done(tables.SetProperties(ctx, aztables.ServiceProperties{Cors: []*aztables.CorsRule{}}, nil))(t)
	})
	rule := &aztables.CorsRule{
		AllowedOrigins: to.Ptr("http://example.test"), AllowedMethods: to.Ptr("GET"), AllowedHeaders: to.Ptr("*"),
		ExposedHeaders: to.Ptr("*"), MaxAgeInSeconds: to.Ptr[int32](5),
	}
	done(tables.SetProperties(ctx, aztables.ServiceProperties{Cors: []*aztables.CorsRule{rule}}, nil))(t)
	equal(t, done(tables.GetProperties(ctx, nil))(t).Cors, []*aztables.CorsRule{rule})
	secondary := must(aztables.NewServiceClientWithSharedKey(tableURL+"-secondary", tableCredential, tableOptions()))
	equal(t, string(*done(secondary.GetStatistics(ctx, nil))(t).GeoReplication.Status), "live")
}
