package process

import (
	"context"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

type callKey struct{}

// State is what the gateway remembers for the plugin: counters and values, in memory or
// in Redis, apart for each link and each tenant. It is that of one call.
type State struct{ c *call }

var errNoCall = errors.New("there is no call that the state belongs to: pass on the context that the stage was given")

// StateOf returns the state that a call may use. ctx is the context that the stage received. The manifest must request the
// state and the operator must grant it; otherwise each of its methods returns an error.
func StateOf(ctx context.Context) State {
	c, _ := ctx.Value(callKey{}).(*call)
	return State{c}
}

// Take takes from all limits, or from none, and fills their results, as core.Counters
// does. Keys are the plugin's own. hold names what was taken, for Settle: it may be kept
// with the exchange. What is not settled when the exchange has ended counts as used as
// it was taken, and what a call took that fails is given back.
func (s State) Take(ctx context.Context, limits []core.Limit) (ok bool, hold uint32, err error) {
	asked := &pb.Limits{Limits: make([]*pb.Limit, len(limits))}
	for i := range limits {
		l := &limits[i]
		asked.Limits[i] = &pb.Limit{
			Kind:     pb.LimitKind(l.Kind),
			Key:      l.Key,
			Cost:     l.Cost,
			Max:      l.Max,
			PeriodMs: l.Period.Milliseconds(),
			Burst:    l.Burst,
		}
		if !l.Ends.IsZero() {
			asked.Limits[i].EndsUnixMs = l.Ends.UnixMilli()
		}
	}
	r, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Take{Take: asked}})
	if err != nil {
		return false, 0, err
	}
	if len(r.Limits) != len(limits) {
		return false, 0, errors.New("the gateway answered for other limits")
	}
	for i, l := range r.Limits {
		limits[i].Short, limits[i].Left, limits[i].Spent = l.Short, l.Left, l.Spent
		limits[i].Wait, limits[i].Reset = time.Duration(l.WaitMs)*time.Millisecond, time.Duration(l.ResetMs)*time.Millisecond
	}
	return r.Ok, r.Hold, nil
}

// Settle replaces the amounts that a Take took by those that were used, one for each of
// its limits.
func (s State) Settle(ctx context.Context, hold uint32, used ...int64) error {
	_, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Settle{Settle: &pb.Settle{Hold: hold, Used: used}}})
	return err
}

// Get returns a value. ok is false if the key has none or it has expired.
func (s State) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	r, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Get{Get: &pb.Get{Key: key}}})
	if err != nil {
		return nil, false, err
	}
	return r.Value, r.Ok, nil
}

// Put keeps a value of at most 256 KiB for a time of at most 31 days.
func (s State) Put(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	if ttl < time.Millisecond {
		return errors.New("a value is kept for a millisecond at least")
	}
	_, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Put{Put: &pb.Put{Key: key, Value: value, TtlMs: ttl.Milliseconds()}}})
	return err
}

// Delete forgets a value, if there is one.
func (s State) Delete(ctx context.Context, key string) error {
	_, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Put{Put: &pb.Put{Key: key}}})
	return err
}

// ask asks the gateway and waits.
func (s State) ask(ctx context.Context, q *pb.StateCall) (*pb.StateResult, error) {
	if s.c == nil {
		return nil, errNoCall
	}
	to := make(chan *pb.StateResult, 1)
	if err := s.c.ask(q, to); err != nil {
		return nil, err
	}
	select {
	case r := <-to:
		if r.Error != "" {
			return nil, errors.New(r.Error)
		}
		return r, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// ask sends a question of the call, unless the call has ended: the gateway takes
// questions of no call for garbage.
func (c *call) ask(q *pb.StateCall, to chan *pb.StateResult) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return errNoCall
	}
	c.number++
	q.Number = c.number
	if c.asked == nil {
		c.asked = map[uint32]chan *pb.StateResult{}
	}
	c.asked[q.Number] = to
	return c.s.send(&pb.FromPlugin{Id: c.id, Body: &pb.FromPlugin_State{State: q}})
}

// deliverState passes an answer to the caller that waits for it.
func (c *call) deliverState(r *pb.StateResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := c.asked[r.Number]; to != nil {
		to <- r
		delete(c.asked, r.Number)
	}
}

// end ends the questions of a call, before its answer is sent.
func (c *call) end() {
	c.mu.Lock()
	c.done = true
	c.mu.Unlock()
}
