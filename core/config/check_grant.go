package config

import (
	"fmt"
	"slices"
)

// ListProcessFields returns the fields that the protocol of processes carries: the names in its package, which this
// package does not import. A test compares them.
func ListProcessFields() []GrantField {
	return []GrantField{
		"model", "tenant", "key_id", "key_name", "user", "dialect", "route", "provider", "target", "region", "stream", "max_tokens",
		"effort", "exchange", "trace", "tools", "scopes", "status", "usage", "outcome", "cost", "digest", "task", "finish",
		"params", "metadata", "estimate", "messages", "images", "complete", "tier", "findings", "key_tags", "tenant_tags",
		"key_metadata", "tenant_metadata", "key_expires", "address", "price", "window", "tool_types", "budgets", "lineage", "bare_model",
		"reserve", "input_count", "prompt_tokens", "attempts", "headers", "token_cap", "places", "format",
	}
}

// ListProcessCapabilities returns the capabilities that the protocol of processes carries, see ListProcessFields.
func ListProcessCapabilities() []GrantCapability {
	return []GrantCapability{"state", "body", "restore", "notify", "call"}
}

// checkGrant refuses grants to links whose plugin could not use them: an operator would believe that it does.
func checkGrant(c *checker, path string, l *Link) {
	switch {
	case !l.Grant.hasLimits() || l.Wasm != "" || l.Plugins != "":
		return
	case l.Process == "":
		c.addProblem(path, fmt.Sprintf("is for modules and processes, but the link %q runs neither", l.Name), "remove it")
		return
	}
	refuse := func(at, what string) {
		c.addProblem(
			at,
			fmt.Sprintf("the protocol of processes does not carry %s, so the link %q would not get it", what, l.Name),
			"remove it, or write the plugin as a module, with wasm: file.wasm",
		)
	}
	refuseUnsupported(l.Grant.Fields, ListProcessFields(), func(i int, word string) {
		refuse(appendIndex(path+".fields", i), "the field "+word)
	})
	refuseUnsupported(l.Grant.Capabilities, ListProcessCapabilities(), func(i int, word string) {
		refuse(appendIndex(path+".capabilities", i), "the capability "+word)
	})
}

// refuseUnsupported calls refuse for each known word that is not among those that are carried. Unknown words are
// reported elsewhere.
func refuseUnsupported[T interface {
	~string
	choices
}](list, carried []T, refuse func(i int, word string)) {
	for i, word := range list {
		if slices.Contains(word.Values(), string(word)) && !slices.Contains(carried, word) {
			refuse(i, string(word))
		}
	}
}
