package route

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Tier is a priority class of callers.
type Tier uint8

// The tiers, the most urgent first.
const (
	Premium Tier = iota
	Standard
	Bulk
	tierCount
)

var tierNames = [tierCount]string{"premium", "standard", "bulk"}

// TierOf gives the tier that a principal's tier names; standard unless it is
// one of the others.
func TierOf(name string) Tier {
	switch name {
	case tierNames[Premium]:
		return Premium
	case tierNames[Bulk]:
		return Bulk
	}
	return Standard
}

// String is the name of the tier.
func (t Tier) String() string { return tierNames[min(t, Bulk)] }

// TierSettings bound the exchanges that run at the same time.
type TierSettings struct {
	// Max is the limit on all of them. 0: there is none.
	Max int
	// Threshold is, by tier, how full the gateway may be, in percent of Max, for
	// one more exchange of that tier to begin. What is above a tier's threshold is
	// kept for the tiers whose threshold is higher.
	Threshold [tierCount]int
	// Wait is how long an exchange waits for its turn. 0 refuses it at once. No
	// more wait than may run.
	Wait time.Duration
}

// DefaultTiers is what applies unless it is configured.
var DefaultTiers = TierSettings{Threshold: [tierCount]int{100, 80, 50}}

// PriorityStats is what the tiers are doing.
type PriorityStats struct {
	Current   int            `json:"currentConcurrent"`
	Max       int            `json:"maxConcurrent"`
	ByTier    map[string]int `json:"perTierConcurrent"`
	Threshold map[string]int `json:"perTierThresholdPct"`
}

// Tiers lets exchanges begin, the urgent ones first. It is safe for concurrent
// use, and takes no lock while nobody waits.
type Tiers struct {
	set      atomic.Pointer[tierLimits]
	running  atomic.Int64
	byTier   [tierCount]atomic.Int64
	releases [tierCount]func() // made once: handing one out costs nothing

	waiting atomic.Int64 // length of all queues
	mu      sync.Mutex   // guards the queues
	queues  [tierCount][]*turn
}

// tierLimits are settings in the form that Acquire needs.
type tierLimits struct {
	TierSettings
	limit [tierCount]int64
}

// NewTiers makes tiers with nobody in them.
func NewTiers(s TierSettings) *Tiers {
	t := &Tiers{}
	for i := range t.releases {
		t.releases[i] = func() { t.release(Tier(i)) }
	}
	t.Configure(s)
	return t
}

// Configure changes the settings. What runs goes on, also where the new limit
// is lower.
func (t *Tiers) Configure(s TierSettings) {
	l := &tierLimits{TierSettings: s}
	for i := range l.limit {
		l.limit[i] = max(1, int64(s.Max)*int64(s.Threshold[i])/100)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set.Store(l)
	t.admit()
}

// Acquire lets an exchange of the tier begin. release must be called once, when
// it has ended. The error is a *core.Error: RateLimited when there is no room,
// Canceled when ctx ended first.
func (t *Tiers) Acquire(ctx context.Context, tier Tier) (release func(), err error) {
	tier = min(tier, Bulk)
	set := t.set.Load()
	if t.waiting.Load() == 0 && t.enter(set, tier) {
		return t.releases[tier], nil
	}
	if err := t.wait(ctx, set, tier); err != nil {
		return nil, err
	}
	return t.releases[tier], nil
}

// enter takes a place if one is free for the tier.
func (t *Tiers) enter(set *tierLimits, tier Tier) bool {
	if set.Max <= 0 {
		t.running.Add(1)
		t.byTier[tier].Add(1)
		return true
	}
	for {
		n := t.running.Load()
		if n >= set.limit[tier] {
			return false
		}
		if t.running.CompareAndSwap(n, n+1) {
			t.byTier[tier].Add(1)
			return true
		}
	}
}

func (t *Tiers) release(tier Tier) {
	t.byTier[tier].Add(-1)
	t.running.Add(-1)
	// Whoever waits has first counted itself and then looked for a place once more,
	// so that either it saw this one or it is seen here.
	if t.waiting.Load() > 0 {
		t.mu.Lock()
		t.admit()
		t.mu.Unlock()
	}
}

// Stats counts what runs.
func (t *Tiers) Stats() PriorityStats {
	set := t.set.Load()
	s := PriorityStats{
		Current: int(t.running.Load()), Max: set.Max,
		ByTier: make(map[string]int, tierCount), Threshold: make(map[string]int, tierCount),
	}
	for i := range tierNames {
		s.ByTier[tierNames[i]] = int(t.byTier[i].Load())
		s.Threshold[tierNames[i]] = set.Threshold[i]
	}
	return s
}
