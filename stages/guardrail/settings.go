package guardrail

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// What happens when a detector finds something.
const (
	actionBlock  = "block"  // the exchange is refused
	actionRedact = "redact" // the place is overwritten
	actionFlag   = "flag"   // it is recorded
	// actionReplace replaces a tool result with a notice. An exchange with any other such text is refused.
	actionReplace = "replace"
)

// settings are the stage's block of the configuration.
type settings struct {
	Detectors []detectorSettings `yaml:"detectors"` // by default, the default set
	Roles     []string           `yaml:"roles"`     // whose texts of a request are checked: user, tool, assistant, system, definition
	Stream    streamSettings     `yaml:"stream"`
}

// streamSettings say how answers are cut into windows, streamed or not.
type streamSettings struct {
	Window  int   `yaml:"window"`  // characters that are judged together
	Overlap int   `yaml:"overlap"` // characters that two windows share
	Hold    *bool `yaml:"hold"`    // text waits for its verdict; by default true
}

// detectorSettings configure one detector. The table of types says which of the later fields a type uses.
type detectorSettings struct {
	Type        string   `yaml:"type"`
	Name        string   `yaml:"name"`      // the label of its findings; by default the type
	Threshold   *float64 `yaml:"threshold"` // score from 0 to 1 that counts
	Action      string   `yaml:"action"`
	Phases      []string `yaml:"phases"`
	Replacement string   `yaml:"replacement"` // of redacted text; by default [name]

	Words          []string            `yaml:"words"`
	Names          []string            `yaml:"names"`
	Topics         map[string][]string `yaml:"topics"`
	Match          string              `yaml:"match"` // word or substring
	MinHits        int                 `yaml:"min_hits"`
	Pattern        string              `yaml:"pattern"`
	Patterns       []string            `yaml:"patterns"`
	Schema         any                 `yaml:"schema"` // a mapping, or its JSON text
	StripFence     bool                `yaml:"strip_fence"`
	Keys           []string            `yaml:"keys"`
	Forbidden      []string            `yaml:"forbidden"`
	Headers        []string            `yaml:"headers"`
	Max            int                 `yaml:"max"`
	Min            int                 `yaml:"min"`
	Unit           string              `yaml:"unit"`
	Scripts        []string            `yaml:"scripts"`
	AllowedDomains []string            `yaml:"allowed_domains"`
	DeniedDomains  []string            `yaml:"denied_domains"`
	MaxRun         int                 `yaml:"max_run"`
	MaxNgramRepeat int                 `yaml:"max_ngram_repeat"`
	Allow          []string            `yaml:"allow"`
	Deny           []string            `yaml:"deny"`
	Canaries       []string            `yaml:"canaries"`
	MinWords       int                 `yaml:"min_words"`
}

// Defaults of the windows, in characters.
const (
	defaultWindow  = 400
	defaultOverlap = 100
	minWindow      = 64
	maxWindow      = 8000
)

// common are the fields that every detector has.
var common = []string{"type", "name", "threshold", "action", "phases", "replacement"}

// check returns an error for a field that is set but that the type does not use.
func (d *detectorSettings) check(own []string) error {
	rv := reflect.ValueOf(d).Elem()
	for i := range rv.NumField() {
		key := rv.Type().Field(i).Tag.Get("yaml")
		if !rv.Field(i).IsZero() && !slices.Contains(common, key) && !slices.Contains(own, key) {
			known := "it has only the common settings"
			if len(own) > 0 {
				known = "its settings are " + strings.Join(own, ", ")
			}
			return fmt.Errorf("%s does not know %q: %s", d.Type, key, known)
		}
	}
	return nil
}

// parsePhases reads the phases of a detector.
func parsePhases(names []string, own core.Phases) (core.Phases, error) {
	if len(names) == 0 {
		return own, nil
	}
	var s core.Phases
	for _, n := range names {
		switch n {
		case "request":
			s |= core.NewPhaseSet(core.Request)
		case "response":
			s |= core.NewPhaseSet(core.Response)
		default:
			return 0, fmt.Errorf("phase %q: write request or response", n)
		}
	}
	return s, nil
}

// roleSet reads the roles whose texts are checked.
type roleSet struct{ user, tool, assistant, system, definition bool }

func readRoles(names []string) (r roleSet, err error) {
	if len(names) == 0 {
		return roleSet{user: true, tool: true, definition: true}, nil
	}
	for _, n := range names {
		switch n {
		case "user":
			r.user = true
		case "tool":
			r.tool = true
		case "assistant":
			r.assistant = true
		case "system":
			r.system = true
		case "definition":
			r.definition = true
		default:
			return r, fmt.Errorf("role %q: write user, tool, assistant, system or definition", n)
		}
	}
	return r, nil
}

// has reports whether the texts of a segment's role are checked.
func (r roleSet) has(s *core.Segment) bool {
	switch {
	case s.Kind == core.KindDefinition:
		return r.definition
	case s.Kind == core.KindToolResult || s.Role == core.RoleTool:
		return r.tool
	case s.Role == core.RoleAssistant:
		return r.assistant
	case s.Role == core.RoleSystem:
		return r.system
	}
	return r.user
}
