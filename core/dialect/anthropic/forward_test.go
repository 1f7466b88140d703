package anthropic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestWhatIsForwardedDiffersOnlyWhereItMust(t *testing.T) {
	msg := `"messages":[{"role":"user","content":"x"}]`
	for name, tc := range map[string]struct {
		body   string
		traits core.Traits
		want   string // "": the very same bytes
	}{
		"nothing to do":                     {`{"model":"m","max_tokens":5,` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, ""},
		"a model that is spelled otherwise": {`{"model":"\u006d","max_tokens":5,` + msg + `}`, core.Traits{Model: "m"}, ""},
		"another model":                     {`{ "model" : "m" ,"max_tokens":5,` + msg + `}`, core.Traits{Model: "a/\"b\""}, `{ "model" : "a/\"b\"" ,"max_tokens":5,` + msg + `}`},
		"a cap above the limit":             {`{"model":"m","max_tokens":5.0,` + msg + `}`, core.Traits{Model: "m", Cap: 9}, ""},
		"a cap below the limit":             {`{"model":"m","max_tokens": 50 ,` + msg + `}`, core.Traits{Model: "m", Cap: 9}, `{"model":"m","max_tokens": 9 ,` + msg + `}`},
		"a cap and a limit of 0":            {`{"model":"m","max_tokens":0,` + msg + `}`, core.Traits{Model: "m", Cap: 9, DefaultCap: 7}, ""},
		"a default without a limit":         {"{\n \"model\":\"m\"," + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, "{\"max_tokens\":4096,\n \"model\":\"m\"," + msg + `}`},
		"a default and a lower cap":         {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096, Cap: 7}, `{"max_tokens":7,"model":"m",` + msg + `}`},
		"a cap alone":                       {`{"model":"m",` + msg + `}`, core.Traits{Model: "m", Cap: 7}, `{"max_tokens":7,"model":"m",` + msg + `}`},
		"a limit that is null":              {`{"model":"m","max_tokens": null,` + msg + `}`, core.Traits{Model: "m", DefaultCap: 4096}, `{"model":"m","max_tokens": 4096,` + msg + `}`},
		"what others do not take":           {`{"model":"m","max_tokens":2048,"temperature":1,"top_p":0.9,"thinking":{"type":"enabled","budget_tokens":1024},"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"output_config":{"effort":"max"},` + msg + `}`, core.Traits{Model: "m", OneSampling: true}, ""},
		"every field and odd spelling":      {bodyOfEverything, core.Traits{Model: "Q1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := tc.want
			if want == "" {
				want = tc.body
			}
			x, e := scanRequest(tc.body)
			require.Nil(t, e)
			cuts, e := Messages{}.AppendForwardCuts(x, tc.traits, nil)
			require.Nil(t, e)
			out, err := splice.Apply(x.Request.Raw, cuts)
			require.NoError(t, err)
			assert.Equal(t, want, string(out))
		})
	}
}

func TestARequestWithoutALimitIsRefusedWhereThereIsNoDefault(t *testing.T) {
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"user","content":"x"}]}`,
		`{"model":"m","max_tokens":null,"messages":[{"role":"user","content":"x"}]}`,
	} {
		x, e := scanRequest(body)
		require.Nil(t, e)
		_, e = Messages{}.AppendForwardCuts(x, core.Traits{Model: "m"}, nil)
		require.NotNil(t, e)
		assert.Equal(t, core.CodeMissingField, e.Code)
		assert.Equal(t, "max_tokens", e.Param)
	}
}
