package state

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/headgate-dev/headgate/core"
)

// Settle replaces what was taken by what was used; see core.Counters. If the server is unreachable, it queues a retry
// and the error says so.
func (r *Redis) Settle(ctx context.Context, limits []core.Limit) error {
	if err := r.beginSettlement(limits); err != nil || len(limits) == 0 {
		return err
	}
	err := r.settle(context.WithoutCancel(ctx), r.client, limits)
	if err != nil {
		r.queueSettlement(limits, false)
	}
	return err
}

// SettleAll settles several Takes in one round trip. It returns the error of each.
func (r *Redis) SettleAll(ctx context.Context, takes [][]core.Limit) []error {
	ctx = context.WithoutCancel(ctx)
	errs, replies := make([]error, len(takes)), make([]*redis.Cmd, len(takes))
	pipe := r.client.Pipeline()
	for i, limits := range takes {
		if errs[i] = r.beginSettlement(limits); errs[i] == nil && len(limits) > 0 {
			keys, args := r.packSettlement(limits)
			replies[i] = settleScript.EvalSha(ctx, pipe, keys, args...)
		}
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for i, reply := range replies {
		if reply == nil {
			continue
		}
		err := r.endSettlement(takes[i], reply)
		if redis.HasErrorPrefix(reply.Err(), "NOSCRIPT") { // the server has restarted
			err = r.settle(ctx, r.client, takes[i])
		}
		if errs[i] = err; err != nil {
			r.queueSettlement(takes[i], false)
		}
	}
	return errs
}

// beginSettlement checks limits and marks their hold as settled.
func (r *Redis) beginSettlement(limits []core.Limit) error {
	if err := checkLimits(limits); err != nil || len(limits) == 0 {
		return err
	}
	if limits[0].Hold == 0 { // nothing was taken before, but the settlement still needs a name
		id := r.last.Add(1)
		for i := range limits {
			limits[i].Hold = id
		}
	}
	r.held.markEnded(limits[0].Hold)
	return nil
}

// settle settles limits by way of a client, and ends their hold.
func (r *Redis) settle(ctx context.Context, by redis.Scripter, limits []core.Limit) error {
	if len(limits) == 0 {
		return nil
	}
	keys, args := r.packSettlement(limits)
	return r.endSettlement(limits, settleScript.Run(ctx, by, keys, args...))
}

// packSettlement returns the arguments of the script that settles limits.
func (r *Redis) packSettlement(limits []core.Limit) (keys []string, args []any) {
	hold := r.name + "-" + strconv.FormatUint(limits[0].Hold, 36)
	args = append(make([]any, 0, 3+5*len(limits)), r.skew.Microseconds(), remember.Microseconds(), hold)
	for i := range limits {
		l := &limits[i]
		if l.Kind == core.Rate {
			args = append(args, "r", measureSpan(l, l.Actual)-newPace(l).put, 0, 0, 0)
			continue
		}
		used := l.Actual
		if l.Kind == core.Concurrent {
			used = 0
		}
		args = append(args, "h", l.Cost, used, used-l.Cost, computeLifetime(l))
	}
	return listKeys(limits), args
}

// endSettlement parses the script's reply and ends the hold.
func (r *Redis) endSettlement(limits []core.Limit, answer *redis.Cmd) error {
	reply, err := answer.StringSlice()
	if err == nil && len(reply) != 2*len(limits) {
		err = errReply
	}
	if err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	r.held.remove(limits[0].Hold)
	for i := range limits {
		limits[i].Short = false
		if err := parseResults(&limits[i], reply[2*i], reply[2*i+1]); err != nil {
			return err
		}
	}
	return nil
}
