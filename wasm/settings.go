package wasm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Settings are the operator's decisions about a detector: a link's config block. For a stage only Settings is used.
type Settings struct {
	// Action is what happens to a match: flag (the default) reports it, redact replaces it with a placeholder, block refuses the
	// exchange.
	Action string `yaml:"action" json:"action,omitempty"`
	// Labels overrides the action for single labels.
	Labels map[string]string `yaml:"labels" json:"labels,omitempty"`
	// Message is the message to the client when the exchange is refused.
	Message string `yaml:"message" json:"message,omitempty"`
	// Sources are the texts to check: system, user, assistant, tool_args, tool_result, reasoning, definition, other. If empty, all of
	// them.
	Sources []string `yaml:"sources" json:"sources,omitempty"`
	// Settings is passed to the guest as JSON, unchanged.
	Settings any `yaml:"settings" json:"settings,omitempty"`
}

// ReadSettings decodes a link's config block. A nil block is an empty one.
func ReadSettings(block core.Settings) (Settings, error) {
	var s Settings
	if block == nil {
		return s, nil
	}
	if err := block.Decode(&s); err != nil {
		return s, err // it already names the file and the line
	}
	return s, nil
}

// Config returns the JSON for the guest, or nil if the operator configured nothing.
func (s *Settings) Config() ([]byte, error) {
	if s.Settings == nil {
		return nil, nil
	}
	b, err := json.Marshal(s.Settings)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return b, nil
}

func parseAction(word string) (action, error) {
	switch word {
	case "", "flag":
		return flag, nil
	case "redact":
		return redact, nil
	case "block":
		return block, nil
	}
	return 0, fmt.Errorf("unknown action %q; write flag, redact or block", stripControls(word, 40))
}

// listActions returns the action of each label.
func (s *Settings) listActions(labels []string) ([]action, error) {
	all, err := parseAction(s.Action)
	if err != nil {
		return nil, err
	}
	out := make([]action, len(labels))
	for i := range out {
		out[i] = all
	}
	for label, word := range s.Labels {
		i := slices.Index(labels, label)
		if i < 0 {
			return nil, fmt.Errorf("labels: the plugin has no label %q; it has %q", stripControls(label, 64), labels)
		}
		if out[i], err = parseAction(word); err != nil {
			return nil, fmt.Errorf("labels: %s: %w", label, err)
		}
	}
	return out, nil
}

// sourceSet is a set of sources.
type sourceSet uint16

func (s sourceSet) has(src abi.Source) bool { return s&(1<<src) != 0 }

func (s *Settings) parseSources() (sourceSet, error) {
	if len(s.Sources) == 0 {
		return ^sourceSet(0), nil
	}
	return parseSources("sources", s.Sources)
}

// makePlaceholderType returns the TYPE of a label's placeholder: a letter, then up to 30 letters, digits and underscores.
func makePlaceholderType(label string) string {
	b := []byte(strings.ToUpper(label))
	for i, c := range b {
		if !('A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			b[i] = '_'
		}
	}
	typ := strings.Trim(string(b), "_")
	if typ == "" || typ[0] < 'A' || typ[0] > 'Z' {
		typ = "X" + typ
	}
	return strings.TrimRight(typ[:min(len(typ), 31)], "_")
}
