package proxy

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

type cuts = []splice.Cut

// cutRoom is spare room for what a dialect inserts: a model name, a limit.
const cutRoom = 512

// prepareRequest builds the provider's request: the client's bytes, edited as the target needs.
func (a *attempts) prepareRequest(p route.Provider) *core.Error {
	t := p.FindTraits(a.call.x.Target.Model)
	t.Model, t.Label, t.DefaultCap, t.Cap = a.call.x.Target.Model, p.Label(), a.call.snap.DefaultCap, a.call.x.TokenCap()
	a.call.answer.tr, a.call.answer.relaxed = nil, a.call.x.Head.Strict && !t.Strict
	// A chat provider without custom tools gets functions instead, which takes a translation.
	if a.call.x.Target.Wire != a.call.d.Name() || a.call.x.Head.HasCustomTools && !t.CustomTools {
		body, e := a.translateRequest(p, t)
		if e != nil {
			return e
		}
		a.sent, a.req.Body = body, body
	} else if e := a.editRequest(t); e != nil {
		return e
	}
	if err := p.NewRequest(&a.call.x, &a.req); err != nil {
		return core.ConvertError(err)
	}
	return nil
}

// editRequest builds the provider's request from the client's own bytes.
func (a *attempts) editRequest(t core.Traits) (e *core.Error) {
	if a.cuts, e = a.call.d.AppendForwardCuts(&a.call.x, t, a.cuts[:0]); e != nil {
		return e
	}
	if len(a.call.x.Appended) > 0 {
		d, ok := a.call.d.(core.Appender)
		if !ok { // the answer came by another target, in another dialect
			return &core.Error{
				Kind:   core.BadGateway,
				Code:   core.CodeUpstreamInvalid,
				Public: t.Label + " cannot be asked again in this API (" + a.call.d.Name() + ")",
			}
		}
		if a.cuts, e = d.Append(&a.call.x, a.cuts, a.call.x.Appended); e != nil {
			return e
		}
	}
	a.req.Body = a.call.x.Request.Raw
	if len(a.cuts) > 0 {
		a.sent = scratch.Grow(a.sent, len(a.call.x.Request.Raw)+cutRoom) // which may have released the old one
		out, err := splice.Append(a.sent, a.call.x.Request.Raw, a.cuts)
		if err != nil {
			return core.ConvertError(err)
		}
		a.sent, a.req.Body = out, out
	}
	if d, ok := a.call.d.(core.Omitter); ok {
		if gone := d.AppendOmittedFields(nil, &a.call.x, t); len(gone) > 0 {
			a.call.proxy.Telemetry.ReportDroppedFields(&a.call.x, gone)
		}
	}
	return nil
}
