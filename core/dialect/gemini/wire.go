package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// GenerateWire is the generateContent shape as a provider speaks it. The model
// and whether to stream go into the path, where the caller puts them.
type GenerateWire struct{}

var _ wire.Wire = GenerateWire{}

// Name gives GenerateName.
func (GenerateWire) Name() string { return GenerateName }

// ReadError finds the status name and the message in a provider's error body.
func (GenerateWire) ReadError(body []byte) (code, message string) { return Generate{}.ReadError(body) }

// EncodeRequest appends r as the body to send.
func (GenerateWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	if e := wire.RefuseThinking(r, t); e != nil {
		return dst, e
	}
	if r.Count > 1 && !t.Count {
		return dst, scan.Unsupported("n", t.Label+" gives one answer to a request; leave \"n\" out, or send 1")
	}
	w := writer{r: r, t: t, dst: append(dst, '{'), sentinel: wantsSignature(t.Model)}
	w.appendMessages()
	w.appendTools()
	w.appendConfig()
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"parallel_tool_calls", r.Parallel != nil && !*r.Parallel},
		{"verbosity", r.Verbosity != ""},
		{"prompt_cache_key", r.CacheKey != ""},
		{"user", r.User != ""},
	} {
		if f.given {
			r.Drop(f.name)
		}
	}
	if w.err != nil {
		return dst, w.err
	}
	return append(w.dst, '}'), nil
}

// writer is the state of writing one request.
type writer struct {
	r   *llm.Request
	t   core.Traits
	dst []byte
	err *core.Error
	// sentinel is true when the model refuses a call that comes back without a
	// signature.
	sentinel bool
	called   bool // the turn has a call: only the first one must be signed
}

// appendKey begins a member of the object that is open.
func (w *writer) appendKey(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(append(append(w.dst, '"'), name...), `":`...)
}

func (w *writer) appendString(s string) {
	w.dst = append(splice.AppendEscaped(append(w.dst, '"'), s), '"')
}

func (w *writer) fail(e *core.Error) {
	if w.err == nil {
		w.err = e
	}
}

// generation is the major version of a Gemini model by its name; 0 when it does
// not tell.
func generation(model string) int {
	_, rest, ok := strings.Cut(model, "gemini-")
	if !ok {
		return 0
	}
	end := 0
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(rest[:end])
	if err != nil {
		return 0
	}
	return n
}

// wantsSignature reports whether a model refuses calls without thought signatures:
// the third generation on, and names that stand for the latest.
func wantsSignature(model string) bool {
	g := generation(model)
	return g >= 3 || g == 0 && strings.Contains(model, "gemini")
}
