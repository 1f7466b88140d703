package guardrail

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestGuardsOfRequestsJudgeTheEventsOfPeersAsTheirWholeAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		config, text string
		refused      bool
	}{
		"a text that is too long": {
			"detectors: [{type: length, max: 10, phases: [request]}]",
			"more than ten characters", true,
		},
		"a text that is short enough": {
			"detectors: [{type: length, max: 10, phases: [request]}]",
			"short", false,
		},
		"a text that is too short": {
			"detectors: [{type: length, min: 10, phases: [request]}]",
			"short", true,
		},
		"too many tokens": {
			"detectors: [{type: length, max: 2, unit: tokens, phases: [request]}]",
			"one two three four five", true,
		},
		"a document without a key": {
			"detectors: [{type: json_keys, keys: [id], phases: [request]}]",
			`{"name":"x"}`, true,
		},
		"a document with it": {
			"detectors: [{type: json_keys, keys: [id], phases: [request]}]",
			`{"id":"x"}`, false,
		},
		"orders": {
			"detectors: [{type: prompt_injection}]",
			attackText, true,
		},
		"orders, if tools are not judged": {
			"{roles: [user], detectors: [{type: prompt_injection}]}",
			attackText, false,
		},
		"a long text, if they are not judged": {
			"{roles: [user], detectors: [{type: length, max: 10, phases: [request]}]}",
			"more than ten characters", false,
		},
		"a word of answers, whatever is read": {
			"{roles: [user], detectors: [{type: keywords, words: [falcon], phases: [response]}]}",
			"a falcon", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := New(block(c.config))
			require.NoError(t, err)
			st := made.(*Stage)
			want := core.Pass
			if c.refused {
				want = core.Block
			}
			x := exchangeOf(t, "hi")
			x.Head.Task = llm.TaskTool
			x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":` + quote(c.text) + `}}]}`)
			require.NoError(t, openai.Chat{}.ScanResponse(x))
			for i := range x.Response.Segments {
				x.Response.Segments[i].Role, x.Response.Segments[i].Kind = core.RoleTool, core.KindToolResult
			}
			v, err := st.Check(context.Background(), x, core.Response, nil)
			require.NoError(t, err)
			assert.Equal(t, want, v.Action, "whole")
			f, err := st.Stream(context.Background(), x, nil)
			require.NoError(t, err)
			got, half := core.Pass, len(c.text)/2
			for _, w := range []core.Window{{Text: c.text[:half]}, {Text: c.text, New: half, Last: true}} {
				w.Part.Kind = core.KindToolResult
				v, _, err := f.Check(context.Background(), w)
				require.NoError(t, err)
				got = max(got, v.Action)
			}
			assert.Equal(t, want, got, "streamed")
		})
	}
}
