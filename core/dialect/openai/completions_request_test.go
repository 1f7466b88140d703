package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func scanWith(d core.Dialect, body string) (*core.Exchange, *core.Error) {
	x := &core.Exchange{Dialect: d.Name()}
	x.Request.Raw = []byte(body)
	return x, d.Scan(x)
}

func segmentsOf(x *core.Exchange) (out []string) {
	for i := range x.Request.Segments {
		out = append(out, x.Request.Segments[i].Path()+"="+x.Request.ReadText(i))
	}
	return out
}

func TestALegacyCompletionIsReadForEachOfItsPrompts(t *testing.T) {
	x, e := scanWith(
		Completions{},
		`{"model":"m","prompt":["a\n","b"],"max_tokens":5,"temperature":0.0,"top_p":1.0,"n":2,"seed":12345678901234567890,"stop":"x","logprobs":3,"user":"u",`+
			`"frequency_penalty":1,"presence_penalty":-1,"stream":true,"stream_options":{"include_usage":true},"echo":false,"suffix":null,"best_of":1,"logit_bias":{"1":2},"new":"text"}`,
	)
	require.Nil(t, e)
	assert.Equal(t, []string{"prompt[0]=a\n", "prompt[1]=b", "stop=x", "user=u", "new=text"}, segmentsOf(x))
	assert.Equal(t, core.Head{Model: "m", Stream: true, MaxTokens: 5, Messages: 2, User: "u", AnswersPerPrompt: 2, Prompts: 2}, x.Head)
	require.Equal(t, 2, Completions{}.CountPrompts(x))
	for i, text := range []string{"a\n", "b"} {
		r, e := Completions{}.DecodePrompt(x, i)
		require.Nil(t, e)
		assert.Equal(t, &llm.Request{
			Model:            "m",
			Messages:         []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText(text)}}},
			MaxTokens:        5,
			Temperature:      "0.0",
			TopP:             "1.0",
			Count:            2,
			Seed:             "12345678901234567890",
			Stop:             []string{"x"},
			Logprobs:         true,
			TopLogprobs:      "3",
			User:             "u",
			FrequencyPenalty: "1",
			PresencePenalty:  "-1",
			Stream:           true,
			StreamUsage:      true,
			Dropped:          []string{"logit_bias", "new"},
		}, r)
	}
	first, e := Completions{}.Decode(x)
	require.Nil(t, e)
	assert.Equal(t, "a\n", first.Messages[0].Parts[0].Text)

	x, e = scanWith(Completions{}, `{"model":"m","prompt":"a"}`)
	require.Nil(t, e)
	assert.Equal(t, []string{"prompt=a"}, segmentsOf(x))
	assert.Equal(t, 1, Completions{}.CountPrompts(x))
}

func TestALegacyCompletionThatCannotBeAnsweredIsRefused(t *testing.T) {
	for member, param := range map[string]string{
		``:                             "prompt",
		`"prompt":[]`:                  "prompt",
		`"prompt":null`:                "prompt",
		`"prompt":[1,2]`:               "prompt",
		`"prompt":[[1,2],[3]]`:         "prompt",
		`"prompt":["a",1]`:             "prompt",
		`"prompt":{}`:                  "prompt",
		`"prompt":["a"],"prompt":"b"`:  "",
		`"prompt":"a","echo":true`:     "echo",
		`"prompt":"a","suffix":"b"`:    "suffix",
		`"prompt":"a","best_of":2`:     "best_of",
		`"prompt":"a","temperature":3`: "temperature",
		`"prompt":"a","max_tokens":0`:  "max_tokens",
		`"prompt":"a","logprobs":-1`:   "logprobs",
		`"prompt":"a","stream":1`:      "stream",
		`"prompt":"a","stop":1`:        "stop",
		`"prompt":"a","n":0`:           "n",
		`"prompt":"a","stream_options":{"include_usage":true}`:     "stream_options",
		`"prompt":["a"` + strings.Repeat(`,"a"`, maxPrompts) + `]`: "prompt",
	} {
		body := `{"model":"m"}`
		if member != "" {
			body = `{"model":"m",` + member + `}`
		}
		_, e := scanWith(Completions{}, body)
		require.NotNil(t, e, member)
		assert.Equal(t, 400, e.HTTPStatus())
		assert.Equal(t, param, e.Param, member)
	}
	_, e := scanWith(Completions{}, `{"prompt":"a"}`)
	require.NotNil(t, e)
	assert.Equal(t, "model", e.Param)
	_, e = scanWith(Completions{}, `[]`)
	require.NotNil(t, e)
	_, e = Completions{}.AppendForwardCuts(nil, core.Traits{}, nil)
	require.NotNil(t, e)
}
