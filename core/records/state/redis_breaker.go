package state

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/headgate-dev/headgate/core/circuit"
)

// ErrAway is the error of a command that was not sent because the circuit breaker is open.
var ErrAway = errors.New("the Redis server does not answer; commands are not sent until a trial succeeds")

// awayAfter is how many commands in a row must fail to open the circuit. Then one command at a time serves as a trial,
// first after awayFirst and at most awayMost apart. While the server is away, exchanges fail at once, and the gateway
// detects its return within seconds.
const (
	awayAfter = 5
	awayFirst = 250 * time.Millisecond
	awayMost  = 2 * time.Second
)

// breaker holds commands back from a server that does not answer. Each would cost its exchange a second or two and a
// connection of the pool.
type breaker struct{ *circuit.Streak }

var _ redis.Hook = breaker{}

func newBreaker() breaker {
	began := time.Now()
	return breaker{circuit.NewStreak(awayAfter, circuit.Settings{
		Pause: awayFirst, MaxPause: awayMost, TrialTimeout: 10 * time.Second,
		Since: func() time.Duration { return time.Since(began) },
	})}
}

// DialHook changes nothing: a dial error is counted as that of its command.
func (b breaker) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook sends a command if the circuit permits it.
func (b breaker) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return b.guard(ctx, func(ctx context.Context) error { return next(ctx, cmd) }, cmd)
	}
}

// ProcessPipelineHook sends a pipeline if the circuit permits it.
func (b breaker) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return b.guard(ctx, func(ctx context.Context) error { return next(ctx, cmds) }, cmds...)
	}
}

// inTrial marks the context of a trial, so that the handshake commands of a new connection count as part of it.
type inTrial struct{}

func (b breaker) guard(ctx context.Context, send func(context.Context) error, cmds ...redis.Cmder) error {
	if ctx.Value(inTrial{}) != nil {
		return send(ctx)
	}
	permit, ok := b.Allow()
	if !ok {
		for _, c := range cmds {
			c.SetErr(ErrAway)
		}
		return ErrAway
	}
	if permit.IsTrial() {
		ctx = context.WithValue(ctx, inTrial{}, true)
	}
	err := send(ctx)
	b.Report(permit, classifyOutcome(ctx, err))
	return err
}

// mayHaveArrived reports whether a command that failed may have been sent.
func mayHaveArrived(err error) bool {
	return !errors.Is(err, ErrAway) && !errors.Is(err, redis.ErrPoolTimeout) && !errors.Is(err, redis.ErrPoolExhausted)
}

// classifyOutcome returns what an error implies for the server's health. Any answer shows that it is up. A caller that hung
// up shows nothing, nor does one that found no free connection: this gateway has more to send than connections.
func classifyOutcome(ctx context.Context, err error) circuit.Outcome {
	var answer redis.Error
	switch {
	case err == nil, errors.As(err, &answer):
		return circuit.Success
	case ctx.Err() != nil, !mayHaveArrived(err):
		return circuit.Neutral
	}
	return circuit.Failure
}
