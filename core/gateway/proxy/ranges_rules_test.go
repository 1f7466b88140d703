package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/providers"
)

// spokenTo are the paths of each shape, with a minimal request.
var spokenTo = []struct{ shape, path, body string }{
	{"chat", "/v1/chat/completions", `{"model":"M","messages":[{"role":"user","content":"x"}]`},
	{"completions", "/v1/completions", `{"model":"M","prompt":"x"`},
	{"messages", "/v1/messages", `{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"x"}]`},
	{"responses", "/v1/responses", `{"model":"M","input":"x"`},
	{"generateContent", "/v1/gen/v1beta/models/M:generateContent", `{"contents":[{"parts":[{"text":"x"}]}]`},
	{"the editor's chat", editorPath, `{"model":"M","messages":[{"role":"user","content":"x"}]`},
	{"the editor's agent", editorPath, `{"model":"M","input":"x"`},
}

// outside are values out of range, by shape: a member of the request, and what the error names.
var outside = map[string][][2]string{
	"chat": {
		{`"temperature":2.01`, "temperature"},
		{`"temperature":-0.01`, "temperature"},
		{`"temperature":"1"`, "temperature"},
		{`"top_p":1.01`, "top_p"},
		{`"frequency_penalty":2.01`, "frequency_penalty"},
		{`"frequency_penalty":-2.01`, "frequency_penalty"},
		{`"presence_penalty":2.01`, "presence_penalty"},
		{`"presence_penalty":-2.01`, "presence_penalty"},
		{`"n":0`, "n"},
		{`"n":-1`, "n"},
		{`"n":1.5`, "n"},
		{`"max_tokens":-1`, "max_tokens"},
		{`"max_completion_tokens":0`, "max_completion_tokens"},
		{`"max_tokens":1e400`, "max_tokens"},
	},
	"completions": {
		{`"temperature":2.01`, "temperature"},
		{`"temperature":-0.01`, "temperature"},
		{`"top_p":1.01`, "top_p"},
		{`"frequency_penalty":2.01`, "frequency_penalty"},
		{`"presence_penalty":-2.01`, "presence_penalty"},
		{`"n":0`, "n"},
		{`"max_tokens":-1`, "max_tokens"},
	},
	"messages": {
		{`"temperature":1.01`, "temperature"}, {`"temperature":-0.01`, "temperature"}, {`"top_p":1.01`, "top_p"}, {`"top_k":-1`, "top_k"},
	},
	"responses": {
		{
			`"temperature":2.01`,
			"temperature",
		},
		{`"temperature":-0.01`, "temperature"},
		{`"top_p":1.01`, "top_p"},
		{`"max_output_tokens":0`, "max_output_tokens"},
		{`"top_logprobs":21`, "top_logprobs"},
	},
	"generateContent": {
		{`"generationConfig":{"temperature":2.01}`, "temperature"},
		{`"generationConfig":{"temperature":-0.01}`, "temperature"},
		{`"generationConfig":{"topP":1.01}`, "topP"},
		{`"generationConfig":{"frequencyPenalty":2.01}`, "frequencyPenalty"},
		{`"generationConfig":{"presencePenalty":-2.01}`, "presencePenalty"},
		{`"generationConfig":{"maxOutputTokens":0}`, "maxOutputTokens"},
	},
}

// empty are requests without content, by shape.
var empty = map[string][]string{
	"chat":            {`{"model":"M","messages":[]}`, `{"model":"M"}`, `{"model":"M","messages":null}`},
	"completions":     {`{"model":"M","prompt":[]}`, `{"model":"M"}`, `{"model":"M","prompt":null}`},
	"messages":        {`{"model":"M","max_tokens":9,"messages":[]}`, `{"model":"M","max_tokens":9}`},
	"responses":       {`{"model":"M","input":[]}`, `{"model":"M"}`, `{"model":"M","input":null}`},
	"generateContent": {`{"contents":[]}`, `{}`},
}

// ownForm is the part of an error body that is specific to its shape.
var ownForm = map[string]string{
	"messages":        `{"type":"error","error":{"type":"invalid_request_error"`,
	"generateContent": `"status":"INVALID_ARGUMENT"`,
}

// ranges (temperature, penalties, empty messages), on every route: 400 invalid_request_error.
func TestRangesAreCheckedOnEveryRoute(t *testing.T) {
	outside["the editor's chat"], outside["the editor's agent"] = outside["chat"], outside["responses"]
	empty["the editor's chat"], empty["the editor's agent"] = empty["chat"][:1], empty["responses"][:1]
	for _, typ := range providers.ListTypes() {
		up := newFake(t, answersBriefly)
		model := "mock/mock-echo"
		s := setup{}
		if typ != "mock" {
			s.provider = newProvider(t, typ, up.url)
			model = typ + "/" + usual[typ]
			if usual[typ] == "" {
				model = typ + "/some-model"
			}
		}
		g := open(t, s)
		refused := func(t *testing.T, shape, path, body, names string) {
			a := g.callPath(strings.Replace(path, "/M:", "/"+model+":", 1), strings.Replace(body, `"M"`, `"`+model+`"`, 1))
			assert.Equal(t, 400, a.status, "%s: %s", body, a.body)
			form := ownForm[shape]
			if form == "" {
				form = `"type":"invalid_request_error"`
			}
			assert.Contains(t, a.body, form)
			assert.Contains(t, a.body, names)
		}
		for _, to := range spokenTo {
			t.Run(typ+"/"+to.shape, func(t *testing.T) {
				for _, c := range outside[to.shape] {
					refused(t, to.shape, to.path, to.body+","+c[0]+"}", c[1])
				}
				for _, body := range empty[to.shape] {
					refused(t, to.shape, to.path, body, "")
				}
			})
		}
		assert.Empty(t, up.requests(), "%s is not called", typ)
	}
}

// `n` > 1 where unsupported is 400.
func TestSeveralAnswersAreRefusedInEveryShapeWhereThereIsOne(t *testing.T) {
	wishes := map[string]string{
		"chat": `"n":2`, "completions": `"n":2`, "the editor's chat": `"n":2`, "generateContent": `"generationConfig":{"candidateCount":2}`,
	}
	for _, typ := range providers.ListTypes() {
		if typ == "mock" {
			continue
		}
		model := usual[typ]
		if model == "" {
			model = "some-model"
		}
		known, err := providers.FindFacts(typ, model)
		assert.NoError(t, err)
		for _, to := range spokenTo {
			wish := wishes[to.shape]
			if wish == "" {
				continue // the shape has no such option
			}
			r := ruling{provider: typ, model: model, path: to.path, body: to.body + "," + wish + "}", refused: `"param":"n"`}
			if to.shape == "generateContent" {
				r.refused = "candidateCount"
			}
			if known.Count && to.shape != "generateContent" {
				r.refused = "" // it is sent
				r.sent = []string{`"n":2`}
			}
			t.Run(typ+"/"+to.shape, r.try)
		}
	}
}
