package gemini

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// forward scans a request and makes it ready for a target.
func forward(t testing.TB, body string, traits core.Traits) string {
	x, e := scanRequest(body)
	require.Nil(t, e)
	cuts, e := Generate{}.AppendForwardCuts(x, traits, nil)
	require.Nil(t, e)
	out, err := splice.Apply(x.Request.Raw, cuts)
	require.NoError(t, err)
	return string(out)
}

func TestOnlyTheLimitAndARepeatedModelAreChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		in     string
		traits core.Traits
		want   string
	}{
		"nothing to set":                {withField(`"generationConfig": { }`), core.Traits{Model: "m"}, withField(`"generationConfig": { }`)},
		"no config":                     {`{ ` + hello + `}`, core.Traits{DefaultCap: 9}, `{"generationConfig":{"maxOutputTokens":9}, ` + hello + `}`},
		"a config that is null":         {withField(`"generationConfig": null`), core.Traits{DefaultCap: 9}, withField(`"generationConfig": {"maxOutputTokens":9}`)},
		"an empty config":               {withField(`"generation_config": { }`), core.Traits{DefaultCap: 9}, withField(`"generation_config": {"maxOutputTokens":9 }`)},
		"a config without a limit":      {withConfig(`"topK": 1`), core.Traits{DefaultCap: 9}, withConfig(`"maxOutputTokens":9,"topK": 1`)},
		"a limit that is null":          {withConfig(`"maxOutputTokens": null`), core.Traits{DefaultCap: 9}, withConfig(`"maxOutputTokens": 9`)},
		"a null limit and none to set":  {withConfig(`"maxOutputTokens": null`), core.Traits{}, withConfig(`"maxOutputTokens": null`)},
		"the client's limit counts":     {withConfig(`"max_output_tokens": "50"`), core.Traits{DefaultCap: 9, Cap: 60}, withConfig(`"max_output_tokens": "50"`)},
		"a stage's limit is lower":      {withConfig(`"max_output_tokens": "50"`), core.Traits{DefaultCap: 9, Cap: 40}, withConfig(`"max_output_tokens": 40`)},
		"a stage's limit alone":         {withConfig(`"topK":1`), core.Traits{Cap: 40}, withConfig(`"maxOutputTokens":40,"topK":1`)},
		"a model in the body":           {withField(`"model":"models/m"`), core.Traits{Model: "gemini-3"}, withField(`"model":"models/gemini-3"`)},
		"the same model in the body":    {withField(`"model":"models/m"`), core.Traits{Model: "m"}, withField(`"model":"models/m"`)},
		"a model that is spelled whole": {withField(`"model":"x"`), core.Traits{Model: "models/a\"b"}, withField(`"model":"models/a\"b"`)},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, forward(t, tc.in, tc.traits))
		})
	}
}

func TestAPathIsSplitAtItsLastColon(t *testing.T) {
	for path, want := range map[string][2]string{
		"gemini-2.5-pro:streamGenerateContent":  {"gemini-2.5-pro", MethodStream},
		"openai/gpt-4o:generateContent":         {"openai/gpt-4o", MethodGenerate},
		"ollama/llama3.2:3b:generateContent":    {"ollama/llama3.2:3b", MethodGenerate},
		"bedrock/a.b-v1:0:countTokens":          {"bedrock/a.b-v1:0", MethodCountTokens},
		"tunedModels/x-1:embedContent":          {"tunedModels/x-1", "embedContent"},
		"publishers/google/models/m:rawPredict": {"publishers/google/models/m", "rawPredict"},
	} {
		model, method, ok := SplitCall(path)
		assert.True(t, ok, path)
		assert.Equal(t, want, [2]string{model, method})
	}
	for _, path := range []string{"", "gemini-2.5-pro", ":generateContent", "m:", "m:x/y", ":"} {
		_, _, ok := SplitCall(path)
		assert.False(t, ok, path)
	}
}

func TestModelsAreListedInTheShape(t *testing.T) {
	assert.JSONEq(t, `{"models":[]}`, string(AppendModels(nil, nil)))
	assert.JSONEq(
		t,
		`{"models":[
{"name":"models/openai/gpt-4o","displayName":"openai/gpt-4o","supportedGenerationMethods":["generateContent","streamGenerateContent","countTokens"]},
{"name":"models/x","displayName":"X \"1\"","description":"d","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent","streamGenerateContent","countTokens"]}]}`,
		string(
			AppendModels(
				nil,
				[]Model{{Name: "openai/gpt-4o"}, {Name: "x", DisplayName: `X "1"`, Description: "d", InputLimit: 1 << 20, OutputLimit: 65536}},
			),
		),
	)
}
