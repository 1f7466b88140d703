package proxy

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/direct"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

var (
	toComplete = []string{auth.ScopeCompletions}
	toEmbed    = []string{auth.ScopeEmbeddings}
	toEdit     = []string{auth.ScopeCompletions, auth.ScopeModels}
)

// shapes are the endpoints that the path alone determines.
var shapes = map[string]*inlet{
	"/v1/chat/completions":                {shape: openai.Chat{}, scopes: toComplete},
	"/v1/completions":                     {shape: openai.Completions{}, scopes: toComplete},
	"/v1/embeddings":                      {shape: openai.Embeddings{}, scopes: toEmbed},
	responsesPath:                         {shape: openai.Responses{}, scopes: toComplete},
	responsesPath + "/compact":            {shape: openai.Compact{}, scopes: toComplete},
	"/v1/messages":                        {shape: anthropic.Messages{}, scopes: toComplete},
	"/v1/messages/count_tokens":           {shape: anthropic.CountTokens{}, scopes: toComplete},
	"/anthropic/v1/messages":              {shape: anthropic.Messages{}, scopes: toComplete},
	"/anthropic/v1/messages/count_tokens": {shape: anthropic.CountTokens{}, scopes: toComplete},
	"/v1/ide/chat/completions":            {shape: openai.Chat{}, scopes: toEdit, editor: true},
	"/v1/rerank":                          {shape: direct.Shapes[direct.RerankName], scopes: toEmbed},
	"/v2/rerank":                          {shape: direct.Shapes[direct.RerankName], scopes: toEmbed}, // Cohere's clients
	"/v1/moderations":                     {shape: direct.Shapes[direct.ModerationsName], scopes: toEmbed},
	"/v1/images/generations":              {shape: direct.Shapes[direct.ImagesName], scopes: toComplete},
	"/v1/images/edits":                    {shape: direct.Shapes[direct.ImageEditsName], scopes: toComplete},
	"/v1/audio/speech":                    {shape: direct.Shapes[direct.SpeechName], scopes: toComplete},
	"/v1/audio/transcriptions":            {shape: direct.Shapes[direct.TranscriptionName], scopes: toComplete},
	"/v1/audio/translations":              {shape: direct.Shapes[direct.TranslationName], scopes: toComplete},
}

// generated are the roots of generateContent: the specification's, in both versions, and those that Google's clients
// use with the gateway as base URL.
var generated = []string{"/v1/gen/v1beta/models", "/v1/gen/v1/models", "/v1beta/models", "/v1/models"}

// listed are the endpoints that list models, and their format.
var listed = map[string]lister{
	"/v1/models":            listOpenAI, // or another, by the client's header
	"/v1/ide/models":        listOpenAI,
	"/anthropic/v1/models":  listAnthropic,
	"/v1/gen/v1beta/models": listGemini,
	"/v1/gen/v1/models":     listGemini,
	"/v1beta/models":        listGemini,
}

const callParam = "/*call"

// Mount registers the routes of the data plane.
func (p *Proxy) Mount(r gin.IRoutes) {
	for path, in := range shapes {
		r.POST(path, func(c *gin.Context) { p.serve(c.Writer, c.Request, in) })
	}
	for _, root := range generated {
		r.POST(root+callParam, p.serveModelMethod)
	}
	for path, list := range listed {
		r.GET(path, func(c *gin.Context) { p.listModels(c, list) })
		r.GET(path+callParam, func(c *gin.Context) { p.showModel(c, list) })
	}
	r.GET(responsesPath, p.openSocket)
	p.mountLive(r)
	r.POST("/v1/budget/estimate", p.serveEstimate)
	p.mountTools(r)
	p.mountAgents(r)
}

// IsExchange reports whether the proxy itself logs and records the requests of a route.
func IsExchange(method, pattern string) bool {
	if pattern == toolsPath || pattern == agentPath || strings.HasPrefix(pattern, agentPath+"/") {
		return true
	}
	if method == http.MethodGet {
		return listed[strings.TrimSuffix(pattern, callParam)] != 0
	}
	root, isCall := strings.CutSuffix(pattern, callParam)
	return method == http.MethodPost && (shapes[pattern] != nil || isCall && isGenerated(root) || pattern == "/v1/budget/estimate")
}

func isGenerated(root string) bool {
	for _, r := range generated {
		if r == root {
			return true
		}
	}
	return false
}

// serveModelMethod serves the methods of a model: …/models/{model}:{method}. The model's name may contain slashes and
// colons.
func (p *Proxy) serveModelMethod(c *gin.Context) {
	model, method, ok := gemini.SplitCall(strings.TrimPrefix(c.Param("call"), "/"))
	in := inlet{shape: gemini.Generate{}, scopes: toComplete, model: model}
	switch {
	case ok && method == "generateContent":
	case ok && method == "streamGenerateContent":
		in.stream, in.array = true, c.Query("alt") != "sse"
	case ok && method == "countTokens":
		in.shape = gemini.CountTokens{}
	case ok && (method == gemini.MethodEmbed || method == gemini.MethodBatchEmbed):
		in.shape, in.scopes = gemini.Embed{Batch: method == gemini.MethodBatchEmbed}, toEmbed
	default:
		in.shape = unknownCall{in.shape}
	}
	p.serve(c.Writer, c.Request, &in)
}

// unknownCall refuses an unknown method in the dialect's error format.
type unknownCall struct{ core.Dialect }

func (unknownCall) Scan(*core.Exchange) *core.Error {
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeNotFound,
		Public: "unknown method; use models/{model}:generateContent, :streamGenerateContent, :countTokens, :embedContent or :batchEmbedContents",
	}
}
