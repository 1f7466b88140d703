package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bodyOfEverything has a text in every place of the shape: those that start with
// T are to be found, those that start with Q are quiet.
const bodyOfEverything = `{"model":"Q1","user":"U2","service_tier":"Q3","reasoning_effort":"Q4","safety_identifier":"Q5","prompt_cache_key":"Q6",
"modalities":["Q7"],"audio":{"voice":"Q8","format":"Q9"},"metadata":{"k":"T01","user_id":"Q10"},"stop":["T02"],"verbosity":"Q11",
"tool_choice":{"type":"Q12","function":{"name":"Q13"}},"prediction":{"type":"Q14","content":"T03"},"function_call":"Q15",
"search_options":{"user_location":{"type":"Q16","approximate":{"country":"Q17","city":"T04"}}},
"response_format":{"type":"Q18","json_schema":{"name":"Q19","description":"T05","schema":{"type":"Q20","properties":{"name":{"description":"T06","enum":["Q21"],"const":"Q22"}},"required":["Q23"]}}},
"functions":[{"name":"Q24","description":"T07"}],
"tools":[{"type":"function","function":{"name":"Q25","description":"T08","parameters":{"$ref":"Q26","properties":{"url":{"title":"T09","default":"T10","pattern":"Q27"},"type":{"description":"T11"}}}}},
{"type":"custom","custom":{"name":"Q28","description":"T12","format":{"type":"Q29","grammar":{"syntax":"Q30","definition":"T13"}}}}],
"messages":[
{"role":"system","content":"T14","name":"Q31"},
{"role":"user","content":[{"type":"text","text":"T15"},{"type":"text","text":"T16","cache_control":{"type":"Q32"}},{"type":"image_url","image_url":{"url":"Q33","detail":"Q34"}},
{"type":"input_audio","input_audio":{"data":"Q35","format":"Q36"}},{"type":"file","file":{"file_id":"Q37","file_data":"Q38","filename":"T17"}},{"type":"new_one","caption":"T18"}]},
{"role":"assistant","content":null,"refusal":"T19","reasoning_content":"T20","audio":{"id":"Q39"},"encrypted_content":"Q40","reasoning_details":[{"type":"Q41","text":"T21","signature":"Q42","data":"Q43"}],
"tool_calls":[{"id":"Q44","type":"function","function":{"name":"Q45","arguments":"{\"K46\":\"T22\",\"o\":{\"a\":[\"T23\",1234567]}}"}},{"id":"Q47","type":"custom","custom":{"name":"Q48","input":"T24 \"x\""}}]},
{"role":"assistant","function_call":{"name":"Q49","arguments":"{\"a\":\"T25\"}"}},
{"role":"tool","tool_call_id":"Q50","content":"T26"},
{"role":"tool","tool_call_id":"Q51","content":[{"type":"text","text":"T27"}]},
{"role":"function","name":"Q52","content":"T28"},
{"role":"assistant","content":[{"type":"refusal","refusal":"T29"}],"thought_signature":"Q53"}],
"unknown":{"deep":[[{"text":"T30"}],"T31"],"url":["Q54",{"note":"T32"}]}}`

func TestEveryTextOfTheShapeIsFoundAndNothingElse(t *testing.T) {
	x, e := scanRequest(bodyOfEverything)
	require.Nil(t, e)
	var found []string
	for i := range x.Request.Segments {
		text := x.Request.ReadText(i)
		found = append(found, text)
		assert.False(t, strings.HasPrefix(text, "Q"), "%s at %s must be quiet", text, x.Request.Segments[i].Path())
		at := x.Request.Segments[i].Span
		assert.NotEmpty(t, at.Len())
		if i > 0 {
			assert.Greater(t, at.Start, x.Request.Segments[i-1].Span.End, "in the order of the document")
		}
	}
	for n := 1; n <= 32; n++ {
		want := "T" + string(rune('0'+n/10)) + string(rune('0'+n%10))
		if n == 24 {
			want += ` "x"`
		}
		assert.Contains(t, found, want)
	}
	assert.Contains(t, found, "1234567", "a bare number in arguments")
	assert.Subset(t, found, []string{"U2", "K46", "o", "a"}, "the end user, and names in arguments")
	assert.Len(t, found, 38)
}

func TestDataIsNoTextAndTextIsNoData(t *testing.T) {
	long := strings.Repeat("QUJD", 80)
	for name, tc := range map[string]struct {
		value string
		found bool
	}{
		"a data URL":                                     {"data:image/png;base64,iVBORw0KGgo=", false},
		"base64 of more than 256 bytes":                  {long, false},
		"base64 with escaped slashes":                    {long + `\/` + long, false},
		"base64url":                                      {strings.Repeat("a-_b", 70), false},
		"256 bytes of it":                                {long[:256], true},
		"a text that begins like a data URL":             {"data: my card is 4111111111111111", true},
		"a data URL of text":                             {"data:text/plain,joe@example.com", true},
		"a data URL of other base64":                     {"data:,call me, joe", true},
		"a long word with an escape that is not a slash": {long + `\u0020joe`, true},
		"a long text":                                    {strings.Repeat("some words ", 40), true},
		"an empty text":                                  {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			x, e := scanRequest(withField(`"blob":"` + tc.value + `"`))
			require.Nil(t, e)
			assert.Equal(t, tc.found, len(x.Request.Segments) == 2)
		})
	}
}

func TestAdjacentTextPartsAreJoinedAndNoOthers(t *testing.T) {
	x, e := scanRequest(
		withMessage(
			`{"role":"user","content":[{"type":"text","text":"a"},{"text":"b","type":"text"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"c"}]},{"role":"user","content":[{"type":"text","text":"d"}]}`,
		),
	)
	require.Nil(t, e)
	var runs []string
	for i := 0; i < len(x.Request.Segments); {
		r := x.Request.FindRun(i)
		i += r.N
		runs = append(runs, r.Text)
	}
	assert.Equal(t, []string{"ab", "c", "d"}, runs)
}

func TestAPathNamesThePlaceInTheClientsWords(t *testing.T) {
	x, e := scanRequest(
		`{"model":"m","note":"n","messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"b"}]}],"x` + strings.Repeat(
			"é",
			30,
		) + `":"long"}`,
	)
	require.Nil(t, e)
	var paths []string
	for i := range x.Request.Segments {
		paths = append(paths, x.Request.Segments[i].Path())
	}
	assert.Equal(
		t,
		[]string{"note", "messages[0].content", "messages[1].content[1]", "member_name", "x" + strings.Repeat("é", 19)},
		paths,
		"a name is cut between characters",
	)
}
