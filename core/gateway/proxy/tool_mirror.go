package proxy

import (
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// mirror is a header that repeats an argument for routers on the way (specification, "Custom Headers from Tool
// Parameters"). No link sees headers, so its value must be an argument's, and it is sent as the links have left that.
type mirror struct {
	name    string
	value   string // of a number or a switch, which no link reads
	segment int    // of the argument; -1: value holds
}

// readMirrors finds the arguments that the headers repeat.
func (t *toolCall) readMirrors() *core.Error {
	if t.Era != mcp.Modern {
		return nil
	}
	var segments map[string]int // of the values that are looked for; -1: none has it
	for name, values := range t.call.r.Header {
		if !strings.HasPrefix(name, mcp.HeaderParamPrefix) {
			continue
		}
		if len(values) != 1 {
			return newMirrorError(name)
		}
		value, ok := mcp.DecodeHeader(values[0])
		if !ok {
			return newMirrorError(name)
		}
		if segments == nil {
			segments = map[string]int{}
		}
		segments[value] = -1
		t.mirrors = append(t.mirrors, mirror{name: http.CanonicalHeaderKey(name), value: value})
	}
	if len(t.mirrors) == 0 {
		return nil
	}
	p := &t.call.x.Request
	for i := range p.Segments { // once for all headers: both may be many
		if p.Segments[i].Kind != core.KindToolArgs {
			continue
		}
		if at, wanted := segments[p.ReadText(i)]; wanted && at < 0 {
			segments[p.ReadText(i)] = i
		}
	}
	for i := range t.mirrors {
		m := &t.mirrors[i]
		if m.segment = segments[m.value]; m.segment < 0 && !isShortScalar(m.value) {
			return newMirrorError(m.name)
		}
	}
	return nil
}

func newMirrorError(name string) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: mcp.CodeHeaderMismatch, Param: name, Public: "the header " + name + " does not repeat an argument",
	}
}

// isShortScalar reports whether a value is one that links are not shown: a number of few digits, true or false.
func isShortScalar(s string) bool {
	if s == "true" || s == "false" || s == "" {
		return true
	}
	return len(s) <= 5 && strings.Trim(s, "0123456789.-") == ""
}

// appendMirrors appends the headers as they agree with the arguments now.
func (t *toolCall) appendMirrors(dst []upstream.Field) []upstream.Field {
	for _, m := range t.mirrors {
		if m.segment >= 0 {
			m.value = t.sent.ReadText(m.segment)
		}
		dst = append(dst, upstream.Field{Name: m.name, Value: mcp.EncodeHeader(m.value)})
	}
	return dst
}
