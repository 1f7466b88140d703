package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// policyFound holds the findings in the text of a policy.
type policyFound struct{ Issues, Conflicts []policyIssue }

// policyIssue is one finding.
type policyIssue struct {
	policydoc.Issue
	Says    string
	Witness []string // an example request: name, value
}

func newPolicyFound(c policies.CheckResult) *policyFound {
	f := &policyFound{}
	for _, i := range c.Issues {
		f.Issues = append(f.Issues, newPolicyIssue(i))
	}
	for _, i := range c.Conflicts {
		f.Conflicts = append(f.Conflicts, newPolicyIssue(i))
	}
	return f
}

func newPolicyIssue(i policydoc.Issue) policyIssue {
	v := policyIssue{Issue: i, Says: capitalizeSentence(strings.TrimPrefix(i.Text, fmt.Sprintf("line %d: ", i.Line)))}
	for _, name := range slices.Sorted(maps.Keys(i.Witness)) {
		v.Witness = append(v.Witness, name+": "+i.Witness[name])
	}
	return v
}

// Faulty reports whether errors prevent saving.
func (f *policyFound) Faulty() bool {
	return slices.ContainsFunc(f.Issues, func(i policyIssue) bool { return i.Level == policydoc.IssueError })
}

// Place returns the position in the text.
func (i policyIssue) Place() string {
	switch {
	case i.Line == 0:
		return ""
	case i.Column == 0:
		return fmt.Sprintf("Line %d", i.Line)
	}
	return fmt.Sprintf("Line %d, column %d", i.Line, i.Column)
}

// composePolicy returns the versioned fields of a policy as text for a comparison.
func composePolicy(name, description, dsl string) string {
	return "# name: " + name + "\n# description: " + strings.ReplaceAll(description, "\n", "\n# ") + "\n" + dsl
}

// normalizeBreaks removes the carriage returns that browsers add.
func normalizeBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
