package process

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// settleTime is the timeout for releasing the holds of a failed call.
const settleTime = 5 * time.Second

// holds are the unsettled reservations of a link for an exchange. The plugin refers to them by number, so it can settle
// only what it took for this exchange.
type holds struct {
	mu    sync.Mutex
	taken []taken // without limits if settled
}

// taken is one reservation.
type taken struct {
	state  core.Counters
	limits []core.Limit
}

func (h *holds) hasAny() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.taken) > 0
}

// add adds a reservation and returns its number. The first is 1.
func (h *holds) add(state core.Counters, limits []core.Limit) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = append(h.taken, taken{state, limits})
	return len(h.taken)
}

// remove removes and returns the reservation with the number, without limits if it is unknown.
func (h *holds) remove(n int) taken {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n < 1 || n > len(h.taken) {
		return taken{}
	}
	one := h.taken[n-1]
	h.taken[n-1] = taken{}
	return one
}

// settleUnused settles the reservation with the number as unused.
func (h *holds) settleUnused(n int) {
	one := h.remove(n)
	if one.limits == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	for i := range one.limits {
		one.limits[i].Actual = 0
	}
	_ = one.state.Settle(ctx, one.limits) // it expires soon
}

// settle settles all remaining reservations, as used or as unused.
func (h *holds) settle(ctx context.Context, used bool) {
	h.mu.Lock()
	taken := h.taken
	h.taken = nil
	h.mu.Unlock()
	for _, one := range taken {
		limits := one.limits
		if limits == nil {
			continue
		}
		for i := range limits {
			if limits[i].Actual = 0; used {
				limits[i].Actual = limits[i].Cost
			}
		}
		_ = one.state.Settle(ctx, limits) // it expires soon
	}
}

// take takes all limits or none.
func (st *stateOf) take(at part, q *pb.Limits, r *pb.StateResult) {
	if len(q.GetLimits()) == 0 || len(q.GetLimits()) > core.MaxLimits {
		r.Error = "no limit to take, or there are more than 32"
		return
	}
	limits := make([]core.Limit, len(q.Limits))
	for i, l := range q.Limits {
		if wrong := convertLimit(l, at, &limits[i]); wrong != "" {
			r.Error = wrong
			return
		}
	}
	ok, err := at.state.Take(st.ctx, limits)
	if errors.Is(err, core.ErrStateFull) {
		r.Error = "the plugin has reached the limit of counters; use fewer keys, or shorter periods"
		return
	}
	if err != nil {
		r.Error = failed
		return
	}
	r.Ok, r.Limits = ok, convertResults(q.Limits, limits)
	if !ok {
		return
	}
	n := st.holds.add(at.state, limits)
	st.mu.Lock()
	over := st.over
	st.taken = append(st.taken, n)
	st.mu.Unlock()
	if over {
		st.holds.settleUnused(n)
	}
	r.Hold = uint32(n)
}

// settle replaces a reservation by the actual usage.
func (st *stateOf) settle(q *pb.Settle, r *pb.StateResult) {
	one := st.holds.remove(int(q.Hold))
	limits := one.limits
	if limits == nil {
		r.Error = "nothing was taken under this hold for this exchange, or it is settled already"
		return
	}
	for i := range limits {
		limits[i].Actual = limits[i].Cost
		if i < len(q.Used) {
			limits[i].Actual = max(q.Used[i], 0)
		}
	}
	if err := one.state.Settle(st.ctx, limits); err != nil {
		r.Error = failed
		return
	}
	r.Ok, r.Limits = true, convertResults(nil, limits)
}

// Limits for the times of a limit.
const (
	maxPeriod = 366 * 24 * time.Hour
	maxEnds   = int64(1) << 50 // milliseconds since 1970: far beyond any period
)

// convertLimit converts a plugin's limit into one of the core. It returns what is wrong with the limit, or "".
func convertLimit(l *pb.Limit, at part, to *core.Limit) string {
	switch {
	case l.Kind < pb.LimitKind_LIMIT_RATE || l.Kind > pb.LimitKind_LIMIT_SPEND:
		return "a limit has an unknown kind"
	case !isValidKey(l.Key):
		return badKey
	case l.Cost < 0 || l.Max < 0 || l.Burst < 0:
		return "cost, max and burst must not be negative"
	case l.PeriodMs <= 0 || l.PeriodMs > maxPeriod.Milliseconds():
		return "period_ms must be positive, and at most 366 days"
	case l.Kind == pb.LimitKind_LIMIT_SPEND && (l.EndsUnixMs <= 0 || l.EndsUnixMs > maxEnds):
		return "a limit of spending needs ends_unix_ms"
	}
	*to = core.Limit{
		Kind: core.LimitKind(l.Kind), Key: at.formatCounterKey(l.Kind, l.Key), Cost: l.Cost, Max: l.Max, Burst: l.Burst,
		Period: time.Duration(l.PeriodMs) * time.Millisecond,
	}
	if l.EndsUnixMs > 0 {
		to.Ends = time.UnixMilli(l.EndsUnixMs)
	}
	return ""
}

// convertResults returns the limits in the plugin's form. asked may be nil.
func convertResults(asked []*pb.Limit, limits []core.Limit) []*pb.Limit {
	out := make([]*pb.Limit, len(limits))
	for i := range limits {
		l := &limits[i]
		o := &pb.Limit{
			Kind:    pb.LimitKind(l.Kind),
			Cost:    l.Cost,
			Max:     l.Max,
			Short:   l.Short,
			Left:    l.Left,
			Spent:   l.Spent,
			ResetMs: roundUp(l.Reset),
			WaitMs:  roundUp(l.Wait),
		}
		if asked != nil {
			o.Key = asked[i].Key
		}
		out[i] = o
	}
	return out
}

// roundUp returns whole milliseconds, rounded up, or -1 (never) for a negative duration.
func roundUp(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
