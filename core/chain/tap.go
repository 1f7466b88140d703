package chain

import (
	"context"

	"github.com/headgate-dev/headgate/core"
)

func openTap(ctx context.Context, t core.Tapper, x *core.Exchange, kept any) (to core.Tap, err error) {
	defer func() {
		if r := recover(); r != nil {
			to, err = nil, panicError{describePanic(r)}
		}
	}()
	return t.Tap(ctx, x, kept)
}

// passEvent passes one event to the tap.
func (t *tap) passEvent(ctx context.Context, raw []byte) *core.Error {
	if t.to == nil {
		return nil
	}
	began := t.owner.clock
	err := t.callTap(raw)
	t.next.clock = core.MeasureUptime()
	t.link.spent += t.next.clock - began
	if err != nil {
		t.to = nil
		return t.owner.applyFaultRule(ctx, &t.link, core.FindFault(err), err)
	}
	return nil
}

func (t *tap) callTap(raw []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError{describePanic(r)}
		}
	}()
	t.to.AddEvent(raw)
	return nil
}

// recordVisit records what the tap did.
func (t *tap) recordVisit() {
	l := &t.link
	x := t.owner.x
	x.Visits = append(
		x.Visits,
		core.Visit{Link: t.owner.c.links[l.i].Name, Phase: core.Response, Action: l.action, Fault: l.fault, Duration: l.spent},
	)
}
