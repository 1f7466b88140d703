package outside

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// askBedrock calls ApplyGuardrail of Amazon Bedrock with a Bedrock API key:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html. The URL names the guardrail
// and its version.
func askBedrock(c *call, q *remote.Question) ([][]remote.Span, error) {
	p := &q.Pieces[0]
	type text struct {
		Text string `json:"text"`
	}
	type block struct {
		Text text `json:"text"`
	}
	in := struct {
		Source  string  `json:"source"`
		Content []block `json:"content"`
	}{"INPUT", []block{{text{p.Text}}}}
	if q.Phase == core.Response {
		in.Source = "OUTPUT"
	}
	var out bedrockVerdict
	if err := c.postWithBearer(c.set.URL, &in, &out); err != nil {
		return nil, err
	}
	switch out.Action {
	case "NONE":
		return nil, nil
	case "GUARDRAIL_INTERVENED":
		return [][]remote.Span{out.findSpans(p.Text)}, nil
	}
	return nil, errGarbled
}

type bedrockVerdict struct {
	Action      string `json:"action"`
	Assessments []struct {
		Topic struct {
			Topics []bedrockFinding `json:"topics"`
		} `json:"topicPolicy"`
		Content struct {
			Filters []bedrockFinding `json:"filters"`
		} `json:"contentPolicy"`
		Word struct {
			Custom  []bedrockFinding `json:"customWords"`
			Managed []bedrockFinding `json:"managedWordLists"`
		} `json:"wordPolicy"`
		Grounding struct {
			Filters []bedrockFinding `json:"filters"`
		} `json:"contextualGroundingPolicy"`
		Sensitive struct {
			Entities []bedrockFinding `json:"piiEntities"`
			Regexes  []bedrockFinding `json:"regexes"`
		} `json:"sensitiveInformationPolicy"`
	} `json:"assessments"`
}

type bedrockFinding struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Match  string `json:"match"`
	Action string `json:"action"`
}

// findSpans returns the findings: the positions of sensitive information, or else the whole text.
func (v *bedrockVerdict) findSpans(text string) (spans []remote.Span) {
	seen := map[bedrockFinding]bool{} // Bedrock lists a match once for each occurrence
	for _, a := range v.Assessments {
		for _, f := range slices.Concat(a.Content.Filters, a.Topic.Topics, a.Word.Custom, a.Word.Managed, a.Grounding.Filters) {
			if f.Action != "NONE" {
				return newWholeSpan(text, f.chooseLabel(), 1)
			}
		}
		for _, f := range slices.Concat(a.Sensitive.Entities, a.Sensitive.Regexes) {
			if f.Action == "NONE" || seen[f] {
				continue
			}
			seen[f] = true
			found := findMatches(text, f.Match, f.chooseLabel())
			if len(found) == 0 {
				return newWholeSpan(text, f.chooseLabel(), 1)
			}
			spans = append(spans, found...)
		}
	}
	if len(spans) == 0 {
		return newWholeSpan(text, "guardrail", 1)
	}
	return spans
}

// chooseLabel returns the name of a finding, or its type if it has no name.
func (f bedrockFinding) chooseLabel() string { return cmp.Or(f.Name, f.Type) }

// findMatches returns the positions of a match.
func findMatches(text, match, label string) (spans []remote.Span) {
	for at := 0; match != "" && len(spans) < remote.MaxFindings; {
		n := strings.Index(text[at:], match)
		if n < 0 {
			break
		}
		spans = append(spans, remote.Span{Start: at + n, End: at + n + len(match), Label: convertLabel(label), Score: 1})
		at += n + len(match)
	}
	return spans
}
