package providers

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math"
	"net/http"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// mockDimensions is the length of a vector unless the client sets one, and mockMaxDimensions the greatest length that
// it may set.
const (
	mockDimensions    = 64
	mockMaxDimensions = 4096
)

// mockEmbeddings answers with unit vectors derived from the texts: equal texts have
// equal vectors.
func mockEmbeddings(body []byte) *upstream.Response {
	var r struct {
		Model      string          `json:"model"`
		Input      json.RawMessage `json:"input"`
		Dimensions int             `json:"dimensions"`
		Format     string          `json:"encoding_format"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	var texts []string
	if json.Unmarshal(r.Input, &texts) != nil {
		texts = make([]string, 1)
		if json.Unmarshal(r.Input, &texts[0]) != nil {
			return mockError(http.StatusBadRequest, "invalid_input", "input is neither a text nor a list of texts")
		}
	}
	if r.Dimensions == 0 {
		r.Dimensions = mockDimensions
	}
	if r.Dimensions < 0 || r.Dimensions > mockMaxDimensions {
		return mockError(http.StatusBadRequest, "invalid_dimensions", "dimensions is out of range")
	}
	data, tokens := make([]any, 0, len(texts)), 0
	for i, text := range texts {
		tokens += countMockTokens(text)
		v := computeMockVector(text, r.Dimensions)
		var embedding any = v
		if r.Format == "base64" {
			embedding = encodeBase64(v)
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": embedding})
	}
	return mockJSON(http.StatusOK, map[string]any{
		"object": "list", "model": r.Model, "data": data,
		"usage": map[string]any{"prompt_tokens": tokens, "total_tokens": tokens},
	})
}

// mockEmbedContent answers embedContent, or batchEmbedContents, with the same vectors. The parts of a content are one text.
func mockEmbedContent(body []byte, batch bool) *upstream.Response {
	type request struct {
		Content struct {
			Parts []struct {
				Text string `json:"text"`
			} `json:"parts"`
		} `json:"content"`
		Dimensions int `json:"outputDimensionality"`
	}
	var r struct {
		request
		Requests []request `json:"requests"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	if !batch {
		r.Requests = []request{r.request}
	}
	all, tokens := make([]any, 0, len(r.Requests)), 0
	for _, one := range r.Requests {
		if one.Dimensions == 0 {
			one.Dimensions = mockDimensions
		}
		if one.Dimensions < 0 || one.Dimensions > mockMaxDimensions {
			return mockError(http.StatusBadRequest, "invalid_dimensions", "outputDimensionality is out of range")
		}
		text := ""
		for _, p := range one.Content.Parts {
			text += p.Text
		}
		tokens += countMockTokens(text)
		all = append(all, map[string]any{"values": computeMockVector(text, one.Dimensions)})
	}
	answer := map[string]any{"embeddings": all, "usageMetadata": map[string]any{"promptTokenCount": tokens, "totalTokenCount": tokens}}
	if !batch {
		delete(answer, "embeddings")
		answer["embedding"] = all[0]
	}
	return mockJSON(http.StatusOK, answer)
}

func computeMockVector(text string, n int) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	state, sum := h.Sum64(), 0.0
	v := make([]float32, n)
	for i := range v {
		// SplitMix64 spreads the vectors of similar texts.
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		x := float64(int64(z^z>>31)) / (1 << 63)
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// encodeBase64 encodes a vector as base64 of little-endian floats.
func encodeBase64(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// mockCount counts the texts of a request in any shape, and returns the sum under the name that the shape has for it.
func mockCount(body []byte, name string) *upstream.Response {
	var r any
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	return mockJSON(http.StatusOK, map[string]any{name: countTexts(r, false)})
}

// countTexts counts the texts below v. text reports whether v is in a position where shapes have a text.
func countTexts(v any, text bool) (n int) {
	switch v := v.(type) {
	case string:
		if text {
			return countMockTokens(v)
		}
	case []any:
		for _, e := range v {
			n += countTexts(e, text)
		}
	case map[string]any:
		for k, e := range v {
			n += countTexts(e, k == "text" || k == "content" || k == "system")
		}
	}
	return n
}
