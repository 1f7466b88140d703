package config

import "slices"

// Layout changes the order and modes of the chain's links, and adds links, without changing the file.
type Layout struct {
	// Order lists names of links. A link that it omits stays behind the link that precedes it in the file.
	Order []string `json:"order,omitempty"`
	// Modes are the modes by link name.
	Modes map[string]Mode `json:"modes,omitempty"`
	// Added are compiled-in stages that the file lacks. They follow the links of the file unless Order places them.
	Added []AddedLink `json:"added,omitempty"`
}

// IsZero reports whether the layout changes nothing.
func (l *Layout) IsZero() bool {
	return l == nil || len(l.Order) == 0 && len(l.Modes) == 0 && len(l.Added) == 0
}

// apply changes the chain of an undecoded configuration, so that the result is checked as usual. It returns the names
// that the chain lacks.
func (l *Layout) apply(root *value) (unknown []string) {
	if l.IsZero() {
		return nil
	}
	l.addLinks(root)
	chain := root.findKid("chain")
	if chain == nil || chain.kind != list {
		return slices.Clone(l.Order)
	}
	byName := make(map[string]*value, len(chain.items))
	for _, v := range chain.items {
		byName[describeValue(v)] = v
	}
	for name, mode := range l.Modes {
		if v := byName[name]; v != nil && v.kind == mapping {
			v.put("mode", &value{kind: scalar, text: string(mode), quoted: true, at: v.at})
		}
	}
	var order []*value
	for _, name := range l.Order {
		v := byName[name]
		switch {
		case v == nil:
			unknown = append(unknown, name)
		case !slices.Contains(order, v):
			order = append(order, v)
		}
	}
	for i, v := range chain.items {
		if slices.Contains(order, v) {
			continue
		}
		at := 0
		if i > 0 {
			at = slices.Index(order, chain.items[i-1]) + 1
		}
		order = slices.Insert(order, at, v)
	}
	chain.items = order
	return unknown
}

// describeValue returns the name of an undecoded link.
func describeValue(v *value) string {
	return chooseLinkName(
		v.findKid("name").formatScalar(),
		v.findKid("stage").formatScalar(),
		v.findKid("wasm").formatScalar(),
		v.findKid("plugins").formatScalar(),
		v.findKid("webhook").formatScalar(),
		v.findKid("guard").formatScalar(),
		v.findKid("process").formatScalar(),
		v.findKid("guardrail_plugins").formatScalar(),
	)
}
