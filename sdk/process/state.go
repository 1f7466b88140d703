package process

import (
	"context"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

type callKey struct{}

// State is the gateway's storage for the plugin: counters and values, in memory or in Redis, separate for each link and
// tenant. It belongs to one call.
type State struct {
	c     *call
	scope string
}

var errNoCall = errors.New("no call belongs to this context: pass on the context that the stage was given")

// StateOf returns the state that a call may use. ctx is the context that the stage received. The manifest must request the
// state and the operator must grant it; otherwise each of its methods returns an error.
func StateOf(ctx context.Context) State {
	c, _ := ctx.Value(callKey{}).(*call)
	return State{c: c}
}

// OpenScope returns a part of the state that the link grants besides the plugin's own: platform, shared:NAME or platform:NAME.
func (s State) OpenScope(scope string) State { return State{s.c, scope} }

// Take takes from all limits, or from none, and sets their results, as core.Counters does. Keys are private to the plugin.
// hold names the reservation, for Settle, and can be kept with the exchange. An unsettled reservation counts as used when
// the exchange ends. The reservations of a call that fails are released.
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
		return false, 0, errors.New("the gateway's answer is about other limits")
	}
	for i, l := range r.Limits {
		limits[i].Short, limits[i].Left, limits[i].Spent = l.Short, l.Left, l.Spent
		limits[i].Wait, limits[i].Reset = time.Duration(l.WaitMs)*time.Millisecond, time.Duration(l.ResetMs)*time.Millisecond
	}
	return r.Ok, r.Hold, nil
}

// Settle replaces the amounts that Take reserved by the amounts used, one for each of its limits.
func (s State) Settle(ctx context.Context, hold uint32, used ...int64) error {
	_, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Settle{Settle: &pb.Settle{Hold: hold, Used: used}}})
	return err
}

// Get returns a value. ok is false if the key has no value or it has expired.
func (s State) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	r, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Get{Get: &pb.Get{Key: key}}})
	if err != nil {
		return nil, false, err
	}
	return r.Value, r.Ok, nil
}

// Put stores a value of at most 1 MiB for at most 31 days.
func (s State) Put(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	if ttl < time.Millisecond {
		return errors.New("a value must be kept for at least a millisecond")
	}
	_, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Put{Put: &pb.Put{Key: key, Value: value, TtlMs: ttl.Milliseconds()}}})
	return err
}

// Delete removes a value, if any.
func (s State) Delete(ctx context.Context, key string) error {
	_, err := s.ask(ctx, &pb.StateCall{Body: &pb.StateCall_Put{Put: &pb.Put{Key: key}}})
	return err
}

// ask sends a request to the gateway and waits for the answer.
func (s State) ask(ctx context.Context, q *pb.StateCall) (*pb.StateResult, error) {
	if s.c == nil {
		return nil, errNoCall
	}
	q.Scope = s.scope
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

// ask sends a request of the call, unless the call has ended: the gateway treats requests outside of a call as a protocol
// error.
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

// end refuses further requests of a call, before its answer is sent.
func (c *call) end() {
	c.mu.Lock()
	c.done = true
	c.mu.Unlock()
}
