package bedrock

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeRequest appends r as the body of a Converse call.
func (ConverseWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	if r.Count > 1 {
		return nil, unsupported("n", t.Label+" gives one answer to a request: leave n out, or send 1")
	}
	if err := core.RefuseThinking(r, t); err != nil {
		return nil, err
	}
	if m := r.Choice.Mode; t.FreeChoice && len(r.Tools) > 0 && (m == llm.ChooseRequired || m == llm.ChooseNamed) {
		return nil, unsupported("tool_choice", "this model of "+t.Label+`'s decides itself whether to call a tool: send "auto", or leave tool_choice out`)
	}
	e := encoder{r: r, t: t, calls: hasCalls(r.Messages)}
	if err := e.thinking(); err != nil {
		return nil, err
	}
	e.b = append(dst, '{')
	e.system()
	if err := e.messages(); err != nil {
		return nil, err
	}
	e.inference()
	e.tools()
	e.output()
	e.additional()
	e.dropped()
	return append(e.b, '}'), nil
}

// encoder writes one request.
type encoder struct {
	b []byte
	r *llm.Request
	t core.Traits
	// budget is the number of tokens to think with; 0: no thinking.
	budget int64
	calls  bool // the conversation holds calls or results
}

// anthropic tells whether the model takes what Anthropic's own API has beside
// Converse.
func (e *encoder) anthropic() bool { return strings.Contains(e.t.Model, "anthropic.") }

// system gathers the system messages: Converse has them in one place.
func (e *encoder) system() {
	open := false
	for i := range e.r.Messages {
		if m := &e.r.Messages[i]; m.Role == llm.System {
			for _, p := range m.Parts {
				if p.Kind != llm.TextPart || blank(p.Text) {
					continue
				}
				if !open {
					e.b, open = append(splice.AppendKey(e.b, "system"), '['), true
				}
				e.text(p.Text)
			}
		}
	}
	if open {
		e.b = append(e.b, ']')
	}
}

// text appends a text block.
func (e *encoder) text(s string) {
	e.b = splice.AppendString(append(splice.AppendComma(e.b), `{"text":`...), s)
	e.b = append(e.b, '}')
}

// blank tells whether the API would refuse a text for having nothing in it.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// number appends a member that is a number, if it was given.
func (e *encoder) number(key string, n llm.Number) {
	if n != "" {
		e.b = append(splice.AppendKey(e.b, key), n...)
	}
}

// inference appends the limits and the sampling.
func (e *encoder) inference() {
	r := e.r
	mark := len(e.b)
	e.b = append(splice.AppendKey(e.b, "inferenceConfig"), '{')
	start := len(e.b)
	if limit := e.t.Limit(r.MaxTokens); limit > 0 {
		e.b = strconv.AppendInt(splice.AppendKey(e.b, "maxTokens"), limit+e.budget, 10)
	}
	e.sampling()
	if len(r.Stop) > 0 {
		e.b = append(splice.AppendKey(e.b, "stopSequences"), '[')
		for _, s := range r.Stop {
			e.b = splice.AppendString(splice.AppendComma(e.b), s)
		}
		e.b = append(e.b, ']')
	}
	if len(e.b) == start {
		e.b = e.b[:mark]
		return
	}
	e.b = append(e.b, '}')
}

// sampling appends temperature and top_p, as far as the model takes them.
func (e *encoder) sampling() {
	r := e.r
	switch {
	case e.t.OwnSampling:
		if r.Temperature != "" {
			r.Drop("temperature")
		}
		if r.TopP != "" {
			r.Drop("top_p")
		}
	case e.t.OneSampling && r.Temperature != "" && r.TopP != "":
		e.number("temperature", r.Temperature)
		r.Drop("top_p")
	default:
		e.number("temperature", r.Temperature)
		e.number("topP", r.TopP)
	}
}

// additional appends what the model takes beside Converse.
func (e *encoder) additional() {
	topK := e.r.TopK
	if topK != "" && (!e.anthropic() || e.budget > 0 || e.t.OwnSampling) { // who thinks takes no top_k
		e.r.Drop("top_k")
		topK = ""
	}
	if topK != "" || e.budget > 0 {
		e.b = append(splice.AppendKey(e.b, "additionalModelRequestFields"), '{')
		if e.budget > 0 {
			e.b = append(splice.AppendKey(e.b, "thinking"), `{"type":"enabled","budget_tokens":`...)
			e.b = append(strconv.AppendInt(e.b, e.budget, 10), '}')
		}
		e.number("top_k", topK)
		e.b = append(e.b, '}')
	}
	if len(e.r.Stop) > 0 && e.anthropic() { // which of them it was is not said otherwise
		e.b = append(splice.AppendKey(e.b, "additionalModelResponseFieldPaths"), `["/stop_sequence"]`...)
	}
}

// dropped notes what Converse has no place for.
func (e *encoder) dropped() {
	r := e.r
	for _, f := range [...]struct {
		name string
		is   bool
	}{
		{"frequency_penalty", r.FrequencyPenalty != ""},
		{"presence_penalty", r.PresencePenalty != ""},
		{"seed", r.Seed != ""},
		{"logprobs", r.Logprobs},
		{"top_logprobs", r.TopLogprobs != ""},
		{"verbosity", r.Verbosity != ""},
		{"prompt_cache_key", r.CacheKey != ""},
		{"user", r.User != ""},
		{"parallel_tool_calls", r.Parallel != nil && !*r.Parallel},
	} {
		if f.is {
			r.Drop(f.name)
		}
	}
}
