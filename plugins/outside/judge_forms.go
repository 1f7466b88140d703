package outside

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// harm is the default criterion of Granite Guardian.
const harm = "harm"

// unsafe is Llama Guard's verdict on a violation, and the label of one without a category.
const unsafe = "unsafe"

// categoryCode matches the codes of categories: S1 to S14, and those of policies in the same form.
var categoryCode = regexp.MustCompile(`^[A-Za-z][0-9]{1,3}$`)

// markers breaks the markers of chat templates, with which a text could end its message and begin another. The verdict is on
// the text without them.
var markers = strings.NewReplacer(
	"<|>", "< | >", "<|", "< |", "|>", "| >",
	"<start_of_turn>", "< start_of_turn>", "<end_of_turn>", "< end_of_turn>",
	"<BEGIN CONVERSATION>", "< BEGIN CONVERSATION>", "<END CONVERSATION>", "< END CONVERSATION>",
	"[INST]", "[ INST]", "[/INST]", "[ /INST]",
)

func wrapAsContent(policy string, p *remote.Piece) []chatMessage {
	return []chatMessage{{"system", policy + answerForm}, {"user", markers.Replace(p.Text)}}
}

// wrapAsTurn makes the text the last message of a conversation. Templates want a question before an answer.
func wrapAsTurn(policy string, p *remote.Piece) (out []chatMessage) {
	if policy != "" {
		out = append(out, chatMessage{"system", policy})
	}
	if p.Role == core.RoleAssistant {
		return append(out, chatMessage{"user", "(not shown)"}, chatMessage{"assistant", markers.Replace(p.Text)})
	}
	return append(out, chatMessage{"user", markers.Replace(p.Text)})
}

// readLlamaGuard reads "safe", or "unsafe" and the codes of the categories. The first code is the label.
func readLlamaGuard(answer, _ string) (label string, score float64, err error) {
	verdict, codes, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	switch strings.ToLower(strings.TrimSpace(verdict)) {
	case "safe":
		return "", 0, nil
	case unsafe:
		return cmp.Or(strings.TrimSpace(codes), unsafe), 1, nil
	}
	return "", 0, errGarbled
}

// readYesNo reads the first word of an answer, or of its last <score>. Reasoning does not count: it may quote the text.
func readYesNo(answer, policy string) (label string, score float64, err error) {
	if i := strings.LastIndex(answer, "</think>"); i >= 0 {
		answer = answer[i+len("</think>"):]
	}
	if strings.Contains(answer, "<think>") {
		return "", 0, errGarbled // the reasoning has no end
	}
	if i := strings.LastIndex(answer, "<score>"); i >= 0 {
		answer, _, _ = strings.Cut(answer[i+len("<score>"):], "</score>")
	}
	word := strings.TrimSpace(answer)
	if end := strings.IndexFunc(word, func(c rune) bool { return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') }); end >= 0 {
		word = word[:end]
	}
	switch strings.ToLower(word) {
	case "no":
		return "", 0, nil
	case "yes":
		return cmp.Or(policy, "policy_violation"), 1, nil
	}
	return "", 0, errGarbled
}

// readViolation reads the JSON object that the answer form asks for, ignoring the text around it.
func readViolation(answer, _ string) (label string, score float64, err error) {
	start, end := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if start < 0 || end < start {
		return "", 0, errGarbled
	}
	var out struct {
		Violation *int     `json:"violation"`
		Label     string   `json:"label"`
		Score     *float64 `json:"score"`
	}
	if json.Unmarshal([]byte(answer[start:end+1]), &out) != nil || out.Violation == nil || *out.Violation != 0 && *out.Violation != 1 {
		return "", 0, errGarbled
	}
	if *out.Violation == 0 {
		return "", 0, nil
	}
	score = 1
	if out.Score != nil {
		if score = *out.Score; !(score >= 0 && score <= 1) {
			return "", 0, errGarbled
		}
	}
	return cmp.Or(out.Label, "policy_violation"), score, nil
}
