package anthropic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Written by hand after the examples at
// https://platform.claude.com/docs/en/api/messages and .../build-with-claude/citations.
func TestTheTextsAndTheUsageOfAnAnswerAreFound(t *testing.T) {
	for name, tc := range map[string]struct {
		body  string
		texts []string
		usage llm.Usage
	}{
		"plain": {
			`{"id":"msg_013Zva2CMHLNnjNjKqxQc","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Hi! My name is Claude."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":2095,"cache_creation_input_tokens":10,"cache_read_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":0},"output_tokens":503,"output_tokens_details":{"thinking_tokens":100},"server_tool_use":null,"service_tier":"standard"}}`,
			[]string{"Hi! My name is Claude."},
			llm.Usage{Reported: true, Input: 2110, Output: 503, Cached: 5, Written: 10, Reasoning: 100},
		},
		"a tool":               {`{"content":[{"type":"text","text":"I'll look."},{"type":"tool_use","id":"toolu_01","name":"get_weather","input":{"location":"Paris","zip":7500100},"caller":{"type":"direct"}}],"stop_reason":"tool_use"}`, []string{"I'll look.", "location", "Paris", "zip", "7500100"}, llm.Usage{}},
		"thinking is sealed":   {`{"content":[{"type":"thinking","thinking":"hm","signature":"EqQB","summary":"hm"},{"type":"redacted_thinking","data":"EmwK"},{"type":"text","text":"a"}]}`, []string{"a"}, llm.Usage{}},
		"citations":            {`{"content":[{"type":"text","text":"green","citations":[{"type":"char_location","cited_text":"The grass is green.","document_index":0,"document_title":"Facts","start_char_index":0,"end_char_index":20}]}]}`, []string{"green", "The grass is green.", "Facts"}, llm.Usage{}},
		"a stop sequence":      {`{"content":[],"stop_reason":"stop_sequence","stop_sequence":"joe"}`, []string{"joe"}, llm.Usage{}},
		"a refusal":            {`{"content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"No."}}`, []string{"No."}, llm.Usage{}},
		"a new block":          {`{"content":[{"type":"hologram","caption":"a","id":"b"}]}`, []string{"a"}, llm.Usage{}},
		"counts that are none": {`{"content":[],"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}`, nil, llm.Usage{}},
		"odd types":            {`{"content":{"a":1},"usage":7}`, nil, llm.Usage{}},
		"odder types":          {`{"content":[1,{"type":1,"text":2,"input":3}],"usage":{"input_tokens":-4,"output_tokens":"x","output_tokens_details":null,"cache_read_input_tokens":1e300}}`, nil, llm.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			x := &core.Exchange{}
			x.Response.Raw = []byte(tc.body)
			require.NoError(t, Messages{}.ScanResponse(x))
			var texts []string
			for i := range x.Response.Segments {
				assert.Equal(t, core.RoleAssistant, x.Response.Segments[i].Role)
				texts = append(texts, x.Response.ReadText(i))
			}
			assert.Equal(t, tc.texts, texts)
			assert.Equal(t, tc.usage, x.Usage)
		})
	}
}

func TestAnAnswerThatIsNoneIsAFault(t *testing.T) {
	for _, body := range []string{``, `[]`, `{"content":[}`, `{} {}`, `{"a":1,"a":2}`} {
		x := &core.Exchange{}
		x.Response.Raw = []byte(body)
		require.Error(t, Messages{}.ScanResponse(x), body)
		require.Error(t, CountTokens{}.ScanResponse(x), body)
	}
}
