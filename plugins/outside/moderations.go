package outside

import "github.com/headgate-dev/headgate/plugins/remote"

// askModerations calls OpenAI's moderations, or another server of that form:
// https://platform.openai.com/docs/api-reference/moderations/create.
func askModerations(c *call, q *remote.Question) ([][]remote.Span, error) {
	in := struct {
		Model string   `json:"model,omitempty"`
		Input []string `json:"input"`
	}{Model: c.set.Model}
	for i := range q.Pieces {
		in.Input = append(in.Input, q.Pieces[i].Text)
	}
	var out struct {
		Results []struct {
			Flagged    *bool              `json:"flagged"`
			Categories map[string]*bool   `json:"categories"`
			Scores     map[string]float64 `json:"category_scores"`
		} `json:"results"`
	}
	if err := c.bearer(c.set.URL, &in, &out); err != nil {
		return nil, err
	}
	if len(out.Results) != len(q.Pieces) {
		return nil, errGarbled
	}
	spans := make([][]remote.Span, len(q.Pieces))
	for i, r := range out.Results {
		if r.Flagged == nil {
			return nil, errGarbled
		}
		worst, most := "", -1.0
		for name, flagged := range r.Categories {
			score := r.Scores[name]
			// Without a threshold of the operator's, the vendor's own verdict on a category counts.
			found := flagged != nil && *flagged
			if *c.set.Threshold > 0 {
				found = score >= *c.set.Threshold
			}
			if found && c.counts(name, score) && (score > most || score == most && name < worst) {
				worst, most = name, score
			}
		}
		if worst != "" {
			spans[i] = markWhole(q.Pieces[i].Text, worst, most)
		}
	}
	return spans, nil
}
