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

// FindTier returns the tier with a name, or Standard if no tier has it.
func FindTier(name string) Tier {
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

// TierSettings limit concurrent exchanges.
type TierSettings struct {
	// Max is the limit on all of them. 0: no limit.
	Max int
	// Threshold is, by tier, the utilization in percent of Max up to which an exchange is admitted. Slots above a
	// tier's threshold are reserved for tiers with a higher one.
	Threshold [tierCount]int
	// Wait is how long an exchange waits for its turn. 0 refuses it at once. At most Max exchanges wait.
	Wait time.Duration
}

// DefaultTiers are the default settings.
var DefaultTiers = TierSettings{Threshold: [tierCount]int{100, 80, 50}}

// PriorityStats is the current load by tier.
type PriorityStats struct {
	Current   int            `json:"currentConcurrent"`
	Max       int            `json:"maxConcurrent"`
	ByTier    map[string]int `json:"perTierConcurrent"`
	Threshold map[string]int `json:"perTierThresholdPct"`
}

// Tiers admits exchanges, the most urgent first. Safe for concurrent use. It takes no lock while no exchange waits.
type Tiers struct {
	set      atomic.Pointer[tierLimits]
	running  atomic.Int64
	byTier   [tierCount]atomic.Int64
	releases [tierCount]func() // built once, so that handing one out allocates nothing

	waiting atomic.Int64 // length of all queues
	mu      sync.Mutex   // guards the queues
	queues  [tierCount][]*turn
}

// tierLimits are settings in the form that Acquire needs.
type tierLimits struct {
	TierSettings
	limit [tierCount]int64
}

// NewTiers returns empty tiers.
func NewTiers(s TierSettings) *Tiers {
	t := &Tiers{}
	for i := range t.releases {
		t.releases[i] = func() { t.release(Tier(i)) }
	}
	t.Configure(s)
	return t
}

// Configure changes the settings. Running exchanges continue, even beyond a lower limit.
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

// Acquire admits an exchange of the tier. Call release once, when it has ended. The error is a *core.Error: RateLimited
// if no slot is free, Canceled if ctx ended first.
func (t *Tiers) Acquire(ctx context.Context, tier Tier) (release func(), err error) {
	tier = min(tier, Bulk)
	set := t.set.Load()
	if t.waiting.Load() == 0 && t.enter(set, tier) {
		return t.releases[tier], nil
	}
	if err := t.awaitSlot(ctx, set, tier); err != nil {
		return nil, err
	}
	return t.releases[tier], nil
}

// enter takes a slot if one is free for the tier.
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
	// A waiting exchange first counts itself and then checks again for a slot, so either it sees this slot or it is
	// seen here.
	if t.waiting.Load() > 0 {
		t.mu.Lock()
		t.admit()
		t.mu.Unlock()
	}
}

// Stats returns the current load.
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
