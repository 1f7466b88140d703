package server

import (
	_ "embed" // the documents are part of the binary
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"go.yaml.in/yaml/v3"
)

//go:embed openapi_public.yaml
var publicAPI []byte

//go:embed openapi_internal.yaml
var internalAPI []byte

// apiDocs serves the OpenAPI documents, in YAML as they are kept and in JSON.
func apiDocs(e *gin.Engine) {
	for name, text := range map[string][]byte{"public": publicAPI, "internal": internalAPI} {
		asJSON, err := toJSON(text)
		if err != nil {
			panic(fmt.Sprintf("the OpenAPI document %q is broken: %v", name, err)) // a broken program, seen by the first test
		}
		e.GET("/v3/api-docs/"+name, traced(func(c *gin.Context) { c.Data(http.StatusOK, "application/json", asJSON) }))
		e.GET("/v3/api-docs/"+name+".yaml", traced(func(c *gin.Context) { c.Data(http.StatusOK, "application/yaml", text) }))
	}
}

func toJSON(text []byte) ([]byte, error) {
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}
