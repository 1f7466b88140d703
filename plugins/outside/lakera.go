package outside

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// askLakera calls Lakera's guard: https://docs.lakera.ai/docs/api/guard. The project's policy decides which detectors
// run and how strict they are.
func askLakera(c *call, q *remote.Question) ([][]remote.Span, error) {
	p := &q.Pieces[0]
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	in := struct {
		Messages  []message `json:"messages"`
		Project   string    `json:"project_id,omitempty"`
		Breakdown bool      `json:"breakdown"`
	}{[]message{{nameLakeraRole(p.Role), p.Text}}, c.set.Project, true}
	var out struct {
		Flagged   *bool `json:"flagged"`
		Breakdown []struct {
			Type     string `json:"detector_type"`
			Detected bool   `json:"detected"`
		} `json:"breakdown"`
	}
	if err := c.postWithBearer(c.set.URL, &in, &out); err != nil {
		return nil, err
	}
	if out.Flagged == nil {
		return nil, errGarbled
	}
	if !*out.Flagged {
		return nil, nil
	}
	label := ""
	for _, d := range out.Breakdown {
		if d.Detected && c.counts(d.Type, 1) {
			label = d.Type
			break
		}
	}
	switch {
	case label == "" && len(c.set.Labels) > 0 && len(out.Breakdown) > 0:
		return nil, nil // all findings have labels that are not selected
	case label == "":
		label = "flagged"
	}
	return [][]remote.Span{newWholeSpan(p.Text, label, 1)}, nil
}

func nameLakeraRole(r core.Role) string {
	switch r {
	case core.RoleSystem:
		return "system"
	case core.RoleAssistant:
		return "assistant"
	}
	return "user" // results of tools are input of the model too
}
