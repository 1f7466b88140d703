package mcp

import (
	"strings"
	"unicode"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readParams reads the params of a request or a notification.
func (r *request) readParams() {
	if r.S.Kind() != splice.Object {
		r.RejectType("params", "an object")
		return
	}
	r.hasParams = true
	start := r.S.Pos()
	r.S.Enter()
	for r.S.Next() {
		r.readParam(r.S.Key())
	}
	r.MarkFrom(markParams, start)
}

func (r *request) readParam(key []byte) {
	target := r.c.method.target
	switch name := string(key); {
	case name == "_meta":
		r.readMeta()
	case name == "ref" && target == "ref":
		r.readReference()
	case name == target && target != "":
		r.readTarget("params." + target)
	case name == "arguments" && (r.c.Method == MethodCallTool || r.c.Method == MethodGetPrompt):
		r.readArguments()
	case name == "protocolVersion" && r.c.Method == MethodInitialize:
		r.c.Version = r.readVersion("params.protocolVersion")
	default:
		r.AddLeaves(&leaves, zerocopy.String(key), r.Place)
	}
}

// readTarget reads the name or the address that the call is about.
func (r *request) readTarget(param string) {
	if r.S.Kind() != splice.String {
		r.RejectType(param, "a string")
		return
	}
	start := r.S.Pos() + 1
	r.hasTarget = true
	name := strings.Clone(r.ReadPlain("target"))
	if r.S.Err() != nil {
		return
	}
	r.Mark(markTarget, splice.Span{Start: start, End: r.S.Pos() - 1})
	r.c.Target = name
	switch {
	case name == "" || len(name) > maxTarget:
		r.Fail(scan.NewInvalid(param, "\""+param+"\" must hold between 1 and 4096 bytes"))
	case r.c.Method == MethodCallTool && !IsToolName(name):
		r.Fail(scan.NewInvalid(param, "\""+param+"\" is not a name of a tool: it may hold letters, digits, _, - and ., at most 256"))
	case strings.ContainsFunc(name, isControl):
		r.Fail(scan.NewInvalid(param, "\""+param+"\" must not hold invisible characters"))
	}
}

// maxTarget is the length of the longest address of a resource in bytes.
const maxTarget = 4096

// isControl reports whether a character cannot be seen where a name is shown.
func isControl(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// readReference reads the prompt or the template that a completion is for.
func (r *request) readReference() {
	if !r.EnterObject("params.ref") {
		return
	}
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "name", "uri":
			if r.hasTarget { // servers would choose one of them by the type
				r.S.Skip()
				r.Fail(scan.NewInvalid("params.ref", `"params.ref" has one of "name" and "uri"`))
				continue
			}
			r.c.refersToURI = string(key) == "uri"
			r.readTarget("params.ref." + string(key))
		default:
			r.AddLeaves(&leaves, zerocopy.String(key), r.Place)
		}
	}
}

// readArguments reads the arguments of a tool or a prompt.
func (r *request) readArguments() {
	if r.S.Kind() != splice.Object {
		r.RejectType("params.arguments", "an object")
		return
	}
	at := r.S.Skip()
	if r.S.Err() == nil {
		r.X.Request.AddJSON(core.Segment{
			Role: core.RoleAssistant, Kind: core.KindToolArgs, Message: -1, Part: -1, Field: "arguments", Span: at,
		})
	}
}

// readMeta reads the metadata, in which a modern request states its version and capabilities.
func (r *request) readMeta() {
	if r.S.Kind() != splice.Object {
		r.RejectType("params._meta", "an object")
		return
	}
	start := r.S.Pos()
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case metaVersion:
			r.version = r.readVersion("params._meta." + metaVersion)
		case metaCapabilities:
			r.hasCapability = r.S.Kind() == splice.Object
			r.AddLeaves(&leaves, metaCapabilities, r.Place)
		default:
			r.AddLeaves(&leaves, zerocopy.String(key), r.Place)
		}
	}
	r.MarkFrom(markMeta, start)
}

// readVersion reads a revision. One that is too long to be one is kept in part, for the error.
func (r *request) readVersion(param string) string {
	if r.S.Kind() != splice.String {
		r.RejectType(param, "a string")
		return ""
	}
	return strings.Clone(scan.ShortenName(r.ReadPlain("version")))
}
