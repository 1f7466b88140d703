package spending

import (
	"testing"
	"time"

	"github.com/headgate-dev/headgate/core"

	_ "time/tzdata"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Some zones put their clocks on at midnight, so that a day begins at one o'clock.
func TestEveryMomentLiesInItsPeriod(t *testing.T) {
	for _, name := range []string{"America/Santiago", "Africa/Cairo", "Asia/Beirut", "America/Havana", "Europe/Berlin", "UTC"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for _, p := range []Period{Daily, Weekly, Monthly} {
			b := Budget{Period: p, Zone: zone}
			_, last := b.FindWindow(time.Date(2023, 12, 31, 12, 0, 0, 0, zone))
			for at := last; at.Year() < 2025; at = at.Add(30 * time.Minute) {
				start, end := b.FindWindow(at)
				if !assert.False(t, at.Before(start) || !at.Before(end), "%s %s: %s is not in %s to %s", name, p, at, start, end) {
					break
				}
				assert.True(t, at.Equal(start) || start.Equal(last), "periods follow each other")
				last = start
			}
		}
	}
}

// A budget knows a model with and without its prefix, and a key by the first of its line.
func TestABudgetKnowsTheNamesOfModelsAndKeys(t *testing.T) {
	x := core.Exchange{
		Principal: &core.Principal{KeyID: "k2", Lineage: "k1", KeyName: "ci"},
		Head:      core.Head{Model: "openai/gpt-4o"},
		BareModel: "gpt-4o",
	}
	for pattern, want := range map[string]bool{"gpt-4o": true, "gpt-*": true, "openai/*": true, "o": false, "claude-*": false} {
		assert.Equal(t, want, (&Budget{Model: pattern}).Fits(&x), "budget %s", pattern)
	}
	x.Target.Model = "deployment-7"
	assert.True(t, (&Budget{Model: "deployment-*"}).Fits(&x), "records of what was used are searched by the provider's name too")
	for _, name := range []string{"k1", "k2", "ci"} {
		assert.True(t, (&Budget{Key: name}).Fits(&x), name)
	}
}
