// Fairuse is a plugin that limits what each key of a tenant may use: requests at an even
// pace, and tokens in a day. It keeps nothing itself: the gateway counts for it, in
// memory or in Redis, so that several gateways have one limit.
//
//	chain:
//	  - process: fairuse
//	    sha256: …
//	    grant: {fields: [key_id, usage], capabilities: [state]}
//	    config: {requests_per_minute: 60, tokens_per_day: 100000, tokens_at_once: 4000}
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/process"
)

func main() { process.Serve(&limiter{now: time.Now}) }

// limiter is the stage. Its settings are its exported fields; 0 is not a limit.
type limiter struct {
	RequestsPerMinute int64 `json:"requests_per_minute"`
	TokensPerDay      int64 `json:"tokens_per_day"`
	// TokensAtOnce are held for a request until it is known what it has used.
	TokensAtOnce int64 `json:"tokens_at_once"`

	now func() time.Time
}

// Manifest asks for the key, for what was used, and for the state. It sees no text.
func (l *limiter) Manifest() process.Manifest {
	return process.Manifest{
		Name: "fairuse", Version: "1.0.0", Phases: []core.Phase{core.Request},
		Fields: []string{"key_id", "usage"}, State: true,
	}
}

// Configure takes the link's config block.
func (l *limiter) Configure(config []byte) error {
	if config != nil {
		if err := json.Unmarshal(config, l); err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	if l.RequestsPerMinute < 0 || l.TokensPerDay < 0 || l.TokensAtOnce < 0 || l.RequestsPerMinute+l.TokensPerDay == 0 {
		return errors.New("config: write requests_per_minute:, tokens_per_day: or both, as positive numbers")
	}
	return nil
}

// listLimits returns those of a request.
func (l *limiter) listLimits(key string) (out []core.Limit) {
	if l.RequestsPerMinute > 0 {
		out = append(out, core.Limit{Kind: core.Rate, Key: "requests/" + key, Cost: 1, Max: l.RequestsPerMinute, Period: time.Minute})
	}
	if l.TokensPerDay > 0 {
		day := l.now().UTC().Truncate(24 * time.Hour)
		out = append(out, core.Limit{
			Kind: core.Spend, Key: "tokens/" + day.Format(time.DateOnly) + "/" + key, Cost: l.TokensAtOnce, Max: l.TokensPerDay,
			Period: 10 * time.Minute, Ends: day.Add(24 * time.Hour),
		})
	}
	return out
}

// Check takes what the request may use, or refuses it.
func (l *limiter) Check(ctx context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	limits := l.listLimits(x.Principal.KeyID)
	ok, hold, err := process.StateOf(ctx).Take(ctx, limits)
	if err != nil {
		return core.Verdict{}, err
	}
	v := core.Verdict{Action: core.Pass}
	for i := range limits {
		n := &limits[i]
		name := "X-Fairuse-Requests-Left"
		if n.Kind == core.Spend {
			name = "X-Fairuse-Tokens-Left"
		}
		v.Header = append(v.Header, core.Field{Name: name, Value: fmt.Sprint(max(n.Left, 0))})
		switch {
		case !n.Short:
		case n.Kind == core.Rate:
			v.Action = core.Block
			v.Err = &core.Error{
				Kind:       core.RateLimited,
				Code:       core.CodeRateLimit,
				Public:     "too many requests for this key; try again later",
				RetryAfter: n.Wait,
			}
		default:
			v.Action = core.Block
			v.Err = &core.Error{Kind: core.RateLimited, Code: core.CodeQuota, Public: "the tokens of this key are used up for today", NoRetry: true}
		}
	}
	if ok {
		v.Keep = binary.AppendUvarint(nil, uint64(hold))
	}
	return v, nil
}

// Finish replaces the reservation by the actual usage.
func (l *limiter) Finish(ctx context.Context, x *core.Exchange, kept any) {
	b, ok := kept.([]byte)
	if !ok {
		return // nothing was taken
	}
	hold, _ := binary.Uvarint(b)
	var used []int64
	if l.RequestsPerMinute > 0 {
		used = append(used, 1)
	}
	if l.TokensPerDay > 0 {
		used = append(used, x.Usage.Input+x.Usage.Output)
	}
	if err := process.StateOf(ctx).Settle(ctx, uint32(hold), used...); err != nil {
		fmt.Println("fairuse: what was used could not be counted:", err) // the gateway's log
	}
}
