package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// policyFound is what was found in the text of a policy.
type policyFound struct{ Issues, Conflicts []policyIssue }

// policyIssue is one thing that was found, as it is shown.
type policyIssue struct {
	policydoc.Issue
	Says    string
	Witness []string // a request that shows it: name, value
}

func newPolicyFound(c policies.Checked) *policyFound {
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
	v := policyIssue{Issue: i, Says: sentence(strings.TrimPrefix(i.Text, fmt.Sprintf("line %d: ", i.Line)))}
	for _, name := range slices.Sorted(maps.Keys(i.Witness)) {
		v.Witness = append(v.Witness, name+": "+i.Witness[name])
	}
	return v
}

// Faulty reports whether the text cannot be stored.
func (f *policyFound) Faulty() bool {
	return slices.ContainsFunc(f.Issues, func(i policyIssue) bool { return i.Level == policydoc.IssueError })
}

// Place is where in the text it is.
func (i policyIssue) Place() string {
	switch {
	case i.Line == 0:
		return ""
	case i.Column == 0:
		return fmt.Sprintf("Line %d", i.Line)
	}
	return fmt.Sprintf("Line %d, column %d", i.Line, i.Column)
}

// policyText is what of a policy has versions, to be compared.
func policyText(name, description, dsl string) string {
	return "# name: " + name + "\n# description: " + strings.ReplaceAll(description, "\n", "\n# ") + "\n" + dsl
}

// plainBreaks takes out what browsers add to the ends of lines.
func plainBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
