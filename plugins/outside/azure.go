package outside

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

const azureKey = "Ocp-Apim-Subscription-Key"

// askPromptShields calls Azure's Prompt Shields:
// https://learn.microsoft.com/en-us/rest/api/contentsafety/text-operations/shield-prompt. The user's text is a prompt;
// the text of tools is a document.
func askPromptShields(c *call, q *remote.Question) ([][]remote.Span, error) {
	p := &q.Pieces[0]
	in := struct {
		Prompt    string   `json:"userPrompt"`
		Documents []string `json:"documents"`
	}{Documents: []string{}}
	if p.Role == core.RoleTool || p.Kind == core.KindToolResult || p.Kind == core.KindDefinition {
		in.Documents = append(in.Documents, p.Text)
	} else {
		in.Prompt = p.Text
	}
	type analysis struct {
		Attack *bool `json:"attackDetected"`
	}
	var out struct {
		Prompt    *analysis  `json:"userPromptAnalysis"`
		Documents []analysis `json:"documentsAnalysis"`
	}
	if err := c.post(c.set.URL, azureKey, "", &in, &out); err != nil {
		return nil, err
	}
	said := out.Documents
	if len(in.Documents) == 0 && out.Prompt != nil {
		said = []analysis{*out.Prompt}
	}
	if len(said) != 1 || said[0].Attack == nil {
		return nil, errGarbled
	}
	if !*said[0].Attack {
		return nil, nil
	}
	return [][]remote.Span{newWholeSpan(p.Text, "prompt_attack", 1)}, nil
}

// maxSeverity is Azure's highest severity. It corresponds to a score of 1.
const maxSeverity = 6

// askTextAnalysis calls Azure's text analysis:
// https://learn.microsoft.com/en-us/rest/api/contentsafety/text-operations/analyze-text.
func askTextAnalysis(c *call, q *remote.Question) ([][]remote.Span, error) {
	p := &q.Pieces[0]
	in := struct {
		Text       string   `json:"text"`
		Categories []string `json:"categories,omitempty"`
		Output     string   `json:"outputType"`
	}{p.Text, c.set.Labels, "FourSeverityLevels"}
	var out struct {
		Categories []struct {
			Category string   `json:"category"`
			Severity *float64 `json:"severity"`
		} `json:"categoriesAnalysis"`
	}
	if err := c.post(c.set.URL, azureKey, "", &in, &out); err != nil {
		return nil, err
	}
	if len(out.Categories) == 0 {
		return nil, errGarbled
	}
	worst, most := "", 0.0
	for _, k := range out.Categories {
		if k.Severity == nil {
			return nil, errGarbled
		}
		if score := *k.Severity / maxSeverity; score > most && c.counts(k.Category, score) {
			worst, most = k.Category, score
		}
	}
	if worst == "" {
		return nil, nil
	}
	return [][]remote.Span{newWholeSpan(p.Text, worst, most)}, nil
}
