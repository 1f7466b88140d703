package core

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who writes a provider's prefix does not get around what is meant for a model.
func TestAModelIsKnownWithAndWithoutItsPrefix(t *testing.T) {
	x := Exchange{Principal: &Principal{}, Head: Head{Model: "openai/gpt-4o"}, Bare: "gpt-4o"}
	for pattern, want := range map[string]bool{"gpt-4o": true, "gpt-*": true, "openai/*": true, "o": false, "claude-*": false} {
		assert.Equal(t, want, (&Filter{Models: []string{pattern}}).Matches(&x), "filter %s", pattern)
		assert.Equal(t, want, (&Budget{Model: pattern}).Fits(&x), "budget %s", pattern)
	}
	x.Target.Model = "deployment-7"
	assert.True(t, (&Budget{Model: "deployment-*"}).Fits(&x), "records of what was used are searched by the provider's name too")
}

// Some zones put their clocks on at midnight, so that a day begins at one o'clock.
func TestEveryMomentLiesInItsPeriod(t *testing.T) {
	for _, name := range []string{"America/Santiago", "Africa/Cairo", "Asia/Beirut", "America/Havana", "Europe/Berlin", "UTC"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for _, p := range []BudgetPeriod{Daily, Weekly, Monthly} {
			b := Budget{Period: p, Zone: zone}
			_, last := b.Window(time.Date(2023, 12, 31, 12, 0, 0, 0, zone))
			for at := last; at.Year() < 2025; at = at.Add(30 * time.Minute) {
				start, end := b.Window(at)
				if !assert.False(t, at.Before(start) || !at.Before(end), "%s %s: %s is not in %s to %s", name, p, at, start, end) {
					break
				}
				assert.True(t, at.Equal(start) || start.Equal(last), "periods follow each other")
				last = start
			}
		}
	}
}

// A key that took the place of another does not leave behind what was meant for that.
func TestARotatedKeyIsKnownByTheFirstOfItsLine(t *testing.T) {
	x := Exchange{Principal: &Principal{KeyID: "k2", Lineage: "k1", KeyName: "ci"}}
	for _, name := range []string{"k1", "k2", "ci"} {
		assert.True(t, (&Filter{Keys: []string{name}}).Matches(&x), name)
		assert.True(t, (&Budget{Key: name}).Fits(&x), name)
	}
	assert.False(t, (&Filter{Keys: []string{"k3"}}).Matches(&x))
}
