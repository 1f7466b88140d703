package scan

import (
	"bytes"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// RejectHosted refuses a tool that runs at the provider, or notes it if the exchange allows such tools. It reports
// whether the tool may stay.
func (r *Request) RejectHosted(tool hosted.Tool, refusal *core.Error) (allowed bool) {
	if r.S.Err() != nil {
		return false
	}
	x := r.X
	if x.Hosted == nil {
		x.Hosted = &hosted.Found{}
	}
	x.Hosted.Tools = append(x.Hosted.Tools, tool)
	if x.Hosted.Allowed {
		return true
	}
	if x.Hosted.Refusal == nil {
		x.Hosted.Refusal = refusal
	}
	r.Fail(refusal)
	return false
}

// CountHosted returns the number of hosted tools that were read.
func (r *Request) CountHosted() int {
	if r.X.Hosted == nil {
		return 0
	}
	return len(r.X.Hosted.Tools)
}

// WidenHosted makes the hosted tools from an index on stand for a larger part of the body, which would be empty without them.
func (r *Request) WidenHosted(from int, at splice.Span) {
	for i := from; i < r.CountHosted(); i++ {
		r.X.Hosted.Tools[i].Span = at
	}
}

// IsHostedMember reports whether a member of a request makes the provider search or run something, outside the list of tools:
// web search of OpenAI, xAI, Qwen and Groq, plugins of OpenRouter.
func IsHostedMember(name string) bool {
	switch name {
	case "web_search_options", "search_parameters", "enable_search", "search_settings", "compound_custom", "plugins":
		return true
	}
	return false
}

// RejectHostedMember is RejectHosted for a member whose value has just been read. The member begins at start and its value at
// from. A value that asks for nothing is accepted.
func (r *Request) RejectHostedMember(name string, start, from int) {
	if r.S.Err() != nil || asksNothing(r.Doc[from:r.S.Pos()]) {
		return
	}
	if r.RejectHosted(hosted.Tool{Type: name, Span: splice.Span{Start: start, End: r.S.Pos()}}, NewUnsupportedError(name,
		strconv.Quote(name)+" is not supported: what it asks for runs at the provider, out of the gateway's sight; leave it out, or set `hosted_tools`")) {
		r.X.Head.Tools = append(r.X.Head.Tools, name) // for policies
	}
}

// asksNothing reports whether a value turns nothing on: null, false and an empty list. An empty object takes the defaults.
func asksNothing(value []byte) bool {
	value = bytes.TrimSpace(value)
	switch string(value) {
	case "null", "false":
		return true
	}
	return value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}
