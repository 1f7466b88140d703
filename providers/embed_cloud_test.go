package providers

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// vectorServer is a client that keeps a call and answers it with a body.
type vectorServer struct {
	url, body string
	header    []upstream.Field
	answer    string
	status    int
	fields    []upstream.Field
}

func (c *vectorServer) Do(_ context.Context, r *upstream.Request) (*upstream.Response, error) {
	c.url, c.body, c.header = r.URL.String(), string(r.Body), append([]upstream.Field(nil), r.Header...)
	return &upstream.Response{
		Status: c.status, ContentLength: int64(len(c.answer)), Body: &scripted{pieces: []string{c.answer}},
		Header: append([]upstream.Field{{Name: "Content-Type", Value: "application/json"}}, c.fields...),
	}, nil
}

func (*vectorServer) Close() error { return nil }

func TestCloudsEmbedInTheirOwnForms(t *testing.T) {
	counted := []upstream.Field{{Name: "X-Amzn-Bedrock-Input-Token-Count", Value: "7"}}
	for _, c := range []struct {
		name, typ, model, asked, url, sent, answer, want string
		fields                                           []upstream.Field
	}{
		{
			"Titan", "bedrock", "amazon.titan-embed-text-v2:0", `{"model":"m","input":"a","dimensions":256}`,
			"https://bedrock-runtime.eu-central-1.amazonaws.com/model/amazon.titan-embed-text-v2%3A0/invoke", `{"inputText":"a","dimensions":256}`,
			`{"embedding":[0.5,-1],"inputTextTokenCount":3}`,
			`{"object":"list","model":"amazon.titan-embed-text-v2:0","data":[{"object":"embedding","index":0,"embedding":[0.5,-1]}],"usage":{"prompt_tokens":3,"total_tokens":3}}`, nil,
		},
		{
			"Cohere on Bedrock, with types", "bedrock", "eu.cohere.embed-v4:0", `{"model":"m","input":["a","b"],"encoding_format":"base64","input_type":"search_query"}`,
			"https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.cohere.embed-v4%3A0/invoke",
			`{"texts":["a","b"],"input_type":"search_query","embedding_types":["float"]}`, `{"id":"1","embeddings":{"float":[[1],[2]]},"texts":["a","b"]}`,
			`{"object":"list","model":"eu.cohere.embed-v4:0","data":[{"object":"embedding","index":0,"embedding":"AACAPw=="},{"object":"embedding","index":1,"embedding":"AAAAQA=="}],"usage":{"prompt_tokens":7,"total_tokens":7}}`, counted,
		},
		{
			"Cohere on Bedrock, plain", "bedrock", "cohere.embed-english-v3", `{"model":"m","input":"a"}`,
			"https://bedrock-runtime.eu-central-1.amazonaws.com/model/cohere.embed-english-v3/invoke",
			`{"texts":["a"],"input_type":"search_document","embedding_types":["float"]}`, `{"embeddings":[[0.25]]}`,
			`{"object":"list","model":"cohere.embed-english-v3","data":[{"object":"embedding","index":0,"embedding":[0.25]}]}`, nil,
		},
		{
			"Vertex", "vertex", "text-embedding-005", `{"model":"m","input":["a","b"],"dimensions":2}`,
			"https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/google/models/text-embedding-005:predict",
			`{"instances":[{"content":"a"},{"content":"b"}],"parameters":{"outputDimensionality":2}}`,
			`{"predictions":[{"embeddings":{"values":[1,2],"statistics":{"truncated":false,"token_count":4}}},{"embeddings":{"values":[3,4],"statistics":{"token_count":5}}}]}`,
			`{"object":"list","model":"text-embedding-005","data":[{"object":"embedding","index":0,"embedding":[1,2]},{"object":"embedding","index":1,"embedding":[3,4]}],"usage":{"prompt_tokens":9,"total_tokens":9}}`, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := &vectorServer{answer: c.answer, status: 200, fields: c.fields}
			s := settings(c.typ)
			s.Client = up
			p := newProvider(t, s)
			x := exchange(openAIEmbeddings, c.model, false)
			require.Equal(t, openAIEmbeddings, p.ChooseWire(x))
			x.Target.Wire = openAIEmbeddings
			r := &upstream.Request{Body: []byte(c.asked)}
			require.NoError(t, p.NewRequest(x, r))
			res, err := p.Client().Do(t.Context(), r)
			require.NoError(t, err)
			got, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(got))
			assert.JSONEq(t, c.sent, up.body)
			assert.Equal(t, c.url, up.url)
			for _, f := range up.header {
				assert.NotEqual(t, embedNote, f.Name)
			}
			for _, bad := range []string{`{}`, `[]`, `{"embedding":[]}`, `{"embeddings":[[]]}`, `{"predictions":[{}]}`} {
				up.answer = bad
				require.NoError(t, p.NewRequest(x, &upstream.Request{Body: []byte(c.asked)}))
				r := &upstream.Request{Body: []byte(c.asked)}
				require.NoError(t, p.NewRequest(x, r))
				res, err := p.Client().Do(t.Context(), r)
				require.NoError(t, err)
				got, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				var object map[string]any
				assert.NoError(t, json.Unmarshal(got, &object))
				assert.Nil(t, object, "the proxy refuses what is not an answer: %s", bad)
			}
			up.status, up.answer = 400, `{"message":"no"}`
			r = &upstream.Request{Body: []byte(c.asked)}
			require.NoError(t, p.NewRequest(x, r))
			res, err = p.Client().Do(t.Context(), r)
			require.NoError(t, err)
			assert.Equal(t, 400, res.Status)
		})
	}
	p := newProvider(t, settings("bedrock"))
	x := exchange(openAIEmbeddings, "amazon.titan-embed-text-v2:0", false)
	x.Target.Wire = openAIEmbeddings
	e := core.ConvertError(p.NewRequest(x, &upstream.Request{Body: []byte(`{"input":["a","b"]}`)}))
	assert.Equal(t, 400, e.HTTPStatus())
	assert.Contains(t, e.Public, "no more than 1 of the texts")
	assert.Empty(t, p.ChooseWire(exchange(openAIEmbeddings, "amazon.nova-lite-v1:0", false)))
	assert.Empty(t, newProvider(t, settings("vertex")).ChooseWire(exchange(openAIEmbeddings, "gemini-2.5-pro", false)))
}

func TestEmbeddingModelsOfCloudsAreKnown(t *testing.T) {
	for _, c := range [][2]string{
		{"bedrock", "amazon.titan-embed-text-v2:0"}, {"bedrock", "eu.cohere.embed-v4:0"}, {"vertex", "gemini-embedding-001"}, {"vertex", "text-multilingual-embedding-002"},
	} {
		f, err := FindFacts(c[0], c[1])
		require.NoError(t, err)
		assert.True(t, f.Embeds, c[1])
	}
}
