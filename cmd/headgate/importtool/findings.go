package importtool

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Outcome is what became of a field of the source.
type Outcome string

// The outcomes.
const (
	Mapped      Outcome = "mapped"      // the gateway does the same
	Changed     Outcome = "changed"     // the gateway does something near it, or the user must complete it
	Unsupported Outcome = "unsupported" // it is not in the result
)

// Finding is what became of one field of the source. It never holds the field's value, which may be a secret.
type Finding struct {
	Path    string  `json:"path"`
	Outcome Outcome `json:"outcome"`
	Target  string  `json:"target,omitempty"` // the setting of the result
	Why     string  `json:"why,omitempty"`
}

// mark gives the leaves of a value that have no finding yet the same one.
func (n *node) mark(o Outcome, target, why string) {
	for leaf := range n.visitLeaves() {
		if leaf.found == nil {
			leaf.found = &Finding{Path: leaf.path, Outcome: o, Target: target, Why: why}
		}
	}
}

// isJudged reports whether every leaf of a value has a finding.
func (n *node) isJudged() bool {
	for leaf := range n.visitLeaves() {
		if leaf.found == nil {
			return false
		}
	}
	return true
}

// listFindings returns one finding for each leaf, in the order of the source. What nothing has consumed is unsupported.
func (n *node) listFindings() []Finding {
	n.mark(Unsupported, "", "the gateway has no such setting, or none of the verb's tables knows the field")
	var out []Finding
	for leaf := range n.visitLeaves() {
		out = append(out, *leaf.found)
	}
	return out
}

// countOutcomes returns how many findings have each outcome.
func countOutcomes(list []Finding) map[Outcome]int {
	out := map[Outcome]int{Mapped: 0, Changed: 0, Unsupported: 0}
	for i := range list {
		out[list[i].Outcome]++
	}
	return out
}

// printFindings writes a table, and the counts below it.
func printFindings(w io.Writer, list []Finding) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "OUTCOME\tFIELD\tBECOMES\tWHY") // Flush returns the writer's error
	for i := range list {
		f := &list[i]
		target := f.Target
		if target == "" {
			target = "-"
		}
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", f.Outcome, f.Path, target, f.Why) // as above
	}
	if err := out.Flush(); err != nil {
		return err
	}
	c := countOutcomes(list)
	_, err := fmt.Fprintf(w, "%d fields: %d mapped, %d changed, %d unsupported\n", len(list), c[Mapped], c[Changed], c[Unsupported])
	return err
}
