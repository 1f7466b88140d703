package offered

import "strings"

// separators end what clients put in front of a tool's name to tell servers apart: mcp__search__find, search.find. A single
// underscore or hyphen is a part of names.
var separators = [...]string{"__", ".", "/", ":"}

// isNameOf reports whether a client's name for a tool is that of a server's tool: the name itself, or the name behind a prefix.
// What the prefix says does not count, because clients choose names for servers themselves.
func isNameOf(offered, tool string) bool {
	prefix, ok := strings.CutSuffix(offered, tool)
	if !ok || tool == "" {
		return false
	}
	if prefix == "" {
		return true
	}
	for _, sep := range separators {
		if strings.HasSuffix(prefix, sep) && len(prefix) > len(sep) {
			return true
		}
	}
	return false
}
