package route

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/match"
)

// HostedTools returns the rule for tools that run at the provider: that of the model's own route, or general if it has
// none. A stricter rule for another name of the same model holds: the name without a provider's prefix, and the names of
// the targets. Otherwise a prefix or an alias would get round a route's rule.
func (r *Router) HostedTools(model string, general hosted.Rule) hosted.Rule {
	t := r.table.Load()
	n := hostedNames{r: r, t: t, name: r.canonical(model)}
	if own := t.serving(n.name); own != nil {
		n.rule = own.HostedTools
	}
	n.explicit = n.rule != hosted.Unset
	if !n.explicit {
		n.rule = general
	}
	n.addBare(n.name)
	if e := r.entry(model); e != nil {
		for i := range e.refs[:len(e.refs)/2] {
			sent := r.canonical(e.refs[i].Model)
			n.add(sent)
			n.addBare(sent)
			// A route for both names has been considered, or a more specific one has.
			if at := t.serving(e.refs[i].Provider + "/" + e.refs[i].Model); at != nil && !match.GlobFold(at.match, sent) {
				n.tighten(at)
			}
		}
	}
	return n.rule
}

// hostedNames gathers the strictest rule for the names of one model.
type hostedNames struct {
	r        *Router
	t        *table
	name     string // by which the client asks for the model
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
		name = n.r.canonical(rest)
		n.add(name)
	}
}

func (n *hostedNames) add(name string) {
	if e := n.t.serving(name); e != nil {
		n.tighten(e)
	}
}

// tighten applies a route's rule, unless the client's name matches this route as well and has a more specific one with a
// rule: that is how an exception to the route "*" is written.
func (n *hostedNames) tighten(e *entry) {
	if !n.explicit || !match.GlobFold(e.match, n.name) {
		n.rule = max(n.rule, e.HostedTools)
	}
}

// serving returns the route that serves a canonical name, or nil. It is not cached: clients choose the names.
func (t *table) serving(name string) *entry {
	for _, e := range t.routes {
		if match.GlobFold(e.match, name) {
			return e
		}
	}
	return nil
}
