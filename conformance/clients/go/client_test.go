// The helper for Go: what a test changes is undone, and a test sees and disturbs requests.
package clients

import (
	"net/http"
	"strings"
	"testing"

	lazuli "github.com/lazuli-storage/lazuli/clients/go"
)

func send(t *testing.T, server *lazuli.Server, method, path string) int {
	t.Helper()
	var made struct{ SAS string }
	if err := server.Control("POST", "/sas", map[string]any{"account": "devstoreaccount1"}, &made); err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(server.URL, "/_lazuli")
	request, err := http.NewRequest(method, base+"/devstoreaccount1"+path+"&"+made.SAS, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func wants(t *testing.T, status, wanted int) {
	t.Helper()
	if status != wanted {
		t.Fatalf("%d instead of %d", status, wanted)
	}
}

func TestEachTestStartsEmpty(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			server := lazuli.ForTest(t)
			wants(t, send(t, server, "PUT", "/new?restype=container"), 201)
			if err := server.Advance(60); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	server := lazuli.ForTest(t)
	rule := map[string]any{"operation": "Create Container", "times": 1, "do": map[string]any{"error": map[string]any{"code": "ServerBusy"}}}
	if err := server.Fault(rule); err != nil {
		t.Fatal(err)
	}
	wants(t, send(t, server, "PUT", "/new?restype=container"), 503)
	refused, err := server.Requests(map[string]string{"operation": "Create Container", "status": "503", "wait": "5"})
	if err != nil || len(refused) != 1 || refused[0].Code != "ServerBusy" {
		t.Fatalf("%v %v", refused, err)
	}
	wants(t, send(t, server, "PUT", "/new?restype=container"), 201)
}
