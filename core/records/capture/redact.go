package capture

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// redact removes personal data from both bodies. If it returns false, redaction failed and no part of them may be
// written.
func (r *Recorder) redact(d *Draft) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	ctx, rec := context.Background(), &d.rec
	x := rec.Exchange()
	x.Hosted = &hosted.Found{Allowed: true} // the rule has been applied
	if e := d.d.Scan(x); e != nil {
		return false
	}
	if r.o.Redact.RunRequest(ctx, x).Action != core.Pass {
		return false
	}
	rec.Request = x.Request.Raw
	if len(rec.Response) == 0 {
		return true
	}
	if rec.Stream {
		rec.Response, ok = r.redactStream(ctx, x, d.d, rec.Response)
		return ok
	}
	x.Response.Raw = rec.Response
	if d.d.ScanResponse(x) != nil || r.o.Redact.RunResponse(ctx, x).Action != core.Pass {
		return false
	}
	rec.Response = x.Response.Raw
	return true
}

func (r *Recorder) redactStream(ctx context.Context, x *core.Exchange, d core.Dialect, raw []byte) (out []byte, ok bool) {
	links, e := r.o.Redact.Stream(ctx, x, d)
	defer links.Close(ctx)
	if e != nil {
		return nil, false
	}
	var events sse.Splitter
	if events.Write(raw) != nil {
		return nil, false
	}
	var ev core.Event
	for piece := events.Next(); piece != nil; piece = events.Next() {
		ev.Reset(piece)
		if d.ScanEvent(x, &ev) != nil {
			return nil, false
		}
		if out, e = links.RunEvent(ctx, &ev, out); e != nil {
			return nil, false
		}
		if ev.Done {
			return out, true
		}
	}
	if out, e = links.End(ctx, out); e != nil {
		return nil, false
	}
	return out, true // no guard has checked a fragment after the last event, so omit it
}

// Exchange rebuilds the exchange as its request was parsed, without the findings of scans.
func (r *Record) Exchange() *core.Exchange {
	p := r.Principal
	x := &core.Exchange{ID: r.ID, Trace: r.ID, Dialect: r.Dialect, RelatedDialect: r.Like, Received: r.At, Principal: &p}
	x.Head.Model, x.Head.Stream = r.Model, r.Stream
	x.Request.Raw = append([]byte(nil), r.Request...)
	return x
}
