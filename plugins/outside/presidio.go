package outside

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// askPresidio calls /analyze of Presidio's analyzer:
// https://microsoft.github.io/presidio/api-docs/api-docs.html#tag/Analyzer. Positions count Python characters, which
// are code points.
func askPresidio(c *call, q *remote.Question) ([][]remote.Span, error) {
	text := q.Pieces[0].Text
	in := struct {
		Text      string   `json:"text"`
		Language  string   `json:"language"`
		Entities  []string `json:"entities,omitempty"`
		Threshold float64  `json:"score_threshold"`
	}{text, c.set.Language, c.set.Labels, *c.set.Threshold}
	if in.Language == "" {
		in.Language = "en"
	}
	var out []struct {
		Type  string   `json:"entity_type"`
		Start *int     `json:"start"`
		End   *int     `json:"end"`
		Score *float64 `json:"score"`
	}
	if err := c.postWithBearer(c.set.URL, &in, &out); err != nil {
		return nil, err
	}
	var spans []remote.Span
	for _, f := range out {
		if f.Type == "" || f.Start == nil || f.End == nil || f.Score == nil {
			return nil, errGarbled
		}
		from, ok := findByteOffset(text, *f.Start)
		to, ok2 := findByteOffset(text, *f.End)
		if !ok || !ok2 || from >= to {
			return nil, errGarbled
		}
		if c.counts(f.Type, *f.Score) {
			spans = append(spans, remote.Span{Start: from, End: to, Label: convertLabel(f.Type), Score: clampScore(*f.Score)})
		}
	}
	return [][]remote.Span{spans}, nil
}

// findByteOffset returns the byte offset of character n of a text.
func findByteOffset(text string, n int) (at int, ok bool) {
	if n < 0 {
		return 0, false
	}
	for ; n > 0; n-- {
		if at == len(text) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at, true
}
