package wasm

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// wholeVariable runs all mutants; an ordinary test runs a tenth of them.
const wholeVariable = "HEADGATE_WHOLE"

// allMutants is the total number of mutants.
const allMutants = 10_000

// mutants returns how many to run: all of them if requested, or without the race detector, which makes compiling ten times slower and
// cannot find anything here.
func mutants() int {
	if os.Getenv(wholeVariable) == "" && (testing.Short() || raceEnabled) {
		return allMutants / 10
	}
	return allMutants
}

// mutate changes a few bytes after the header, in two of three cases in code and data only: most other mutants are refused before any of
// their code runs.
func mutate(r *rand.Rand, src []byte) []byte {
	b := slices.Clone(src)
	from := len(moduleHeader)
	if r.IntN(3) > 0 {
		_ = visitSections(src, func(id byte, _ string, start, _ int) {
			if id == 10 {
				from = start + 4
			}
		})
	}
	for range 1 + r.IntN(2) {
		at := from + r.IntN(max(1, len(b)-from))
		if at >= len(b) {
			continue
		}
		switch r.IntN(8) {
		case 0:
			b[at] = byte(r.Uint32())
		case 1:
			b[at]++
		case 2:
			b[at]--
		case 3:
			b = slices.Insert(b, at, byte(r.Uint32()))
		case 4:
			b = slices.Delete(b, at, min(len(b), at+1+r.IntN(3)))
		default:
			b[at] ^= 1 << r.IntN(8)
		}
		if len(b) < 16 {
			return b
		}
	}
	return b
}

// mutantSeeds are the modules from which mutants are made: working guests and hostile guests, all small enough to compile quickly.
func mutantSeeds(t testing.TB) [][]byte {
	seeds := [][]byte{employeeID(t), repetition(t), overlap(t), pem(t)}
	for _, c := range SandboxCases() {
		if len(c.Source) < 4000 {
			seeds = append(seeds, c.Source)
		}
	}
	for _, how := range slices.Sorted(maps.Keys(leaks)) {
		g := leaks[how]
		g.locals = 1
		seeds = append(seeds, g.bytes())
	}
	return seeds
}

func TestNoMutantPanicsHangsOrLeavesAnythingBehind(t *testing.T) {
	seeds := mutantSeeds(t)
	r := rand.New(rand.NewPCG(11, 12))
	good := loadModule(t, LoadOptions{Limits: Limits{Timeout: time.Minute}})
	limits := Limits{Memory: 8 << 20, Timeout: 5 * time.Millisecond, Start: 20 * time.Millisecond, Isolate: IsolateTenant}
	texts := []string{
		"!2345€6789",
		secret('G'),
		secret('H'),
		"EMP-123456\nThis line is said again.\nThis line is said again.\nThis line is said again.\n",
	}
	ctx := context.Background()
	goroutines := runtime.NumGoroutine()
	refused, served, stages, faults := 0, 0, 0, map[core.Fault]int{}
	for n := range mutants() {
		v, err := Load(ctx, LoadOptions{Source: mutate(r, seeds[n%len(seeds)]), Name: "mutant.wasm", Limits: limits})
		if err != nil {
			refused++
			continue
		}
		st, err := NewPlugin(v, Options{Link: "mutant", Settings: Settings{Action: "redact"}, State: noState{}})
		if err != nil { // its manifest asks for something that does not exist
			v.Release(ctx)
			<-v.CloseSignal()
			refused++
			continue
		}
		phase := core.Request
		for k, text := range texts {
			x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, text)
			x.Principal = &core.Principal{Tenant: string(rune('a' + k%2))}
			if v.Manifest.IsStage() {
				phase = core.Response
				x.Response = exchangeOf(core.Segment{Role: core.RoleAssistant, Kind: core.KindText}, text).Request
				stages++
			}
			if _, err = st.Check(ctx, x, phase, nil); err != nil {
				var e *Error
				require.ErrorAs(t, err, &e)
				faults[e.Kind]++
			} else {
				served++
			}
		}
		if f, err := st.Stream(ctx, &core.Exchange{}, nil); err == nil && f != nil {
			_, _, _ = f.Check(ctx, window(texts[3], n%2 == 0))
			require.NoError(t, f.Close(ctx))
		}
		require.NoError(t, st.Close(ctx))
		<-v.CloseSignal()
		require.Zero(t, v.Stats().Instances)
		if n%100 == 0 {
			got, err := good.Detect(ctx, nil, "EMP-123456", 0)
			require.NoError(t, err)
			require.Len(t, got, 1)
		}
	}
	t.Logf("of %d mutants %d were refused; the calls of the others: %d served, faults %v", mutants(), refused, served, faults)
	assert.Positive(t, served)
	assert.Positive(t, stages, "stages, too")
	assert.Positive(t, faults[core.FaultTimeout])
	assert.Positive(t, faults[core.FaultABI])
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+1 }, 10*time.Second, 10*time.Millisecond,
		"goroutines are left over; one more runs this check")
}
