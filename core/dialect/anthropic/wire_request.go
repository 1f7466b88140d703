package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
)

// standardCap is the token limit where nobody has set one: the shape requires one.
const standardCap = 4096

// maxUser is the longest end user that the shape takes.
const maxUser = 256

// encoder writes one request.
type encoder struct {
	b      []byte
	r      *llm.Request
	t      core.Traits
	ids    callIDs
	budget int64 // tokens to think with; 0: no thinking is asked for
}

// EncodeRequest appends r as the body to send.
func (MessagesWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	e := encoder{b: dst, r: r, t: t}
	if err := e.check(); err != nil {
		return dst, err
	}
	e.b = append(e.b, `{"model":"`...)
	e.b = splice.AppendEscaped(e.b, t.Model)
	e.b = append(e.b, `","max_tokens":`...)
	e.b = strconv.AppendInt(e.b, e.limit(), 10)
	e.system()
	if err := e.messages(); err != nil {
		return dst, err
	}
	e.tools()
	e.sampling()
	e.thinking()
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

// budgets are the tokens to think with that an effort stands for.
var budgets = map[llm.Effort]int64{
	llm.EffortLow: 1024, llm.EffortMedium: 4096, llm.EffortHigh: 16384, llm.EffortXHigh: 32000,
}

// check refuses what the provider cannot be asked, and notes what is left out.
func (e *encoder) check() *core.Error {
	r := e.r
	if r.Count > 1 {
		return unsupported("n", e.t.Label+` gives one answer to a request; leave out "n", or send the request again`)
	}
	if r.Thinking == nil {
		if e.t.Effort {
			e.budget = budgets[r.Effort]
		} else if r.Effort != "" {
			r.Drop("reasoning_effort")
		}
	}
	if e.budget > 0 {
		if !within(r.Temperature, 1, 1) {
			return unsupported("temperature", e.t.Label+` takes no "temperature" other than 1 with a reasoning effort; leave out one of the two`)
		}
		if !within(r.TopP, leastTopP, 1) {
			return unsupported("top_p", e.t.Label+` takes no "top_p" below 0.95 with a reasoning effort; leave out one of the two`)
		}
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
			r.Drop(f.name)
		}
	}
	return nil
}

// leastTopP is the lowest top_p that goes with thinking.
const leastTopP = 0.95

// within reports whether a number lies within bounds, or is not said.
func within(n llm.Number, lo, hi float64) bool {
	if n == "" {
		return true
	}
	v, err := strconv.ParseFloat(string(n), 64)
	return err == nil && lo <= v && v <= hi
}

// limit is the tokens of the answer and, added to them, those to think with.
func (e *encoder) limit() int64 {
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

func (e *encoder) sampling() {
	r := e.r
	e.number("temperature", r.Temperature)
	if r.TopP != "" && r.Temperature != "" && e.t.OneSampling {
		r.Drop("top_p")
	} else {
		e.number("top_p", r.TopP)
	}
	e.number("top_k", r.TopK)
	if len(r.Stop) == 0 {
		return
	}
	e.b = append(e.b, `,"stop_sequences":[`...)
	for i, s := range r.Stop {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.str(s)
	}
	e.b = append(e.b, ']')
}

func (e *encoder) number(name string, n llm.Number) {
	if n != "" {
		e.b = append(append(e.b, `,"`...), name...)
		e.b = append(append(e.b, `":`...), n...)
	}
}

func (e *encoder) str(s string) {
	e.b = append(e.b, '"')
	e.b = splice.AppendEscaped(e.b, s)
	e.b = append(e.b, '"')
}

// thinking writes what the model may think, and the form of its answer. A client
// of this very shape has said both in its own words.
func (e *encoder) thinking() {
	r := e.r
	switch {
	case r.Thinking != nil:
		e.b = append(append(e.b, `,"thinking":`...), r.Thinking...)
	case e.budget > 0:
		e.b = append(e.b, `,"thinking":{"type":"enabled","budget_tokens":`...)
		e.b = strconv.AppendInt(e.b, e.budget, 10)
		e.b = append(e.b, '}')
	}
	effort, schema := r.Thinking != nil && r.Effort != "", e.strictAnswer()
	if !effort && !schema {
		return
	}
	e.b = append(e.b, `,"output_config":{`...)
	if effort {
		e.b = append(e.b, `"effort":`...)
		e.str(string(r.Effort))
	}
	if schema {
		if effort {
			e.b = append(e.b, ',')
		}
		e.b = append(append(e.b, `"format":{"type":"json_schema","schema":`...), r.Format.Schema...)
		e.b = append(e.b, '}')
		if r.Format.Description != "" {
			r.Drop("response_format.json_schema.description")
		}
	}
	e.b = append(e.b, '}')
}
