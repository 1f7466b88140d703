package foreign

import (
	"errors"
	"strings"
)

// Scope says which keys of the state a link uses.
type Scope struct {
	Platform bool   // one set of keys for all tenants
	Shared   string // a name under which several links share keys; "" for the link's own
}

// scopePlatform and scopeShared begin the words for scopes.
const (
	scopePlatform = "platform"
	scopeShared   = "shared"
)

// ErrScope is the error for an invalid scope.
var ErrScope = errors.New("write platform (this link, all tenants together), shared:NAME (all links with the grant, each tenant alone)" +
	" or platform:NAME (all links with the grant, all tenants together)")

// ParseScope reads the word for a scope: platform, shared:NAME or platform:NAME.
func ParseScope(word string) (Scope, error) {
	kind, name, named := strings.Cut(word, ":")
	valid := len(name) <= 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
	switch {
	case kind == scopePlatform && (!named || name != "" && valid):
		return Scope{Platform: true, Shared: name}, nil
	case kind == scopeShared && name != "" && valid:
		return Scope{Shared: name}, nil
	}
	return Scope{}, ErrScope
}
