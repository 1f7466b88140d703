package core

import (
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// Hosted are the tools of a request that run at the provider, where no link sees what they read and write. A scan
// refuses them unless Allowed is set.
type Hosted struct {
	Allowed bool
	Tools   []HostedTool
	// Refusal is the error for the first of them.
	Refusal *Error
}

// HostedTool is a tool that runs at the provider.
type HostedTool struct {
	Type string // as the vendor spells it
	Name string // by which a choice refers to it; "": its type
	// Span is the element or member of the body that asks for it.
	Span splice.Span
}

// HostedRule says what happens to tools that run at the provider. The order is that of strictness.
type HostedRule uint8

// The rules. UnsetHosted leaves the decision to a more general setting.
const (
	UnsetHosted HostedRule = iota
	PassHosted             // they are sent to providers of the client's own shape
	StripHosted            // they are removed, and the answer's header names them
	RefuseHosted
)

// HostedKey is the member of a tenant's metadata that sets its rule.
const HostedKey = "hosted_tools"

// HostedRuleOf returns the rule in a tenant's metadata.
func HostedRuleOf(metadata map[string]any) HostedRule {
	word, _ := metadata[HostedKey].(string)
	return HostedRules[word]
}

// CheckHostedMetadata returns an error if a tenant's metadata sets a rule that does not exist.
func CheckHostedMetadata(metadata map[string]any) error {
	v, ok := metadata[HostedKey]
	if !ok {
		return nil
	}
	if HostedRuleOf(metadata) == UnsetHosted {
		return fmt.Errorf("unknown rule %v; write refuse, strip or pass", v)
	}
	return nil
}

// HostedRules are the words of the rules in settings.
var HostedRules = map[string]HostedRule{"pass": PassHosted, "strip": StripHosted, "refuse": RefuseHosted}
