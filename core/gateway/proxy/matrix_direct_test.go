package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// directRequests are requests in the shapes that are never translated, with an answer to each. MODEL stands for the model.
var directRequests = []struct{ name, path, body, media, answer string }{
	{"compact", compactPath, `{ "model":"MODEL","instructions":"be brief","input":[{"role":"user","content":"a"}, {"role":"assistant","content":"b"}] }`, "application/json", buildCompacted("a", "")},
	{"rerank", rerankPath, `{ "model":"MODEL","query":"q","documents":["a", "b"],"top_n":1 }`, "application/json", `{"results":[{"index":0,"relevance_score":0.5}]}`},
	{"moderations", moderatePath, `{ "model":"MODEL","input":["a","b"] }`, "application/json", `{"id":"m","results":[{"flagged":false}]}`},
	{"images", drawPath, `{ "model":"MODEL","prompt":"a cat","n":1 }`, "application/json", `{"created":1,"data":[{"b64_json":"AAAA"}]}`},
	{"image edits", redrawPath, formOf("image@a.png=x\x00\r\n", "model=MODEL", "prompt=a hat"), "application/json", `{"created":1,"data":[{"b64_json":"AAAA"}]}`},
	{"speech", speakPath, `{ "model":"MODEL","voice":"v","input":"hello" }`, "audio/mpeg", "ID3\x00\xff"},
	{"transcriptions", transcribePath, formOf("file@a.wav=x\x00\r\n", "model=MODEL"), "application/json", `{"text":"hi","duration":1.5}`},
	{"translations", translatePath, formOf("file@a.wav=x\x00\r\n", "model=MODEL"), "application/json", `{"text":"hi"}`},
}

// directTable sends each of these requests to each provider and renders what came of it.
func directTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n## APIs that are never translated\n\nWhat is native goes through byte for byte, but for the routed model. The prompts, documents and transcripts pass the chain: " +
		"see [providers.md](providers.md).\n\n| |")
	for _, d := range directRequests {
		fmt.Fprintf(&b, " %s |", d.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(directRequests)) + "\n")
	for _, v := range vendors {
		fmt.Fprintf(&b, "| %s |", v.name)
		for _, d := range directRequests {
			fmt.Fprintf(&b, " %s |", directCell(t, v.name, d.path, d.body, d.media, d.answer))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// directCell returns what came of a request: native or refused. Its gateway ends with it: each open one looks at its database twice a
// second, and a hundred of them need all of a busy machine.
func directCell(t *testing.T, vendor, path, body, media, answer string) (came string) {
	t.Helper()
	t.Run(vendor+path, func(t *testing.T) {
		up := newFake(t, says(buildWhole(200, media, answer)))
		with, model := setup{}, "mock-echo"
		if vendor != "mock" {
			with.provider, model = newProvider(t, vendor, up.url), vendor+"/own-model"
		}
		sent := strings.Replace(body, "MODEL", model, 1)
		a := open(t, with).callPath(path, sent, mediaOf(sent)...)
		came = "native"
		switch {
		case a.status == 400:
			assert.Contains(t, a.body, `"type":"invalid_request_error"`)
			assert.Empty(t, up.requests())
			came = "refused"
		case vendor != "mock":
			require.Equal(t, 200, a.status, a.body)
			assert.Equal(t, answer, a.body)
			assert.Equal(t, strings.Replace(body, "MODEL", "own-model", 1), up.last(t).body)
		}
	})
	return came
}
