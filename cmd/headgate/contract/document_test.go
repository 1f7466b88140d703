package contract_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loadDocument reads one of a gateway's documents and requires that it is valid, including its examples.
func (t *T) loadDocument(name string) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(t.anybody().get("/v3/api-docs/" + name).is(200).body)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(context.Background(), openapi3.EnableExamplesValidation()))
	return doc
}

// located is an operation of a document, with its path and method.
type located struct {
	path, method string
	*openapi3.Operation
}

// operations returns the operations of a document, in a fixed order.
func operations(doc *openapi3.T) (all []located) {
	for _, path := range doc.Paths.InMatchingOrder() {
		of := doc.Paths.Value(path).Operations()
		for _, method := range slices.Sorted(maps.Keys(of)) {
			all = append(all, located{path, method, of[method]})
		}
	}
	return all
}

// books are the documents of gateways, by their URLs: answers are checked against them.
var books sync.Map

// checkAnswer requires that the document describes the endpoint, the status and the body of an answer.
func (t *T) checkAnswer(base, method, path string, a *answer) {
	t.Helper()
	u, err := url.Parse(path)
	require.NoError(t, err)
	if strings.Contains(u.Path, "//") || strings.HasSuffix(u.Path, "/") {
		return // a path with an empty parameter is not in the document
	}
	if a.status == http.StatusNotFound && !strings.HasPrefix(u.Path, "/admin/v1/") || a.status == http.StatusMethodNotAllowed {
		return // possibly not an endpoint
	}
	name := "public"
	if strings.HasPrefix(u.Path, "/internal/") {
		name = "internal"
	} else if !strings.HasPrefix(u.Path, "/v1/") && !strings.HasPrefix(u.Path, "/admin/v1/") && u.Path != "/status" {
		return
	}
	doc := t.book(base, name)
	if doc == nil {
		return
	}
	op := operationOf(doc, method, u.Path)
	if op == nil {
		assert.Equal(t, http.StatusNotFound, a.status, "%s %s is answered, and the document does not have it: %s", method, u.Path, a.body)
		return
	}
	r := op.Responses.Value(strconv.Itoa(a.status))
	if !assert.NotNil(t, r, "%s %s answers %d, of which the document says nothing: %s", method, u.Path, a.status, a.body) {
		return
	}
	media := r.Value.Content.Get(a.header.Get("Content-Type"))
	if len(a.body) == 0 || media == nil || media.Schema == nil || !strings.Contains(a.header.Get("Content-Type"), "json") {
		assert.True(
			t,
			len(a.body) == 0 || media != nil,
			"%s %s answers %s, of which the document says nothing",
			method,
			u.Path,
			a.header.Get("Content-Type"),
		)
		return
	}
	var body any
	if assert.NoError(t, json.Unmarshal(a.body, &body), "%s %s: %s", method, u.Path, a.body) {
		assert.NoError(
			t,
			media.Schema.Value.VisitJSON(body, openapi3.MultiErrors()),
			"%s %s answers otherwise than the document says: %s",
			method,
			u.Path,
			a.body,
		)
		if t.place == observed.at && a.status < 300 && strings.HasPrefix(u.Path, "/admin/v1/") {
			observed.add(op.OperationID, media.Example, body)
		}
	}
}

// book returns a gateway's document, or nil if it has none.
func (t *T) book(base, name string) *openapi3.T {
	key := base + " " + name
	if doc, ok := books.Load(key); ok {
		return doc.(*openapi3.T)
	}
	var doc *openapi3.T
	req, err := http.NewRequest(http.MethodGet, base+"/v3/api-docs/"+name, http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+fileKey)
	res, err := wire.Do(req)
	if err == nil {
		doc, err = openapi3.NewLoader().LoadFromIoReader(res.Body)
		_ = res.Body.Close() // the body is only read
	}
	if err != nil || doc.Paths == nil {
		doc = nil // the rows on documents report it
	}
	books.Store(key, doc)
	return doc
}

// operationOf returns the operation of a path with its parameters filled in, or nil. A path without parameters takes
// precedence over one with parameters.
func operationOf(doc *openapi3.T, method, path string) *openapi3.Operation {
	for _, pattern := range doc.Paths.InMatchingOrder() {
		if matches(pattern, path) {
			if op := doc.Paths.Value(pattern).GetOperation(method); op != nil {
				return op
			}
		}
	}
	return nil
}

// matches reports whether a path matches a pattern. The name of a model, which is last, may contain slashes.
func matches(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, w := range want {
		switch {
		case i >= len(have):
			return false
		case w == "{call}":
			return true
		case !strings.HasPrefix(w, "{") && w != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}
