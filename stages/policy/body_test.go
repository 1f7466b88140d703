package policy

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// Each body has a temperature, a file, a system text and a tool. The result of reading it is the same in every shape.
func TestBodiesOfEveryShapeAreRead(t *testing.T) {
	for _, c := range []struct {
		d                 core.Dialect
		full, bare        string
		toolType, noTools string
	}{
		{
			openai.Chat{},
			`{"model":"gpt-5","temperature":0.9,"metadata":{"team":"x"},"tools":[{"type":"function","function":{"name":"f"}}],
			"messages":[{"role":"developer","content":"be"},{"role":"user","content":[{"type":"file","file":{"file_id":"f"}},{"type":"text","text":"t"}]}]}`,
			`{"model":"gpt-5","messages":[{"role":"user","content":"hello"}]}`, "function", "",
		},
		{
			openai.Responses{},
			`{"model":"gpt-5","temperature":0.9,"metadata":{"team":"x"},"tools":[{"type":"function","name":"f"}],"instructions":"be",
			"input":[{"role":"user","content":[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"https://x/y.png"}]}]}`,
			`{"model":"gpt-5","input":"hello"}`, "function", "",
		},
		{
			anthropic.Messages{},
			`{"model":"claude","max_tokens":5,"temperature":0.9,"metadata":{"team":"x"},"system":[{"type":"text","text":"be"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],
			"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}}]}]}`,
			`{"model":"claude","max_tokens":5,"messages":[{"role":"user","content":"hello"}]}`, "function", "",
		},
		{
			gemini.Generate{},
			`{"generationConfig":{"temperature":0.9},"systemInstruction":{"parts":[{"text":"be"}]},"tools":[{"functionDeclarations":[{"name":"f"}]}],
			"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"application/pdf","data":"QUJD"}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`, "function", "",
		},
	} {
		t.Run(c.d.Name(), func(t *testing.T) {
			for _, r := range []struct {
				conditions string
				full, bare bool
			}{
				{`request.temperature_gt: 0.8`, true, false},
				{`metadata: {team: x}`, c.d.Name() != "gemini.generate", false},
				{`messages.system_missing: true`, false, true},
				{`tools.types_any: [` + c.toolType + `]`, true, false},
				{`request.has_files: true`, c.d.Name() != "openai.responses", false},
			} {
				b := newBench(t, alone, active(rule(`{id: r, conditions: {`+r.conditions+`}, action: FLAG}`)))
				for body, want := range map[string]bool{c.full: r.full, c.bare: r.bare} {
					x := &core.Exchange{ID: "x", Dialect: c.d.Name(), Principal: anna}
					x.Head.Model = "m"
					x.Request.Raw = []byte(body)
					require.Nil(t, c.d.Scan(x), body)
					require.Equal(t, core.Pass, b.chain.Request(context.Background(), x).Action)
					assert.Equal(t, want, len(x.Findings) > 0, "%s of %s", r.conditions, body)
				}
			}
		})
	}
}

func TestEmbeddingsHaveNoMessagesToMissASystemTextIn(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: r, conditions: {messages.system_missing: true}, action: DENY}`)))
	x := &core.Exchange{ID: "x", Dialect: "openai.embeddings", Principal: anna}
	x.Request.Raw = []byte(`{"model":"text-embedding-3","input":"hello"}`)
	require.Nil(t, openai.Embeddings{}.Scan(x))
	assert.Equal(t, core.Pass, b.chain.Request(context.Background(), x).Action)
}
