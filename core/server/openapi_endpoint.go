package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// endpoint describes one endpoint.
type endpoint struct {
	method, path string // in OpenAPI's syntax
	id, tag      string
	summary      string
	about        string
	scope        string      // of the gateway key; empty if none is required
	open         bool        // no credential required
	params       []parameter // in addition to those of the path
	takes        *content    // nil if the endpoint reads no body
	gives        []content   // of success, by media type
	errors       errorShape
	statuses     []int // of errors
}

// parameter is a query or header parameter.
type parameter struct{ name, in, kind, about string }

// content is a body.
type content struct {
	media   string // the default is application/json
	schema  string // name of a schema; by default derived from the example
	needs   []string
	example string // JSON, or text for other media
}

// errorShape is the format of an endpoint's errors: a schema and its example.
type errorShape struct{ schema, example string }

var (
	ownErrors = errorShape{
		"Error",
		`{"error":{"message":"temperature: a number from 0 to 2 is wanted","type":"invalid_request_error","param":"temperature","code":"invalid_value"}}`,
	}
	messagesErrors = errorShape{
		"MessagesError",
		`{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: a number above 0 is wanted"}}`,
	}
	generateErrors = errorShape{"GenerateError", `{"error":{"code":400,"message":"contents: an array is wanted","status":"INVALID_ARGUMENT"}}`}
)

// buildOperation converts an endpoint to an OpenAPI operation.
func (e *endpoint) buildOperation() (object, error) {
	op := object{"operationId": e.id, "tags": []string{e.tag}, "summary": e.summary}
	about := e.about
	if e.scope != "" {
		about = strings.TrimSpace(about + " Needs the scope " + e.scope + ".")
	}
	if about != "" {
		op["description"] = about
	}
	switch {
	case e.open:
		op["security"] = []any{}
	case strings.HasPrefix(e.path, "/internal/"):
		op["security"] = []any{object{"internalSecret": []string{}}}
	default:
		op["security"] = []any{object{"gatewayKey": []string{}}}
	}
	params := []any{object{"$ref": "#/components/parameters/TraceID"}}
	for part := range strings.SplitSeq(e.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			params = append(
				params,
				object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}, "description": pathWords[name]},
			)
		}
	}
	for _, p := range e.params {
		params = append(params, object{"name": p.name, "in": p.in, "schema": object{"type": p.kind}, "description": p.about})
	}
	op["parameters"] = params
	if e.takes != nil {
		body, err := e.takes.buildOpenAPIContent()
		if err != nil {
			return nil, err
		}
		op["requestBody"] = object{"required": true, "content": body}
	}
	trace := object{"X-Trace-ID": object{"$ref": "#/components/headers/TraceID"}}
	success := object{"description": "Success", "headers": trace}
	bodies := object{}
	for i := range e.gives {
		body, err := e.gives[i].buildOpenAPIContent()
		if err != nil {
			return nil, err
		}
		maps.Copy(bodies, body)
	}
	if len(bodies) > 0 {
		success["content"] = bodies
	}
	answers := object{"200": success}
	for _, status := range e.statuses {
		var example any
		if err := json.Unmarshal([]byte(e.errors.example), &example); err != nil {
			return nil, err
		}
		answers[strconv.Itoa(status)] = object{"description": http.StatusText(status), "headers": trace, "content": object{
			"application/json": object{"schema": newRef(e.errors.schema), "example": example},
		}}
	}
	op["responses"] = answers
	return op, nil
}

// pathWords describe the path parameters.
var pathWords = map[string]string{
	"id":     "The id.",
	"name":   "The name in the configuration: of an MCP server, or of an agent.",
	"push":   "Where the client wants to be notified, sealed by the gateway.",
	"digest": "The SHA-256 of the file, in hexadecimal.",
	"call":   "The name of a model; in a POST {model}:generateContent, {model}:streamGenerateContent, {model}:countTokens, {model}:embedContent or {model}:batchEmbedContents. The name of a model may hold slashes.",
}

func newRef(schema string) object { return object{"$ref": "#/components/schemas/" + schema} }

// buildOpenAPIContent converts a body to OpenAPI content, by media type.
func (c *content) buildOpenAPIContent() (object, error) {
	media := c.media
	if media == "" {
		media = "application/json"
	}
	if media != "application/json" {
		schema := object{"type": "string"}
		if c.schema != "" {
			schema = newRef(c.schema)
		}
		out := object{"schema": schema}
		if c.schema == "" {
			out["example"] = c.example
		}
		return object{media: out}, nil
	}
	var example any
	if err := json.Unmarshal([]byte(c.example), &example); err != nil {
		return nil, err
	}
	schema := newRef(c.schema)
	if c.schema == "" {
		schema = buildSchema(example)
		if len(c.needs) > 0 {
			schema["required"] = c.needs
		}
	}
	return object{media: object{"schema": schema, "example": example}}, nil
}

// buildSchema derives the schema of an example. null allows any value.
func buildSchema(v any) object {
	switch v := v.(type) {
	case string:
		return object{"type": "string"}
	case bool:
		return object{"type": "boolean"}
	case float64:
		if v == float64(int64(v)) {
			return object{"type": "integer"}
		}
		return object{"type": "number"}
	case []any:
		if len(v) == 0 {
			return object{"type": "array", "items": object{}}
		}
		return object{"type": "array", "items": buildSchema(v[0])}
	case object:
		members := object{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members[name] = buildSchema(v[name])
		}
		return object{"type": "object", "properties": members}
	}
	return object{"nullable": true}
}
