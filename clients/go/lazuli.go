// Package lazuli is an Azure Storage server for tests.
//
//	server := lazuli.ForTest(t) // what the test changes is undone when it ends
//	client, err := azblob.NewClientFromConnectionString(server.ConnectionString, nil)
package lazuli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Server is a server with --control.
type Server struct {
	ConnectionString string
	// URL is that of the control requests.
	URL string
	// The end of this process closes the pipe, and the server stops.
	stdin   io.Closer
	process *exec.Cmd
}

var shared = sync.OnceValues(func() (*Server, error) { return Start() })

// ForTest returns the server of all tests of this process, for one test that does not run in parallel with others. It makes a
// checkpoint, and restores it when the test ends.
func ForTest(t testing.TB) *Server {
	t.Helper()
	server, err := shared()
	if err == nil {
		err = server.Checkpoint("test")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Restore("test"); err != nil {
			t.Error(err)
		}
	})
	return server
}

var (
	connection = regexp.MustCompile(`^Connection string[^:]*: (.*)$`)
	endpoint   = regexp.MustCompile(`BlobEndpoint=([^;]+)`)
)

// Start returns the server that LAZULI_CONNECTION_STRING names, or starts one on free ports, in memory.
func Start(flags ...string) (*Server, error) {
	if known := os.Getenv("LAZULI_CONNECTION_STRING"); known != "" {
		return at(known)
	}
	program := os.Getenv("LAZULI_BIN")
	if program == "" {
		program = "lazuli"
	}
	flags = append([]string{"--control", "--silent", "--stop-with-stdin", "--blob-port=0", "--queue-port=0", "--table-port=0",
		"--file-port=0"}, flags...)
	process := exec.Command(program, flags...)
	process.Stderr = os.Stderr
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "LAZULI_") {
			process.Env = append(process.Env, variable)
		}
	}
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("put lazuli on the path, or name it in LAZULI_BIN: %w", err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if found := connection.FindStringSubmatch(lines.Text()); found != nil {
			server, err := at(found[1])
			if err == nil {
				server.stdin, server.process = stdin, process
			}
			go io.Copy(io.Discard, stdout)
			return server, err
		}
	}
	return nil, fmt.Errorf("%s did not start, its standard error says why: %w", program, process.Wait())
}

func at(connectionString string) (*Server, error) {
	found := endpoint.FindStringSubmatch(connectionString)
	if found == nil {
		return nil, errors.New("the connection string has no BlobEndpoint")
	}
	blob, err := url.Parse(found[1])
	if err != nil {
		return nil, err
	}
	return &Server{ConnectionString: connectionString, URL: blob.Scheme + "://" + blob.Host + "/_lazuli"}, nil
}

// Stop stops a server that was started.
func (server *Server) Stop() error {
	if server.process == nil {
		return nil
	}
	server.stdin.Close()
	return server.process.Wait()
}

// Control sends a control request with an optional document, and reads the answer into a value, unless it is nil.
func (server *Server) Control(method, path string, document, answer any) error {
	var body io.Reader
	if document != nil {
		text, err := json.Marshal(document)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, server.URL+path, body)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// Checkpoint saves the state of all accounts, and forgets the requests so far.
func (server *Server) Checkpoint(name string) error {
	if err := server.Control("POST", "/checkpoints/"+name, nil, nil); err != nil {
		return err
	}
	return server.Control("DELETE", "/requests", nil, nil)
}

// Restore returns to a checkpoint, and removes all faults.
func (server *Server) Restore(name string) error {
	if err := server.Control("DELETE", "/faults", nil, nil); err != nil {
		return err
	}
	return server.Control("POST", "/checkpoints/"+name+"/restore", nil, nil)
}

// Advance moves the clock forward: leases, signatures and messages expire without waiting.
func (server *Server) Advance(seconds int) error {
	return server.Control("POST", fmt.Sprintf("/clock?seconds=%d", seconds), nil, nil)
}

// Fault adds a fault: map[string]any{"operation": "Put Blob", "times": 1, "do": map[string]any{"cut": "after"}}.
func (server *Server) Fault(rule map[string]any) error {
	return server.Control("POST", "/faults", rule, nil)
}

// Request is a request that the server recorded.
type Request struct {
	Operation, Method, Path, Code, Reason string
	Status                                int
}

// Requests returns the latest requests that match filters such as "operation" and "status". With the filter "wait", it waits so many
// seconds until one does.
func (server *Server) Requests(filters map[string]string) ([]Request, error) {
	query := url.Values{}
	for name, value := range filters {
		query.Set(name, value)
	}
	var answer struct{ Requests []Request }
	err := server.Control("GET", "/requests?"+query.Encode(), nil, &answer)
	return answer.Requests, err
}
