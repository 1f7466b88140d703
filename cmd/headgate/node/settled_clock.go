package node

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// settledClock is the clock for deletions by age. It follows the machine's clock except for a step forward, which it
// applies only after the step has lasted, so that a clock that is temporarily ahead does not delete records.
type settledClock struct {
	mu    sync.Mutex
	wall  func() time.Time
	ran   func() time.Duration // monotonic time of this process
	now   time.Time
	at    time.Duration // ran when now was last correct
	ahead time.Duration // how long the machine's clock has been ahead
}

const (
	// stepMost is how far the clock may be ahead of the elapsed time since the last check.
	stepMost = time.Hour
	// offMost is how far it may be ahead after a start, because a machine may have been off.
	offMost = 7 * 24 * time.Hour
	// stepLasts is how long a step forward must last.
	stepLasts = 24 * time.Hour
)

// settledState is the state that survives a restart of the node.
type settledState struct {
	Now   time.Time     `json:"now"`
	Ahead time.Duration `json:"ahead"`
}

func newSettledClock(before settledState, wall func() time.Time, ran func() time.Duration) *settledClock {
	c := &settledClock{wall: wall, ran: ran, at: ran(), now: before.Now, ahead: before.Ahead}
	if now := wall(); before.Now.IsZero() || !now.After(before.Now.Add(offMost)) {
		c.now, c.ahead = now, 0
	}
	return c
}

// Now returns the settled time. It is never ahead of the machine's clock, and behind it for at most stepLasts.
func (c *settledClock) Now() time.Time {
	now, _ := c.read()
	return now
}

// read returns the settled time and whether the clock is waiting for a step to last.
func (c *settledClock) read() (now time.Time, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, ran := c.wall(), c.ran()
	passed := ran - c.at
	c.at, c.now = ran, c.now.Add(passed)
	switch {
	case !wall.After(c.now.Add(stepMost)):
		c.now, c.ahead = wall, 0
	case c.ahead+passed >= stepLasts:
		c.now, c.ahead = wall, 0
	default:
		c.ahead += passed
		return c.now, true
	}
	return c.now, false
}

func (c *settledClock) state() settledState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return settledState{c.now.UTC(), c.ahead}
}

// findSettledSetting returns the name of the setting that stores a node's clock.
func findSettledSetting(node string) string { return "settled_clock/" + node }

func loadSettledClock(ctx context.Context, db *store.DB, node string) (*settledClock, error) {
	var before settledState
	b, err := db.Settings().Get(ctx, findSettledSetting(node))
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(b, &before); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	return newSettledClock(before, time.Now, func() time.Duration { return time.Since(began) }), nil
}

// storeClock stores the state of the clock, and logs when a step forward delays deletions.
func (g *gateway) storeClock(ctx context.Context) {
	if _, waits := g.rec.clock.read(); waits {
		g.tel.Log.Warn().Msg("the system clock jumped ahead; deletion by age pauses until the clock has stayed ahead for a day")
	}
	b, err := json.Marshal(g.rec.clock.state())
	if err == nil {
		err = g.rec.DB.Settings().Set(ctx, findSettledSetting(g.rec.audit.Node()), b)
	}
	if err != nil && ctx.Err() == nil {
		g.tel.Log.Error().Err(err).Msg("the time could not be stored; will retry")
	}
}
