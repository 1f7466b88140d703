package importtool

import (
	"slices"
	"strings"
)

// maxFallbacks is the most fallbacks of one list: each may be added to every route.
const maxFallbacks = 20

// buildFallbacks adds the targets of other routes behind those of a route.
func (im *importer) buildFallbacks() {
	own := make(map[*route][]*target, len(im.out.Routes))
	for _, r := range im.out.Routes {
		own[r] = slices.Clone(r.Providers)
	}
	said := map[string]bool{}
	for _, f := range im.fallback {
		said[escapeVariables(f.from)] = true
	}
	for _, f := range im.fallback {
		left := maxFallbacks
		for leaf := range f.to.visitLeaves() {
			if left--; left < 0 {
				leaf.mark(Unsupported, "", "is not among the first 20 fallbacks")
				continue
			}
			to := im.findRoute(leaf.readString())
			var from []*route
			for _, r := range im.out.Routes {
				if r.ModelPattern == escapeVariables(f.from) || f.from == "*" && !said[r.ModelPattern] && r != to {
					from = append(from, r)
				}
			}
			switch {
			case leaf.kind != scalar || leaf.typ != "str":
				leaf.mark(Unsupported, "", "a fallback with its own parameters; the gateway falls back to another model with the same request")
			case to == nil:
				leaf.mark(Unsupported, "", "no model of the result has this name")
			case len(from) == 0:
				leaf.mark(Unsupported, "", "the model that falls back is not in the result")
			case strings.Contains(to.ModelPattern, "*"):
				leaf.mark(Unsupported, "", "a pattern names no model to fall back to")
			default:
				leaf.mark(Mapped, "routes[].providers", "tried after the route's own targets, before the first byte of an answer")
				for _, r := range from {
					r.addFallbacks(own[to], to.ModelPattern)
				}
			}
		}
	}
}

// addFallbacks adds targets that are tried after the route's own.
func (r *route) addFallbacks(more []*target, model string) {
	for _, t := range more {
		add := &target{Provider: t.Provider, ModelOverride: t.ModelOverride}
		if add.ModelOverride == "" {
			add.ModelOverride = model
		}
		if r.Strategy == "weighted" {
			add.Weight = new(int) // 0: a fallback only
		}
		if !slices.ContainsFunc(r.Providers, add.equals) {
			r.Providers = append(r.Providers, add)
		}
	}
	if r.Strategy == "" && len(r.Providers) > 1 {
		r.Strategy = "model-prefix"
	}
}
