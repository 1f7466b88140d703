package pii

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestDetectAllocatesNothingWithoutAMatch(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes the pool forget")
	}
	for name, text := range map[string]string{
		"plain prose":              prose(8<<10, 0),
		"prose with smart quotes":  strings.Repeat("it’s “just words” — page 12 of 1998, ", 200),
		"digits of another script": strings.Repeat("страница ١٢ ", 200),
		"addresses that are wrong": strings.Repeat("card 4539824553459856 1.2.3.4.5 12:34:56 a@b DE76370400440513110086 call 12 ", 50),
	} {
		dst := make([]Match, 0, 4)
		all := engine(t, Options{Packs: []string{packAll}})
		if all.Detect(dst, text); len(all.Detect(nil, text)) == 0 {
			assert.Zero(t, testing.AllocsPerRun(50, func() { dst = all.Detect(dst[:0], text) }), name)
		}
		e := engine(t, Options{})
		assert.Zero(t, testing.AllocsPerRun(50, func() { dst = e.Detect(dst[:0], text) }), name)
		assert.Empty(t, dst, name)
		assert.Zero(t, testing.AllocsPerRun(50, func() { e.Hold(text) }), name)
	}
}

// A pass is linear when a text a hundred times as long costs about a hundred
// times as much. Quadratic work would cost ten thousand times as much; the
// factor of forty per byte and the further tries leave room for a busy machine.
func TestDetectIsLinearOnHostileTexts(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("long; .ci/check runs it without the race detector")
	}
	for _, pack := range []string{packDefault, packAll} {
		times := 30
		if pack == packAll {
			times = 20
		}
		t.Run(pack, func(t *testing.T) {
			detectIsLinear(t, engine(t, Options{Region: "US", Packs: []string{pack}}), times)
		})
	}
}

func detectIsLinear(t *testing.T, e *Engine, times int) {
	const short, factor, tries = 10_000, 40, 6
	dst := make([]Match, 0, 100_000)
	cost := func(text string, runs int) time.Duration {
		best := time.Hour
		for range runs {
			begin := time.Now()
			dst = e.Detect(dst[:0], text)
			e.Hold(text)
			best = min(best, time.Since(begin))
		}
		return best
	}
	linear := func(text string) bool {
		one := cost(text[:short], 5) + 50*time.Microsecond
		return cost(text, 1) < one*time.Duration(times*factor)
	}
	for _, unit := range adversarial {
		text := strings.Repeat(unit, short*times/len(unit)+1)
		ok := false
		for try := 0; try < tries && !ok; try++ {
			ok = linear(text)
		}
		assert.True(t, ok, "%q", unit)
	}
}
