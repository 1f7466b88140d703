package openai

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// compareGolden compares with a file under testdata, byte for byte.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

// forward scans a request and makes it ready for a target.
func forward(t testing.TB, body []byte, traits core.Traits) []byte {
	x := &core.Exchange{}
	x.Request.Raw = body
	require.Nil(t, Chat{}.Scan(x))
	cuts, e := Chat{}.AppendForwardCuts(x, traits, nil)
	require.Nil(t, e)
	out, err := splice.Apply(x.Request.Raw, cuts)
	require.NoError(t, err)
	require.True(t, json.Valid(out), "%s", out)
	return out
}

// plain asks nothing of a request whose model is "m".
var plain = core.Traits{Model: "m"}

func TestWhatIsForwardedDiffersOnlyWhereItMust(t *testing.T) {
	msg := `"messages":[{"role":"user","content":"x"}]`
	cc, mt := "max_completion_tokens", "max_tokens"
	for name, tc := range map[string]struct {
		body   string
		traits core.Traits
		want   string // "": the very same bytes
	}{
		"nothing to do":                         {`{"model":"m",` + msg + `}`, plain, ""},
		"a model that is spelled otherwise":     {`{"model":"\u006d",` + msg + `}`, plain, ""},
		"another model":                         {`{ "model" : "m" ,` + msg + `}`, core.Traits{Model: "a/\"b\""}, `{ "model" : "a/\"b\"" ,` + msg + `}`},
		"a limit under its name":                {`{"model":"m","max_tokens":5,` + msg + `}`, core.Traits{Model: "m", LimitField: mt}, ""},
		"a limit under the other name":          {`{"model":"m","max_tokens" : 5,` + msg + `}`, core.Traits{Model: "m", LimitField: cc}, `{"model":"m","max_completion_tokens" : 5,` + msg + `}`},
		"a limit back to the old name":          {`{"model":"m","max_compl\u0065tion_tokens":1.0e2,` + msg + `}`, core.Traits{Model: "m", LimitField: mt}, `{"model":"m","max_tokens":1.0e2,` + msg + `}`},
		"a limit that keeps its name":           {`{"model":"m","max_completion_tokens":5,` + msg + `}`, plain, ""},
		"a cap above the limit":                 {`{"model":"m","max_tokens":5.0,` + msg + `}`, core.Traits{Model: "m", Cap: 9}, ""},
		"a cap below the limit":                 {`{"model":"m","max_tokens": 50 ,` + msg + `}`, core.Traits{Model: "m", Cap: 9}, `{"model":"m","max_tokens": 9 ,` + msg + `}`},
		"a cap and another name":                {`{"model":"m","max_tokens":50,` + msg + `}`, core.Traits{Model: "m", LimitField: cc, Cap: 9}, `{"model":"m","max_completion_tokens":9,` + msg + `}`},
		"a cap without a limit":                 {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", LimitField: cc, Cap: 9}, `{"max_completion_tokens":9,"model":"m",` + msg + `}`},
		"a default without a limit":             {"{\n \"model\":\"m\"," + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, "{\"max_tokens\":4096,\n \"model\":\"m\"," + msg + `}`},
		"a default and a lower cap":             {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096, Cap: 7}, `{"max_tokens":7,"model":"m",` + msg + `}`},
		"a default beside a limit":              {`{"model":"m","max_tokens":5,` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, ""},
		"a limit that is null":                  {`{"model":"m","max_tokens":null,` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, `{"model":"m","max_tokens":4096,` + msg + `}`},
		"a null without a default":              {`{"model":"m","max_tokens":null,` + msg + `}`, plain, ""},
		"both limits, the new one wanted":       {`{"model":"m","max_tokens":5 , "max_completion_tokens" : 5.0,` + msg + `}`, core.Traits{Model: "m", LimitField: cc}, `{"model":"m", "max_completion_tokens" : 5.0,` + msg + `}`},
		"both limits, the old one wanted":       {`{"model":"m","max_tokens":5,"max_completion_tokens":5,` + msg + `}`, core.Traits{Model: "m", LimitField: mt}, `{"model":"m","max_tokens":5,` + msg + `}`},
		"both, at the end":                      {`{"model":"m",` + msg + " ,\"max_completion_tokens\":5\n,\t\"max_tokens\" :\r\n5 }", core.Traits{Model: "m", LimitField: cc}, `{"model":"m",` + msg + " ,\"max_completion_tokens\":5\n }"},
		"both, at the beginning":                {`{ "max_tokens":5,"max_completion_tokens":5,"model":"m",` + msg + `}`, core.Traits{Model: "m", LimitField: cc}, `{ "max_completion_tokens":5,"model":"m",` + msg + `}`},
		"both, far apart":                       {`{"max_completion_tokens":5,"model":"m",` + msg + `,"max_tokens":5}`, core.Traits{Model: "m", LimitField: mt}, `{"model":"m",` + msg + `,"max_tokens":5}`},
		"both, and a cap":                       {`{"max_completion_tokens":5,"model":"m",` + msg + `,"max_tokens":5}`, core.Traits{Model: "m", LimitField: cc, Cap: 3}, `{"max_completion_tokens":3,"model":"m",` + msg + `}`},
		"both, one of them null":                {`{"max_tokens":null,"model":"m",` + msg + `,"max_completion_tokens":5}`, plain, `{"model":"m",` + msg + `,"max_completion_tokens":5}`},
		"both, null where the name is wanted":   {`{"max_tokens":null,"model":"m",` + msg + `,"max_completion_tokens":5}`, core.Traits{Model: "m", LimitField: mt}, `{"max_tokens":5,"model":"m",` + msg + `}`},
		"usage is wanted, but without a stream": {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, ""},
		"usage: the provider does not take it":  {`{"model":"m","stream":true,` + msg + `}`, plain, ""},
		"usage: no options":                     {`{"model":"m","stream":true,` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"stream_options":{"include_usage":true},"model":"m","stream":true,` + msg + `}`},
		"usage: options are null":               {`{"model":"m","stream":true,"stream_options": null,` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options": {"include_usage":true},` + msg + `}`},
		"usage: options are empty":              {`{"model":"m","stream":true,"stream_options":{ },` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true },` + msg + `}`},
		"usage: options hold something else":    {`{"model":"m","stream":true,"stream_options":{ "include_obfuscation":false},` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true, "include_obfuscation":false},` + msg + `}`},
		"usage: it is false":                    {`{"model":"m","stream":true,"stream_options":{"include_usage" : false },` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage" : true },` + msg + `}`},
		"usage: it is null":                     {`{"model":"m","stream":true,"stream_options":{"include_usage":null},` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true},` + msg + `}`},
		"usage: the client wants it":            {`{"model":"m","stream":true,"stream_options":{"include_usage":true},` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, ""},
		"an effort that is not taken":           {`{"model":"m","reasoning_effort" : "low", ` + msg + `}`, plain, `{"model":"m", ` + msg + `}`},
		"an effort that is taken":               {`{"model":"m","reasoning_effort":"low",` + msg + `}`, core.Traits{Model: "m", Effort: true}, ""},
		"a switch that is not taken":            {`{"model":"m",` + msg + ` , "parallel_tool_calls":false }`, plain, `{"model":"m",` + msg + `  }`},
		"a switch that is taken":                {`{"model":"m",` + msg + `,"parallel_tool_calls":false}`, core.Traits{Model: "m", Parallel: true}, ""},
		"neighbours at the end":                 {`{"model":"m",` + msg + `,"max_tokens":5,"parallel_tool_calls":false , "reasoning_effort":"low","max_completion_tokens":5}`, core.Traits{Model: "m", LimitField: mt}, `{"model":"m",` + msg + `,"max_tokens":5}`},
		"neighbours at the beginning":           {`{"reasoning_effort":null,"parallel_tool_calls":true,"model":"m",` + msg + `}`, core.Traits{Model: "m", DefaultCap: 7}, `{"max_tokens":7,"model":"m",` + msg + `}`},
		"strict schemas that are not taken":     {`{"model":"m",` + msg + `,"tools":[{"type":"function","function":{"name":"f","strict" : true }},{"type":"function","function":{"name":"g","strict":false}}],"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":{"strict":true}}}}`, plain, `{"model":"m",` + msg + `,"tools":[{"type":"function","function":{"name":"f","strict" : false }},{"type":"function","function":{"name":"g","strict":false}}],"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":false,"schema":{"strict":true}}}}`},
		"one answer asked for":                  {`{"model":"m","n":1,` + msg + `}`, plain, ""},
		"everything at once":                    {`{"max_tokens":5,"stream":true,"model":"m",` + msg + `,"max_completion_tokens":5}`, core.Traits{Model: "n", LimitField: cc, Cap: 2, StreamUsage: true}, `{"stream_options":{"include_usage":true},"stream":true,"model":"n",` + msg + `,"max_completion_tokens":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			want := tc.want
			if want == "" {
				want = tc.body
			}
			assert.Equal(t, want, string(forward(t, []byte(tc.body), tc.traits)))
		})
	}
}

func TestSeveralAnswersAreRefusedWhereTheProviderGivesOne(t *testing.T) {
	x, e := scanRequest(withField(`"n":2`))
	require.Nil(t, e)
	_, e = Chat{}.AppendForwardCuts(x, core.Traits{Model: "m", Label: "Mistral"}, nil)
	require.NotNil(t, e)
	assert.Equal(t, core.CodeUnsupported, e.Code)
	assert.Equal(t, "n", e.Param)
	assert.Contains(t, e.Public, "Mistral")
	_, e = Chat{}.AppendForwardCuts(x, core.Traits{Model: "m", Count: true}, nil)
	assert.Nil(t, e)
}

func TestTheHeadTellsOfImagesFormatsAndFreeText(t *testing.T) {
	for body, want := range map[string]core.Head{
		withField(`"response_format":{"type":"text"}`):                                                    {},
		withField(`"response_format":{"type":"json_object"}`):                                             {Format: llm.FormatJSON},
		withField(`"response_format":{"json_schema":{"name":"n","schema":{}},"type":"json_schema"}`):      {Format: llm.FormatSchema},
		withField(`"response_format":{"type":"json_schema","json_schema":{"strict":true,"schema":{}}}`):   {Format: llm.FormatSchema, Strict: true},
		withField(`"tools":[{"type":"custom","custom":{"name":"f"}}]`):                                    {HasCustomTools: true},
		withMessage(`{"role":"assistant","tool_calls":[{"type":"custom","custom":{"name":"f"}}]}`):        {HasCustomTools: true},
		withMessage(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x/y"}}]}`): {Images: true},
		withMessage(`{"role":"user","content":[{"image_url":"https://x/y","type":"image_url"}]}`):         {Images: true},
		withMessage(`{"role":"user","content":[{"type":"text","text":"image_url"}]}`):                     {},
		withField(`"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{}}}]`):  {},
	} {
		x, e := scanRequest(body)
		require.Nil(t, e, body)
		assert.Equal(t, want, core.Head{Images: x.Head.Images, Format: x.Head.Format, Strict: x.Head.Strict, HasCustomTools: x.Head.HasCustomTools}, body)
	}
}

// The bodies in testdata hold what a careless rewrite loses: integers of 20
// digits, 1.0e0, escaped slashes and letters, odd spacing, an unusual key order.
func TestGoldenBodiesKeepTheirBytes(t *testing.T) {
	ins, err := filepath.Glob(filepath.Join("testdata", "*.in.json"))
	require.NoError(t, err)
	require.NotEmpty(t, ins)
	for _, path := range ins {
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		base := filepath.Base(path)
		base = base[:len(base)-len(".in.json")]
		t.Run(base, func(t *testing.T) {
			x := &core.Exchange{}
			x.Request.Raw = body
			require.Nil(t, Chat{}.Scan(x))
			if x.Request.Marks[markMaxTokens].Len() == 0 || x.Request.Marks[markMaxCompletionTokens].Len() == 0 {
				assert.Equal(
					t,
					string(body),
					string(forward(t, body, core.Traits{Model: x.Head.Model, Effort: true, Parallel: true, Strict: true, Count: true})),
					"with nothing to do",
				)
			}
			compareGolden(
				t,
				base+".out.json",
				forward(
					t,
					body,
					core.Traits{
						Model:       "gpt-5-2025-08-07",
						LimitField:  "max_completion_tokens",
						DefaultCap:  4096,
						StreamUsage: true,
						Effort:      true,
						Parallel:    true,
						Strict:      true,
						Count:       true,
					},
				),
			)
		})
	}
}

func TestWhatForwardCutsOutIsNamed(t *testing.T) {
	msg := `"messages":[{"role":"user","content":"x"}]`
	for name, c := range map[string]struct {
		body   string
		traits core.Traits
		want   []string
	}{
		"nothing that counts":  {`{"model":"m",` + msg + `}`, plain, nil},
		"an effort":            {`{"model":"m","reasoning_effort":"high",` + msg + `}`, plain, []string{"reasoning_effort"}},
		"an effort of null":    {`{"model":"m","reasoning_effort":null,` + msg + `}`, plain, nil},
		"an effort that goes":  {`{"model":"m","reasoning_effort":"high",` + msg + `}`, core.Traits{Model: "m", Effort: true}, nil},
		"a switch":             {`{"model":"m","parallel_tool_calls":false,` + msg + `}`, plain, []string{"parallel_tool_calls"}},
		"a switch that goes":   {`{"model":"m","parallel_tool_calls":false,` + msg + `}`, core.Traits{Model: "m", Parallel: true}, nil},
		"strictness, but once": {`{"model":"m","tools":[{"type":"function","function":{"name":"f","strict":true}},{"type":"function","function":{"name":"g","strict":true}}],` + msg + `}`, plain, []string{"strict"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := &core.Exchange{}
			x.Request.Raw = []byte(c.body)
			require.Nil(t, Chat{}.Scan(x))
			assert.Equal(t, c.want, Chat{}.AppendOmittedFields(nil, x, c.traits))
		})
	}
}
