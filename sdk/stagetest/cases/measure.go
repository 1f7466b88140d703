package cases

import (
	"context"
	"time"
)

// How long a case is measured: until enough runs were made, or enough time has passed. On a busy machine too few runs fit
// into that time for the meter to count any fuel; then it gets more.
const (
	measured     = 64
	measuredTime = 25 * time.Millisecond
	maxTime      = time.Second
)

// measure returns the time and the fuel of a case that has passed. A short case needs many runs, because the meter counts
// only whole used slices. A case that expects a fault is not repeated, so that no breaker opens.
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
	for start := time.Now(); runs < measured; runs++ {
		most := measuredTime
		if b.made.Fuel != nil && b.made.Fuel() == before {
			most = maxTime
		}
		if runs > 0 && time.Since(start) >= most {
			break
		}
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
