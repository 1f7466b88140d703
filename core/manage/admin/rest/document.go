package rest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// problemType is the body of error answers.
var problemType = reflect.TypeFor[Problem]()

// exampleDepth limits the nesting of generated examples.
const exampleDepth = 8

// Document returns the OpenAPI document of the mounted operations, for handlers that serve or extend it.
func (a *API) Document() *huma.OpenAPI { return a.huma.OpenAPI() }

// Text returns the document as JSON in OpenAPI 3.0, for handlers that extend it. Each operation gets examples of its request
// and its answers, composed of the examples of their fields.
func (a *API) Text() ([]byte, error) {
	doc := a.huma.OpenAPI()
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op != nil {
				a.completeOperation(op)
			}
		}
	}
	text, err := doc.Downgrade()
	if err != nil {
		return nil, err
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	downgradeSchemas(out)
	return json.Marshal(out)
}

// OpenAPI returns the document as the library holds it.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// downgradeSchemas removes from schemas what OpenAPI 3.0 lacks and the library leaves in.
func downgradeSchemas(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, media := v["contentMediaType"].(string); media {
			delete(v, "contentMediaType")
		}
		if of, ok := v["additionalProperties"].(map[string]any); ok && len(of) == 0 {
			v["additionalProperties"] = true // null is allowed too
		}
		if v["contentEncoding"] == "binary" {
			delete(v, "contentEncoding")
			v["format"] = "binary"
		}
		for _, inner := range v {
			downgradeSchemas(inner)
		}
	case []any:
		for _, inner := range v {
			downgradeSchemas(inner)
		}
	}
}

// completeOperation adds the answers and headers that all operations share, and examples.
func (a *API) completeOperation(op *huma.Operation) {
	trace := &huma.Param{Schema: &huma.Schema{Type: huma.TypeString}, Description: "The trace id of the request, or a new one."}
	refusals := []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if op.RequestBody != nil {
		refusals = append(refusals, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
		setExample(op.RequestBody.Content, op.Metadata["example"])
		a.addExamples(op.RequestBody.Content)
	} else if r := op.Responses["200"]; r != nil {
		setExample(r.Content, op.Metadata["example"])
	}
	problem := a.huma.OpenAPI().Components.Schemas.Schema(problemType, true, "Problem")
	for _, status := range refusals {
		if code := strconv.Itoa(status); op.Responses[code] == nil {
			op.Responses[code] = &huma.Response{
				Description: http.StatusText(status), Content: map[string]*huma.MediaType{"application/json": {Schema: problem}},
			}
		}
	}
	for _, r := range op.Responses {
		if r.Headers == nil {
			r.Headers = map[string]*huma.Param{}
		}
		r.Headers["X-Trace-ID"] = trace
		a.addExamples(r.Content)
	}
}

// setExample sets the example of JSON, if the operation has one of its own.
func setExample(content map[string]*huma.MediaType, example any) {
	if m := content["application/json"]; m != nil && example != nil {
		m.Example = example
	}
}

// addExamples adds an example to each JSON body without one.
func (a *API) addExamples(content map[string]*huma.MediaType) {
	for media, m := range content {
		if m.Example == nil && m.Schema != nil && strings.HasSuffix(media, "json") {
			m.Example = a.buildExample(m.Schema, exampleDepth)
		}
	}
}

// buildExample returns a value that fits a schema, composed of the examples of its parts.
func (a *API) buildExample(s *huma.Schema, depth int) any {
	if s.Ref != "" {
		s = a.huma.OpenAPI().Components.Schemas.SchemaFromRef(s.Ref)
	}
	switch {
	case s == nil || depth == 0:
		return nil
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type {
	case huma.TypeString:
		return makeExampleText(s)
	case huma.TypeInteger, huma.TypeNumber:
		return makeExampleNumber(s)
	case huma.TypeBoolean:
		return true
	case huma.TypeArray:
		one := a.buildExample(s.Items, depth-1)
		if one == nil {
			return []any{}
		}
		return []any{one}
	case huma.TypeObject:
		o := map[string]any{}
		for name, p := range s.Properties {
			if isHidden(s, name) {
				continue
			}
			if v := a.buildExample(p, depth-1); v != nil || slices.Contains(s.Required, name) {
				o[name] = v
			}
		}
		if of, ok := s.AdditionalProperties.(*huma.Schema); ok && len(o) == 0 {
			if v := a.buildExample(of, depth-1); v != nil {
				o["name"] = v
			}
		}
		return o
	}
	return map[string]any{} // the schema allows any value
}

// isHidden reports whether the document leaves a property out: one that is read only to be refused with an explanation. Such properties
// take any value. Only the document itself tells them apart.
func isHidden(s *huma.Schema, name string) bool {
	if p := s.Properties[name]; p.Type != "" || p.Ref != "" {
		return false
	}
	var written struct{ Properties map[string]any }
	b, err := json.Marshal(s)
	if err != nil || json.Unmarshal(b, &written) != nil {
		return false
	}
	_, ok := written.Properties[name]
	return !ok
}

// makeExampleText returns a string of the format and length of a schema.
func makeExampleText(s *huma.Schema) string {
	switch s.Format {
	case "date-time":
		return "2026-01-31T12:00:00Z"
	case "date":
		return "2026-01-31"
	case "uri":
		return "https://example.com/"
	case "email":
		return "jane@example.com"
	}
	text := "text"
	if s.MinLength != nil && len(text) < *s.MinLength {
		text = strings.Repeat("x", *s.MinLength)
	}
	return text
}

// makeExampleNumber returns a number within the limits of a schema.
func makeExampleNumber(s *huma.Schema) float64 {
	n := 1.0
	if s.Minimum != nil {
		n = max(n, *s.Minimum)
	}
	if s.Maximum != nil {
		n = min(n, *s.Maximum)
	}
	return n
}
