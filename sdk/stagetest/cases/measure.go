package cases

import (
	"context"
	"time"
)

// How long a case is measured: until enough runs were made, or enough time has passed.
const (
	measured     = 64
	measuredTime = 25 * time.Millisecond
)

// measure takes the time and the fuel of a case that has passed. Of short ones both are known only over many
// runs: the meter tells of its slices as they are used up, not of what is left of one. A case that expects a fault
// is run no further, so that no breaker opens.
func (b *bench) measure(ctx context.Context, c *Case, first time.Duration) (least time.Duration, fuel int64, err error) {
	least, fuel = first, -1
	for _, s := range c.steps {
		if s.expect.Fault != "" {
			return least, fuel, nil
		}
	}
	var before uint64
	if b.made.Fuel != nil {
		before = b.made.Fuel()
	}
	runs := 0
	for start := time.Now(); runs < measured && (runs == 0 || time.Since(start) < measuredTime); runs++ {
		_, took, err := b.run(ctx, c, nil)
		if err != nil {
			return least, fuel, err
		}
		least = min(least, took)
	}
	if b.made.Fuel != nil {
		fuel = int64(b.made.Fuel()-before) / int64(runs) // far below
	}
	return least, fuel, nil
}
