package capture

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Draft is an exchange under way. A nil draft ignores all calls. It is not safe for concurrent use.
type Draft struct {
	r        *Recorder
	rec      Record
	d        core.Dialect
	tooLarge bool
}

// Begin starts a draft of an exchange whose request is valid. It returns nil if the exchange is not captured. d is the
// dialect of its body.
func (r *Recorder) Begin(x *core.Exchange, d core.Dialect) *Draft {
	if r == nil || !r.wants(x) {
		return nil
	}
	return &Draft{r: r, d: d, tooLarge: len(x.Request.Raw) > maxBody, rec: Record{
		ID: strings.Clone(x.ID), At: x.Received, Dialect: x.Dialect, Like: x.RelatedDialect,
		Model: strings.Clone(x.Head.Model), Stream: x.Head.Stream,
		Principal: *x.Principal, Request: cloneBytes(x.Request.Raw),
	}}
}

// AddTool records what is known of the tool that the exchange calls.
func (d *Draft) AddTool(t Tool) {
	if d != nil {
		d.rec.Tool = &t
	}
}

// AddBody records the provider's whole answer in the client's dialect, before any link has processed it. It replaces an
// earlier answer.
func (d *Draft) AddBody(raw []byte) {
	if d != nil {
		d.tooLarge = d.tooLarge || len(raw) > maxBody
		d.rec.Response = cloneBytes(raw)
	}
}

// AddEvent records an event of the provider's streamed answer.
func (d *Draft) AddEvent(raw []byte) {
	switch {
	case d == nil || d.tooLarge:
	case len(d.rec.Response)+len(raw) > maxBody:
		d.tooLarge = true
	default:
		d.rec.Response = append(d.rec.Response, raw...)
	}
}

// DiscardAnswer discards the answer because the gateway asks for another one.
func (d *Draft) DiscardAnswer() {
	if d != nil {
		d.rec.Response = d.rec.Response[:0]
	}
}

// Finish hands the ended exchange to the recorder.
func (d *Draft) Finish(x *core.Exchange) {
	if d == nil {
		return
	}
	r := &d.rec
	r.Target = core.TargetRef{ // clone: the strings may lie in the exchange's own memory
		Provider: strings.Clone(x.Target.Provider), Model: strings.Clone(x.Target.Model), Region: strings.Clone(x.Target.Region),
		Route: strings.Clone(x.Target.Route), Wire: x.Target.Wire,
	}
	r.Usage, r.Cost, r.Priced = x.Usage, x.Cost, x.Priced
	r.Outcome, r.By, r.Status, r.Complete = x.Outcome.Kind.String(), x.Outcome.By, x.Outcome.Status, x.Outcome.Complete
	if x.Outcome.Err != nil {
		r.Code = strings.Clone(x.Outcome.Err.Code)
	}
	if d.tooLarge {
		r.Request, r.Response, r.Left = nil, nil, LeftSize
	}
	d.r.enqueue(d)
}

func cloneBytes(b []byte) []byte {
	if len(b) > maxBody {
		return nil
	}
	return append([]byte(nil), b...)
}
