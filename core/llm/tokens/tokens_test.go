package tokens

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestATextIsCountedAsOpenAICountsIt(t *testing.T) {
	// Figures for o200k_base from the OpenAI Cookbook, "How to count tokens with tiktoken".
	for text, want := range map[string]int64{"": 0, "hello world": 2, "tiktoken is great!": 6, "お誕生日おめでとう": 8} {
		got, err := CountText(text)
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
}

func TestARequestIsCountedWithAllThatTheModelReads(t *testing.T) {
	bare := llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("hello world")}}}}
	least, err := CountRequest(&bare)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, least, int64(2+perMessage+perAnswer))
	for name, r := range map[string]llm.Request{
		"a longer text": {Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("hello world, and more")}}}},
		"a tool":        {Messages: bare.Messages, Tools: []llm.Tool{{Name: "f", Schema: []byte(`{"type":"object"}`)}}},
		"a picture":     {Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("hello world"), {Kind: llm.ImagePart, Image: &llm.Image{}}}}}},
		"a call":        {Messages: append(bare.Messages[:1:1], llm.Message{Role: llm.Assistant, Parts: []llm.Part{{Kind: llm.CallPart, Call: &llm.Call{Name: "f", Input: "{}"}}}})},
		"a result": {Messages: append(bare.Messages[:1:1], llm.Message{
			Role: llm.ToolRole, Parts: []llm.Part{{Kind: llm.ResultPart, Result: &llm.Result{Parts: []llm.Part{llm.NewText("x")}}}},
		})},
	} {
		n, err := CountRequest(&r)
		require.NoError(t, err)
		assert.Greater(t, n, least, name)
	}
}

func TestAVeryLongTextIsRefused(t *testing.T) {
	_, err := CountText(strings.Repeat("x", longest+1))
	assert.ErrorIs(t, err, ErrTooLong)
}
