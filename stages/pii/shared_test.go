package pii

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tally counts the spans of one type as score.py of the shared data does: a
// value is found when a span of its type shares a byte with it, and every
// further piece of a found value is no false alarm.
type tally struct{ found, missed, alarms, exact int }

func (c tally) precision() float64 { return ratio(c.found, c.found+c.alarms) }
func (c tally) recall() float64    { return ratio(c.found, c.found+c.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// score is what one tier of the shared data gives.
type score struct {
	types           map[string]*tally
	negatives, bad  int
	lookalikes, odd int // negatives made to look like a value, and those with an alarm
	fails           []string
}

// judge runs the engine over the cases of one tier.
func judge(t *testing.T, cases []sharedCase, tier string) score {
	engines := map[string]*Engine{}
	s := score{types: map[string]*tally{}}
	for _, name := range Types() {
		s.types[name] = &tally{}
	}
	for _, c := range cases {
		judged := func(name string) bool { return slices.Contains(c.Scope, name) && s.types[name] != nil }
		if c.Tier != tier || strings.HasPrefix(c.Note, "optional") || !slices.ContainsFunc(c.Scope, judged) {
			continue
		}
		e := engines[c.Hint.Region]
		if e == nil {
			var err error
			e, err = NewEngine(Options{Region: c.Hint.Region})
			require.NoError(t, err)
			engines[c.Hint.Region] = e
		}
		s.one(c, e.Detect(nil, c.Text), judged)
	}
	return s
}

func (s *score) one(c sharedCase, got []Match, judged func(string) bool) {
	used := make([]bool, len(got))
	for _, want := range c.Spans {
		if !judged(want.Type) {
			continue
		}
		n, hit := s.types[want.Type], false
		for i, m := range got {
			if m.Type != want.Type || m.Start >= want.End || want.Start >= m.End {
				continue
			}
			if !hit && !used[i] {
				hit = true
				n.found++
				if m.Start == want.Start && m.End == want.End {
					n.exact++
				}
			}
			used[i] = true
		}
		if !hit {
			n.missed++
			s.fails = append(s.fails, fmt.Sprintf("missed %s %s", want.Type, c.ID))
		}
	}
	alarm := false
	for i, m := range got {
		if judged(m.Type) && !used[i] {
			alarm = true
			s.types[m.Type].alarms++
			s.fails = append(s.fails, fmt.Sprintf("alarm %s %s", m.Type, c.ID))
		}
	}
	if len(c.Spans) > 0 {
		return
	}
	s.negatives++
	if alarm {
		s.bad++
	}
	if strings.HasPrefix(c.Kind, "lookalike") {
		s.lookalikes++
		if alarm {
			s.odd++
		}
	}
}

func (s *score) total() (all tally) {
	for _, c := range s.types {
		all.found += c.found
		all.missed += c.missed
		all.alarms += c.alarms
		all.exact += c.exact
	}
	return all
}

func (s *score) log(t *testing.T, tier string) {
	names := Types()
	sort.Strings(names)
	for _, name := range names {
		if c := s.types[name]; c.found+c.missed+c.alarms > 0 {
			t.Logf("%-12s %-12s n %4d  P %.3f  R %.3f  exact %.3f", tier, name, c.found+c.missed, c.precision(), c.recall(), ratio(c.exact, c.found+c.missed))
		}
	}
	t.Logf("%-12s negatives with an alarm %d of %d, look-alikes %d of %d", tier, s.bad, s.negatives, s.odd, s.lookalikes)
	for _, f := range s.fails {
		t.Log(f)
	}
}

func TestSharedCasesAreFoundAndLookAlikesLeftAlone(t *testing.T) {
	cases := shared(t, "pii_cases.jsonl.gz")
	for _, want := range []struct {
		tier              string
		precision, recall float64
	}{
		{"core", 0.995, 0.99},
		{"context", 1, 1},
		{"regional", 0.98, 0.98},
		{"adversarial", 0.98, 0.97},
	} {
		t.Run(want.tier, func(t *testing.T) {
			s := judge(t, cases, want.tier)
			s.log(t, want.tier)
			all := s.total()
			require.NotZero(t, all.found)
			assert.GreaterOrEqual(t, all.precision(), want.precision)
			assert.GreaterOrEqual(t, all.recall(), want.recall)
			assert.LessOrEqual(t, ratio(s.odd, max(1, s.lookalikes)), 0.005, "look-alikes with an alarm")
			if want.tier != "core" {
				return
			}
			for name, c := range s.types {
				assert.GreaterOrEqual(t, c.precision(), 0.98, name)
				assert.GreaterOrEqual(t, c.recall(), 0.97, name)
				assert.GreaterOrEqual(t, ratio(c.exact, c.found+c.missed), 0.97, "exact spans of %s", name)
			}
		})
	}
}
