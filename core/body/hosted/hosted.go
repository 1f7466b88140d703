// Package hosted knows the tools of a request that run at the provider, where no link sees what they read and write:
// the rules for them, and how a body is sent without them.
package hosted

import (
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// Found are the hosted tools of one request. A scan refuses them unless Allowed is set.
type Found struct {
	Allowed bool
	Tools   []Tool
	// Refusal is the error for the first of them.
	Refusal error
}

// Tool is a tool that runs at the provider.
type Tool struct {
	Type string // as the vendor spells it
	Name string // by which a choice refers to it; the default is its type
	// Span is the element or member of the body that asks for it.
	Span splice.Span
}

// Rule says what happens to tools that run at the provider. The order is that of strictness.
type Rule uint8

// The rules. Unset leaves the decision to a more general setting.
const (
	Unset Rule = iota
	Pass       // they are sent to providers of the client's own shape
	Strip      // they are removed, and the answer's header names them
	Refuse
)

// Key is the member of a tenant's metadata that sets its rule.
const Key = "hosted_tools"

// ReadRule returns the rule in a tenant's metadata.
func ReadRule(metadata map[string]any) Rule {
	word, _ := metadata[Key].(string)
	return Rules[word]
}

// CheckMetadata returns an error if a tenant's metadata sets a rule that does not exist.
func CheckMetadata(metadata map[string]any) error {
	v, ok := metadata[Key]
	if !ok {
		return nil
	}
	if ReadRule(metadata) == Unset {
		return fmt.Errorf("unknown rule %v; write refuse, strip or pass", v)
	}
	return nil
}

// Rules are the words of the rules in settings.
var Rules = map[string]Rule{"pass": Pass, "strip": Strip, "refuse": Refuse}
