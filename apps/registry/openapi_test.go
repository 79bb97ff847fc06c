// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"bytes"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dragoman-a2a/dragoman/apps/registry"
)

// A document is the description of the API.
type document struct {
	OpenAPI string                              `json:"openapi"`
	Paths   map[string]map[string]jsonOperation `json:"paths"`
	Parts   struct {
		Responses map[string]jsonResponse `json:"responses"`
	} `json:"components"`

	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

type jsonOperation struct {
	ID          string                  `json:"operationId"`
	RequestBody jsonResponse            `json:"requestBody"`
	Responses   map[string]jsonResponse `json:"responses"`
}

type jsonResponse struct {
	Ref     string              `json:"$ref"`
	Content map[string]struct{} `json:"content"`
}

const documentFile = "../../docs/registry.openapi.json"

// theDocument is read once.
var theDocument = sync.OnceValues(func() (*document, error) {
	raw, err := os.ReadFile(documentFile)
	if err != nil {
		return nil, err
	}
	// Parameters of a path stand beside its operations; the shape of those is no operation's.
	var paths struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(raw, &paths); err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, err
	}
	for _, operations := range whole["paths"].(map[string]any) {
		delete(operations.(map[string]any), "parameters")
	}
	stripped, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	d := &document{compiler: jsonschema.NewCompiler()}
	if err := json.Unmarshal(stripped, d); err != nil {
		return nil, err
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	return d, d.compiler.AddResource("registry.openapi.json", parsed)
})

func readDocument(t *testing.T) *document {
	t.Helper()
	d, err := theDocument()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// documented returns an HTTP client that fails the test for each exchange that the document does not describe.
func documented(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: &checked{t, readDocument(t), transport}}
}

type checked struct {
	t    *testing.T
	doc  *document
	next http.RoundTripper
}

func (c *checked) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	c.doc.check(c.t, r, resp, body)
	return resp, nil
}

// check holds an answer against what the document says of it.
func (d *document) check(t *testing.T, r *http.Request, resp *http.Response, body []byte) {
	t.Helper()
	if r.Method == http.MethodHead {
		return // net/http makes it of GET
	}
	path, operations := d.pathOf(r.URL.EscapedPath())
	name := r.Method + " " + r.URL.Path
	if path == "" {
		t.Errorf("%s: the document has no such path", name)
		return
	}
	status := strconv.Itoa(resp.StatusCode)
	pointer := "/paths/" + escapePointer(path) + "/" + strings.ToLower(r.Method) + "/responses/" + status
	answer, ok := operations[strings.ToLower(r.Method)].Responses[status]
	if resp.StatusCode == http.StatusMethodNotAllowed { // of an operation that there is not
		answer, ok = jsonResponse{Ref: "#/components/responses/MethodNotAllowed"}, true
	}
	if !ok {
		t.Errorf("%s: the document has no status %s: %s", name, status, body)
		return
	}
	if answer.Ref != "" {
		pointer = strings.TrimPrefix(answer.Ref, "#")
		answer = d.Parts.Responses[pointer[strings.LastIndex(pointer, "/")+1:]]
	}
	if len(answer.Content) == 0 {
		if len(body) > 0 {
			t.Errorf("%s: status %s has a body", name, status)
		}
		return
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if _, ok := answer.Content[mediaType]; !ok {
		t.Errorf("%s: status %s is %q", name, status, mediaType)
		return
	}
	if err := d.validate(pointer+"/content/"+escapePointer(mediaType)+"/schema", body); err != nil {
		t.Errorf("%s: status %s: %v\n%.2000s", name, status, err, body)
	}
}

func (d *document) validate(pointer string, body []byte) error {
	d.mu.Lock()
	schema, err := d.compiler.Compile("registry.openapi.json#" + pointer)
	d.mu.Unlock()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func escapePointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace(s)
}

var placeholder = regexp.MustCompile(`\\\{\w+\\\}`)

// pathOf finds the path of the document that a request is for.
func (d *document) pathOf(path string) (string, map[string]jsonOperation) {
	for _, template := range slices.Sorted(maps.Keys(d.Paths)) {
		pattern := "^" + placeholder.ReplaceAllString(regexp.QuoteMeta(template), `[^/]+`) + "$"
		if regexp.MustCompile(pattern).MatchString(path) {
			return template, d.Paths[template]
		}
	}
	return "", nil
}

func TestDocumentHasEveryRoute(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	if d.OpenAPI != "3.1.1" {
		t.Errorf("openapi is %q", d.OpenAPI)
	}
	described := make(map[string][]string)
	for path, operations := range d.Paths {
		for method, o := range operations {
			described[path] = append(described[path], strings.ToUpper(method))
			if o.ID == "" || o.Responses["500"].Ref == "" {
				t.Errorf("%s %s lacks its operationId, or what it answers when the registry fails", method, path)
			}
		}
		slices.Sort(described[path])
	}
	if diff := cmp.Diff(registry.Routes(), described); diff != "" {
		t.Error("routes of the handler, and of the document:", diff)
	}
}

func TestDocumentHasEveryKind(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	for _, kind := range registry.Kinds() {
		body := []byte(`{"title": "t", "status": 400, "detail": "d", "code": "` + string(kind) + `"}`)
		if err := d.validate("/components/schemas/Problem", body); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if d.validate("/components/schemas/Problem",
		[]byte(`{"title": "t", "status": 400, "detail": "d", "code": "other"}`)) == nil {
		t.Error("any code is taken")
	}
}

func TestDocumentDescribesRegistrations(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	for body, good := range map[string]bool{
		`{"url": "http://127.0.0.1:1"}`: true, `{"card": {"name": "Given"}, "alias": "given"}`: true,
		`{}`: false, `{"url": "a", "card": {}}`: false, `{"url": 1}`: false, `{"url": "a", "name": "b"}`: false,
	} {
		if err := d.validate("/components/schemas/Registration", []byte(body)); (err == nil) != good {
			t.Errorf("%s: %v", body, err)
		}
	}
}
