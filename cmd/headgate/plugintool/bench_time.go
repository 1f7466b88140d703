package plugintool

import (
	"context"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

// benchProse is ordinary text: words, numbers, a name or two, and characters of several bytes.
const benchProse = "The order 4711 of 2024-05-06 was sent to Zoë in the EMEA region on Tuesday; she had called about it twice, at 9:30 and after lunch. " +
	"Please see the e-mail of last week, compare the totals (1,299.00 and 1,349.50) and tell the team — they meet in room 17 — what is missing. "

// The measurement of one size: a number of rounds, each with a minimum duration.
const (
	benchRounds = 10
	benchRound  = 8 * time.Millisecond
)

// repeatText repeats the text to n bytes. Dots replace a last character that does not fit.
func repeatText(of string, n int) string {
	text := strings.Repeat(of, n/len(of)+1)
	end := n
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + strings.Repeat(".", n-end)
}

// newBenchExchange returns a request with one text.
func newBenchExchange(text string) *core.Exchange {
	x := &core.Exchange{ID: "bench", Dialect: "openai.chat", Principal: &core.Principal{Tenant: "default", KeyID: "bench", KeyName: "bench"}}
	x.Head.Model, x.Head.Messages = "test-model", 1
	x.Request.Raw = []byte(text)
	x.Request.Segments = []core.Segment{{Role: core.RoleUser, Kind: core.KindText, Part: -1, Span: splice.Span{End: len(text)}}}
	return x
}

// measureSize times the judgement of one text, and the floor on the same text.
func (b *bencher) measureSize(ctx context.Context, m *cases.Made, n int) (s benchSize, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // as a request has a deadline
	defer cancel()
	text := repeatText(b.text, n)
	x, phase := newBenchExchange(text), core.Request
	if !m.Link.Phases.Has(phase) {
		phase, x.Response = core.Response, x.Request
		x.Response.Segments[0].Role = core.RoleAssistant
	}
	stage := m.Link.Stage
	check := func() {
		v, e := stage.Check(ctx, x, phase, nil)
		if err == nil {
			err = e
		}
		if f, ok := stage.(core.Finisher); ok { // the stage releases what it holds for the exchange
			f.Finish(ctx, x, v.Keep)
		}
	}
	check()
	if err != nil {
		return s, err
	}
	var before uint64
	if m.Fuel != nil {
		before = m.Fuel()
	}
	took, calls := timeFastest(check)
	s = benchSize{Bytes: len(text), Micros: convertToMicros(took), MBps: computePerSecond(len(text), took)}
	if m.Fuel != nil {
		fuel := int64(m.Fuel()-before) / int64(calls) // far below the maximum
		s.Fuel = &fuel
	}
	s.Allocs = countAllocations(check)
	found := 0
	native, _ := timeFastest(func() { found += scanFloor(text) })
	runtime.KeepAlive(found) // so that the compiler does not omit the scan
	s.Native = convertToMicros(native)
	if native > 0 {
		s.Times = float64(took) / float64(native)
	}
	return s, err
}

func convertToMicros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func computePerSecond(bytes int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(bytes) / d.Seconds() / 1e6
}

// timeFastest returns the time of one call in the fastest round, and the total number of calls.
func timeFastest(call func()) (best time.Duration, calls int) {
	n := 1
	for round := 0; round < benchRounds; {
		start := time.Now()
		for range n {
			call()
		}
		took := time.Since(start)
		calls += n
		if took < benchRound && n < 1<<24 { // too short to be measured: a longer round
			n *= max(2, min(16, int(benchRound/max(took, 1))))
			continue
		}
		if each := took / time.Duration(n); best == 0 || each < best {
			best = max(each, 1)
		}
		round++
	}
	return best, calls
}

// countAllocations returns the allocations of one call, on average and rounded down, so that those of other goroutines do not count.
func countAllocations(call func()) int64 {
	const calls = 200
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	return int64((after.Mallocs - before.Mallocs) / calls) // far below the maximum
}
