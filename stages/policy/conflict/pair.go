package conflict

import (
	"slices"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// comparePair compares two rules, of which a comes before b.
func (f *finder) comparePair(a, b *rule) {
	switch {
	case a.Action == dsl.Allow && b.Action.Denies():
		f.compareAllowDeny(a, b)
		return
	case b.Action == dsl.Allow && a.Action.Denies():
		f.compareAllowDeny(b, a)
		return
	case a.Action == dsl.Allow || b.Action == dsl.Allow:
		return
	}
	if f.reportRedundant(a, b) {
		return
	}
	shadowed := f.reportShadowed(a, b) || f.reportShadowed(b, a)
	if a.Action == dsl.Deny && b.Action == dsl.Deny {
		f.findDisjoint(a, b)
		f.findLists(a, b)
		f.findLists(b, a)
	}
	switch {
	case a.Action == dsl.Route && b.Action == dsl.Route:
		f.compareRoutes(a, b)
	case a.Action == dsl.CapTokens && b.Action == dsl.CapTokens:
		f.compareCaps(a, b)
	case shadowed:
	case a.Action == dsl.Route && b.Action == dsl.Deny:
		f.compareDenial(a, b)
	case b.Action == dsl.Route && a.Action == dsl.Deny:
		f.compareDenial(b, a)
	}
}

func (f *finder) compareAllowDeny(allow, deny *rule) {
	if !allow.Policy.IsPlatform() && deny.Policy.IsPlatform() &&
		slices.ContainsFunc(allow.Params.Exempts, func(n string) bool { return dsl.Names(n, deny.PlacedRule) }) {
		return // told as EXEMPTS_PLATFORM
	}
	w, ok := findOverlap(allow, deny)
	if !ok {
		return
	}
	if slices.Contains(f.set.ListExemptions(allow.place), deny.place) {
		f.addIssue(AllowDenyOverlap, allow, deny, w, "rule %s lets through what %s denies", allow.Label, deny.Label)
		return
	}
	f.addIssue(
		AllowDenyOverlap,
		allow,
		deny,
		w,
		"%s denies what rule %s fires for: it exempts from the rules that it names, and not from this one",
		deny.Label,
		allow.Label,
	)
}

// hasSameEffect reports whether two rules have the same effect.
func hasSameEffect(a, b *rule) bool {
	if a.Action != b.Action || a.IsAboutResponse() != b.IsAboutResponse() {
		return false
	}
	x, y := &a.Params, &b.Params
	globs := func(g []dsl.Glob) (out []string) {
		for i := range g {
			out = append(out, g[i].Text)
		}
		slices.Sort(out)
		return out
	}
	switch a.Action {
	case dsl.Redact:
		return slices.Equal(globs(a.RedactTypes()), globs(b.RedactTypes()))
	case dsl.Route:
		return x.Model == y.Model && x.Provider == y.Provider && x.Region == y.Region
	case dsl.CapTokens:
		return x.MaxTokens == y.MaxTokens
	case dsl.RequireRegion:
		return slices.Equal(globs(x.Regions), globs(y.Regions))
	case dsl.RequireScope:
		return slices.Equal(x.Scopes, y.Scopes)
	case dsl.RequireMetadata:
		return len(x.Metadata) == len(y.Metadata) && slices.EqualFunc(x.Metadata, y.Metadata, func(s, t dsl.Test) bool {
			return s.Key == t.Key && slices.Equal(globs(s.Globs), globs(t.Globs))
		})
	}
	return true
}

// reportRedundant reports a rule that adds nothing to another with the same effect. Of rules that deny, the wider one shadows
// the narrower, because their messages differ.
func (f *finder) reportRedundant(a, b *rule) bool {
	if !hasSameEffect(a, b) {
		return false
	}
	ab, ba := a.covers(b), b.covers(a)
	switch {
	case ab && ba:
		f.addIssue(RedundantRule, b, a, nil, "rule %s does what %s does, for the same requests", b.Label, a.Label)
	case a.Action == dsl.Deny:
		return false
	case ab:
		f.addIssue(RedundantRule, b, a, nil, "rule %s does what %s does for all these requests and more", b.Label, a.Label)
	case ba:
		f.addIssue(RedundantRule, a, b, nil, "rule %s does what %s does for all these requests and more", a.Label, b.Label)
	default:
		return false
	}
	return true
}

// reportShadowed reports a rule that has no effect, because another denies all requests for which it fires.
func (f *finder) reportShadowed(deny, r *rule) bool {
	if deny.Action != dsl.Deny || r.Action == dsl.Flag || deny.IsAboutResponse() && !r.IsAboutResponse() || !deny.covers(r) {
		return false
	}
	if r.Action == dsl.Deny && !f.set.Precedes(deny.place, r.place) {
		return false // its message is reported
	}
	w, ok := findOverlap(deny, r)
	if !ok {
		return false
	}
	f.addIssue(ShadowedRule, r, deny, w, "rule %s has no effect: %s denies all that it fires for", r.Label, deny.Label)
	return true
}

// findDisjoint reports two lists of allowed values that have no value in common.
func (f *finder) findDisjoint(a, b *rule) {
	for _, attr := range []dsl.Attr{dsl.Model, dsl.Provider, dsl.Region} {
		in := input{attr: attr}
		for _, x := range a.boxes {
			for _, y := range b.boxes {
				lists := append(filterAllowlists(x.texts[in]), filterAllowlists(y.texts[in])...)
				if len(filterAllowlists(x.texts[in])) == 0 || len(filterAllowlists(y.texts[in])) == 0 {
					continue
				}
				if _, found := findCommon(lists); found != none {
					continue
				}
				rest := intersectBoxes(x, y)
				delete(rest.texts, in)
				if w, ok := rest.findMember(); ok {
					f.addIssue(
						AllowlistsDisjoint,
						b,
						a,
						w,
						"the lists of %s and %s have no %s in common, so together they deny every one",
						a.Label,
						b.Label,
						attr,
					)
				}
			}
		}
	}
}

// filterAllowlists returns the lists of allowed values among sets: those that deny the rest.
func filterAllowlists(sets []texts) (out []texts) {
	for _, s := range sets {
		if !s.within {
			out = append(out, s.complement())
		}
	}
	return out
}

func (f *finder) compareRoutes(a, b *rule) {
	if a.Priority != b.Priority || hasSameEffect(a, b) {
		return
	}
	if w, ok := findOverlap(a, b); ok {
		f.addIssue(RouteAmbiguous, b, a, w, "rules %s and %s lead the same request to different places, with the same priority", a.Label, b.Label)
	}
}

func (f *finder) compareDenial(route, deny *rule) {
	if !deny.judges(&route.Params) || deny.IsAboutResponse() {
		return
	}
	if w, ok := findOverlapping(route.listRoutedBoxes(), deny.boxes); ok {
		f.addIssue(RouteTargetDenied, route, deny, w, "rule %s leads to what %s denies", route.Label, deny.Label)
	}
}

// compareCaps compares two limits on one request: the lower one applies.
func (f *finder) compareCaps(a, b *rule) {
	w, ok := findOverlap(a, b)
	if !ok {
		return
	}
	high, low := a, b
	if high.Params.MaxTokens < low.Params.MaxTokens {
		high, low = b, a
	}
	if low.covers(high) {
		f.addIssue(
			CapConflict,
			high,
			low,
			w,
			"the limit of %d tokens of rule %s never counts: %s sets %d for all its requests",
			high.Params.MaxTokens,
			high.Label,
			low.Label,
			low.Params.MaxTokens,
		)
		return
	}
	f.addIssue(CapsMerge, b, a, w, "rules %s and %s both limit the tokens; the lower limit, %d, counts", a.Label, b.Label, low.Params.MaxTokens)
}
