package gemini

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

func scanEmbed(d Embed, body string) (*core.Exchange, *core.Error) {
	x := &core.Exchange{}
	x.Request.Raw = []byte(body)
	return x, d.Scan(x)
}

func TestTheTextsOfEmbeddingsAreFoundAndModelsUpdated(t *testing.T) {
	const one = `{"model": "models/a", "content":{"parts":[{"text":"x\n"},{"text":"y"}]},"taskType":"RETRIEVAL_DOCUMENT","title":"t","outputDimensionality":8}`
	x, e := scanEmbed(Embed{}, one)
	require.Nil(t, e)
	var texts []string
	for i := range x.Request.Segments {
		texts = append(texts, x.Request.ReadText(i))
	}
	assert.Equal(t, []string{"x\n", "y", "RETRIEVAL_DOCUMENT", "t"}, texts)
	assert.Equal(t, llm.TaskEmbed, x.Head.Task)
	assert.Equal(t, 1, x.Head.Messages)
	cuts, e := Embed{}.AppendForwardCuts(x, core.Traits{Model: "gemini-embedding-001", DefaultCap: 9}, nil)
	require.Nil(t, e)
	out, err := splice.Apply(x.Request.Raw, cuts)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(one, "models/a", "models/gemini-embedding-001", 1), string(out))

	const two = `{"requests":[{"model":"models/a","content":{"parts":[{"text":"x"}]}},{"model":"models/b","content":{"role":"user","parts":{"text":"y"}}}]}`
	x, e = scanEmbed(Embed{Batch: true}, two)
	require.Nil(t, e)
	assert.Equal(t, 2, x.Head.Messages)
	assert.Equal(t, "y", x.Request.ReadText(1))
	cuts, e = Embed{Batch: true}.AppendForwardCuts(x, core.Traits{Model: "b"}, nil)
	require.Nil(t, e)
	out, err = splice.Apply(x.Request.Raw, cuts)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(two, "models/a", "models/b", 1), string(out))
}

func TestEmbeddingsWithoutAContentAreRefused(t *testing.T) {
	for body, param := range map[string]string{
		`{}`:                                        "content",
		`{"content":1}`:                             "content",
		`{"content":{"parts":[]},"content":{}}`:     "",
		`{"content":{"parts":[]},"model":1}`:        "model",
		`[]`:                                        "",
		`{"content":{"parts":[{"text":1}]}}`:        "content.parts[0].text",
		`{"content":{"role":"boss","parts":[]}}`:    "content.role",
		`{"content":{"parts":[]}} x`:                "",
		`{"content":{"parts":[{"text":"a"}]},"a":1`: "",
	} {
		_, e := scanEmbed(Embed{}, body)
		require.NotNil(t, e, body)
		assert.Equal(t, 400, e.HTTPStatus(), body)
		assert.Equal(t, param, e.Param, body)
	}
	for body, param := range map[string]string{
		`{}`:                  "requests",
		`{"requests":{}}`:     "requests",
		`{"requests":[]}`:     "requests",
		`{"requests":[1]}`:    "requests[0]",
		`{"requests":[{}]}`:   "requests[0].content",
		`{"requests":[null]}`: "requests[0]",
		`{"requests":[{"content":{"parts":[]}},{"content":{"parts":[{"text":1}]}}]}`:                           "requests[1].content.parts[0].text",
		`{"requests":[` + strings.Repeat(`{"content":{"parts":[]}},`, maxBatch) + `{"content":{"parts":[]}}]}`: "requests",
	} {
		_, e := scanEmbed(Embed{Batch: true}, body)
		require.NotNil(t, e, body)
		assert.Equal(t, param, e.Param)
	}
}

func TestTheUsageOfEmbeddingsIsRead(t *testing.T) {
	x := &core.Exchange{}
	x.Response.Raw = []byte(`{"embeddings":[{"values":[0.1,-2e-3]}],"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5}}`)
	require.NoError(t, Embed{}.ScanResponse(x))
	assert.Equal(t, llm.Usage{Reported: true, Input: 5}, x.Usage)
	x = &core.Exchange{}
	x.Response.Raw = []byte(`{"embedding":{"values":[0.1]}}`)
	require.NoError(t, Embed{}.ScanResponse(x))
	assert.False(t, x.Usage.Known())
	for _, bad := range []string{``, `[]`, `{"a":1,"a":2}`, `{}x`} {
		x.Response.Raw = []byte(bad)
		require.Error(t, Embed{}.ScanResponse(x), bad)
	}
	require.Error(t, Embed{}.ScanEvent(x, nil))
	assert.Nil(t, Embed{}.CheckModel("text-embedding-005"))
	assert.NotNil(t, Embed{}.CheckModel("gemini-2.5-pro"))
	assert.Equal(t, []string{EmbedName, BatchEmbedName}, []string{Embed{}.Name(), Embed{Batch: true}.Name()})
	assert.Contains(t, string(Embed{}.AppendError(nil, &core.Error{Kind: core.InvalidRequest, Public: "m"})), `"status":"INVALID_ARGUMENT"`)
	_, message := Embed{}.ReadError([]byte(`{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}`))
	assert.Equal(t, "m", message)
}
