package providers

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// askFor sends a body of a shape to the mock.
func askFor(t testing.TB, dialect, body string) (int, string) {
	p := newProvider(t, Settings{Name: "mock"})
	r := request(t, p, exchange(dialect, "text-embedding-mock", false))
	r.Body = []byte(body)
	res, err := p.Client().Do(context.Background(), r)
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.Status, string(b)
}

type vectors struct {
	Object, Model string
	Data          []struct {
		Object    string
		Index     int
		Embedding json.RawMessage
	}
	Usage map[string]int
}

func embed(t testing.TB, body string) vectors {
	status, text := askFor(t, openAIEmbeddings, body)
	require.Equal(t, 200, status, text)
	var v vectors
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return v
}

func TestTheMockEmbedsEqualTextsEqually(t *testing.T) {
	v := embed(t, `{"model":"text-embedding-mock","input":["12345678","x","12345678"]}`)
	assert.Equal(t, "list", v.Object)
	assert.Equal(t, "text-embedding-mock", v.Model)
	require.Len(t, v.Data, 3)
	assert.Equal(t, map[string]int{"prompt_tokens": 5, "total_tokens": 5}, v.Usage)
	assert.Equal(t, string(v.Data[0].Embedding), string(v.Data[2].Embedding))
	assert.NotEqual(t, string(v.Data[0].Embedding), string(v.Data[1].Embedding))
	for i, d := range v.Data {
		assert.Equal(t, i, d.Index)
		assert.Equal(t, "embedding", d.Object)
		var floats []float64
		require.NoError(t, json.Unmarshal(d.Embedding, &floats))
		assert.Len(t, floats, mockDimensions)
		sum := 0.0
		for _, x := range floats {
			sum += x * x
		}
		assert.InDelta(t, 1, sum, 1e-5)
	}
	assert.Equal(t, v, embed(t, `{"model":"text-embedding-mock","input":["12345678","x","12345678"]}`))
	assert.Equal(t, string(v.Data[1].Embedding), string(embed(t, `{"input":"x"}`).Data[0].Embedding))
}

func TestTheMockPacksVectorsAsTheyAreAskedFor(t *testing.T) {
	var floats []float32
	require.NoError(t, json.Unmarshal(embed(t, `{"input":"x","dimensions":5}`).Data[0].Embedding, &floats))
	require.Len(t, floats, 5)
	var text string
	require.NoError(t, json.Unmarshal(embed(t, `{"input":"x","dimensions":5,"encoding_format":"base64"}`).Data[0].Embedding, &text))
	raw, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	require.Len(t, raw, 4*5)
	for i, want := range floats {
		assert.InDelta(t, want, math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])), 1e-6)
	}
}

func TestTheMockRefusesWhatItCannotEmbed(t *testing.T) {
	for body, code := range map[string]string{
		`{`:                                `"invalid_json"`,
		`{"input":[1,2]}`:                  `"invalid_input"`,
		`{}`:                               `"invalid_input"`,
		`{"input":"x","dimensions":-1}`:    `"invalid_dimensions"`,
		`{"input":"x","dimensions":99999}`: `"invalid_dimensions"`,
	} {
		status, text := askFor(t, openAIEmbeddings, body)
		assert.Equal(t, 400, status, body)
		assert.Contains(t, text, code)
	}
}

func TestTheMockCountsInTheShapeItIsAskedIn(t *testing.T) {
	const messages = `{"model":"mock-x","system":"1234","messages":[{"role":"user","content":[{"type":"text","text":"12345678"},{"type":"image","source":{"data":"AAAA"}}]},{"role":"assistant","content":"1"}]}`
	status, text := askFor(t, anthropicCount, messages)
	assert.Equal(t, 200, status)
	assert.JSONEq(t, `{"input_tokens":4}`, text)
	status, text = askFor(
		t,
		geminiCount,
		`{"contents":[{"role":"user","parts":[{"text":"12345678"}]}],"systemInstruction":{"parts":[{"text":"1"}]}}`,
	)
	assert.Equal(t, 200, status)
	assert.JSONEq(t, `{"totalTokens":3}`, text)
	status, _ = askFor(t, geminiCount, `{`)
	assert.Equal(t, 400, status)
}
