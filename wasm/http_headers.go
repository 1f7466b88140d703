package wasm

import (
	"net/http"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
)

// headerContentType is the only header field that describes a body here: the others are the gateway's.
const headerContentType = "content-type"

// framing are header fields of answers that the gateway sets for every answer. A guest may set them, without effect.
var framing = []string{headerContentType, "content-length", "transfer-encoding", "connection", "date", "server", "trailer", "keep-alive"}

// refusing are header fields that only refusals have.
var refusing = []string{"retry-after", "www-authenticate"}

// maySetHeader reports whether a guest may set a header field of answers: what modules of other kinds may set, and what http-wasm guests
// set by custom. Others would change how clients and proxies read the answer.
func maySetHeader(name string) bool {
	return strings.HasPrefix(name, "x-") && len(name) > len("x-") || name == "age" || slices.Contains(framing, name) || slices.Contains(refusing, name)
}

// listHTTPHeader returns the header fields that the guest sees, with names in small letters.
func (c *talk) listHTTPHeader(i *instance, kind uint32) (fields []core.Field) {
	switch kind {
	case httpwasm.Request:
		if !c.s.see.hasField(abi.FieldHeaders) {
			return nil
		}
		h := c.x.Request.Header
		for _, name := range foreign.ListHeaders(h, i.v.Manifest.Reads.Headers) {
			for _, value := range h[name] {
				fields = append(fields, core.Field{Name: strings.ToLower(name), Value: value})
			}
		}
	case httpwasm.Response:
		m := &i.http.message
		fields = append(fields, m.kept.sent...)
		for _, f := range m.header {
			fields = append(fields, core.Field{Name: f.Name, Value: f.Value})
		}
		named := slices.ContainsFunc(fields, func(f core.Field) bool { return f.Name == headerContentType })
		if typ := c.findContentType(); typ != "" && !named {
			fields = append(fields, core.Field{Name: headerContentType, Value: typ})
		}
	}
	return fields
}

// findContentType returns the type of the answer as the guest sees it. The finished texts of a stream are shown alone.
func (c *talk) findContentType() string {
	switch {
	case c.phase != abi.PhaseResponse:
		return ""
	case c.body != nil:
		return "application/json"
	case len(c.texts) > 0:
		return "text/plain; charset=utf-8"
	}
	return "text/event-stream"
}

func handleHeaderNames(c *talk, i *instance, stack []uint64) {
	var names []string
	for _, f := range c.listHTTPHeader(i, uint32(stack[0])) {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	stack[0] = c.writeTexts(i, stack[1], stack[2], names)
}

func handleHeaderValues(c *talk, i *instance, stack []uint64) {
	name := string(readBytes(i, stack[1], stack[2]))
	var values []string
	for _, f := range c.listHTTPHeader(i, uint32(stack[0])) {
		if strings.EqualFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	stack[0] = c.writeTexts(i, stack[3], stack[4], values)
}

// writeTexts writes texts, each with a NUL behind it, unless they are longer than limit. It returns their number and length.
func (c *talk) writeTexts(i *instance, ptr, limit uint64, texts []string) uint64 {
	size := 0
	for _, t := range texts {
		size += len(t) + 1
	}
	c.charge(i, size)
	if size > 0 && size <= int(uint32(limit)) {
		to := readBytes(i, ptr, uint64(size))
		for _, t := range texts {
			n := copy(to, t)
			to[n] = 0
			to = to[n+1:]
		}
	}
	return httpwasm.PackCount(len(texts), size)
}

// requireAnswer ends a call that changes header fields other than those of the answer.
func requireAnswer(kind uint64) {
	switch uint32(kind) {
	case httpwasm.Response:
	case httpwasm.Request:
		endWithBreach("it changes a header of the request, which goes no further than the gateway")
	default:
		endWithBreach("it sets a trailer: enable_features says that there are none")
	}
}

// setHTTPHeader sets or adds a header field of the answer.
func (c *talk) setHTTPHeader(i *instance, stack []uint64, replace bool) {
	name, value := strings.ToLower(string(readBytes(i, stack[1], stack[2]))), string(readBytes(i, stack[3], stack[4]))
	requireAnswer(stack[0])
	m := &i.http.message
	switch {
	case !isToken(name) || len(value) > abi.MaxAnnotation || !isPrintable(value):
		endWithBreach("a header's name is not a token, or its value is not printable ASCII or too long")
	case foreign.IsGatewayHeader(name):
		endWithBreach("it set a header that the gateway itself sets")
	case !maySetHeader(name):
		endWithBreach("it sets a header that is neither x-… nor age; a refusal may also have retry-after and www-authenticate")
	case len(m.header) == abi.MaxAnnotations:
		endWithBreach("it sets more headers than it may")
	}
	if replace {
		m.dropHeader(name)
	}
	m.header = append(m.header, core.Field{Name: name, Value: value})
}

func (m *httpMessage) dropHeader(name string) {
	m.header = slices.DeleteFunc(m.header, func(f core.Field) bool { return f.Name == name })
}

func handleRemoveHeader(_ *talk, i *instance, stack []uint64) {
	name := strings.ToLower(string(readBytes(i, stack[1], stack[2])))
	requireAnswer(stack[0])
	m := &i.http.message
	if slices.ContainsFunc(m.kept.sent, func(f core.Field) bool { return f.Name == name }) {
		endWithBreach("it removes a header that it has set with the request")
	}
	m.dropHeader(name)
}

// addHTTPHeader adds the guest's header fields to the verdict. The gateway sends one field for each name.
func (c *talk) addHTTPHeader(m *httpMessage) {
	for _, f := range m.header {
		if slices.Contains(framing, f.Name) || m.status < http.StatusBadRequest && slices.Contains(refusing, f.Name) {
			continue
		}
		name := http.CanonicalHeaderKey(f.Name)
		k := slices.IndexFunc(c.header, func(h core.Field) bool { return h.Name == name })
		if k < 0 {
			c.header = append(c.header, core.Field{Name: name, Value: f.Value})
		} else {
			c.header[k].Value += ", " + f.Value
		}
	}
}

func isPrintable(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
