package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestEmbeddingsPassThrough(t *testing.T) {
	const body = `{ "input" : ["a\n","b",""], "model":"openai/text-embedding-3-small","encoding_format":"base64","dimensions":1.0e2,"user":"u","new":{"t":"c"}}`
	x, e := scanWith(Embeddings{}, body)
	require.Nil(t, e)
	assert.Equal(t, []string{"input[0]=a\n", "input[1]=b", "user=u", "t=c"}, segmentsOf(x))
	assert.Equal(t, core.Head{Model: "openai/text-embedding-3-small", Messages: 3, User: "u", Task: llm.TaskEmbed}, x.Head)
	for model, want := range map[string]string{
		"openai/text-embedding-3-small": body,
		"text-embedding-3-small":        strings.Replace(body, "openai/", "", 1),
	} {
		cuts, e := Embeddings{}.AppendForwardCuts(x, core.Traits{Model: model, LimitField: maxTokens, DefaultCap: 5}, nil)
		require.Nil(t, e)
		out, err := splice.Apply(x.Request.Raw, cuts)
		require.NoError(t, err)
		assert.Equal(t, want, string(out))
	}
	x, e = scanWith(Embeddings{}, `{"model":"text-embedding-3-large","input":"one","encoding_format":"float"}`)
	require.Nil(t, e)
	assert.Equal(t, []string{"input=one"}, segmentsOf(x))
}

func TestEmbeddingsOfWhatIsNoTextAreRefused(t *testing.T) {
	tooMany := `{"model":"m","input":[""` + strings.Repeat(`,"a"`, maxInputs) + `]}`
	for body, param := range map[string]string{
		`{"model":"m"}`:                                      "input",
		`{"input":"a"}`:                                      "model",
		`{"model":"m","input":[]}`:                           "input",
		`{"model":"m","input":[1,2]}`:                        "input",
		`{"model":"m","input":[[1],[2]]}`:                    "input",
		`{"model":"m","input":{}}`:                           "input",
		`{"model":"m","input":null}`:                         "input",
		`{"model":"m","input":["a",null]}`:                   "input",
		`{"model":"m","input":"a","dimensions":0}`:           "dimensions",
		`{"model":"m","input":"a","encoding_format":"int8"}`: "encoding_format",
		`{"model":"m","input":"a","encoding_format":1}`:      "encoding_format",
		`{"model":"m","input":"a","user":1}`:                 "user",
		`{"model":"m","input":"a","stream":true}`:            "stream",
		`{"model":"m","input":"a","input":"b"}`:              "",
		`"m"`:                                                "",
		tooMany:                                              "input",
	} {
		_, e := scanWith(Embeddings{}, body)
		require.NotNil(t, e, body)
		assert.Equal(t, 400, e.HTTPStatus())
		assert.Equal(t, param, e.Param, body)
	}
	assert.Nil(t, Embeddings{}.CheckModel("text-embedding-3-small"))
	assert.Nil(t, Embeddings{}.CheckModel("text-embedding-ada-002"))
	e := Embeddings{}.CheckModel("gpt-4o")
	require.NotNil(t, e)
	assert.Equal(t, "model", e.Param)
	assert.NotNil(t, Embeddings{}.CheckModel("openai/text-embedding-3-small"), "the prefix is cut before")
}

func TestTheUsageOfEmbeddingsIsRead(t *testing.T) {
	x := &core.Exchange{}
	x.Response.Raw = []byte(
		`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[-0.0069,1e-9]},{"object":"embedding","index":1,"embedding":"AAAA"}],"model":"text-embedding-3-small","usage":{"prompt_tokens":5,"total_tokens":5}}`,
	)
	require.NoError(t, Embeddings{}.ScanResponse(x))
	assert.Equal(t, llm.Usage{Reported: true, Input: 5}, x.Usage)
	assert.Empty(t, x.Response.Segments)
	for _, bad := range []string{``, `[]`, `{"a":1,"a":2}`, `{}x`} {
		x.Response.Raw = []byte(bad)
		require.Error(t, Embeddings{}.ScanResponse(x), bad)
	}
	require.Error(t, Embeddings{}.ScanEvent(x, nil))
	assert.Empty(t, Embeddings{}.AppendDelta(nil, nil, core.Part{}, "x"))
	assert.Empty(t, Embeddings{}.AppendEnd(nil, nil, nil, &core.Error{}))
	assert.JSONEq(
		t,
		`{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"c"}}`,
		string(Embeddings{}.AppendError(nil, &core.Error{Kind: core.InvalidRequest, Code: "c", Public: "m"})),
	)
	_, message := Embeddings{}.ReadError([]byte(`{"detail":"m"}`))
	assert.Equal(t, "m", message)
}
