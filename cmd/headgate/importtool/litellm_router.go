package importtool

import "time"

// routerRules are LiteLLM's router_settings. fallbacks may also be in litellm_settings.
var routerRules = joinRules(
	[]rule{
		{path: "router_settings.routing_strategy", outcome: Mapped, target: "routes[].strategy", take: importStrategy},
		{
			path: "router_settings.num_retries", outcome: Mapped, target: "routing.retry.attempts",
			why:  "retries plus the first call",
			take: importAttempts,
		},
		{
			path: "router_settings.timeout", outcome: Mapped, target: "providers.*.timeouts",
			why:  "of every provider without its own",
			take: importDefaultTimeout,
		},
		{
			path: "router_settings.retry_after", outcome: Changed, target: "routing.retry.base",
			why:  "the back-off doubles from it, and half of it is random",
			take: importBackoff,
		},
		{
			path: "router_settings.allowed_fails", outcome: Changed, target: "routing.breaker.failures",
			why:  "failures within 30 s that open the circuit of a provider or model",
			take: importAllowedFailures,
		},
		{
			path: "router_settings.cooldown_time", outcome: Changed, target: "routing.breaker.open_for",
			why:  "doubles with each trial that fails",
			take: importCooldown,
		},
		{path: "router_settings.model_group_alias", outcome: Mapped, target: "routes[]", later: true},
	},
	listFallbackRules("router_settings."), listFallbackRules("litellm_settings."),
	listRedisRules("router_settings.redis_"),
	listUnsupportedRules("the gateway falls back when a provider fails, not by the kind of an error: write a larger model in the "+
		"client, or a policy with ROUTE",
		"router_settings.context_window_fallbacks", "litellm_settings.context_window_fallbacks",
		"router_settings.content_policy_fallbacks", "litellm_settings.content_policy_fallbacks"),
	listUnsupportedRules("the gateway leaves out targets that cannot serve a request, by its catalogue", "router_settings.enable_pre_call_checks"),
	listUnsupportedRules("choosing deployments by tags of requests; use policies with ROUTE", "router_settings.enable_tag_filtering"),
	listUnsupportedRules("the gateway has one retry rule; docs/routing.md says what is retried", "router_settings.retry_policy",
		"router_settings.model_group_retry_policy", "router_settings.allowed_fails_policy"),
	listUnsupportedRules("a detail of the chosen strategy in LiteLLM", "router_settings.routing_strategy_args"),
)

// listFallbackRules returns the lists of fallbacks below a section. Whether a model exists shows when all routes are built.
func listFallbackRules(section string) []rule {
	return []rule{
		{path: section + "fallbacks", outcome: Mapped, target: "routes[].providers", why: "tried after the route's own targets", later: true},
		{
			path: section + "default_fallbacks", outcome: Mapped, target: "routes[].providers",
			why: "tried after the own targets of every route", later: true,
		},
	}
}

// strategies are the balances of LiteLLM's router, and how near the gateway comes.
var strategies = map[string]struct{ balance, why string }{
	"simple-shuffle":         {"weighted", ""},
	"latency-based-routing":  {"weighted", "the gateway shares by weights; latency_sla_ms on a route prefers fast targets"},
	"cost-based-routing":     {"weighted", "the gateway shares by weights; latency_sla_ms on a route prefers cheap targets"},
	"usage-based-routing":    {"weighted", "the gateway shares by weights, not by the use of the current minute"},
	"usage-based-routing-v2": {"weighted", "the gateway shares by weights, not by the use of the current minute"},
	"least-busy":             {"round-robin", "the gateway takes targets in turn, whatever they have in flight"},
}

func importStrategy(im *importer, n *node) verdict {
	s, ok := strategies[n.readString()]
	if !ok {
		return newRefusal("is not a strategy that the importer knows")
	}
	im.balance = s.balance
	if s.why != "" {
		return newChange(s.why)
	}
	return verdict{}
}

func importBackoff(im *importer, n *node) verdict {
	d, ok := n.parseDuration(time.Second, time.Millisecond, time.Minute)
	if !ok {
		return newRefusal("is not a time from 1 ms to 1 min; the gateway waits 200 ms at first")
	}
	im.ensureRetry().Base, im.ensureRetry().Max = d, max(d, 2*time.Second)
	return verdict{}
}

func importAllowedFailures(im *importer, n *node) verdict {
	f, ok := n.readNumber()
	if !ok || f >= 100_000 {
		return newRefusal("is not a number of failures")
	}
	im.ensureBreaker().Failures = int(f) + 1
	return verdict{}
}

func importCooldown(im *importer, n *node) verdict {
	d, ok := n.parseDuration(time.Second, 10*time.Millisecond, time.Hour)
	if !ok {
		return newRefusal("is not a time from 10 ms to 1 h")
	}
	im.ensureBreaker().OpenFor, im.ensureBreaker().MaxOpen = d, max(d, 2*time.Minute)
	return verdict{}
}

// buildAliases adds a route for each alias. It has the targets of the aliased model, fallbacks included.
func (im *importer) buildAliases(root *node) {
	for _, alias := range root.find("router_settings.model_group_alias.*") {
		to := alias
		if alias.kind == mapping {
			to = alias.get("model")
			alias.get("hidden").mark(Unsupported, "", "the gateway lists every route that is not a pattern")
		}
		r := im.findRoute(to.readString())
		switch {
		case r == nil:
			alias.mark(Unsupported, "", "no model of the result has this name")
			continue
		case im.findRoute(alias.key) != nil:
			alias.mark(Unsupported, "", "a model has the name of the alias")
			continue
		}
		copied := &route{ModelPattern: escapeVariables(alias.key), Strategy: r.Strategy}
		for _, t := range r.Providers {
			twin := *t
			if twin.ModelOverride == "" {
				twin.ModelOverride = r.ModelPattern
			}
			copied.Providers = append(copied.Providers, &twin)
		}
		im.out.Routes = append(im.out.Routes, copied)
		alias.mark(Mapped, "routes[]", "a route with the same targets")
	}
}

// collectFallbacks lists the fallbacks, and the aliases that they may name.
func (im *importer) collectFallbacks(root *node) {
	im.aliases = map[string]string{}
	for _, alias := range root.find("router_settings.model_group_alias.*") {
		to := alias
		if alias.kind == mapping {
			to = alias.get("model")
		}
		if im.findRoute(alias.key) == nil {
			im.aliases[escapeVariables(alias.key)] = escapeVariables(to.readString())
		}
	}
	for _, section := range []string{"router_settings", "litellm_settings"} {
		for _, entry := range root.find(section + ".fallbacks[]") {
			for _, to := range entry.items {
				im.fallback = append(im.fallback, chainOf{to.key, to})
			}
		}
		if d := root.get(section).get("default_fallbacks"); d != nil {
			im.fallback = append(im.fallback, chainOf{"*", d})
		}
	}
}
