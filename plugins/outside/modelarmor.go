package outside

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// askModelArmor calls Google's Model Armor: https://docs.cloud.google.com/model-armor/sanitize-prompts-responses. The
// URL is that of the template. Requests and answers have separate methods.
func askModelArmor(c *call, q *remote.Question) ([][]remote.Span, error) {
	p := &q.Pieces[0]
	type data struct {
		Text string `json:"text"`
	}
	method, in := ":sanitizeUserPrompt", map[string]data{"userPromptData": {p.Text}}
	if q.Phase == core.Response {
		method, in = ":sanitizeModelResponse", map[string]data{"modelResponseData": {p.Text}}
	}
	var out struct {
		Result struct {
			State      string                    `json:"filterMatchState"`
			Invocation string                    `json:"invocationResult"`
			Filters    map[string]jsontext.Value `json:"filterResults"`
		} `json:"sanitizationResult"`
	}
	if err := c.postWithBearer(strings.TrimSuffix(c.set.URL, "/")+method, in, &out); err != nil {
		return nil, err
	}
	r := &out.Result
	switch hasFailed := r.Invocation == "FAILURE" || r.Invocation == "PARTIAL"; {
	case r.State == "MATCH_FOUND": // by the filters that ran
	case hasFailed:
		return nil, remote.NewFault(core.FaultError, "some of its filters did not run")
	case r.State == "NO_MATCH_FOUND":
		return nil, nil
	default:
		return nil, errGarbled
	}
	label := ""
	for _, name := range slices.Sorted(maps.Keys(r.Filters)) {
		if hasMatch(r.Filters[name]) && c.counts(name, 1) {
			label = name
			break
		}
	}
	switch {
	case label == "" && len(c.set.Labels) > 0:
		return nil, nil
	case label == "":
		label = "match"
	}
	return [][]remote.Span{newWholeSpan(p.Text, label, 1)}, nil
}

// hasMatch reports whether a filter's result, which has one member, contains a match at any depth.
func hasMatch(v jsontext.Value) bool {
	var members map[string]jsontext.Value
	if json.Unmarshal(v, &members) != nil {
		return false
	}
	for name, m := range members {
		if name == "matchState" && string(m) == `"MATCH_FOUND"` || m.Kind() == '{' && hasMatch(m) {
			return true
		}
	}
	return false
}
