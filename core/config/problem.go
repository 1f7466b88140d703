package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one error in the configuration. Its text never contains the value of a secret or of a variable.
type Problem struct {
	// File is the file as the caller named it, or the environment variable or "--set" that the value came from.
	File string
	// Line and Column count from 1; 0 means unknown.
	Line, Column int
	// Path is the key, as in chain[2].on_fault; "" means the whole file.
	Path string
	// Code is the stable name of the chain rule that is broken; "" for other problems.
	Code string
	// Message says what is wrong, Hint what to write instead (may be empty).
	Message, Hint string
}

// String returns the one-line form, file:line:column: path: CODE: message; hint.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	if p.Code != "" {
		b.WriteString(p.Code + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// Warning is something that works but is probably not intended. It has the form of a Problem and never prevents a
// configuration from being used.
type Warning Problem

// String returns the same one-line form as a Problem.
func (w Warning) String() string { return Problem(w).String() }

// Problems is the error of Load and of Block.Decode: all problems, in the order of the file.
type Problems struct{ List []Problem }

var _ error = (*Problems)(nil)

// Error returns one line per problem.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, one := range p.List {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems limits the list: a file with more is not a configuration.
const maxProblems = 100

// report collects problems and warnings while a configuration is read.
type report struct {
	problems []Problem
	warnings []Warning
}

func (r *report) reportProblem(at place, path, message, hint string) {
	r.problems = append(r.problems, at.newProblem(path, message, hint))
}

func (r *report) warn(at place, path, message, hint string) {
	r.warnings = append(r.warnings, Warning(at.newProblem(path, message, hint)))
}

// joinErrors returns nil without problems, and otherwise a sorted, limited list.
func (r *report) joinErrors() error {
	if len(r.problems) == 0 {
		return nil
	}
	list := slices.Clone(r.problems)
	slices.SortStableFunc(list, compareProblems)
	list = slices.Compact(list)
	if more := len(list) - maxProblems; more > 0 {
		list = append(list[:maxProblems:maxProblems], Problem{
			File: list[0].File, Message: fmt.Sprintf("%d more problems are not shown", more),
		})
	}
	return &Problems{List: list}
}

func (r *report) sortWarnings() []Warning {
	slices.SortStableFunc(r.warnings, func(a, b Warning) int { return compareProblems(Problem(a), Problem(b)) })
	return slices.Compact(r.warnings)
}

// compareProblems sorts by file first, so that the file's own problems stay together and those of variables and flags
// follow.
func compareProblems(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Hint, b.Hint),
	)
}
