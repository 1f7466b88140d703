package providers

import (
	"net/http"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// forwardedHeader is a header field of the client that a provider reads and that grants nothing: keys, organisations and
// projects are set by the gateway.
type forwardedHeader struct {
	name string
	// aliases are other names under which clients send the field, in canonical form.
	aliases []string
	// shape is set for a field that changes how the provider reads or answers. It is only forwarded for clients that
	// speak the provider's shape.
	shape bool
	// list is set for a field with several values.
	list bool
}

// appendClientFields appends the client's fields that the provider reads. The operator's settings take precedence.
func (p *hosted) appendClientFields(x *core.Exchange, dst []upstream.Field) []upstream.Field {
	for i := range p.forwarded {
		f := &p.forwarded[i]
		if f.shape && x.Target.Wire != x.Dialect || hasField(p.s.Header, f.name) {
			continue
		}
		if v := f.readValue(x.Request.Header); v != "" {
			if hasField(p.fixed, f.name) {
				dst = dropField(dst, f.name)
			}
			dst = append(dst, upstream.Field{Name: f.name, Value: v})
		}
	}
	return dst
}

// readValue returns what the client sent, or "" if it sent nothing, or several values of a field that has one.
func (f *forwardedHeader) readValue(h http.Header) string {
	v := h[f.name]
	for _, alias := range f.aliases {
		if more := h[alias]; len(more) > 0 {
			v = append(slices.Clip(v), more...)
		}
	}
	switch {
	case len(v) == 1:
		return v[0]
	case len(v) > 1 && f.list:
		return strings.Join(v, ",")
	}
	return ""
}

func hasField(fields []upstream.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f upstream.Field) bool { return strings.EqualFold(f.Name, name) })
}

// dropField removes the fields with a name, in place.
func dropField(fields []upstream.Field, name string) []upstream.Field {
	return slices.DeleteFunc(fields, func(f upstream.Field) bool { return strings.EqualFold(f.Name, name) })
}
