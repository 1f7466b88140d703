package proxy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// outright is a clause of "Provider refusals" 4: a request that is refused, and the providers on which it is.
type outright struct {
	shape, clause string
	body          string   // "M" is the model
	only, but     []string // nil: every provider, and none of them is called
	names         string   // what the refusal names
}

var outrights = []outright{
	{shape: "responses", clause: "store: true", body: asksResponses(`"store":true`), names: "store"},
	{
		shape:  "responses",
		clause: "previous_response_id",
		body:   asksResponses(`"previous_response_id":"resp_1"`),
		names:  "previous_response_id",
	},
	{shape: "responses", clause: "background", body: asksResponses(`"background":true`), names: "background"},
	{shape: "responses", clause: "unsupported service_tier, flex", body: asksResponses(`"service_tier":"flex"`), names: "service_tier"},
	{
		shape:  "responses",
		clause: "unsupported service_tier, priority",
		body:   asksResponses(`"service_tier":"priority"`),
		names:  "service_tier",
	},
	{
		shape:  "responses",
		clause: "file parts, by id",
		body:   withInput(`{"role":"user","content":[{"type":"input_file","file_id":"f"}]}`),
		names:  "files: pass",
	},
	{
		shape:  "responses",
		clause: "file parts, inline",
		body: withInput(
			`{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}]}`,
		),
		names: "files: pass",
	},
	{
		shape:  "responses",
		clause: "unread input item types",
		body:   withInput(`{"role":"user","content":"x"},{"type":"brand_new","content":"y"}`),
		but:    []string{"openai", "azure-openai"},
		names:  "brand_new",
	},
	{
		shape:  "messages",
		clause: "mcp_servers",
		body:   asksMessages(`"mcp_servers":[{"type":"url","url":"https://x.example","name":"s"}]`),
		names:  "mcp_servers",
	},
	{shape: "messages", clause: "container", body: asksMessages(`"container":"container_1"`), names: "container"},
	{
		shape:  "messages",
		clause: "extended thinking on a non-C provider",
		body:   asksMessages(`"thinking":{"type":"enabled","budget_tokens":2048}`),
		but:    []string{"anthropic", "bedrock", "vertex", "mock"}, // clouds serve C's models; the mock accepts it without thinking
		names:  "thinking",
	},
	{
		shape:  "chat",
		clause: "effort with a temperature",
		body:   asksChat(`"reasoning_effort":"low","temperature":0.9`),
		only:   []string{"anthropic"},
		names:  "temperature",
	},
	{
		shape:  "chat",
		clause: "effort with a top_p",
		body:   asksChat(`"reasoning_effort":"low","top_p":0.5`),
		only:   []string{"anthropic"},
		names:  "top_p",
	},
	{
		shape:  "chat",
		clause: "a request for the Responses API with stop",
		body:   asksChat(`"reasoning_effort":"low",` + chatTool + `,"stop":["s"]`),
		only:   []string{"openai", "azure-openai"},
		names:  "stop",
	},
	{
		shape:  "chat",
		clause: "a request for the Responses API with seed",
		body:   asksChat(`"reasoning_effort":"low",` + chatTool + `,"seed":1`),
		only:   []string{"openai", "azure-openai"},
		names:  "seed",
	},
	{
		shape:  "chat",
		clause: "a request for the Responses API with a frequency penalty",
		body:   asksChat(`"reasoning_effort":"low",` + chatTool + `,"frequency_penalty":0.5`),
		only:   []string{"openai", "azure-openai"},
		names:  "frequency_penalty",
	},
	{
		shape:  "chat",
		clause: "a request for the Responses API with a presence penalty",
		body:   asksChat(`"reasoning_effort":"low",` + chatTool + `,"presence_penalty":0.5`),
		only:   []string{"openai", "azure-openai"},
		names:  "presence_penalty",
	},
	{shape: "generateContent", clause: "cachedContent", body: asksGenerate(`"cachedContent":"cachedContents/1"`), names: "cachedContent"},
	{
		shape:  "generateContent",
		clause: "multiple candidates",
		body:   asksGenerate(`"generationConfig":{"candidateCount":2}`),
		names:  "andidate",
	},
}

// vendorTools are tools that a vendor runs, or of a type that no shape defines, by shape.
var vendorTools = map[string][]string{
	"responses": {
		"web_search", "web_search_preview", "file_search", "code_interpreter", "computer_use_preview", "mcp", "image_generation",
	},
	"messages":        {"web_search_20250305", "web_fetch_20250910", "code_execution_20250825"},
	"chat":            {"web_search", "mcp", "brand_new"},
	"generateContent": {"googleSearch", "urlContext", "codeExecution", "googleSearchRetrieval", "google_search"},
}

func asksMessages(members string) string {
	return `{"model":"M","max_tokens":4096,"messages":[{"role":"user","content":"x"}],` + members + `}`
}

func refuseTool(shape, tool string) outright {
	o := outright{shape: shape, clause: "the tool " + tool, names: tool}
	switch shape {
	case "responses":
		o.body = asksResponses(`"tools":[{"type":"` + tool + `"}]`)
	case "messages":
		o.body = asksMessages(`"tools":[{"type":"` + tool + `","name":"t"}]`)
	case "chat":
		o.body, o.names = asksChat(`"tools":[{"type":"`+tool+`"}]`), `"param":"tools"`
	case "generateContent":
		o.body, o.names = asksGenerate(
			`"tools":[{"`+tool+`":{}}]`,
		), strings.Replace(
			tool,
			"google_search",
			"googleSearch",
			1,
		) // one tool, two spellings
	}
	return o
}

// Tests "Provider refusals" 4 clause by clause on each of the fifteen providers it names, whole and streamed: 400 in
// the shape's own body, which names what is refused, before the provider is called.
func TestWhatIsRefusedOutrightIsRefusedOnEveryProvider(t *testing.T) {
	all := outrights
	for _, s := range shapesOf {
		for _, tool := range vendorTools[s.name] {
			all = append(all, refuseTool(s.name, tool))
		}
	}
	for _, v := range vendors {
		up := newFake(t, answersBriefly)
		s := setup{runtime: func(rt *snapshot.Runtime) { rt.JudgedFiles = true }} // the default of `files`
		if v.name != "mock" {                                                     // every gateway has this
			s.provider = newProvider(t, v.name, up.url)
		}
		g := open(t, s)
		for _, o := range all {
			if slices.Contains(o.but, v.name) || o.only != nil && !slices.Contains(o.only, v.name) {
				continue
			}
			shape := shapesOf[slices.IndexFunc(shapesOf, func(s *shapeOf) bool { return s.name == o.shape })]
			for _, m := range []manner{wholly, streamed} {
				t.Run(v.name+"/"+o.shape+"/"+o.clause+"/"+string(m), func(t *testing.T) {
					path := strings.Replace(shape.path, "MODEL", v.name+"/"+v.model, 1)
					body := strings.Replace(o.body, `"M"`, `"`+v.name+"/"+v.model+`"`, 1)
					if m == streamed && !shape.inPath {
						body = `{"stream":true,` + body[1:]
					}
					a := g.callPath(inManner(path, m), body)
					assert.Equal(t, 400, a.status, a.body)
					assert.Contains(t, a.header.Get("Content-Type"), "application/json")
					p := shape.problem(t, a.body, a.status)
					assert.Contains(t, a.body, o.names)
					assert.NotEmpty(t, p.message)
					assert.Contains(t, a.body, `"unsupported_parameter"`)
					assert.Empty(t, up.requests(), "no provider is called")
				})
			}
		}
	}
}
