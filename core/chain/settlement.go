package chain

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
)

// joinedCounters are counters on a server. It settles what several stages have taken in one round trip.
type joinedCounters interface {
	core.Counters
	// SettleAll is Settle for several Takes. It returns the error of each.
	SettleAll(ctx context.Context, takes [][]core.Limit) []error
}

// settlements wait until the last Finisher of an exchange has returned.
type settlements struct {
	joined bool
	link   int
	list   []settlement
}

type settlement struct {
	counters joinedCounters
	limits   []core.Limit
	by       core.Settlement
	link     int
	err      error
}

// settlementPanic is a panic of a settlement, and the number of its link.
type settlementPanic struct {
	link  int
	value any
	stack []byte
}

// queueLink makes settle wait for send. Further settlements belong to link.
func (s *settlements) queueLink(link int) { s.joined, s.link = true, link }

func (s *settlements) settle(ctx context.Context, c core.Counters, limits []core.Limit, by core.Settlement) {
	if j, ok := c.(joinedCounters); ok && s.joined {
		s.list = append(s.list, settlement{j, limits, by, s.link, nil})
		return
	}
	by.Settle(ctx, limits, c.Settle(ctx, limits))
}

// send settles what waits. After a panic it continues with the others, and returns the panic.
func (s *settlements) send(ctx context.Context) (panics []settlementPanic) {
	s.joined = false
	for list := s.list; len(list) > 0; {
		// Stages that count on the same server stand together in practice: there is one state.
		n := 1
		for n < len(list) && list[n].counters == list[0].counters {
			n++
		}
		panics = settleAll(ctx, list[:n], panics)
		for i := range list[:n] {
			panics = list[i].report(ctx, panics)
		}
		list = list[n:]
	}
	clear(s.list)
	s.list = s.list[:0]
	return panics
}

// errUnsettled is the error of settlements whose state has panicked.
var errUnsettled = errors.New("the state panicked")

// reset drops what waits.
func (s *settlements) reset() { *s = settlements{list: scratch.ReuseAll(s.list)} }

func settleAll(ctx context.Context, list []settlement, before []settlementPanic) (panics []settlementPanic) {
	defer func() {
		if v := recover(); v != nil {
			for i := range list {
				list[i].err = errUnsettled
			}
			panics = append(before, settlementPanic{list[0].link, v, debug.Stack()})
		}
	}()
	if len(list) == 1 {
		list[0].err = list[0].counters.Settle(ctx, list[0].limits)
		return before
	}
	takes := make([][]core.Limit, len(list))
	for i := range list {
		takes[i] = list[i].limits
	}
	for i, err := range list[0].counters.SettleAll(ctx, takes) {
		list[i].err = err
	}
	return before
}

// report tells a stage that its settlement is done.
func (s *settlement) report(ctx context.Context, before []settlementPanic) (panics []settlementPanic) {
	defer func() {
		if v := recover(); v != nil {
			panics = append(before, settlementPanic{s.link, v, debug.Stack()})
		}
	}()
	s.by.Settle(ctx, s.limits, s.err)
	return before
}
