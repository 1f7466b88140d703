package cases

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Maximum numbers of ways to cut an answer.
const (
	maxInTwo  = 400  // positions of a cut in two
	maxSingle = 4000 // longest text that is sent one character at a time
	random    = 20   // random cuts
)

// cutting is a way to cut, with its name for reports.
type cutting struct {
	name string
	way  way
}

// listCuttings returns the ways to cut a stream with total places.
func listCuttings(total int) []cutting {
	out := []cutting{{"in one piece", func(int) []int { return nil }}}
	every := max(1, (total+maxInTwo-1)/maxInTwo)
	for at := 0; at < total; at += every {
		out = append(out, cutting{fmt.Sprintf("cut in two behind character %d", at+1), func(n int) []int {
			if at >= n {
				return nil
			}
			return []int{at}
		}})
	}
	if total > 1 && total <= maxSingle {
		out = append(out, cutting{"one character at a time", func(n int) []int {
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			return all
		}})
	}
	if total > 2 {
		for seed := range uint64(random) {
			out = append(out, cutting{fmt.Sprintf("cut at random (seed %d)", seed), func(n int) (at []int) {
				r := rand.New(rand.NewPCG(seed, 1)) // a test's own randomness
				size := 2 + r.IntN(30)
				for k := range n {
					if r.IntN(size) == 0 {
						at = append(at, k)
					}
				}
				return at
			}})
		}
	}
	return out
}

// runStreamed runs a case with its answers as streams, cut in many ways, and adds the differences to the result. It returns
// the number of ways, including the first run. It stops at the first difference, because the others would mostly repeat it.
func (b *bench) runStreamed(ctx context.Context, c *Case, want []outcome, res *Result) (int, error) {
	total, streamed := 0, false
	for _, s := range c.steps {
		if !s.streamed {
			continue
		}
		n, err := countPlaces(s.input.shape, s.input.events)
		if err != nil {
			return 1, err
		}
		total, streamed = max(total, n), true
	}
	if !streamed {
		return 1, nil
	}
	ways := 1
	for _, way := range listCuttings(total) {
		got, _, err := b.run(ctx, c, way.way)
		ways++
		if ctx.Err() != nil {
			return ways, context.Cause(ctx)
		}
		if err != nil {
			res.Faults = append(res.Faults, fmt.Sprintf("as a stream, %s: %v", way.name, err))
			return ways, nil
		}
		for i := range got {
			for _, d := range c.steps[i].listDisagreements(&want[i], &got[i]) {
				if len(c.steps) > 1 {
					d = fmt.Sprintf("step %d: %s", i+1, d)
				}
				res.Faults = append(res.Faults, fmt.Sprintf("as a stream, %s: %s", way.name, d))
			}
		}
		if len(res.Faults) > 0 {
			return ways, nil
		}
	}
	return ways, nil
}

// listDisagreements returns the differences between the outcomes of a stream and of the whole answer.
func (s *step) listDisagreements(want, got *outcome) (out []string) {
	if !s.streamed {
		return nil
	}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	stops := func(v verdictWord) bool { return v == "block" || v == "retry" }
	switch {
	case want.fault != got.fault:
		add("fault: %s before, %s now%s", nameFault(want.fault), nameFault(got.fault), formatCause(got.cause))
		return out
	case stops(want.verdict) != stops(got.verdict) || stops(want.verdict) && want.verdict != got.verdict:
		add("verdict: %s before, %s now", want.verdict, describeVerdict(got))
		return out
	case stops(want.verdict):
		if want.err != nil && got.err != nil && want.err.Code != got.err.Code {
			add("code: %s before, %s now", want.err.Code, got.err.Code)
		}
		if given, sent := s.joinGivenText(), got.joinSentText(); !strings.Contains(sent, "<") && !isPrefix(sent, given) {
			add("what was sent before the end is not how the text begins:\n%s", diffTexts(given, sent))
		}
		return out // the text behind the position was not inspected
	}
	if !slices.Equal(want.labels, got.labels) {
		add("labels: [%s] before, [%s] now", strings.Join(want.labels, ", "), strings.Join(got.labels, ", "))
	}
	if !hasSameParts(want.parts, got.parts) {
		add("text:\n%s", diffTexts(strings.Join(want.parts.listTexts(), "\n"), got.joinSentText()))
	}
	return out
}

func nameFault(f faultWord) string {
	if f == "" {
		return "none"
	}
	return string(f)
}

// joinGivenText returns the text of the answer before the stage has seen it.
func (s *step) joinGivenText() string {
	p, err := splitStreamParts(s.input.shape, s.input.events)
	if err != nil {
		return ""
	}
	return strings.Join(p.listTexts(), "\n")
}

// hasSameParts compares the texts of parts, in whatever order they came.
func hasSameParts(a, b parts) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !slices.Contains(b, a[i]) {
			return false
		}
	}
	return true
}
