package mcp

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Headers of the streamable HTTP transport, in the spelling of net/http.
const (
	HeaderVersion     = "Mcp-Protocol-Version"
	HeaderMethod      = "Mcp-Method"
	HeaderName        = "Mcp-Name"
	HeaderSession     = "Mcp-Session-Id"
	HeaderLastEvent   = "Last-Event-Id"
	HeaderParamPrefix = "Mcp-Param-"
)

// resolveEra finds out which rules hold for the message (specification, "Backward Compatibility":
// a request with a version in _meta is modern, initialize begins a legacy session).
func (r *request) resolveEra(h http.Header) *core.Error {
	c, stated := r.c, h[HeaderVersion]
	if len(stated) > 1 {
		return newMismatchError(HeaderVersion, "is sent more than once")
	}
	header := h.Get(HeaderVersion)
	switch {
	case r.version != "":
		if header == "" {
			return newMismatchError(HeaderVersion, "is missing; it repeats the version in params._meta")
		}
		if header != r.version {
			return newMismatchError(HeaderVersion, "does not match the version in params._meta")
		}
		if era, ok := FindEra(r.version); !ok || era != Modern {
			return c.newVersionError(r.version)
		}
		c.Era, c.Version = Modern, r.version
		if c.Form == Request && !r.hasCapability {
			return scan.NewInvalid("params._meta", `the object "`+metaCapabilities+`" is missing`)
		}
	case c.Method == MethodInitialize:
		c.Era = Legacy
	case header != "":
		era, ok := FindEra(header)
		if !ok {
			return c.newVersionError(header)
		}
		if era == Modern && c.Form == Request {
			return scan.NewInvalid("params._meta", `the string "`+metaVersion+`" is missing; each request states its version since `+ModernVersion)
		}
		c.Era, c.Version = era, header
	default:
		c.Era = Legacy
	}
	return nil
}

// newVersionError returns the error of a revision that is not supported.
func (c *Call) newVersionError(version string) *core.Error {
	c.requested = scan.ShortenName(strings.ToValidUTF8(version, ""))
	return &core.Error{
		Kind: core.InvalidRequest, Code: CodeUnsupportedVersion,
		Public: "the protocol version is not supported; use one of " + strings.Join(ListVersions(), ", "),
	}
}

// RefuseEra is the error of a message whose era the server does not speak. It names the revisions
// of the other era, so that clients can fall back.
func (c *Call) RefuseEra() *core.Error {
	requested := c.Version
	if requested == "" {
		requested = "2025-03-26" // what a message without a version means (specification 2025-11-25, "Protocol Version Header")
	}
	c.refused = c.Era
	e := c.newVersionError(requested)
	e.Public = "the server does not speak this revision of the protocol; use one of " + strings.Join(c.listSupported(), ", ")
	return e
}

// listSupported returns the revisions that the client may use.
func (c *Call) listSupported() (versions []string) {
	for _, v := range ListVersions() {
		if era, _ := FindEra(v); era != c.refused {
			versions = append(versions, v)
		}
	}
	return versions
}

// assumeEra finds out the era of a message whose headers are not known.
func (r *request) assumeEra() {
	if r.c.Era = Legacy; r.version != "" {
		r.c.Era, r.c.Version = Modern, r.version
	}
}

// checkHeaders finds out the era and compares the headers with the body. Who routes or limits by a header must not be
// told another thing than the server. A legacy client need not send them, but they must not lie.
func (r *request) checkHeaders(h http.Header) *core.Error {
	c := r.c
	if e := r.resolveEra(h); e != nil {
		return e
	}
	required := c.Era == Modern && c.Form == Request
	if e := compareHeader(h, HeaderMethod, c.Method, required, false); e != nil {
		return e
	}
	if !c.method.inHeader {
		return nil
	}
	return compareHeader(h, HeaderName, c.Target, required && r.hasTarget, true)
}

func compareHeader(h http.Header, name, want string, required, mayEncode bool) *core.Error {
	values := h[name]
	switch len(values) {
	case 0:
		if required {
			return newMismatchError(name, "is missing")
		}
		return nil
	case 1:
	default:
		return newMismatchError(name, "is sent more than once")
	}
	got, ok := values[0], true
	if mayEncode {
		got, ok = DecodeHeader(got)
	}
	if !ok || got != want {
		return newMismatchError(name, "does not match the body")
	}
	return nil
}

func newMismatchError(header, what string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: CodeHeaderMismatch, Param: header, Public: "the header " + header + " " + what}
}

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// DecodeHeader returns the value of a header that may be encoded (specification, "Value
// Encoding"). It reports false for an encoding that is broken.
func DecodeHeader(value string) (string, bool) {
	inner, ok := strings.CutPrefix(value, encodedPrefix)
	if !ok {
		return value, true
	}
	if inner, ok = strings.CutSuffix(inner, encodedSuffix); !ok {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inner)
	return string(text), err == nil
}

// EncodeHeader returns a value for a header: unchanged if it is plain ASCII
// without blanks at its ends, otherwise encoded.
func EncodeHeader(value string) string {
	plain := strings.TrimSpace(value) == value && !(strings.HasPrefix(value, encodedPrefix) && strings.HasSuffix(value, encodedSuffix))
	for i := 0; plain && i < len(value); i++ {
		plain = ' ' <= value[i] && value[i] <= '~'
	}
	if plain {
		return value
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(value)) + encodedSuffix
}
