package process

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// part is a part of the state that a plugin may use.
type part struct {
	state  core.State
	prefix string // of all keys
	shared bool   // other links use it too, modules among them
}

// newOwnPart returns the part of a link and a tenant. The braces keep the keys of one Take on one node of a Redis Cluster.
func newOwnPart(state core.State, link, tenant string) part {
	return part{state: state, prefix: "{plugin:" + link + ":" + tenant + "}"}
}

// openScopes returns the parts that the link grants besides its own, by their words. Keys of shared parts have the form that modules
// give them, so that both kinds of plugins count together.
func (s *Stage) openScopes(tenant string) map[string]part {
	if len(s.spec.Grant.Scopes) == 0 {
		return nil
	}
	out := make(map[string]part, len(s.spec.Grant.Scopes))
	for _, word := range s.spec.Grant.Scopes {
		scope, err := foreign.ParseScope(word)
		if err != nil {
			continue // the configuration was checked
		}
		if scope.Shared == "" {
			out[word] = newOwnPart(s.spec.State, s.spec.Link, "**")
			continue
		}
		name := "*" + scope.Shared
		if s.spec.Silent {
			name += "*"
		}
		owner := "*"
		switch {
		case scope.Platform:
			owner = "**"
		case strings.ContainsAny(tenant, "{}:%*!"):
			owner = url.QueryEscape(tenant)
		case tenant != "":
			owner = tenant
		}
		out[word] = part{state: core.OpenSpace(s.shared, "scope:"+name), prefix: "plugin:{" + owner + "}:" + name + ":", shared: true}
	}
	return out
}

// findPart returns the part with a scope word, "" for the plugin's own.
func (st *stateOf) findPart(scope string) (p part, ok bool) {
	if scope == "" {
		return st.part, true
	}
	p, ok = st.scopes[scope]
	return p, ok
}

func (p part) formatValueKey(key string) string {
	if p.shared {
		return p.prefix + "v:" + key
	}
	return p.prefix + "v/" + key
}

func (p part) formatCounterKey(kind pb.LimitKind, key string) string {
	if p.shared {
		return p.prefix + "?rcs"[kind:kind+1] + ":" + key
	}
	return p.prefix + "c/" + key
}
