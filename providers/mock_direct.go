package providers

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// mockDirect are the mock's answers in the shapes of package direct, by endpoint.
var mockDirect = map[*url.URL]func(r *upstream.Request) *upstream.Response{
	mockURLs[rerank]:         func(r *upstream.Request) *upstream.Response { return mockRerank(r.Body) },
	mockURLs[moderations]:    func(r *upstream.Request) *upstream.Response { return mockModerations(r.Body) },
	mockURLs[images]:         func(r *upstream.Request) *upstream.Response { return mockImages(r.Body) },
	mockURLs[imageEdits]:     mockImageEdits,
	mockURLs[speech]:         func(r *upstream.Request) *upstream.Response { return mockSpeech(r.Body) },
	mockURLs[transcriptions]: mockTranscript,
	mockURLs[translations]:   mockTranscript,
}

// readMockTexts reads a text, or a list of texts and of objects with a text.
func readMockTexts(raw json.RawMessage) (texts []string, ok bool) {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, true
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	for _, e := range list {
		var object struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(e, &one) != nil {
			if json.Unmarshal(e, &object) != nil {
				return nil, false
			}
			one = object.Text
		}
		texts = append(texts, one)
	}
	return texts, true
}

// mockRerank orders documents by the share of the query's words that they contain.
func mockRerank(body []byte) *upstream.Response {
	var r struct {
		Model, Query string
		Documents    json.RawMessage
		TopN         int  `json:"top_n"`
		TopK         int  `json:"top_k"`
		Return       bool `json:"return_documents"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	documents, ok := readMockTexts(r.Documents)
	if !ok {
		return mockError(http.StatusBadRequest, "invalid_documents", "documents is neither a text nor a list of texts")
	}
	type result struct {
		Index    int               `json:"index"`
		Score    float64           `json:"relevance_score"`
		Document map[string]string `json:"document,omitempty"`
	}
	words, tokens := strings.Fields(strings.ToLower(r.Query)), countMockTokens(r.Query)
	results := make([]result, len(documents))
	for i, d := range documents {
		hits := 0
		for _, w := range words {
			if strings.Contains(strings.ToLower(d), w) {
				hits++
			}
		}
		results[i] = result{Index: i, Score: float64(hits) / float64(max(len(words), 1))}
		if r.Return {
			results[i].Document = map[string]string{"text": d}
		}
		tokens += countMockTokens(d)
	}
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(b.Score, a.Score) })
	if n := cmp.Or(r.TopN, r.TopK); n > 0 && n < len(results) {
		results = results[:n]
	}
	return mockJSON(http.StatusOK, map[string]any{
		"id": "rerank-mock", "model": r.Model, "results": results,
		"meta":  map[string]any{"billed_units": map[string]any{"search_units": (len(documents) + 99) / 100}},
		"usage": map[string]any{"total_tokens": tokens},
	})
}

// mockModerations flags inputs that speak of violence.
func mockModerations(body []byte) *upstream.Response {
	var r struct {
		Model string
		Input json.RawMessage
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	texts, ok := readMockTexts(r.Input)
	if !ok {
		return mockError(http.StatusBadRequest, "invalid_input", "input is neither a text nor a list of texts")
	}
	results := make([]any, 0, len(texts))
	for _, text := range texts {
		flagged := strings.Contains(strings.ToLower(text), "kill")
		score := 0.001
		if flagged {
			score = 0.98
		}
		results = append(results, map[string]any{
			"flagged": flagged, "categories": map[string]bool{"violence": flagged, "hate": false},
			"category_scores": map[string]float64{"violence": score, "hate": 0.001},
		})
	}
	return mockJSON(http.StatusOK, map[string]any{"id": "modr-mock", "model": r.Model, "results": results})
}
