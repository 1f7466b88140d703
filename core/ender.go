package core

import (
	"context"
	"time"
)

// lastWord asks a link about the answer as a whole, if it has something to say.
func (s *Stream) lastWord(ctx context.Context, l *streamLink) *Error {
	f, ok := l.filter.(Ender)
	if !ok || l.off {
		return nil
	}
	began := time.Now()
	v, fault, err := watchEnd(ctx, f)
	l.spent += time.Since(began)
	for i := range v.Findings {
		v.Findings[i].Segment = -1
	}
	note(s.x, &s.c.links[l.i], Response, v.Findings)
	if fault != 0 {
		return s.failed(ctx, l, fault, err)
	}
	if v.Keep != nil {
		s.r.keeps[l.i] = v.Keep
	}
	if v.Action != Block {
		return nil
	}
	if l.action = Block; l.shadow {
		l.off = true
		return nil
	}
	return objection(&s.c.links[l.i], &v).Err
}

func watchEnd(ctx context.Context, f Ender) (v Verdict, fault Fault, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, fault, err = Verdict{}, FaultPanic, panicked(r)
		}
	}()
	if v, err = f.End(ctx); err != nil {
		return Verdict{Findings: v.Findings}, FaultOf(err), err
	}
	if v.Action != Pass && v.Action != Block || checkVerdict(&v) != nil {
		return Verdict{Findings: v.Findings}, FaultVerdict, errVerdict
	}
	return v, 0, nil
}
