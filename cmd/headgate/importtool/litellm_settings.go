package importtool

import (
	"strconv"
	"strings"
	"time"
)

const (
	whyLog     = "the gateway sends traces over OTLP (telemetry.traces.endpoint) and events to webhooks; it has no adapter for this service"
	whyOwnDB   = "the gateway keeps its records in its own database: store.url"
	whyBreaker = "the gateway judges providers by their answers, with circuit breakers; it sends no health checks"
)

// litellmRules are LiteLLM's settings outside model_list, guardrails and mcp_servers.
var litellmRules = joinRules(
	routerRules,
	[]rule{
		{
			path: "general_settings.master_key", outcome: Changed, target: "tenants[].keys[]",
			why: "the gateway's keys start with gw_: it creates one at its first start and prints it once; administrators " +
				"have accounts",
			take: newKeyImport("master"),
		},
		{
			path: "litellm_settings.master_key", outcome: Changed, target: "tenants[].keys[]",
			why:  "as general_settings.master_key",
			take: newKeyImport("master"),
		},
		{path: "general_settings.max_request_size_mb", outcome: Mapped, target: "server.max_body", take: importMebibytes},
		{
			path: "general_settings.global_max_parallel_requests", outcome: Mapped, target: "routing.priority.max_concurrent",
			take: importConcurrency,
		},
		{
			path: "litellm_settings.request_timeout", outcome: Mapped, target: "providers.*.timeouts",
			why:  "of every provider without its own",
			take: importDefaultTimeout,
		},
		{
			path: "litellm_settings.num_retries", outcome: Mapped, target: "routing.retry.attempts",
			why:  "retries plus the first call",
			take: importAttempts,
		},
		{path: "litellm_settings.cache", outcome: Mapped, target: "chain[].stage: cache", take: importCache},
		{path: "litellm_settings.cache_params.type", outcome: Mapped, target: "chain[].config.store", take: importCacheType},
		{path: "litellm_settings.cache_params.ttl", outcome: Mapped, target: "chain[].config.ttl", take: importTTL},
		{path: "litellm_settings.json_logs", outcome: Mapped, target: "log.format", take: func(im *importer, n *node) verdict {
			im.ensureLogging().Format = map[bool]string{true: "json", false: "console"}[n.isTrue()]
			return verdict{}
		}},
		{
			path: "litellm_settings.set_verbose", outcome: Changed, target: "log.level",
			why:  "the gateway's log never holds prompts",
			take: importLogLevel,
		},
		{path: "general_settings.environment_variables", outcome: Unsupported, why: "set variables in the environment of the gateway"},
		{
			path: "environment_variables.*", outcome: Changed, target: "the file of variables",
			why:  "the gateway reads its environment, and sets nothing in it",
			take: importVariable,
		},
		{
			path: "general_settings.database_url", outcome: Unsupported,
			why: whyOwnDB + "; keys, users and budgets in LiteLLM's database are not read",
		},
		{path: "include", outcome: Unsupported, why: "import each of these files too, and join the results"},
		{
			path: "litellm_settings.drop_params", outcome: Unsupported,
			why: "requests in the provider's own shape are sent as they came; others by docs/shapes.md",
		},
		{path: "litellm_settings.callbacks", outcome: Unsupported, take: importCallbacks},
		{path: "litellm_settings.success_callback", outcome: Unsupported, take: importCallbacks},
		{path: "litellm_settings.failure_callback", outcome: Unsupported, take: importCallbacks},
		{path: "litellm_settings.service_callback", outcome: Unsupported, take: importCallbacks},
	},
	listRedisRules("litellm_settings.cache_params."), listRedisRules("general_settings.coordination_redis."),
	listUnsupportedRules(whyOwnDB, "general_settings.store_model_in_db", "general_settings.store_prompts_in_spend_logs",
		"general_settings.disable_spend_logs",
		"general_settings.database_connection_pool_limit", "general_settings.use_redis_transaction_buffer",
		"general_settings.allow_requests_on_db_unavailable"),
	listUnsupportedRules(whyBreaker, "general_settings.background_health_checks", "general_settings.health_check_interval"),
	listUnsupportedRules("write webhooks for events, in the console or by "+
		"/admin/v1/webhooks", "general_settings.alerting", "general_settings.alerting_threshold",
		"general_settings.alert_types", "general_settings.alert_to_webhook_url"),
	listUnsupportedRules("administrators sign in to the console with accounts, SSO or SAML: docs/admin-auth.md", "general_settings.enable_jwt_auth",
		"general_settings.litellm_jwtauth", "general_settings.ui_access_mode", "general_settings.proxy_admin_email",
		"general_settings.custom_sso"),
	listUnsupportedRules("code of LiteLLM's; a plugin or process of the gateway can do this: "+
		"docs/plugins.md", "general_settings.custom_auth", "general_settings.custom_key_generate",
		"litellm_settings.post_call_rules", "litellm_settings.custom_provider_map"),
	listUnsupportedRules("the gateway passes only the APIs that it knows", "general_settings.pass_through_endpoints"),
	listUnsupportedRules("reads secrets from its environment, and seals those in its database", "general_settings.key_management_system",
		"general_settings.key_management_settings"),
	listUnsupportedRules("the gateway provides no tools; clients and mcp_servers bring "+
		"them", "search_tools", "sandbox_tools", "vector_store_registry"),
	listUnsupportedRules("files and batches go to the provider of their model: "+
		"docs/providers.md", "files_settings", "finetune_settings", "assistant_settings"),
	listUnsupportedRules("write rules in the gateway's own language: docs/policy.md", "policies", "policy_attachments"),
	listUnsupportedRules("settings of one team: create a tenant", "litellm_settings.default_team_settings",
		"litellm_settings.default_internal_user_params", "litellm_settings.default_team_params"),
)

func newKeyImport(name string) func(*importer, *node) verdict {
	return func(im *importer, _ *node) verdict {
		im.addKey(name)
		return verdict{}
	}
}

func (im *importer) ensureLogging() *logging {
	if im.out.Log == nil {
		im.out.Log = &logging{}
	}
	return im.out.Log
}

func importDefaultTimeout(im *importer, n *node) verdict {
	if im.timeout > 0 {
		return newRefusal(whyFirst)
	}
	return newTimeoutImport(time.Second, func(im *importer, d time.Duration) { im.timeout = d })(im, n)
}

func importLogLevel(im *importer, n *node) verdict {
	if n.isTrue() {
		im.ensureLogging().Level = "debug"
	}
	return verdict{}
}

func importMebibytes(im *importer, n *node) verdict {
	f, ok := n.readNumber()
	if !ok || f < 1 || f > 1024 {
		return newRefusal("is not a number of MiB from 1 to 1024")
	}
	im.out.Server = &server{MaxBody: strconv.Itoa(int(f)) + "MiB"}
	return verdict{}
}

func importConcurrency(im *importer, n *node) verdict {
	f, ok := n.readNumber()
	if !ok || f < 1 || f > 1_000_000 {
		return newRefusal("is not a number from 1 to 1000000")
	}
	im.ensureRouting().Priority = &priority{MaxConcurrent: int(f)}
	return verdict{}
}

func importCache(im *importer, n *node) verdict {
	if n.isTrue() {
		im.ensureCacheLink()
	}
	return verdict{}
}

func importCacheType(im *importer, n *node) verdict {
	im.typeOfCache = n
	switch n.readString() {
	case "local", "redis":
		return verdict{}
	}
	return newChange("the gateway's cache answers equal requests, from memory or Redis: docs/cache.md")
}

func importTTL(im *importer, n *node) verdict {
	d, ok := n.parseDuration(time.Second, time.Second, 365*24*time.Hour)
	if !ok {
		return newRefusal("is not a time from 1 s to a year")
	}
	if im.cache == nil {
		return newRefusal("the cache is off")
	}
	im.cache.Config["ttl"] = d.String()
	return verdict{}
}

// importVariable keeps a variable of the source for the file of variables.
func importVariable(im *importer, n *node) verdict {
	if n.kind != scalar || !variableName.MatchString(n.key) {
		return newRefusal("is not a variable")
	}
	if name, ok := im.findReference(n.readString()); ok {
		im.vars.formatReference(name, n.path)
		return newChange("refers to another variable: set it to that one's value")
	}
	im.vars.byName[n.key] = &variable{name: n.key, path: n.path, value: n.readString(), set: n.readString() != ""}
	return verdict{}
}

func importCallbacks(_ *importer, n *node) verdict {
	for leaf := range n.visitLeaves() {
		switch leaf.readString() {
		case "prometheus":
			leaf.mark(Mapped, "server.metrics_listen", "metrics are on by default, at 127.0.0.1:9090")
		case "otel":
			leaf.mark(Changed, "telemetry.traces", "set OTEL_EXPORTER_OTLP_ENDPOINT, or write telemetry.traces.endpoint")
		default:
			leaf.mark(Unsupported, "", whyLog)
		}
	}
	return verdict{}
}

// periods are the periods of budgets in LiteLLM's and Bifrost's words.
var periods = map[string]string{
	"1d": "DAILY", "24h": "DAILY", "daily": "DAILY", "7d": "WEEKLY", "1w": "WEEKLY", "weekly": "WEEKLY",
	"30d": "MONTHLY", "1mo": "MONTHLY", "1M": "MONTHLY", "monthly": "MONTHLY",
}

// readBudget reads the budget of the whole proxy: a limit and a period.
func (im *importer) readBudget(root *node) {
	for _, section := range []string{"litellm_settings", "general_settings"} {
		limit, span := root.get(section).get("max_budget"), root.get(section).get("budget_duration")
		if limit == nil {
			span.mark(Unsupported, "", "there is no max_budget beside it")
			continue
		}
		usd, ok := parseDollars(limit.readString())
		period := periods[span.readString()]
		switch {
		case !ok:
			limit.mark(Unsupported, "", "is not an amount of USD")
			span.mark(Unsupported, "", "the budget is not in the result")
		case span != nil && period == "":
			limit.mark(Unsupported, "", "the gateway's budgets reset daily, weekly or monthly")
			span.mark(Unsupported, "", "the gateway's budgets reset daily, weekly or monthly")
		default:
			limit.mark(Mapped, "budgets[].limitUsd", "")
			span.mark(Changed, "budgets[].period", "resets at midnight, on Monday or on the first of the month, in UTC")
			if period == "" {
				period = "MONTHLY"
				limit.found.Outcome, limit.found.Why = Changed, "the source never resets it; the gateway resets it monthly"
			}
			im.out.Budgets = append(im.out.Budgets, budget{Name: "imported", Period: period, LimitUSD: usd})
		}
	}
}

// parseDollars returns an amount of USD as a plain decimal.
func parseDollars(text string) (amount, bool) {
	whole, part, _ := strings.Cut(text, ".")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if whole == "" || !digits(whole) || !digits(part) || len(whole) > 7 || len(part) > 10 {
		return "", false
	}
	return amount(trimZeros(text)), true
}
