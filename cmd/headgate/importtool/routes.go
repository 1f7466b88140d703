package importtool

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// buildRoutes names the providers of all deployments and groups these to routes.
func (im *importer) buildRoutes() {
	im.nameProviders()
	groups := map[string][]*deployment{}
	var names []string
	for _, d := range im.deps {
		if groups[d.name] == nil {
			names = append(names, d.name)
		}
		groups[d.name] = append(groups[d.name], d)
	}
	used := map[*node]bool{}
	for _, name := range names {
		r := newRoute(name, groups[name], im.balance)
		im.out.Routes = append(im.out.Routes, r)
		weighted := slices.ContainsFunc(groups[name], func(d *deployment) bool { return d.weight > 0 })
		for _, d := range groups[name] {
			for _, n := range d.shares {
				used[n] = used[n] || r.Strategy == "weighted" && (n.key == "weight" || !weighted)
			}
		}
	}
	for n, ok := range used {
		if !ok {
			n.found = &Finding{Path: n.path, Outcome: Unsupported, Why: "shares nothing out: the model has one target, a " +
				"weight, an order or takes its targets in turn"}
		}
	}
	for _, d := range im.deps {
		im.addPrice(d)
	}
}

// nameProviders gives equal providers one name: the vendor's prefix, with a number from the second on. A wildcard goes first, because the
// gateway cuts a prefix off a model's name only for the provider of that name.
func (im *importer) nameProviders() {
	order := slices.Clone(im.deps)
	slices.SortStableFunc(order, func(a, b *deployment) int {
		return convertToInt(strings.Contains(b.name, "/*")) - convertToInt(strings.Contains(a.name, "/*"))
	})
	names, count := map[string]string{}, map[string]int{}
	for _, d := range order {
		if d.p.Timeouts == nil && im.timeout > 0 {
			d.p.Timeouts = buildTimeouts(im.timeout)
		}
		text, err := yaml.Marshal(d.p)
		if err != nil {
			panic(err) // the type has no field that could fail
		}
		id := d.vendor + "\n" + string(text)
		if names[id] == "" {
			name := d.vendor
			for im.out.Providers[name] != nil {
				count[d.vendor]++
				name = d.vendor + "-" + strconv.Itoa(count[d.vendor]+1)
			}
			names[id], im.out.Providers[name] = name, &d.p
		}
		d.as = names[id]
	}
}

func convertToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newRoute returns the route of the deployments of one name.
func newRoute(name string, group []*deployment, balance string) *route {
	r := &route{ModelPattern: name}
	ordered := slices.ContainsFunc(group, func(d *deployment) bool { return d.order > 0 })
	if ordered {
		slices.SortStableFunc(group, func(a, b *deployment) int { return cmp.Compare(a.computeRank(), b.computeRank()) })
	}
	weights := listWeights(group)
	for i, d := range group {
		t := &target{Provider: d.as}
		if d.model != name && !strings.Contains(name, "*") {
			t.ModelOverride = d.model
		}
		if len(group) > 1 && !ordered && balance != "round-robin" {
			t.Weight = &weights[i]
		}
		if i := slices.IndexFunc(r.Providers, t.equals); i < 0 {
			r.Providers = append(r.Providers, t)
		} else if t.Weight != nil {
			*r.Providers[i].Weight = min(*r.Providers[i].Weight+*t.Weight, 10_000)
		}
	}
	switch {
	case len(r.Providers) < 2:
		r.Providers[0].Weight = nil
	case ordered:
		r.Strategy = "model-prefix"
	case balance == "round-robin":
		r.Strategy = balance
	default:
		r.Strategy = "weighted"
	}
	return r
}

// computeRank returns the place of a deployment in an order. Those without one come last.
func (d *deployment) computeRank() float64 {
	if d.order == 0 {
		return math.Inf(1)
	}
	return d.order
}

// equals reports whether two targets call the same model of the same provider.
func (t *target) equals(other *target) bool {
	return t.Provider == other.Provider && t.ModelOverride == other.ModelOverride
}

// listWeights returns whole weights of at most 10,000: those that are written, or else the rates, or else equal ones.
func listWeights(group []*deployment) []int {
	pick := func(d *deployment) float64 { return d.weight }
	if !slices.ContainsFunc(group, func(d *deployment) bool { return d.weight > 0 }) {
		pick = func(d *deployment) float64 { return d.rate }
	}
	most := 0.0
	for _, d := range group {
		most = max(most, pick(d))
	}
	scale := findScale(group, pick)
	out := make([]int, len(group))
	for i, d := range group {
		switch {
		case most == 0:
			out[i] = 1
		case scale > 0 && most*scale <= 10_000:
			out[i] = int(math.Round(pick(d) * scale))
		default:
			out[i] = int(math.Round(pick(d) / most * 100))
		}
	}
	return out
}

// findScale returns the power of ten that makes whole numbers of all values, or 0.
func findScale(group []*deployment, pick func(*deployment) float64) float64 {
	for scale := 1.0; scale <= 1000; scale *= 10 {
		if !slices.ContainsFunc(group, func(d *deployment) bool { return math.Abs(pick(d)*scale-math.Round(pick(d)*scale)) > 1e-9 }) {
			return scale
		}
	}
	return 0
}

// findRoute returns the route of a name, or nil.
func (im *importer) findRoute(name string) *route {
	name = escapeVariables(name)
	if to, ok := im.aliases[name]; ok {
		name = to
	}
	for _, r := range im.out.Routes {
		if r.ModelPattern == name {
			return r
		}
	}
	return nil
}

// addPrice adds the price of a deployment's model once.
func (im *importer) addPrice(d *deployment) {
	in, out := d.prices["input"], d.prices["output"]
	if in == "" || out == "" {
		return
	}
	p := price{Model: d.model, Provider: d.as, Input: in, Output: out, Cached: d.prices["cached"], CacheWrite: d.prices["write"]}
	if !slices.ContainsFunc(im.out.Pricing, func(q price) bool { return q.Model == p.Model && q.Provider == p.Provider }) {
		im.out.Pricing = append(im.out.Pricing, p)
	}
}

// addHeader adds a header to a map that may be nil.
func addHeader(to *map[string]string, name, text string) {
	if *to == nil {
		*to = map[string]string{}
	}
	(*to)[name] = text
}

// importHeaders reads a mapping of headers, whose values are secrets.
func (im *importer) importHeaders(n *node, hint, target string, into *map[string]string) {
	for _, h := range n.items {
		switch strings.ToLower(h.key) {
		case "host", "content-length", "transfer-encoding", "connection", "content-type", "accept-encoding", "te", "trailer", "upgrade",
			"accept", "last-event-id":
			h.mark(Unsupported, "", "the gateway sets this header itself")
			continue
		}
		if h.kind != scalar || !isHeaderName(h.key) {
			h.mark(Unsupported, "", "is not a header")
			continue
		}
		text, moved := im.importSecret(h, hint+"_"+formatVariable(h.key))
		addHeader(into, h.key, text)
		if moved {
			h.mark(Changed, target, whyMoved)
		} else {
			h.mark(Mapped, target, "")
		}
	}
}

func isHeaderName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r > '~' || r <= ' ' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// formatVariable writes a name as that of a variable.
func formatVariable(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// makeUniqueName makes a name that providers, servers and keys may have.
func makeUniqueName[V any](taken map[string]V, name string) string {
	clean := strings.Trim(strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-_", r) {
			return r
		}
		return '-'
	}, name), ".-_")
	for strings.Contains(clean, "__") {
		clean = strings.ReplaceAll(clean, "__", "_")
	}
	clean = clean[:min(len(clean), 100)]
	if clean == "" {
		clean = "imported"
	}
	out := clean
	for i := 2; ; i++ {
		if _, ok := taken[out]; !ok {
			return out
		}
		out = clean + "-" + strconv.Itoa(i)
	}
}
