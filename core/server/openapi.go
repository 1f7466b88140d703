package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
)

// openAPI is the version of the format: the newest that client generators support widely.
const openAPI = "3.0.3"

// mountAPIDocs serves the OpenAPI documents. They are built on first use, from the mounted routes and the
// administrative API's own document. They need a key, since they name every endpoint that there is to attack.
func mountAPIDocs(e *gin.Engine, o Options, admin *administration) {
	docs := sync.OnceValue(func() map[string][]byte {
		public, err := buildPublicDocument(e.Routes(), o.Version, admin.buildDocument())
		if err != nil {
			panic(fmt.Sprintf("the public OpenAPI document is broken: %v", err)) // a bug in the program, found by the first test
		}
		private, err := buildInternalDocument(e.Routes(), o.Version)
		if err != nil {
			panic(fmt.Sprintf("the internal OpenAPI document is broken: %v", err)) // as above
		}
		return map[string][]byte{"public": public, "internal": private}
	})
	locked := func(h gin.HandlerFunc) gin.HandlerFunc {
		return addTraceHeader(func(c *gin.Context) {
			if !o.knows(c.Request) {
				c.Header("Www-Authenticate", "Bearer")
				writeError(c, &core.Error{
					Kind: core.Unauthenticated, Code: core.CodeUnauthorized,
					Public: "the API documents need a gateway key or a personal access token as a bearer token",
				})
				return
			}
			h(c)
		})
	}
	for _, name := range []string{"public", "internal"} {
		e.GET("/v3/api-docs/"+name, locked(func(c *gin.Context) { c.Data(http.StatusOK, "application/json", docs()[name]) }))
		spelled := sync.OnceValue(func() []byte { return convertToYAML(docs()[name]) }) // cached: building it takes much memory
		e.GET("/v3/api-docs/"+name+".yaml", locked(func(c *gin.Context) { c.Data(http.StatusOK, "application/yaml", spelled()) }))
	}
}

// convertToYAML converts a JSON document to YAML.
func convertToYAML(text []byte) []byte {
	var doc any
	_ = json.Unmarshal(text, &doc) // our own document
	out, _ := yaml.Marshal(doc)    // as above
	return out
}

// object is a JSON object of a document.
type object = map[string]any

// buildPublicDocument describes /v1, /status and the administrative API.
func buildPublicDocument(routes gin.RoutesInfo, version string, admin []byte) ([]byte, error) {
	doc := object{}
	if admin != nil {
		if err := json.Unmarshal(admin, &doc); err != nil {
			return nil, err
		}
	}
	doc["info"] = object{
		"title":       "Headgate",
		"version":     version,
		"description": "The gateway: the shapes of API that clients speak, its status, and the administrative API. Every answer carries X-Trace-ID.",
	}
	components := ensureMember(doc, "components")
	ensureMember(components, "securitySchemes")["gatewayKey"] = object{
		"type":        "http",
		"scheme":      "bearer",
		"description": "A gateway key (gw_…). The generateContent shape also takes it in the header x-gen-api-key.",
	}
	return marshalDocument(doc, routes, publicEndpoints)
}

// buildInternalDocument describes the API between the nodes of a fleet.
func buildInternalDocument(routes gin.RoutesInfo, version string) ([]byte, error) {
	doc := object{"info": object{
		"title": "Headgate, between nodes", "version": version, "description": "What the nodes of a fleet ask of their control plane.",
	}}
	ensureMember(ensureMember(doc, "components"), "securitySchemes")["internalSecret"] = object{
		"type":        "apiKey",
		"in":          "header",
		"name":        "X-Internal-Secret",
		"description": "The secret of the fleet. It is asked for where one is configured.",
	}
	return marshalDocument(doc, routes, internalEndpoints)
}

// marshalDocument adds the mounted endpoints of a table to a document, and marshals it.
func marshalDocument(doc object, routes gin.RoutesInfo, table []endpoint) ([]byte, error) {
	doc["openapi"] = openAPI
	mounted := map[string]bool{}
	for _, r := range routes {
		mounted[r.Method+" "+convertOpenAPIPath(r.Path)] = true
	}
	paths, components := ensureMember(doc, "paths"), ensureMember(doc, "components")
	ensureMember(components, "headers")["TraceID"] = object{
		"schema":      object{"type": "string"},
		"description": "The id that the request came with, or a new one of 32 hexadecimal digits.",
	}
	ensureMember(components, "parameters")["TraceID"] = object{
		"name": "X-Trace-ID", "in": "header", "schema": object{"type": "string", "maxLength": 512}, "description": "Given back on the answer as it came: printable ASCII. Any other is replaced by an id of the gateway's.",
	}
	schemas := ensureMember(components, "schemas")
	for name, text := range sharedSchemas {
		var s object
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		schemas[name] = s
	}
	for i := range table {
		if e := &table[i]; mounted[e.method+" "+e.path] || mounted[e.method+" /internal/{path}"] {
			op, err := e.buildOperation()
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", e.method, e.path, err)
			}
			ensureMember(paths, e.path)[strings.ToLower(e.method)] = op
		}
	}
	return json.Marshal(doc)
}

// ensureMember returns a member that is an object, and creates it if it is missing.
func ensureMember(o object, name string) object {
	inner, ok := o[name].(object)
	if !ok {
		inner = object{}
		o[name] = inner
	}
	return inner
}

// convertOpenAPIPath converts the path of a route to OpenAPI's syntax.
func convertOpenAPIPath(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") || strings.HasPrefix(p, "*") {
			parts[i] = "{" + p[1:] + "}"
		}
	}
	return strings.Join(parts, "/")
}
