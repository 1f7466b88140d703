package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// standardCap is the token limit if none is set, because the API requires one.
const standardCap = 4096

// maxUser is the API's limit for the end user.
const maxUser = 256

// encoder writes one request.
type encoder struct {
	b      []byte
	r      *llm.Request
	t      core.Traits
	ids    callIDs
	budget int64 // tokens for thinking; 0: no thinking requested
}

// EncodeRequest appends r as a request body.
func (MessagesWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	e := encoder{b: dst, r: r, t: t}
	if err := e.prepareRequest(); err != nil {
		return dst, err
	}
	e.b = append(e.b, `{"model":"`...)
	e.b = splice.AppendEscaped(e.b, t.Model)
	e.b = append(e.b, `","max_tokens":`...)
	e.b = strconv.AppendInt(e.b, e.chooseLimit(), 10)
	e.appendSystem()
	if err := e.appendMessages(); err != nil {
		return dst, err
	}
	e.appendTools()
	e.appendSampling()
	e.appendThinking()
	if r.User != "" && len(r.User) <= maxUser {
		e.b = append(e.b, `,"metadata":{"user_id":"`...)
		e.b = splice.AppendEscaped(e.b, r.User)
		e.b = append(e.b, `"}`...)
	}
	if r.Stream {
		e.b = append(e.b, `,"stream":true`...)
	}
	return append(e.b, '}'), nil
}

// prepareRequest rejects what the API cannot do, and counts dropped fields.
func (e *encoder) prepareRequest() *core.Error {
	r := e.r
	if r.Count > 1 {
		return scan.NewUnsupportedError("n", e.t.Label+` gives one answer to a request; leave out "n", or send the request again`)
	}
	if e.t.FreeChoice && e.forcesCall() {
		return scan.NewUnsupportedError("tool_choice",
			"this model of "+e.t.Label+`'s decides itself whether to call a tool; send "auto", or leave "tool_choice" out`)
	}
	if err := e.setBudget(); err != nil {
		return err
	}
	for _, f := range []struct {
		said bool
		name string
	}{
		{r.FrequencyPenalty != "", "frequency_penalty"},
		{r.PresencePenalty != "", "presence_penalty"},
		{r.Seed != "", "seed"},
		{r.Logprobs, "logprobs"},
		{r.TopLogprobs != "", "top_logprobs"},
		{r.Verbosity != "", "verbosity"},
		{r.CacheKey != "", "prompt_cache_key"},
		{len(r.User) > maxUser, "user"},
	} {
		if f.said {
			r.RecordDropped(f.name)
		}
	}
	return nil
}

// chooseLimit returns the token limit, thinking included.
func (e *encoder) chooseLimit() int64 {
	n := e.r.MaxTokens
	if n == 0 {
		n = e.t.DefaultCap
	}
	if e.t.Cap > 0 && (n == 0 || e.t.Cap < n) {
		n = e.t.Cap
	}
	if n == 0 {
		n = standardCap
	}
	return n + e.budget
}

func (e *encoder) appendSampling() {
	r := e.r
	if e.t.OwnSampling {
		e.dropSampling()
	} else {
		e.appendNumber("temperature", r.Temperature)
		if r.TopP != "" && r.Temperature != "" && e.t.OneSampling {
			r.RecordDropped("top_p")
		} else {
			e.appendNumber("top_p", r.TopP)
		}
		e.appendNumber("top_k", r.TopK)
	}
	if len(r.Stop) == 0 {
		return
	}
	e.b = append(e.b, `,"stop_sequences":[`...)
	for i, s := range r.Stop {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.appendString(s)
	}
	e.b = append(e.b, ']')
}

// dropSampling drops sampling for a model that sets its own.
func (e *encoder) dropSampling() {
	r := e.r
	for _, f := range [...]struct {
		name string
		n    llm.Number
	}{{"temperature", r.Temperature}, {"top_p", r.TopP}, {"top_k", r.TopK}} {
		if f.n != "" {
			r.RecordDropped(f.name)
		}
	}
}

func (e *encoder) appendNumber(name string, n llm.Number) {
	if n != "" {
		e.b = append(append(e.b, `,"`...), name...)
		e.b = append(append(e.b, `":`...), n...)
	}
}

func (e *encoder) appendString(s string) {
	e.b = append(e.b, '"')
	e.b = splice.AppendEscaped(e.b, s)
	e.b = append(e.b, '"')
}
