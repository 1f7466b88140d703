package state

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/headgate-dev/headgate/core"
)

var (
	//go:embed redis_take.lua
	takeSource string
	//go:embed redis_settle.lua
	settleSource string
	//go:embed redis_seed.lua
	seedSource string
	//go:embed redis_renew.lua
	renewSource string

	takeScript   = redis.NewScript(takeSource)
	settleScript = redis.NewScript(settleSource)
	seedScript   = redis.NewScript(seedSource)
	renewScript  = redis.NewScript(renewSource)
)

// maxUnits bounds what one call takes or settles, because the server's sums are 64 bits wide.
const maxUnits = int64(1) << 60

// keep is the minimum time that a counter outlives its end, for late settlements.
const keep = time.Hour

// remember is how long the server remembers that a hold was settled. Within this time an interrupted settlement can be
// repeated and counts once.
const remember = 2 * time.Minute

var errReply = errors.New("a script's reply is malformed")

func checkLimits(limits []core.Limit) error {
	if len(limits) > maxLimits {
		return errMany
	}
	for i := range limits {
		l := &limits[i]
		switch {
		case l.Kind == 0 || l.Kind > core.Spend:
			return errKind
		case l.Cost < 0 || l.Max < 0 || l.Actual < 0 || l.Cost > maxUnits || l.Actual > maxUnits:
			return errCost
		}
	}
	return nil
}

func listKeys(limits []core.Limit) []string {
	keys := make([]string, 0, 2*len(limits))
	for i := range limits {
		k := prefix + kinds[limits[i].Kind] + limits[i].Key
		keys = append(keys, k, k+":held")
	}
	return keys
}

var kinds = [...]string{core.Rate: "r:", core.Concurrent: "c:", core.Spend: "s:"}

// computeLifetime returns the minimum lifetime of a counter on the server, in milliseconds.
func computeLifetime(l *core.Limit) int64 {
	if l.Kind == core.Spend {
		return max(time.Until(l.Ends)+keep, keep).Milliseconds()
	}
	return (2 * l.Period).Milliseconds()
}

// Take takes from all limits or from none; see core.Counters.
func (r *Redis) Take(ctx context.Context, limits []core.Limit) (ok bool, err error) {
	if err := checkLimits(limits); err != nil {
		return false, err
	}
	// Finish the command even if the client hangs up, because this process must know what it took on the server.
	ctx = context.WithoutCancel(ctx)
	hold := r.last.Add(1)
	name := r.name + "-" + strconv.FormatUint(hold, 36)
	keys := listKeys(limits)
	args := append(make([]any, 0, 2+5*len(limits)), r.skew.Microseconds(), name)
	for i := range limits {
		l := &limits[i]
		l.Hold = hold
		if l.Kind == core.Rate {
			p := newPace(l)
			args = append(args, "r", p.put, p.tolerance, 0, 0)
			continue
		}
		args = append(args, "h", l.Cost, l.Max, computeLifetime(l), l.Period.Microseconds())
	}
	sent := time.Now()
	reply, err := takeScript.Run(ctx, r.client, keys, args...).StringSlice()
	if err == nil {
		ok, err = parseTakeResults(limits, reply)
	}
	if err != nil {
		if mayHaveArrived(err) {
			r.queueSettlement(limits, true)
		}
		return false, fmt.Errorf("redis: %w", err)
	}
	if ok {
		r.held.add(hold, name, keys, limits, sent)
	}
	return ok, nil
}

// parseTakeResults parses what the script replies to a Take.
func parseTakeResults(limits []core.Limit, reply []string) (ok bool, err error) {
	if len(reply) != 1+3*len(limits) {
		return false, errReply
	}
	for i := range limits {
		l, f := &limits[i], reply[1+3*i:]
		l.Short = f[0] == "1"
		if err := parseResults(l, f[1], f[2]); err != nil {
			return false, err
		}
	}
	return reply[0] == "1", nil
}

// parseResults parses a script's result for a limit.
func parseResults(l *core.Limit, used, spent string) error {
	n, err := strconv.ParseInt(used, 10, 64)
	if err != nil {
		return errReply
	}
	m, err := strconv.ParseInt(spent, 10, 64)
	if err != nil {
		return errReply
	}
	if l.Kind == core.Rate {
		newPace(l).fill(l, n)
		return nil
	}
	l.Left, l.Spent, l.Wait, l.Reset = l.Max-n, m, 0, 0
	if l.Kind == core.Concurrent {
		l.Spent = n
	}
	return nil
}

// Seed sets what a counter had spent before; see core.Counters.
func (r *Redis) Seed(ctx context.Context, key string, spent int64, ends time.Time) error {
	if spent == 0 {
		return nil
	}
	l := core.Limit{Kind: core.Spend, Ends: ends}
	if err := seedScript.Run(ctx, r.client, []string{prefix + kinds[core.Spend] + key}, spent, computeLifetime(&l)).Err(); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}
