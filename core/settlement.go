package core

import (
	"context"
	"errors"
	"runtime/debug"
)

// Settlement is what a stage waits for when it settles.
type Settlement interface {
	// Settled is called once for each call of Settlements.Settle, with the results in limits or the error of
	// Counters.Settle.
	Settled(ctx context.Context, limits []Limit, err error)
}

// JoinedCounters are counters on a server. It settles what several stages have taken in one round trip.
type JoinedCounters interface {
	Counters
	// SettleAll is Settle for several Takes. It returns the error of each.
	SettleAll(ctx context.Context, takes [][]Limit) []error
}

// Settlements are those that wait until all links have heard of the end of an exchange.
type Settlements struct {
	joined bool
	link   int
	list   []settlement
}

type settlement struct {
	counters JoinedCounters
	limits   []Limit
	by       Settlement
	link     int
	err      error
}

// SettlementPanic is a panic while something was settled, and the number of the link that it belongs to.
type SettlementPanic struct {
	Link  int
	Value any
	Stack []byte
}

// Join makes Settle wait for Send. What it is asked for from now on belongs to a link.
func (s *Settlements) Join(link int) { s.joined, s.link = true, link }

// Settle settles what a Take has taken, and calls by.Settled. At the end of an exchange, settlements of all links with
// the same server are joined: then by.Settled is called after all links have heard of the end.
func (s *Settlements) Settle(ctx context.Context, c Counters, limits []Limit, by Settlement) {
	if j, ok := c.(JoinedCounters); ok && s.joined {
		s.list = append(s.list, settlement{j, limits, by, s.link, nil})
		return
	}
	by.Settled(ctx, limits, c.Settle(ctx, limits))
}

// Send settles what waits. A panic does not keep the others from being settled, and is returned.
func (s *Settlements) Send(ctx context.Context) (panics []SettlementPanic) {
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

func settleAll(ctx context.Context, list []settlement, before []SettlementPanic) (panics []SettlementPanic) {
	defer func() {
		if v := recover(); v != nil {
			for i := range list {
				list[i].err = errUnsettled
			}
			panics = append(before, SettlementPanic{list[0].link, v, debug.Stack()})
		}
	}()
	if len(list) == 1 {
		list[0].err = list[0].counters.Settle(ctx, list[0].limits)
		return before
	}
	takes := make([][]Limit, len(list))
	for i := range list {
		takes[i] = list[i].limits
	}
	for i, err := range list[0].counters.SettleAll(ctx, takes) {
		list[i].err = err
	}
	return before
}

// report tells a stage that its settlement is done.
func (s *settlement) report(ctx context.Context, before []SettlementPanic) (panics []SettlementPanic) {
	defer func() {
		if v := recover(); v != nil {
			panics = append(before, SettlementPanic{s.link, v, debug.Stack()})
		}
	}()
	s.by.Settled(ctx, s.limits, s.err)
	return before
}
