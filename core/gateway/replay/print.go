package replay

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Print writes the report as text.
func (p *Report) Print(w io.Writer) error {
	var b strings.Builder
	span := ""
	if p.Read > 0 {
		span = fmt.Sprintf(", received from %s to %s", p.From.UTC().Format(time.RFC3339), p.To.UTC().Format(time.RFC3339))
	}
	fmt.Fprintf(&b, "%d exchanges%s; %d replayed, %d would have changed\n", p.Read, span, p.Replayed, p.Changed)
	for _, why := range slices.Sorted(maps.Keys(p.Skipped)) {
		fmt.Fprintf(&b, "  %d not replayed: %s\n", p.Skipped[why], why)
	}
	for _, u := range p.Unreadable {
		fmt.Fprintf(&b, "  not read to its end: %s\n", u)
	}
	fmt.Fprintf(
		&b,
		"\nrecorded   %s\nin force   %s\ncandidate  %s\n",
		formatCounts(p.Recorded),
		formatCounts(p.Baseline),
		formatCounts(p.Candidate),
	)
	t := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	section := func(title string, list []Tally) {
		if len(list) > 0 {
			_, _ = fmt.Fprintf(t, "\n%s\texchanges\n", title) // a strings.Builder never fails
			for _, l := range list {
				_, _ = fmt.Fprintf(t, "  %s\t%d\n", l.Name, l.Exchanges)
			}
		}
	}
	section("by stage", p.Stages)
	section("by rule", p.Rules)
	section("by tenant", p.Tenants)
	if len(p.Changes) > 0 {
		_, _ = fmt.Fprint(t, "\nchange\tstage\trule\tin force\tcandidate\texchanges\tfor example\n")
		for _, c := range p.Changes {
			_, _ = fmt.Fprintf(
				t,
				"  %s\t%s\t%s\t%s\t%s\t%d\t%s\n",
				c.What,
				c.Stage,
				c.Rule,
				c.From,
				c.To,
				c.Exchanges,
				strings.Join(c.Examples, " "),
			)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, trimSpace(b.String()))
	return err
}

// trimSpace removes trailing blanks of lines, left by empty columns.
func trimSpace(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func formatCounts(m map[string]int) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("%s %d", k, m[k]))
	}
	return formatName(strings.Join(list, ", "))
}
