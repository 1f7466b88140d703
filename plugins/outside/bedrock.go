package outside

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// askBedrock calls ApplyGuardrail of Amazon Bedrock with an API key of Bedrock's:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html. The URL names the guardrail and its
// version.
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
	if err := c.bearer(c.set.URL, &in, &out); err != nil {
		return nil, err
	}
	switch out.Action {
	case "NONE":
		return nil, nil
	case "GUARDRAIL_INTERVENED":
		return [][]remote.Span{out.spans(p.Text)}, nil
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

// spans returns what was found: the matches of sensitive information where they stand, or else all of the text.
func (v *bedrockVerdict) spans(text string) (spans []remote.Span) {
	label := "guardrail"
	for _, a := range v.Assessments {
		for _, list := range [][]bedrockFinding{a.Content.Filters, a.Topic.Topics, a.Word.Custom, a.Word.Managed, a.Grounding.Filters} {
			for _, f := range list {
				if f.Action == "NONE" {
					continue
				}
				if label = f.Type; f.Name != "" {
					label = f.Name
				}
				return markWhole(text, label, 1)
			}
		}
		for _, list := range [][]bedrockFinding{a.Sensitive.Entities, a.Sensitive.Regexes} {
			for _, f := range list {
				if f.Action == "NONE" {
					continue
				}
				if label = f.Type; f.Name != "" {
					label = f.Name
				}
				found := findMatches(text, f.Match, label)
				if len(found) == 0 {
					return markWhole(text, label, 1)
				}
				spans = append(spans, found...)
			}
		}
	}
	if len(spans) == 0 {
		return markWhole(text, label, 1)
	}
	return spans
}

// findMatches returns where a match stands.
func findMatches(text, match, label string) (spans []remote.Span) {
	for at := 0; match != "" && len(spans) < remote.MaxFindings; {
		n := strings.Index(text[at:], match)
		if n < 0 {
			break
		}
		spans = append(spans, remote.Span{Start: at + n, End: at + n + len(match), Label: labelOf(label), Score: 1})
		at += n + len(match)
	}
	return spans
}
