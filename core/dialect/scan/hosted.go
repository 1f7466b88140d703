package scan

import (
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
