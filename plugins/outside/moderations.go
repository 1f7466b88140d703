package outside

import "github.com/headgate-dev/headgate/plugins/remote"

// askModerations calls OpenAI's moderations, or another server with the same API:
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
	if err := c.postWithBearer(c.set.URL, &in, &out); err != nil {
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
		spans[i] = c.readModeration(q.Pieces[i].Text, *r.Flagged, r.Categories, r.Scores)
	}
	return spans, nil
}

// readModeration returns the findings of a result. Unless the operator sets a threshold, the vendor's own verdict
// decides.
func (c *call) readModeration(text string, flagged bool, categories map[string]*bool, scores map[string]float64) []remote.Span {
	worst, most := "", -1.0
	note := func(name string, score float64) {
		if c.counts(name, score) && (score > most || score == most && name < worst) {
			worst, most = name, score
		}
	}
	if *c.set.Threshold > 0 && len(scores) > 0 {
		for name, score := range scores {
			note(name, score)
		}
	} else {
		for name, is := range categories {
			if is != nil && *is {
				note(name, max(scores[name], *c.set.Threshold))
			}
		}
		if worst == "" && flagged && (len(c.set.Labels) == 0 || len(categories) == 0) {
			worst, most = "flagged", 1
		}
	}
	if worst == "" {
		return nil
	}
	return newWholeSpan(text, worst, most)
}
