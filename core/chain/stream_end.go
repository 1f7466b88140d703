package chain

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// checkEnd asks a link about the answer as a whole, if it has something to say.
func (s *Stream) checkEnd(ctx context.Context, l *streamLink) *core.Error {
	f, ok := l.filter.(core.Ender)
	if !ok || !l.state.isAsked() {
		return nil
	}
	began := time.Now()
	v, fault, err := callEnd(ctx, f)
	l.spent += time.Since(began)
	for i := range v.Findings {
		v.Findings[i].Segment = -1
	}
	addFindings(s.x, &s.c.links[l.i], core.Response, v.Findings)
	if fault != 0 {
		return s.applyFaultRule(ctx, l, fault, err)
	}
	if v.Keep != nil {
		s.r.kept[l.i] = v.Keep
	}
	if v.Action != core.Block {
		return nil
	}
	if l.action = core.Block; l.state == watching {
		l.state = retired
		return nil
	}
	return newObjection(&s.c.links[l.i], &v).Err
}

func callEnd(ctx context.Context, f core.Ender) (v core.Verdict, fault core.Fault, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, fault, err = core.Verdict{}, core.FaultPanic, describePanic(r)
		}
	}()
	if v, err = f.End(ctx); err != nil {
		return core.Verdict{Findings: v.Findings}, core.FindFault(err), err
	}
	if v.Action != core.Pass && v.Action != core.Block || checkVerdict(&v) != nil {
		return core.Verdict{Findings: v.Findings}, core.FaultVerdict, errVerdict
	}
	return v, 0, nil
}
