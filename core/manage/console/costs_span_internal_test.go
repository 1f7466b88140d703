package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestQuickSpansOfCostsAreWholeDays(t *testing.T) {
	for name, c := range map[string]struct {
		now  string
		want []string // this week, last week, last month
	}{
		"a Monday":                 {"2026-11-30T00:00:00Z", []string{"2026-11-30 ", "2026-11-23 2026-11-30", "2026-10-01 2026-11-01"}},
		"a Sunday":                 {"2026-11-29T23:59:59Z", []string{"2026-11-23 ", "2026-11-16 2026-11-23", "2026-10-01 2026-11-01"}},
		"the first of January":     {"2027-01-01T12:00:00Z", []string{"2026-12-28 ", "2026-12-21 2026-12-28", "2026-12-01 2027-01-01"}},
		"a zone whose day is over": {"2026-11-30T01:00:00+02:00", []string{"2026-11-23 ", "2026-11-16 2026-11-23", "2026-10-01 2026-11-01"}},
	} {
		t.Run(name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, c.now)
			assert.NoError(t, err)
			p := &costPage{Form: newForm("from", "2026-11-23", "to", "2026-11-30"), now: now}
			s := p.Spans()
			assert.Equal(t, c.want, []string{s[0].From + " " + s[0].To, s[1].From + " " + s[1].To, s[3].From + " " + s[3].To})
			assert.Equal(t, s[1].From == "2026-11-23", s[1].Chosen)
		})
	}
}
