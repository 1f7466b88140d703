package route

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/match"
)

// FindHostedTools returns the rule for tools that run at the provider: that of the model's own route, or general if it has
// none. A stricter rule for another name of the same model wins: the name without a provider's prefix, and the names of
// the targets. Otherwise a prefix or an alias could bypass a route's rule.
func (r *Router) FindHostedTools(model string, general hosted.Rule) hosted.Rule {
	t := r.table.Load()
	n := hostedNames{r: r, t: t, name: r.normalizeModel(model)}
	if own := t.findServing(n.name); own != nil {
		n.rule = own.HostedTools
	}
	n.explicit = n.rule != hosted.Unset
	if !n.explicit {
		n.rule = general
	}
	n.add(n.name)
	n.addBare(n.name)
	if e := r.findEntry(model); e != nil {
		for i := range e.refs[:len(e.refs)/2] {
			sent := r.normalizeModel(e.refs[i].Model)
			n.add(sent)
			n.addBare(sent)
			n.addUnless(e.refs[i].Provider+"/"+e.refs[i].Model, sent)
		}
	}
	return n.rule
}

// hostedNames gathers the strictest rule for the names of one model.
type hostedNames struct {
	r        *Router
	t        *table
	name     string // the name in the client's request
	rule     hosted.Rule
	explicit bool // the route for name has a rule
}

// addBare adds the names that are left without prefixes.
func (n *hostedNames) addBare(name string) {
	for {
		prefix, rest, ok := strings.Cut(name, "/")
		if !ok || !n.r.names[prefix] {
			return
		}
		name = n.r.normalizeModel(rest)
		n.add(name)
	}
}

// add adds the route for a name, and the file's route that a stored one overrides.
func (n *hostedNames) add(name string) {
	for _, e := range n.t.routes {
		if match.MatchesGlobFold(e.match, name) {
			n.applyRule(e)
			if !e.Stored {
				return
			}
		}
	}
}

// addUnless is add for a name whose routes have not been considered for another name, or yielded to more specific ones.
func (n *hostedNames) addUnless(name, other string) {
	for _, e := range n.t.routes {
		if match.MatchesGlobFold(e.match, name) {
			if !match.MatchesGlobFold(e.match, other) {
				n.applyRule(e)
			}
			if !e.Stored {
				return
			}
		}
	}
}

// applyRule applies a route's rule, unless the client's name matches this route as well and has a more specific one with a
// rule: that is how an exception to the route "*" is written.
func (n *hostedNames) applyRule(e *entry) {
	if !n.explicit || !match.MatchesGlobFold(e.match, n.name) {
		n.rule = max(n.rule, e.HostedTools)
	}
}

// findServing returns the route that serves a canonical name, or nil. It is not cached: clients choose the names.
func (t *table) findServing(name string) *entry {
	for _, e := range t.routes {
		if match.MatchesGlobFold(e.match, name) {
			return e
		}
	}
	return nil
}
