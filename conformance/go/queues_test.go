package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2/sas"
)

var queues = must(azqueue.NewServiceClientFromConnectionString(connectionString, queueOptions()))

// queueOptions are new for every client: the SDK keeps a client's credential in them.
func queueOptions() *azqueue.ClientOptions {
	return &azqueue.ClientOptions{ClientOptions: options}
}

// newQueue is gone after the test.
func newQueue(t *testing.T, name string) *azqueue.QueueClient {
	t.Helper()
	client := queues.NewQueueClient(name)
	done(client.Create(ctx, nil))(t)
	t.Cleanup(func() { done(client.Delete(ctx, nil))(t) })
	return client
}

// texts are the messages that are taken, hidden for a minute.
func texts(t *testing.T, client *azqueue.QueueClient) []string {
	t.Helper()
	taken := done(client.DequeueMessages(ctx, &azqueue.DequeueMessagesOptions{NumberOfMessages: to.Ptr[int32](32), VisibilityTimeout: to.Ptr[int32](60)}))(t)
	return names(taken.Messages, func(message *azqueue.DequeuedMessage) *string { return message.MessageText })
}

// seen are the messages that can be looked at.
func seen(t *testing.T, client *azqueue.QueueClient) []string {
	t.Helper()
	found := done(client.PeekMessages(ctx, &azqueue.PeekMessagesOptions{NumberOfMessages: to.Ptr[int32](32)}))(t)
	return names(found.Messages, func(message *azqueue.PeekedMessage) *string { return message.MessageText })
}

func TestAQueueComesAndGoes(t *testing.T) {
	client := queues.NewQueueClient(unique())
	done(client.Create(ctx, &azqueue.CreateOptions{Metadata: metadata("a", "1")}))(t)
	_, err := client.Create(ctx, nil)
	refused(t, err, 409, "QueueAlreadyExists")
	done(client.SetMetadata(ctx, &azqueue.SetMetadataOptions{Metadata: metadata("b", "two")}))(t)
	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, found.Metadata, metadata("B", "two"))
	equal(t, *found.ApproximateMessagesCount, 0)
	done(client.Delete(ctx, nil))(t)
	_, err = client.Delete(ctx, nil)
	refused(t, err, 404, "QueueNotFound")
	_, err = client.EnqueueMessage(ctx, "x", nil)
	refused(t, err, 404, "QueueNotFound")
	_, err = queues.CreateQueue(ctx, "UPPERCASE", nil)
	refused(t, err, 400, "InvalidResourceName")
}

func TestQueuesAreListedPageByPage(t *testing.T) {
	stem := unique()
	for _, letter := range []string{"c", "a", "b"} {
		newQueue(t, stem+letter)
	}
	for _, size := range []int32{1, 2, 3, 10} {
		found := []string{}
		for _, page := range done(pages(queues.NewListQueuesPager(&azqueue.ListQueuesOptions{
			Prefix: &stem, MaxResults: &size, Include: azqueue.ListQueuesInclude{Metadata: true},
		})))(t) {
			found = append(found, names(page.Queues, func(queue *azqueue.Queue) *string { return queue.Name })...)
		}
		equal(t, found, []string{stem + "a", stem + "b", stem + "c"})
	}
}

func TestTextsComeBackAsTheyWereSent(t *testing.T) {
	client := newQueue(t, unique())
	for _, text := range []string{"hello", " sp\tace\n", "啊齄丂狛狜 😀", "<a>&amp;'\"</a>", strings.Repeat("x", 64*1024)} {
		sent := done(client.EnqueueMessage(ctx, text, nil))(t).Messages[0]
		taken := done(client.DequeueMessage(ctx, nil))(t).Messages[0]
		equal(t, []string{*taken.MessageText, *taken.MessageID}, []string{text, *sent.MessageID})
		equal(t, *taken.DequeueCount, 1)
		equal(t, taken.ExpirationTime.Sub(*taken.InsertionTime), 7*24*time.Hour)
		done(client.DeleteMessage(ctx, *taken.MessageID, *taken.PopReceipt, nil))(t)
	}
	_, err := client.EnqueueMessage(ctx, strings.Repeat("x", 64*1024+1), nil)
	refused(t, err, 413, "RequestBodyTooLarge")
	equal(t, seen(t, client), []string{})
}

func TestWhatIsTakenIsHidden(t *testing.T) {
	client := newQueue(t, unique())
	for _, text := range []string{"one", "two", "three"} {
		done(client.EnqueueMessage(ctx, text, nil))(t)
	}
	equal(t, seen(t, client), []string{"one", "two", "three"})
	equal(t, texts(t, client), []string{"one", "two", "three"})
	equal(t, texts(t, client), []string{})
	done(client.EnqueueMessage(ctx, "later", &azqueue.EnqueueMessageOptions{VisibilityTimeout: to.Ptr[int32](90), TimeToLive: to.Ptr[int32](-1)}))(t)
	done(client.EnqueueMessage(ctx, "short", &azqueue.EnqueueMessageOptions{TimeToLive: to.Ptr[int32](30)}))(t)
	equal(t, seen(t, client), []string{"short"})
	equal(t, *done(client.GetProperties(ctx, nil))(t).ApproximateMessagesCount, 5)
	advance(t, time.Minute)
	equal(t, texts(t, client), []string{"one", "two", "three"})
	advance(t, 30*time.Second)
	equal(t, seen(t, client), []string{"later"})
	done(client.ClearMessages(ctx, nil))(t)
	equal(t, *done(client.GetProperties(ctx, nil))(t).ApproximateMessagesCount, 0)
	_, err := client.DequeueMessages(ctx, &azqueue.DequeueMessagesOptions{NumberOfMessages: to.Ptr[int32](33)})
	refused(t, err, 400, "OutOfRangeQueryParameterValue")
}

func TestWhoHoldsAMessageMayChangeIt(t *testing.T) {
	client := newQueue(t, unique())
	done(client.EnqueueMessage(ctx, "before", nil))(t)
	taken := done(client.DequeueMessage(ctx, nil))(t).Messages[0]
	updated := done(client.UpdateMessage(ctx, *taken.MessageID, *taken.PopReceipt, "after", &azqueue.UpdateMessageOptions{VisibilityTimeout: to.Ptr[int32](0)}))(t)
	_, err := client.UpdateMessage(ctx, *taken.MessageID, *taken.PopReceipt, "again", nil)
	refused(t, err, 404, "MessageNotFound")
	_, err = client.DeleteMessage(ctx, *taken.MessageID, *taken.PopReceipt, nil)
	refused(t, err, 404, "MessageNotFound")
	_, err = client.DeleteMessage(ctx, *taken.MessageID, "nonsense", nil)
	refused(t, err, 400, "InvalidQueryParameterValue")
	again := done(client.DequeueMessage(ctx, nil))(t).Messages[0]
	equal(t, *again.MessageText, "after")
	equal(t, *again.DequeueCount, 2)
	if *again.PopReceipt == *updated.PopReceipt {
		t.Fatal("the receipt is as before")
	}
	done(client.DeleteMessage(ctx, *again.MessageID, *again.PopReceipt, nil))(t)
	equal(t, *done(client.GetProperties(ctx, nil))(t).ApproximateMessagesCount, 0)
}

func TestTokensOfAQueue(t *testing.T) {
	name := unique()
	client := newQueue(t, name)
	holder := func(values sas.QueueSignatureValues) *azqueue.QueueClient {
		values.QueueName = name
		if values.Identifier == "" {
			values.ExpiryTime = inAnHour(t)
		}
		token := done(values.SignWithSharedKey(must(azqueue.NewSharedKeyCredential(account, key))))(t)
		return done(azqueue.NewQueueClientWithNoCredential(client.URL()+"?"+token.Encode(), queueOptions()))(t)
	}
	done(holder(sas.QueueSignatureValues{Permissions: "a"}).EnqueueMessage(ctx, "by token", nil))(t)
	equal(t, seen(t, holder(sas.QueueSignatureValues{Permissions: "r"})), []string{"by token"})
	_, err := holder(sas.QueueSignatureValues{Permissions: "rau"}).DequeueMessage(ctx, nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
	equal(t, texts(t, holder(sas.QueueSignatureValues{Permissions: "p"})), []string{"by token"})

	done(client.SetAccessPolicy(ctx, &azqueue.SetAccessPolicyOptions{QueueACL: []*azqueue.SignedIdentifier{{
		ID:           to.Ptr("readers"),
		AccessPolicy: &azqueue.AccessPolicy{Permission: to.Ptr("r"), Start: to.Ptr(anHourAgo(t)), Expiry: to.Ptr(inAnHour(t))},
	}}}))(t)
	kept := done(client.GetAccessPolicy(ctx, nil))(t).SignedIdentifiers
	equal(t, []string{*kept[0].ID, *kept[0].AccessPolicy.Permission}, []string{"readers", "r"})
	equal(t, seen(t, holder(sas.QueueSignatureValues{Identifier: "readers"})), []string{})
	done(client.SetAccessPolicy(ctx, nil))(t)
	_, err = holder(sas.QueueSignatureValues{Identifier: "readers"}).PeekMessage(ctx, nil)
	refused(t, err, 403, "AuthenticationFailed")
}

func TestATokenForTheQueuesOfAnAccount(t *testing.T) {
	name := unique()
	newQueue(t, name)
	token := done(sas.AccountSignatureValues{Permissions: "l", ResourceTypes: "sc", ExpiryTime: inAnHour(t)}.
		SignWithSharedKey(must(azqueue.NewSharedKeyCredential(account, key))))(t)
	lister := done(azqueue.NewServiceClientWithNoCredential(queueURL+"?"+token.Encode(), queueOptions()))(t)
	found := done(pages(lister.NewListQueuesPager(&azqueue.ListQueuesOptions{Prefix: &name})))(t)
	equal(t, len(found[0].Queues), 1)
	_, err := lister.CreateQueue(ctx, unique(), nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
}

func TestAUserWorksWithQueues(t *testing.T) {
	client := done(azqueue.NewServiceClient(queueURL, identity{}, queueOptions()))(t).NewQueueClient(unique())
	done(client.Create(ctx, nil))(t)
	t.Cleanup(func() { done(client.Delete(ctx, nil))(t) })
	done(client.EnqueueMessage(ctx, "by name", nil))(t)
	equal(t, seen(t, client), []string{"by name"})
}

func TestPropertiesAndStatisticsOfTheQueueService(t *testing.T) {
	before := done(queues.GetServiceProperties(ctx, nil))(t)
	t.Cleanup(func() { done(queues.SetProperties(ctx, &azqueue.SetPropertiesOptions{CORS: []*azqueue.CORSRule{}}))(t) })
	rule := &azqueue.CORSRule{
		AllowedOrigins: to.Ptr("http://example.test"), AllowedMethods: to.Ptr("GET"), AllowedHeaders: to.Ptr(""),
		ExposedHeaders: to.Ptr(""), MaxAgeInSeconds: to.Ptr[int32](5),
	}
	done(queues.SetProperties(ctx, &azqueue.SetPropertiesOptions{CORS: []*azqueue.CORSRule{rule}}))(t)
	after := done(queues.GetServiceProperties(ctx, nil))(t)
	equal(t, *after.CORS[0].AllowedOrigins, "http://example.test")
	equal(t, after.Logging, before.Logging)
	secondary := must(azqueue.NewServiceClientWithSharedKeyCredential(queueURL+"-secondary", must(azqueue.NewSharedKeyCredential(account, key)), queueOptions()))
	equal(t, string(*done(secondary.GetStatistics(ctx, nil))(t).GeoReplication.Status), "live")
}
