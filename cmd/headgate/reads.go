package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// readers are the verbs that only read a database. They never create one. TestAReadNeverCreates demands that each verb
// is here or among those that the test names.
var readers = map[string]bool{
	"a2a inspect": true, "a2a list": true,
	"audit export": true, "audit key": true, "audit verify": true,
	"backup":      true,
	"config diff": true, "config export": true,
	"fleet nodes":  true,
	"keys list":    true,
	"license show": true,
	"mcp inspect":  true, "mcp list": true, "mcp pin": true,
	"migrate status":   true,
	"pat list":         true,
	"policy conflicts": true, "policy dry-run": true, "policy list": true, "policy stats": true, "policy versions": true,
	"prices":       true,
	"replay":       true,
	"users list":   true,
	"webhook dead": true, "webhook list": true,
	"webhooks dead": true, "webhooks list": true,
}

// readsDatabase reports whether a verb only reads a database. Of mcp pin, that depends on its flags.
func readsDatabase(verb *cobra.Command) bool {
	if !readers[formatVerbPath(verb)] {
		return false
	}
	for _, name := range [...]string{"approve", "reject"} {
		if f := verb.Flags().Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// formatVerbPath returns the words of a verb after the program's name.
func formatVerbPath(verb *cobra.Command) string {
	_, path, _ := strings.Cut(verb.CommandPath(), " ")
	return path
}
