package conformance

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
)

// bearing is a client of this blob with a token of these values.
func bearing(t *testing.T, client *blockblob.Client, values sas.BlobSignatureValues) *blockblob.Client {
	t.Helper()
	place := done(blob.ParseURL(client.URL()))(t)
	values.ContainerName, values.BlobName = place.ContainerName, place.BlobName
	if values.ExpiryTime.IsZero() && values.Identifier == "" {
		values.ExpiryTime = inAnHour(t)
	}
	token := done(values.SignWithSharedKey(credential))(t)
	return done(blockblob.NewClientWithNoCredential(client.URL()+"?"+token.Encode(), &blockblob.ClientOptions{ClientOptions: options}))(t)
}

func TestATokenForABlob(t *testing.T) {
	client := newBlob(t)
	reader := bearing(t, client, sas.BlobSignatureValues{Permissions: "r", ContentType: "text/x-own"})
	equal(t, text(t, reader), "hello, world")
	equal(t, *done(reader.GetProperties(ctx, nil))(t).ContentType, "text/x-own")
	_, err := reader.Upload(ctx, body("new"), nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
	_, err = bearing(t, client, sas.BlobSignatureValues{Permissions: "c"}).Upload(ctx, body("new"), nil)
	refused(t, err, 403, "UnauthorizedBlobOverwrite")
	done(bearing(t, client, sas.BlobSignatureValues{Permissions: "w"}).Upload(ctx, body("new"), nil))(t)
	equal(t, text(t, client), "new")
}

func TestATokenHasItsTimeAndItsPlace(t *testing.T) {
	client := newBlob(t)
	for _, c := range []struct {
		values sas.BlobSignatureValues
		code   string
	}{
		{sas.BlobSignatureValues{ExpiryTime: now(t).Add(-time.Minute)}, "AuthenticationFailed"},
		{sas.BlobSignatureValues{StartTime: inAnHour(t), ExpiryTime: inAnHour(t).Add(time.Hour)}, "AuthenticationFailed"},
		{sas.BlobSignatureValues{IPRange: sas.IPRange{Start: net.IPv4(203, 0, 113, 7)}}, "AuthorizationSourceIPMismatch"},
		{sas.BlobSignatureValues{Protocol: sas.ProtocolHTTPS}, "AuthorizationProtocolMismatch"},
	} {
		c.values.Permissions = "r"
		_, err := get(bearing(t, client, c.values), nil)
		refused(t, err, 403, c.code)
	}
	anywhere := sas.IPRange{Start: net.IPv4(0, 0, 0, 0), End: net.IPv4(255, 255, 255, 255)}
	equal(t, text(t, bearing(t, client, sas.BlobSignatureValues{Permissions: "r", StartTime: anHourAgo(t), IPRange: anywhere})), "hello, world")
}

func TestATokenForAContainer(t *testing.T) {
	client := filled(t, "a b/ü")
	address := done(client.GetSASURL(sas.ContainerPermissions{Read: true, List: true, Create: true}, inAnHour(t), nil))(t)
	holder := done(container.NewClientWithNoCredential(address, &container.ClientOptions{ClientOptions: options}))(t)
	equal(t, listed(t, holder, nil), []string{"a b/ü"})
	equal(t, text(t, holder.NewBlobClient("a b/ü")), "x")
	put(t, holder.NewBlockBlobClient("new"), "data")
	_, err := holder.NewBlobClient("new").Delete(ctx, nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
	_, err = holder.Delete(ctx, nil)
	refused(t, err, 403, "AuthorizationFailure", "AuthorizationPermissionMismatch")
}

func TestATokenForTheAccount(t *testing.T) {
	name := unique()
	address := done(blobs.GetSASURL(sas.AccountResourceTypes{Service: true, Container: true, Object: true},
		sas.AccountPermissions{Read: true, Write: true, List: true, Create: true, Delete: true}, inAnHour(t), nil))(t)
	holder := done(service.NewClientWithNoCredential(address, &service.ClientOptions{ClientOptions: options}))(t)
	done(holder.CreateContainer(ctx, name, nil))(t)
	put(t, holder.NewContainerClient(name).NewBlockBlobClient("a"), "data")
	found := done(pages(holder.NewListContainersPager(&service.ListContainersOptions{Prefix: &name})))(t)
	equal(t, *found[0].ContainerItems[0].Name, name)
	done(holder.DeleteContainer(ctx, name, nil))(t)

	address = done(blobs.GetSASURL(sas.AccountResourceTypes{Object: true}, sas.AccountPermissions{List: true}, inAnHour(t), nil))(t)
	holder = done(service.NewClientWithNoCredential(address, &service.ClientOptions{ClientOptions: options}))(t)
	_, err := pages(holder.NewListContainersPager(nil))
	refused(t, err, 403, "AuthorizationResourceTypeMismatch")
}

func TestAStoredPolicyGrantsUntilItIsRevoked(t *testing.T) {
	client := newBlob(t)
	policies := []*container.SignedIdentifier{{ID: to.Ptr("readers"), AccessPolicy: &container.AccessPolicy{
		Permission: to.Ptr("r"), Start: to.Ptr(anHourAgo(t)), Expiry: to.Ptr(inAnHour(t)),
	}}}
	done(containerOf(t, client).SetAccessPolicy(ctx, &container.SetAccessPolicyOptions{ContainerACL: policies}))(t)
	kept := done(containerOf(t, client).GetAccessPolicy(ctx, nil))(t).SignedIdentifiers
	equal(t, []string{*kept[0].ID, *kept[0].AccessPolicy.Permission}, []string{"readers", "r"})
	equal(t, kept[0].AccessPolicy.Expiry.UTC(), policies[0].AccessPolicy.Expiry.UTC())
	reader := bearing(t, client, sas.BlobSignatureValues{Identifier: "readers"})
	equal(t, text(t, reader), "hello, world")
	_, err := reader.Delete(ctx, nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
	done(containerOf(t, client).SetAccessPolicy(ctx, nil))(t)
	_, err = get(reader, nil)
	refused(t, err, 403, "AuthenticationFailed")
}

const (
	user   = "0bef7f36-c9d2-4d24-8066-c7e915fe5143"
	tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
)

// identity signs in as a user, with a token that nobody signs.
type identity struct{}

func (identity) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	at := time.Now()
	claims := must(json.Marshal(map[string]any{
		"aud": "https://storage.azure.com", "iss": "https://sts.windows.net/" + tenant + "/", "oid": user, "tid": tenant,
		"iat": at.Unix() - 60, "nbf": at.Unix() - 60, "exp": at.Unix() + 365*24*3600,
	}))
	text := base64.RawURLEncoding.EncodeToString
	token := text([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + text(claims) + "." + text([]byte("signature"))
	return azcore.AccessToken{Token: token, ExpiresOn: at.Add(time.Hour)}, nil
}

// secure is the endpoint of the server that speaks https.
func secure(t *testing.T, name string) string {
	t.Helper()
	address := os.Getenv(name)
	if address == "" {
		t.Skip(name + " is not set")
	}
	return address
}

// overHTTPS are the options of a client that trusts that server.
func overHTTPS(t *testing.T) azcore.ClientOptions {
	t.Helper()
	trusted := x509.NewCertPool()
	equal(t, trusted.AppendCertsFromPEM(done(os.ReadFile(os.Getenv("SECURE_CERTIFICATE")))(t)), true)
	return azcore.ClientOptions{
		Retry:     policy.RetryOptions{MaxRetries: -1},
		Transport: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}},
	}
}

func TestAUserWorksOverHTTPS(t *testing.T) {
	client := done(service.NewClient(secure(t, "SECURE_BLOB_URL"), identity{}, &service.ClientOptions{ClientOptions: overHTTPS(t)}))(t)
	holding := client.NewContainerClient(unique())
	done(holding.Create(ctx, nil))(t)
	t.Cleanup(func() { done(holding.Delete(ctx, nil))(t) })
	put(t, holding.NewBlockBlobClient("a"), "work")
	equal(t, text(t, holding.NewBlobClient("a")), "work")
}

func TestAUserDelegates(t *testing.T) {
	// The SDK takes the first label of the host for the account, so the account is named there: every such name leads to this machine.
	at := done(url.Parse(blobURL))(t)
	here := azcore.ClientOptions{
		Retry:                           policy.RetryOptions{MaxRetries: -1},
		InsecureAllowCredentialWithHTTP: true,
		Transport: &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, at.Host)
			},
		}},
	}
	address := "http://" + account + ".blob.localhost:" + at.Port()
	client := done(service.NewClient(address, identity{}, &service.ClientOptions{ClientOptions: here}))(t)
	holding := client.NewContainerClient(unique())
	done(holding.Create(ctx, nil))(t)
	t.Cleanup(func() { done(holding.Delete(ctx, nil))(t) })
	put(t, holding.NewBlockBlobClient("a"), "lent")

	since, until := anHourAgo(t), inAnHour(t)
	lent := done(client.GetUserDelegationCredential(ctx, service.KeyInfo{
		Start: to.Ptr(since.UTC().Format(sas.TimeFormat)), Expiry: to.Ptr(until.UTC().Format(sas.TimeFormat)),
	}, nil))(t)
	name := done(blob.ParseURL(holding.URL()))(t).ContainerName
	values := sas.BlobSignatureValues{ContainerName: name, BlobName: "a", Permissions: "r", StartTime: since, ExpiryTime: until}
	token := done(values.SignWithUserDelegation(lent))(t)
	bearer := func(query string) *blockblob.Client {
		return done(blockblob.NewClientWithNoCredential(holding.NewBlobClient("a").URL()+"?"+query, &blockblob.ClientOptions{ClientOptions: here}))(t)
	}
	equal(t, text(t, bearer(token.Encode())), "lent")
	equal(t, []string{token.SignedOID(), token.SignedTID()}, []string{user, tenant})
	_, err := bearer(token.Encode()).Delete(ctx, nil)
	refused(t, err, 403, "AuthorizationPermissionMismatch")
	_, err = client.GetUserDelegationCredential(ctx, service.KeyInfo{
		Start: to.Ptr(since.UTC().Format(sas.TimeFormat)), Expiry: to.Ptr(since.UTC().AddDate(0, 0, 8).Format(sas.TimeFormat)),
	}, nil)
	refused(t, err, 400, "InvalidXmlNodeValue")
}
