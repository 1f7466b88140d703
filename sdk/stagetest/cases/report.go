package cases

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Write writes the results as text: failed cases with the reasons, passed cases if all is set, then the totals.
func (r *Report) Write(w io.Writer, all bool) error {
	file := ""
	var b strings.Builder
	for i := range r.Results {
		c := &r.Results[i]
		if c.Passed() && !all && len(c.Written) == 0 {
			continue
		}
		if c.File != file {
			file = c.File
			fmt.Fprintln(&b, file)
		}
		word := "ok    "
		if !c.Passed() {
			word = "FAILED"
		}
		fmt.Fprintf(&b, "  %s %s (line %d%s)\n", word, c.Name, c.Line, c.formatCost())
		for _, f := range c.Faults {
			fmt.Fprintf(&b, "         %s\n", strings.ReplaceAll(f, "\n", "\n         "))
		}
		for _, g := range c.Written {
			fmt.Fprintf(&b, "         written: %s\n", g)
		}
	}
	failed := r.Failed()
	fmt.Fprintf(&b, "%d passed, %d failed", len(r.Results)-failed, failed)
	if len(r.Labels) > 0 {
		fmt.Fprintf(&b, "; %d of %d labels expected", len(r.Labels)-len(r.Uncovered), len(r.Labels))
	}
	b.WriteByte('\n')
	if len(r.Uncovered) > 0 {
		fmt.Fprintf(&b, "no case expects: %s\n", strings.Join(r.Uncovered, ", "))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// formatCost returns the time and fuel of a case, to find slow ones.
func (r *Result) formatCost() string {
	out := ""
	if r.Ways > 1 {
		out += fmt.Sprintf(", cut in %d ways", r.Ways)
	}
	if !r.Passed() {
		return out
	}
	out += fmt.Sprintf(", %s", roundDuration(r.Time))
	if r.Fuel >= 0 {
		out += fmt.Sprintf(", fuel %d", r.Fuel)
	}
	return out
}

func roundDuration(d time.Duration) time.Duration {
	switch {
	case d > 10*time.Millisecond:
		return d.Round(time.Millisecond)
	case d > 10*time.Microsecond:
		return d.Round(time.Microsecond)
	}
	return d.Round(10 * time.Nanosecond)
}
