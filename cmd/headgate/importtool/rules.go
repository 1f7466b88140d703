package importtool

// rule defines the outcome for the fields at a path. In the path, [] matches every entry of a list and * every key.
type rule struct {
	path    string
	outcome Outcome
	target  string
	why     string
	// take writes the value into the result. Optional. An empty verdict keeps the outcome of the rule.
	take func(im *importer, n *node) verdict
	// later leaves the finding to code that runs when the routes exist; the rule only documents the field.
	later bool
}

// verdict overrides the outcome of a rule for one value.
type verdict struct {
	outcome Outcome
	target  string
	why     string
}

// newRefusal returns the verdict on a value that the result cannot hold.
func newRefusal(why string) verdict { return verdict{outcome: Unsupported, why: why} }

// newChange returns the verdict on a value that the result holds in another way.
func newChange(why string) verdict { return verdict{outcome: Changed, why: why} }

// apply judges the values at the rules' paths below a root. An earlier rule wins.
func (im *importer) apply(root *node, rules []rule) {
	if root == nil {
		return
	}
	for i := range rules {
		for _, n := range root.find(rules[i].path) {
			if !rules[i].later && !n.isJudged() {
				im.applyRule(n, &rules[i])
			}
		}
	}
}

func (im *importer) applyRule(n *node, r *rule) {
	v := verdict{}
	if r.take != nil {
		v = r.take(im, n)
	}
	outcome, target, why := r.outcome, r.target, r.why
	if v.outcome != "" {
		outcome, why = v.outcome, v.why
		if v.target != "" {
			target = v.target
		}
		if v.outcome == Unsupported {
			target = ""
		}
	}
	n.mark(outcome, target, why)
}

// listUnsupportedRules returns rules for fields that are all unsupported for one reason.
func listUnsupportedRules(why string, paths ...string) []rule {
	out := make([]rule, len(paths))
	for i, p := range paths {
		out[i] = rule{path: p, outcome: Unsupported, why: why}
	}
	return out
}
