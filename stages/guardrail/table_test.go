package guardrail

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table counts verdicts by label, set and source.
type table struct{ rows map[string]*[2]int }

func newTable() *table { return &table{map[string]*[2]int{}} }

func (t *table) add(c *testCase, hit bool) {
	source, _, _ := strings.Cut(c.Source, ":")
	for _, k := range []string{c.Label, c.Label + "/" + c.Set, c.Label + "/" + c.Set + "/" + source} {
		r := t.rows[k]
		if r == nil {
			r = new([2]int)
			t.rows[k] = r
		}
		r[1]++
		if hit {
			r[0]++
		}
	}
}

func (t *table) share(key string) float64 {
	r := t.rows[key]
	if r == nil {
		return 0
	}
	return float64(r[0]) / float64(r[1])
}

func (t *table) recall(set string) float64 { return t.share("attack/" + set) }

func (t *table) alarms() float64 { return t.share("benign") }

func (t *table) String() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(t.rows)) {
		fmt.Fprintf(&b, "%-36s %4d of %4d  %.3f\n", k, t.rows[k][0], t.rows[k][1], t.share(k))
	}
	return b.String()
}
