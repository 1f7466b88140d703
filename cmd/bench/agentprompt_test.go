package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnAgentsRequestHasItsTurnsItsToolsAndOneNewResult(t *testing.T) {
	for name, size := range agentSizes {
		b, err := buildPrompt(name, true, promptEmail)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(b), size, name)
		assert.InDelta(t, size, len(b), 0.06*float64(size), name)
		assert.True(t, wantsStream(b), "the mock streams its answer")
		var p agentBody
		require.NoError(t, json.Unmarshal(b, &p))
		assert.Len(t, p.Tools, agentTools)
		require.Len(t, p.Messages, 1+2*agentTurns)
		assert.Contains(t, p.Messages[0].Content[0].Text, promptEmail)
		assert.Less(t, strings.Index(string(b), promptEmail), strings.Index(string(b), "tool_result"), "the address is the first value in the body")
		last := p.Messages[2*agentTurns].Content[0].Content
		assert.InDelta(t, agentNew, len(last), 100)
		assert.Contains(t, last, seqMark)
		at := findMarks(b, renumberFirst)
		assert.Len(t, at, 1)
		writeSequence(b, at, 4111111111)
		assert.True(t, json.Valid(b))
	}
	a, err := buildPrompt("agent_75k", true, promptEmail)
	require.NoError(t, err)
	b, err := buildPrompt("agent_75k", true, promptEmail)
	require.NoError(t, err)
	assert.Equal(t, a, b, "the same bytes each time")
}

func TestTheMockStreamsTextAndAToolCallToAnAgent(t *testing.T) {
	m, url := startTestMock(t)
	res, err := http.Post(url+"/v1/messages", "application/json", strings.NewReader(`{"stream":true,"messages":[{"content":"`+testPlaceholder+`"}]}`))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	var text, arguments strings.Builder
	last := ""
	for line := range strings.Lines(string(raw)) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Delta struct {
				Text, Partial string
				PartialJSON   string `json:"partial_json"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(data), &e), data)
		last = e.Type
		text.WriteString(e.Delta.Text)
		arguments.WriteString(e.Delta.PartialJSON)
	}
	assert.Equal(t, "message_stop", last)
	assert.Equal(t, 1, strings.Count(text.String(), testPlaceholder))
	assert.True(t, json.Valid([]byte(arguments.String())), arguments.String())
	require.Eventually(t, func() bool { return m.readStats().Echoes == 1 }, 10*time.Second, time.Millisecond, "counted once the answer is written")
	assert.Equal(t, int64(1), m.readStats().Streams)
}

func TestAGrowthIsTheRatioOfSlopes(t *testing.T) {
	r := &report{}
	for name, size := range agentSizes {
		x := float64(size) / (100 << 10)
		r.Samples = append(r.Samples, samplesOf(name, map[string][]float64{
			sysRevproxy: {100 + 50*x, 90 + 50*x}, sysAgent: {1000 + 200*x, 300 + 200*x},
		})...)
	}
	r.judge()
	assert.InDelta(t, 0.25, r.Ratio["agent_growth"], 1e-9)
	assert.Contains(t, r.Ratio, "agent_turn")
}
