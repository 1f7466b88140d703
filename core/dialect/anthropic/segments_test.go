package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// bodyOfEverything has a text in every place of the shape: those that start with
// T are to be found, those that start with Q are quiet.
const bodyOfEverything = `{"model":"Q1","max_tokens":9,"service_tier":"Q2","inference_geo":"Q3","cache_control":{"type":"Q4","ttl":"Q5"},"speed":"Q6","betas":["Q7"],
"metadata":{"user_id":"U8","note":"T01"},"stop_sequences":["T02"],"system":[{"type":"text","text":"T03","cache_control":{"type":"Q9"}}],
"thinking":{"type":"enabled","budget_tokens":1024,"display":"Q10"},"tool_choice":{"type":"tool","name":"Q11"},
"output_config":{"effort":"Q12","format":{"type":"json_schema","schema":{"type":"Q13","properties":{"name":{"description":"T04","enum":["Q14"],"const":"Q15","format":"Q16","pattern":"Q17"}},"required":["Q18"],"$ref":"Q19","$schema":"Q20","$id":"Q21"}}},
"tools":[{"type":"custom","name":"Q22","description":"T05","input_schema":{"properties":{"url":{"title":"T06","default":"T07"},"type":{"description":"T08"}}},"input_examples":[{"a":"T09"}],"allowed_callers":["Q23"]}],
"messages":[
{"role":"user","content":"T10"},
{"role":"user","content":[{"type":"text","text":"T11"},{"text":"T12","type":"text","cache_control":{"type":"Q24"},"citations":[{"type":"char_location","cited_text":"T13","document_title":"T14","file_id":"Q25","encrypted_index":"Q26"}]},
{"type":"image","source":{"type":"base64","media_type":"Q27","data":"Q28"}},{"type":"image","source":{"data":"Q29","type":"base64"}},{"type":"image","source":{"type":"url","url":"Q30"}},{"type":"image","source":{"type":"file","file_id":"Q31"}},
{"type":"document","title":"T15","context":"T16","source":{"media_type":"Q32","data":"T17","type":"text"},"citations":{"enabled":true}},
{"type":"document","source":{"type":"base64","media_type":"Q33","data":"Q34"}},
{"type":"document","source":{"type":"content","content":[{"type":"text","text":"T18"},{"type":"image","source":{"type":"base64","data":"Q35"}}]}},
{"type":"document","source":{"type":"content","content":"T19"}},
{"type":"search_result","source":"T20","title":"T21","content":[{"type":"text","text":"T22"}]},
{"type":"mid_conv_system","content":[{"type":"text","text":"T23"}]},
{"type":"hologram","caption":"T24","id":"Q36"}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"Q37","signature":"Q38","extra":"T36"},{"data":"Q40","type":"redacted_thinking"},
{"type":"tool_use","id":"Q41","name":"Q42","input":{"K43":"T25","o":{"id":["T26",1234567]}},"caller":{"type":"Q44"}},
{"type":"server_tool_use","id":"Q45","name":"Q46","input":{"query":"T27"}},
{"type":"web_search_tool_result","tool_use_id":"Q47","content":[{"type":"web_search_result","title":"T28","url":"Q48","encrypted_content":"Q49"}]}]},
{"content":[{"type":"tool_result","tool_use_id":"Q50","content":"T29"},{"tool_use_id":"Q51","content":[{"type":"text","text":"T30"},{"type":"tool_reference","tool_name":"Q52"}],"is_error":true,"type":"tool_result"}],"role":"user","note":"T31"}],
"context_management":{"edits":[{"type":"Q53","text":"T32"}]},"unknown":{"deep":[[{"text":"T33"}],"T34"],"url":["Q54",{"note":"T35"}]}}`

func TestEveryTextOfTheShapeIsFoundAndNothingElse(t *testing.T) {
	x, e := scanRequest(bodyOfEverything)
	require.Nil(t, e)
	var found []string
	for i := range x.Request.Segments {
		text := x.Request.ReadText(i)
		found = append(found, text)
		assert.False(t, strings.HasPrefix(text, "Q"), "%s at %s must be quiet", text, x.Request.Segments[i].Path())
		assert.NotZero(t, x.Request.Segments[i].Role, text)
		if i > 0 {
			assert.Greater(t, x.Request.Segments[i].Span.Start, x.Request.Segments[i-1].Span.End, "in the order of the document")
		}
	}
	for n := 1; n <= 36; n++ {
		assert.Contains(t, found, fmt.Sprintf("T%02d", n))
	}
	assert.Contains(t, found, "1234567", "a bare number in an input")
	assert.Subset(t, found, []string{"U8", "K43", "o", "id", "query"}, "the end user, and names in an input")
	assert.Len(t, found, 42)
}

func TestASegmentTellsWhoSpeaksAndWhatItIs(t *testing.T) {
	x, e := scanRequest(bodyOfEverything)
	require.Nil(t, e)
	got := map[string]*core.Segment{}
	for i := range x.Request.Segments {
		got[x.Request.ReadText(i)] = &x.Request.Segments[i]
	}
	for text, want := range map[string]struct {
		role core.Role
		kind core.SegmentKind
		path string
	}{
		"T02": {core.RoleSystem, core.KindOther, "stop_sequences[0]"},
		"T03": {core.RoleSystem, core.KindText, "system[0]"},
		"T04": {core.RoleSystem, core.KindDefinition, "description"},
		"T05": {core.RoleSystem, core.KindDefinition, "description[0]"},
		"T10": {core.RoleUser, core.KindText, "messages[0].content"},
		"T12": {core.RoleUser, core.KindText, "messages[1].content[1]"},
		"T13": {core.RoleUser, core.KindOther, "messages[1].cited_text[1]"},
		"T17": {core.RoleUser, core.KindText, "messages[1].content[6]"},
		"T18": {core.RoleUser, core.KindText, "messages[1].content[8]"},
		"T23": {core.RoleSystem, core.KindText, "messages[1].content[11]"},
		"T25": {core.RoleAssistant, core.KindToolArgs, "messages[2].input[2]"},
		"T29": {core.RoleTool, core.KindToolResult, "messages[3].content[0]"},
		"T30": {core.RoleTool, core.KindToolResult, "messages[3].content[1]"},
		"T31": {core.RoleUser, core.KindOther, "messages[3].note"},
		"T32": {core.RoleSystem, core.KindOther, "text"},
	} {
		s := got[text]
		require.NotNil(t, s, text)
		assert.Equal(t, want.role, s.Role, text)
		assert.Equal(t, want.kind, s.Kind, text)
		assert.Equal(t, want.path, s.Path(), text)
	}
}

func TestStringsUnderQuietNamesAreNeverShown(t *testing.T) {
	for name := range quiet {
		t.Run(name, func(t *testing.T) {
			x, e := scanRequest(withField(`"x":{"` + name + `":"quiet","` + name + `x":"heard"}`))
			require.Nil(t, e)
			require.Len(t, x.Request.Segments, 2)
			assert.Equal(t, "heard", x.Request.ReadText(1))
		})
	}
}

func TestDataIsNoTextAndTextIsNoData(t *testing.T) {
	long := strings.Repeat("QUJD", 80)
	for name, tc := range map[string]struct {
		value string
		found bool
	}{
		"a data URL":                         {"data:image/png;base64,iVBORw0KGgo=", false},
		"base64 of more than 256 bytes":      {long, false},
		"base64 with escaped slashes":        {long + `\/` + long, false},
		"256 bytes of it":                    {long[:256], true},
		"a text that begins like a data URL": {"data: my card is 4111111111111111", true},
		"a long text":                        {strings.Repeat("some words ", 40), true},
	} {
		t.Run(name, func(t *testing.T) {
			x, e := scanRequest(withField(`"blob":"` + tc.value + `"`))
			require.Nil(t, e)
			assert.Equal(t, tc.found, len(x.Request.Segments) == 2)
		})
	}
}

func TestAdjacentTextBlocksAreJoinedAndNoOthers(t *testing.T) {
	x, e := scanRequest(
		withBlock(
			`{"type":"text","text":"a"},{"text":"b","type":"text"},{"type":"image","source":{"type":"url","url":"x"}},{"type":"text","text":"c"},{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"d"},{"type":"text","text":"e"}]},{"type":"text","text":"f"}`,
		),
	)
	require.Nil(t, e)
	var runs []string
	for i := 0; i < len(x.Request.Segments); {
		r := x.Request.FindRun(i)
		i += r.N
		runs = append(runs, r.Text)
	}
	assert.Equal(t, []string{"ab", "c", "de", "f"}, runs)
}
