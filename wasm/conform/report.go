package conform

import (
	"fmt"
	"io"
	"strings"
)

// State is what a rule says about a plugin.
type State string

// States of a rule.
const (
	Holds  State = "holds"
	Broken State = "broken"
	None   State = "none" // the rule says nothing about this plugin
)

// Result is one rule with its state. Detail says what broke it, or why it says nothing.
type Result struct {
	Rule   string `json:"rule"`
	State  State  `json:"state"`
	Detail string `json:"detail,omitempty"`
}

// Report is the result for one module. Its JSON keys are stable.
type Report struct {
	File    string   `json:"file"`
	Digest  string   `json:"sha256"`
	Plugin  string   `json:"plugin,omitempty"` // name and version of the manifest
	Kind    string   `json:"kind,omitempty"`
	Results []Result `json:"rules"`
	Broken  int      `json:"broken"`
}

func (r *Report) add(rule string, state State, detail string) {
	r.Results = append(r.Results, Result{rule, state, detail})
	if state == Broken {
		r.Broken++
	}
}

// Conforms reports whether no rule is broken.
func (r *Report) Conforms() bool { return r.Broken == 0 }

// Write writes the report as text: broken rules, and with all set the others too.
func (r *Report) Write(w io.Writer, all bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", r.File)
	if r.Plugin != "" {
		fmt.Fprintf(&b, "%s %s, ", r.Kind, r.Plugin)
	}
	fmt.Fprintf(&b, "sha256 %s\n", r.Digest)
	held, none := 0, 0
	for _, c := range r.Results {
		word := "BROKEN"
		switch c.State {
		case Holds:
			held++
			word = "holds "
		case None:
			none++
			word = "-     "
		}
		if !all && c.State != Broken {
			continue
		}
		fmt.Fprintf(&b, "  %s %s", word, c.Rule)
		if c.Detail != "" {
			fmt.Fprintf(&b, ": %s", strings.ReplaceAll(c.Detail, "\n", "\n         "))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d rules hold, %d broken, %d say nothing about it\n", held, r.Broken, none)
	_, err := io.WriteString(w, b.String())
	return err
}
