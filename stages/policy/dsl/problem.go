package dsl

import (
	"fmt"
	"strings"
)

// Codes of problems within one policy.
const (
	CodeSyntax           = "SYNTAX"
	CodeInvalid          = "INVALID"
	CodeDuplicateRuleID  = "DUPLICATE_RULE_ID"
	CodeUnknownCondition = "UNKNOWN_CONDITION"
	CodeStageConflict    = "STAGE_CONFLICT"
)

// Problem is a fault in a policy's text.
type Problem struct {
	File    string // "" for text that is not a file
	Line    int
	Column  int
	Code    string
	Policy  string
	Rule    string // id; "" when the fault lies outside of the rules
	Message string // what is wrong, and what to write
}

func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File + ":")
		if p.Line == 0 {
			b.WriteString(" ")
		}
	}
	switch {
	case p.Line > 0 && p.File != "":
		fmt.Fprintf(&b, "%d: ", p.Line)
	case p.Line > 0:
		fmt.Fprintf(&b, "line %d: ", p.Line)
	}
	if p.Rule != "" {
		fmt.Fprintf(&b, "rule %q: ", p.Rule)
	}
	b.WriteString(p.Message)
	return b.String()
}

// Problems are all faults of a text.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error, or nil without problems.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
