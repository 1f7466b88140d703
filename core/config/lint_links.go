package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
)

// test is a property of a link.
type test func(l *Link) bool

func (t test) joinAnd(more ...test) test {
	return func(l *Link) bool {
		return t(l) && !slices.ContainsFunc(more, func(one test) bool { return !one(l) })
	}
}

func (t test) joinOr(other test) test { return func(l *Link) bool { return t(l) || other(l) } }

func negateTest(t test) test { return func(l *Link) bool { return !t(l) } }

func matchStage(names ...string) test {
	return func(l *Link) bool { return l.Stage != "" && slices.Contains(names, l.Stage) }
}

var (
	isPII   = testRole(RolePII)
	isCache = testRole(RoleCache)
	// isWebhook matches guards outside of the gateway: webhooks, guards of vendors, processes and guardrail plugins.
	isWebhook = test(func(l *Link) bool {
		return l.Webhook != "" || l.Guard != "" || l.Process != "" || l.GuardrailPlugins != ""
	})
	isModule = test(func(l *Link) bool { return l.Wasm != "" || l.Plugins != "" })
	isGuard  = matchStage("policy", "guardrail").joinOr(isWebhook).joinOr(isModule).joinAnd(negateTest(matchRole(RolePII, RoleRateLimit, RoleBudget, RoleCache)))
	isFinder = matchStage("pii", "guardrail").joinOr(isWebhook).joinOr(isModule).joinAnd(negateTest(matchRole(RolePolicy, RoleRateLimit, RoleBudget, RoleCache)))
	// skipsBatches matches a link that judges content and sees no batch unless the configuration says so. A module may
	// be a detector, which sees them: only its manifest tells.
	skipsBatches = matchStage("policy", "guardrail").joinOr(isWebhook)
	// forAll matches a link that is not narrowed to some exchanges.
	forAll = test(func(l *Link) bool {
		return len(l.For.Tenants)+len(l.For.Keys)+len(l.For.Models)+len(l.For.Dialects) == 0
	})
	// namesKeys matches a link for keys that are not named by their ids.
	namesKeys = test(func(l *Link) bool {
		return slices.ContainsFunc(l.For.Keys, func(pattern string) bool { return !match.CanBeID(pattern) })
	})
	enforces = test(func(l *Link) bool { return l.Mode != Shadow })
	shadowed = negateTest(enforces)
	passes   = test(func(l *Link) bool { return l.OnFault == FaultPass })
	// mindsRaw matches a webhook or process without `allow_raw`. One in the role pii is there to see personal data.
	mindsRaw = isWebhook.joinAnd(negateTest(isPII), func(l *Link) bool { return !l.AllowRaw })
	// redacts matches a link that redacts personal data in requests.
	redacts = isPII.joinAnd(enforces, testRuns(PhaseRequest), func(l *Link) bool {
		action := l.Config.v.findKid("action").formatScalar()
		if l.Stage == "" && l.Wasm != "" { // a module flags by default
			return action == "redact" || action == "block"
		}
		return action != "flag"
	})
	// leavesSome matches a link that redacts, but not everything it finds.
	leavesSome = redacts.joinAnd(func(l *Link) bool {
		types := l.Config.v.findKid("actions")
		return types != nil && slices.ContainsFunc(types.keys, func(key string) bool { return types.findKid(key).formatScalar() == "flag" })
	})
)

// testRuns matches a link that runs in a phase. By default it runs in all phases of its stage.
func testRuns(p Phase) test {
	return func(l *Link) bool { return len(l.Phases) == 0 || slices.Contains(l.Phases, p) }
}

// canMeet reports whether one exchange may match both filters. Only tenants are conclusive: keys and models have more than
// one name.
func canMeet(a, b *For) bool {
	if len(a.Tenants) == 0 || len(b.Tenants) == 0 {
		return true
	}
	for _, x := range a.Tenants {
		for _, y := range b.Tenants {
			if coversText(x, y) || coversText(y, x) || strings.ContainsAny(x+y, "*?") {
				return true
			}
		}
	}
	return false
}

// covers reports whether every exchange that matches b matches a.
func covers(a, b *For) bool {
	return coversList(a.Tenants, b.Tenants) && coversList(a.Keys, b.Keys) && coversList(a.Models, b.Models) &&
		coversList(a.Dialects, b.Dialects)
}

func coversList(a, b []string) bool {
	if len(a) == 0 {
		return true
	}
	if len(b) == 0 {
		return slices.Contains(a, "*")
	}
	return !slices.ContainsFunc(b, func(entry string) bool {
		return !slices.ContainsFunc(a, func(pattern string) bool { return coversText(pattern, entry) })
	})
}

// coversText matches a pattern with * against a text, which may itself be a pattern.
func coversText(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, first)
	for ok && rest != "" {
		var piece string
		if piece, rest, star = strings.Cut(rest, "*"); !star {
			return strings.HasSuffix(text, piece)
		}
		_, text, ok = strings.Cut(text, piece)
	}
	return ok
}

// Covers reports whether the link runs in enforce mode wherever another runs.
func (l *Link) Covers(other *Link) bool {
	return enforces(l) && covers(&l.For, &other.For) && coversPhases(l.Phases, other.Phases)
}

func coversPhases(a, b []Phase) bool {
	if len(a) == 0 {
		return true
	}
	if len(b) == 0 {
		b = []Phase{PhaseRequest, PhaseTarget, PhaseResponse}
	}
	return !slices.ContainsFunc(b, func(p Phase) bool { return !slices.Contains(a, p) })
}

// leavesBatches reports whether clients can send batches that only the links see that redact.
func leavesBatches(c *Config) bool {
	if c.Batch.Guards == BatchEnforce {
		return false
	}
	for name, p := range c.Providers {
		switch cmp.Or(p.Type, name) {
		case "openai", "azure-openai", "azure": // what the mock is sent stays in this process
			return true
		}
	}
	return false
}
