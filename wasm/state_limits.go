package wasm

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// maxUnits bounds the sums that guests count to integers that a Redis script represents exactly.
const maxUnits = int64(1) << 52

// holdTime is the default time of a hold.
const holdTime = time.Hour

// tooManyCounters is the log line written when the guest gets TakeFull.
const tooManyCounters = "state_take: the plugin has reached the limit of counters; let it use fewer keys, or shorter periods"

func handleStateTake(c *talk, i *instance, stack []uint64) {
	ptr, n := uint32(stack[0]), uint32(stack[1])
	if n == 0 || n > abi.MaxLimits {
		endWithBreach("it takes from no limit, or from too many")
	}
	records := readBytes(i, uint64(ptr), uint64(n)*abi.LimitSize)
	k := c.ensureState()
	if k.countOpenHolds() == abi.MaxHolds {
		endWithBreach("it holds more than is allowed; settle or release what was taken")
	}
	limits := make([]core.Limit, n)
	for at := range limits {
		l := abi.GetLimit(records[at*abi.LimitSize:])
		limits[at] = c.readLimit(i, &l)
	}
	ctx, cancel := newStoreContext(i)
	defer cancel()
	ok, err := c.findStore().state.Take(ctx, limits)
	if err != nil {
		failed := abi.TakeFailed
		if errors.Is(err, core.ErrStateFull) {
			failed = abi.TakeFull
			i.v.log.writeLine(abi.LevelWarn, []byte(tooManyCounters))
		}
		stack[0] = uint64(failed)
		return
	}
	// The guest has not run since, so its memory has not moved.
	for at := range limits {
		writeResults(records[at*abi.LimitSize:], &limits[at])
	}
	hold := abi.TakeShort
	if ok {
		hold = k.addHold(limits, c.findStore().state)
	}
	stack[0] = uint64(hold)
}

// readLimit validates a record and converts it to a limit.
func (c *talk) readLimit(i *instance, l *abi.Limit) core.Limit {
	key := readStateKey(i, uint64(l.KeyPtr), uint64(l.KeyLen))
	switch {
	case l.Kind < abi.LimitRate || l.Kind > abi.LimitSpend:
		endWithBreach("a limit is of no kind that there is")
	case l.Cost < 0 || l.Cost > maxUnits || l.Max < 0 || l.Max > maxUnits || l.Burst < 0 || l.Burst > maxUnits:
		endWithBreach("a limit has a cost, a maximum or a burst that is negative or too large")
	case l.Period < 0 || l.Period > abi.MaxPeriod || l.Period == 0 && l.Kind == abi.LimitRate:
		endWithBreach("a limit has no period, or one that is negative or too long")
	case l.Kind == abi.LimitSpend && l.Ends <= 0:
		endWithBreach("a limit of what is spent does not say when it ends")
	}
	out := core.Limit{
		Kind: core.LimitKind(l.Kind), Key: c.findStore().formatKey(c.x, keyKinds[l.Kind:l.Kind+1], key),
		Cost: l.Cost, Max: l.Max, Period: time.Duration(l.Period) * time.Millisecond, Burst: l.Burst,
	}
	if l.Kind != abi.LimitRate && l.Period == 0 {
		out.Period = holdTime
	}
	if l.Kind == abi.LimitSpend {
		out.Ends = time.UnixMilli(min(l.Ends, time.Now().UnixMilli()+abi.MaxPeriod))
	}
	return out
}

// writeResults writes the result of a take into a record.
func writeResults(b []byte, l *core.Limit) {
	r := abi.GetLimit(b)
	r.Flags = 0
	if l.Short {
		r.Flags = abi.LimitShort
	}
	r.Left, r.Spent, r.Wait, r.Reset = l.Left, l.Spent, roundUpToMillis(l.Wait), roundUpToMillis(l.Reset)
	if l.Wait < 0 {
		r.Wait = abi.WaitNever
	}
	abi.PutLimit(b, &r)
}

// roundUpToMillis returns a time in milliseconds, rounded up, so that a caller who retries then is admitted.
func roundUpToMillis(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

func handleStateSettle(c *talk, i *instance, stack []uint64) {
	hold, n := int64(stack[0]), uint32(stack[2])
	if n == 0 || n > abi.MaxLimits {
		endWithBreach("it settles no limit, or too many")
	}
	b := readBytes(i, stack[1], uint64(n)*8)
	actual := make([]int64, n)
	for k := range actual {
		if actual[k] = int64(binary.LittleEndian.Uint64(b[8*k:])); actual[k] < 0 || actual[k] > maxUnits {
			endWithBreach("it settles an amount that is negative or too large")
		}
	}
	h := c.kept.find(hold)
	switch {
	case h == nil:
		c.charge(i, 0)
		stack[0] = uint64(abi.NoValue)
		return
	case len(h.limits) != len(actual):
		endWithBreach("it settles another number of limits than it took from")
	}
	ctx, cancel := newStoreContext(i)
	defer cancel()
	settled, err := h.settle(ctx, actual)
	stack[0] = 0
	switch {
	case err != nil:
		stack[0] = uint64(abi.Unavailable)
	case !settled:
		stack[0] = uint64(abi.NoValue)
	}
}
