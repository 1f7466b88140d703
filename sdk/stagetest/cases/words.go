package cases

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// The words of a case file. Each type lists its values; "" means omitted.
type (
	phaseWord   string
	sourceWord  string
	verdictWord string
	faultWord   string
	dialectWord string
	kindWord    string
)

// Values lists the phases.
func (phaseWord) Values() []string { return []string{"request", "target", "response"} }

func (p phaseWord) phase() core.Phase {
	return core.Phase(1 + max(0, slices.Index(p.Values(), string(p)))) // the words are in the order of the numbers
}

// Values lists the verdicts.
func (verdictWord) Values() []string { return []string{"pass", "rewrite", "answer", "block", "retry"} }

// Values lists the faults.
func (faultWord) Values() (words []string) {
	for f := core.FaultError; f <= core.FaultCrash; f++ {
		words = append(words, f.String())
	}
	return words
}

// Values lists the kinds of findings.
func (kindWord) Values() []string { return []string{"pii", "detector", "policy"} }

// kind returns the kind of a finding; 0 if the label determines it.
func (w kindWord) kind() core.FindingKind {
	return core.FindingKind(1 + slices.Index(w.Values(), string(w))) // the words are in the order of the numbers
}

// classifyFinding names the kind of a finding.
func classifyFinding(f *core.Finding) kindWord {
	switch {
	case f.Kind == core.FoundPolicy:
		return "policy"
	case f.IsPII():
		return "pii"
	}
	return "detector"
}

// sources maps the words for the origin of a text to roles and kinds.
var sources = []struct {
	word sourceWord
	role core.Role
	kind core.SegmentKind
}{
	{"system", core.RoleSystem, core.KindText},
	{"user", core.RoleUser, core.KindText},
	{"assistant", core.RoleAssistant, core.KindText},
	{"tool_args", core.RoleAssistant, core.KindToolArgs},
	{"tool_result", core.RoleTool, core.KindToolResult},
	{"reasoning", core.RoleAssistant, core.KindReasoning},
	{"definition", core.RoleSystem, core.KindDefinition},
	{"other", core.RoleUser, core.KindOther},
}

// Values lists the sources.
func (sourceWord) Values() (words []string) {
	for _, s := range sources {
		words = append(words, string(s.word))
	}
	return words
}

// newSegment returns an empty segment of a source.
func (w sourceWord) newSegment() core.Segment {
	for _, s := range sources {
		if s.word == w {
			return core.Segment{Role: s.role, Kind: s.kind, Message: 0, Part: -1}
		}
	}
	return core.Segment{Role: core.RoleUser, Kind: core.KindText, Message: 0, Part: -1}
}
