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
	"github.com/headgate-dev/headgate/core/splice"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file under testdata, byte for byte.
func golden(t *testing.T, name string, got []byte) {
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
	cuts, e := Chat{}.Forward(x, traits, nil)
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
		"nothing to do":                        {`{"model":"m",` + msg + `}`, plain, ""},
		"a model that is spelled otherwise":    {`{"model":"\u006d",` + msg + `}`, plain, ""},
		"another model":                        {`{ "model" : "m" ,` + msg + `}`, core.Traits{Model: "a/\"b\""}, `{ "model" : "a/\"b\"" ,` + msg + `}`},
		"a limit under its name":               {`{"model":"m","max_tokens":5,` + msg + `}`, core.Traits{Model: "m", LimitField: mt}, ""},
		"a limit under the other name":         {`{"model":"m","max_tokens" : 5,` + msg + `}`, core.Traits{Model: "m", LimitField: cc}, `{"model":"m","max_completion_tokens" : 5,` + msg + `}`},
		"a limit back to the old name":         {`{"model":"m","max_compl\u0065tion_tokens":1.0e2,` + msg + `}`, core.Traits{Model: "m", LimitField: mt}, `{"model":"m","max_tokens":1.0e2,` + msg + `}`},
		"a limit that nobody renames":          {`{"model":"m","max_completion_tokens":5,` + msg + `}`, plain, ""},
		"a cap above the limit":                {`{"model":"m","max_tokens":5.0,` + msg + `}`, core.Traits{Model: "m", Cap: 9}, ""},
		"a cap below the limit":                {`{"model":"m","max_tokens": 50 ,` + msg + `}`, core.Traits{Model: "m", Cap: 9}, `{"model":"m","max_tokens": 9 ,` + msg + `}`},
		"a cap and another name":               {`{"model":"m","max_tokens":50,` + msg + `}`, core.Traits{Model: "m", LimitField: cc, Cap: 9}, `{"model":"m","max_completion_tokens":9,` + msg + `}`},
		"a cap without a limit":                {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", LimitField: cc, Cap: 9}, `{"max_completion_tokens":9,"model":"m",` + msg + `}`},
		"a default without a limit":            {"{\n \"model\":\"m\"," + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, "{\"max_tokens\":4096,\n \"model\":\"m\"," + msg + `}`},
		"a default and a lower cap":            {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096, Cap: 7}, `{"max_tokens":7,"model":"m",` + msg + `}`},
		"a default beside a limit":             {`{"model":"m","max_tokens":5,` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, ""},
		"a limit that is null":                 {`{"model":"m","max_tokens":null,` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, `{"model":"m","max_tokens":4096,` + msg + `}`},
		"a null without a default":             {`{"model":"m","max_tokens":null,` + msg + `}`, plain, ""},
		"both limits, the new one wanted":      {`{"model":"m","max_tokens":5 , "max_completion_tokens" : 5.0,` + msg + `}`, core.Traits{Model: "m", LimitField: cc}, `{"model":"m", "max_completion_tokens" : 5.0,` + msg + `}`},
		"both limits, the old one wanted":      {`{"model":"m","max_tokens":5,"max_completion_tokens":5,` + msg + `}`, core.Traits{Model: "m", LimitField: mt}, `{"model":"m","max_tokens":5,` + msg + `}`},
		"both, at the end":                     {`{"model":"m",` + msg + " ,\"max_completion_tokens\":5\n,\t\"max_tokens\" :\r\n5 }", core.Traits{Model: "m", LimitField: cc}, `{"model":"m",` + msg + " ,\"max_completion_tokens\":5\n }"},
		"both, at the beginning":               {`{ "max_tokens":5,"max_completion_tokens":5,"model":"m",` + msg + `}`, core.Traits{Model: "m", LimitField: cc}, `{ "max_completion_tokens":5,"model":"m",` + msg + `}`},
		"both, far apart":                      {`{"max_completion_tokens":5,"model":"m",` + msg + `,"max_tokens":5}`, core.Traits{Model: "m", LimitField: mt}, `{"model":"m",` + msg + `,"max_tokens":5}`},
		"both, and a cap":                      {`{"max_completion_tokens":5,"model":"m",` + msg + `,"max_tokens":5}`, core.Traits{Model: "m", LimitField: cc, Cap: 3}, `{"max_completion_tokens":3,"model":"m",` + msg + `}`},
		"both, one of them null":               {`{"max_tokens":null,"model":"m",` + msg + `,"max_completion_tokens":5}`, plain, `{"model":"m",` + msg + `,"max_completion_tokens":5}`},
		"both, null where the name is wanted":  {`{"max_tokens":null,"model":"m",` + msg + `,"max_completion_tokens":5}`, core.Traits{Model: "m", LimitField: mt}, `{"max_tokens":5,"model":"m",` + msg + `}`},
		"usage is wanted, but it is no stream": {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, ""},
		"usage: the provider does not take it": {`{"model":"m","stream":true,` + msg + `}`, plain, ""},
		"usage: no options":                    {`{"model":"m","stream":true,` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"stream_options":{"include_usage":true},"model":"m","stream":true,` + msg + `}`},
		"usage: options are null":              {`{"model":"m","stream":true,"stream_options": null,` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options": {"include_usage":true},` + msg + `}`},
		"usage: options are empty":             {`{"model":"m","stream":true,"stream_options":{ },` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true },` + msg + `}`},
		"usage: options hold something else":   {`{"model":"m","stream":true,"stream_options":{ "include_obfuscation":false},` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true, "include_obfuscation":false},` + msg + `}`},
		"usage: it is false":                   {`{"model":"m","stream":true,"stream_options":{"include_usage" : false },` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage" : true },` + msg + `}`},
		"usage: it is null":                    {`{"model":"m","stream":true,"stream_options":{"include_usage":null},` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true},` + msg + `}`},
		"usage: the client wants it":           {`{"model":"m","stream":true,"stream_options":{"include_usage":true},` + msg + `}`, core.Traits{Model: "m", StreamUsage: true}, ""},
		"everything at once":                   {`{"max_tokens":5,"stream":true,"model":"m",` + msg + `,"max_completion_tokens":5}`, core.Traits{Model: "n", LimitField: cc, Cap: 2, StreamUsage: true}, `{"stream_options":{"include_usage":true},"stream":true,"model":"n",` + msg + `,"max_completion_tokens":2}`},
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
				assert.Equal(t, string(body), string(forward(t, body, core.Traits{Model: x.Head.Model})), "with nothing to do")
			}
			golden(t, base+".out.json", forward(t, body, core.Traits{Model: "gpt-5-2025-08-07", LimitField: "max_completion_tokens", DefaultCap: 4096, StreamUsage: true}))
		})
	}
}
