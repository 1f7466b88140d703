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

// GenerateWire is the generateContent API of a provider. The caller puts model and
// method into the path.
type GenerateWire struct{}

var _ wire.Wire = GenerateWire{}

// Name returns GenerateName.
func (GenerateWire) Name() string { return GenerateName }

// ReadError returns the status name and message of a provider's error body.
func (GenerateWire) ReadError(body []byte) (code, message string) { return Generate{}.ReadError(body) }

// EncodeRequest appends r as a request body.
func (GenerateWire) EncodeRequest(dst []byte, r *llm.Request, t core.Traits) ([]byte, *core.Error) {
	if e := wire.RefuseThinking(r, t); e != nil {
		return dst, e
	}
	if r.Count > 1 && !t.Count {
		return dst, scan.NewUnsupportedError("n", t.Label+" gives one answer to a request; leave \"n\" out, or send 1")
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
			r.RecordDropped(f.name)
		}
	}
	if w.err != nil {
		return dst, w.err
	}
	return append(w.dst, '}'), nil
}

// writer is the state of encoding one request.
type writer struct {
	r   *llm.Request
	t   core.Traits
	dst []byte
	err *core.Error
	// sentinel is true if the model rejects a returned call without a signature.
	sentinel bool
	called   bool // the turn has a call; only the first needs a signature
}

// appendKey appends a key, and a comma unless it is the first one.
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

// parseGeneration returns the major version in the name of a Gemini model, or 0.
func parseGeneration(model string) int {
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

// wantsSignature reports whether a model rejects calls without thought signatures: from
// the third generation on, and aliases of the latest model.
func wantsSignature(model string) bool {
	g := parseGeneration(model)
	return g >= 3 || g == 0 && strings.Contains(model, "gemini")
}
