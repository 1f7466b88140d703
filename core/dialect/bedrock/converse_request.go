package bedrock

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/encode"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeRequest appends r as the body of a Converse request.
func (ConverseWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	base, err := encode.NewRequest(dst, r, t)
	if err != nil {
		return nil, err
	}
	if m := r.Choice.Mode; t.FreeChoice && len(r.Tools) > 0 && (m == llm.ChooseRequired || m == llm.ChooseNamed) {
		return nil, scan.NewUnsupportedError("tool_choice",
			"this model of "+t.Label+`'s decides itself whether to call a tool: send "auto", or leave tool_choice out`)
	}
	e := encoder{Request: base, calls: hasCalls(r.Messages)}
	if err := e.setBudget(); err != nil {
		return nil, err
	}
	e.appendSystem()
	if err := e.appendMessages(); err != nil {
		return nil, err
	}
	e.appendInference()
	e.appendTools()
	e.appendOutput()
	e.appendAdditional()
	e.Drop(
		encode.Field{Name: "frequency_penalty", Given: r.FrequencyPenalty != ""},
		encode.Field{Name: "presence_penalty", Given: r.PresencePenalty != ""},
		encode.Field{Name: "seed", Given: r.Seed != ""},
		encode.Field{Name: "logprobs", Given: r.Logprobs},
		encode.Field{Name: "top_logprobs", Given: r.TopLogprobs != ""},
	)
	e.DropCommon()
	return append(e.B, '}'), nil
}

// encoder writes one request.
type encoder struct {
	encode.Request
	// budget is the thinking budget in tokens; 0 is none.
	budget int64
	calls  bool // the conversation holds calls or results
}

// isAnthropic reports whether the model accepts options of Anthropic's own API.
func (e *encoder) isAnthropic() bool { return strings.Contains(e.T.Model, "anthropic.") }

// appendSystem collects the system messages into one list.
func (e *encoder) appendSystem() {
	open := false
	for i := range e.R.Messages {
		if m := &e.R.Messages[i]; m.Role == llm.System {
			for _, p := range m.Parts {
				if p.Kind != llm.TextPart || isBlank(p.Text) {
					continue
				}
				if !open {
					e.B, open = append(splice.AppendKey(e.B, "system"), '['), true
				}
				e.appendText(p.Text)
			}
		}
	}
	if open {
		e.B = append(e.B, ']')
	}
}

// appendText appends a text block.
func (e *encoder) appendText(s string) {
	e.B = splice.AppendString(append(splice.AppendComma(e.B), `{"text":`...), s)
	e.B = append(e.B, '}')
}

// isBlank reports whether a text is blank, which the API rejects.
func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// appendInference appends limits and sampling.
func (e *encoder) appendInference() {
	r := e.R
	mark := len(e.B)
	e.B = append(splice.AppendKey(e.B, "inferenceConfig"), '{')
	start := len(e.B)
	if limit := e.T.ChooseTokenLimit(r.MaxTokens); limit > 0 {
		e.B = strconv.AppendInt(splice.AppendKey(e.B, "maxTokens"), limit+e.budget, 10)
	}
	e.appendSampling()
	e.AppendStrings("stopSequences", r.Stop)
	if len(e.B) == start {
		e.B = e.B[:mark]
		return
	}
	e.B = append(e.B, '}')
}

// appendSampling appends temperature and top_p if the model accepts them.
func (e *encoder) appendSampling() {
	r := e.R
	switch {
	case e.T.OwnSampling:
		if r.Temperature != "" {
			r.RecordDropped("temperature")
		}
		if r.TopP != "" {
			r.RecordDropped("top_p")
		}
	case e.T.OneSampling && r.Temperature != "" && r.TopP != "":
		e.AppendNumber("temperature", r.Temperature)
		r.RecordDropped("top_p")
	default:
		e.AppendNumber("temperature", r.Temperature)
		e.AppendNumber("topP", r.TopP)
	}
}

// appendAdditional appends options outside Converse.
func (e *encoder) appendAdditional() {
	topK := e.R.TopK
	if topK != "" && (!e.isAnthropic() || e.budget > 0 || e.T.OwnSampling) { // thinking excludes top_k
		e.R.RecordDropped("top_k")
		topK = ""
	}
	if topK != "" || e.budget > 0 {
		e.B = append(splice.AppendKey(e.B, "additionalModelRequestFields"), '{')
		if e.budget > 0 {
			e.B = append(splice.AppendKey(e.B, "thinking"), `{"type":"enabled","budget_tokens":`...)
			e.B = append(strconv.AppendInt(e.B, e.budget, 10), '}')
		}
		e.AppendNumber("top_k", topK)
		e.B = append(e.B, '}')
	}
	if len(e.R.Stop) > 0 && e.isAnthropic() { // otherwise the answer does not say which one matched
		e.B = append(splice.AppendKey(e.B, "additionalModelResponseFieldPaths"), `["/stop_sequence"]`...)
	}
}
