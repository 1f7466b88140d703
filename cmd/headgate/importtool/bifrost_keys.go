package importtool

import (
	"slices"
	"time"
)

// maxLimits is the most entries that the rate limit's list takes.
const maxLimits = 16

// governanceFields documents what readGovernance does.
var governanceFields = []rule{
	{
		path: "governance.virtual_keys[].name", outcome: Changed, target: "tenants[].keys[].name", later: true,
		why: "the gateway's keys start with gw_: it creates each at its first start and prints it once",
	},
	{path: "governance.virtual_keys[].value", outcome: Changed, target: "tenants[].keys[].key", later: true, why: "as the name"},
	{
		path: "governance.virtual_keys[].is_active", outcome: Mapped, target: "tenants[].keys[]", later: true,
		why: "a key that is off is left out",
	},
	{
		path: "governance.virtual_keys[].provider_configs", outcome: Changed, target: "tenants[].keys[].models", later: true,
		why: "a key whose list is empty is left out; a key without a list may use all models if the file has no version",
	},
	{
		path: "governance.virtual_keys[].provider_configs[].allowed_models", outcome: Changed, target: "tenants[].keys[].models", later: true,
		why: "as patterns of provider/model, the names that clients send; a provider whose list is empty is left out, unless version is 1",
	},
	{
		path: "governance.budgets[].max_limit", outcome: Mapped, target: "budgets[].limitUsd", later: true,
		why: "of the virtual key that names the budget; also as virtual_keys[].budget and virtual_keys[].budgets[]",
	},
	{
		path: "governance.budgets[].reset_duration", outcome: Changed, target: "budgets[].period", later: true,
		why: "1d, 1w and 1M; resets at midnight, on Monday or on the first of the month, in UTC",
	},
	{
		path: "governance.rate_limits[].request_max_limit", outcome: Mapped, target: "chain[].config.limits[].requests",
		later: true,
		why:   "with request_reset_duration; also as virtual_keys[].rate_limit",
	},
	{
		path: "governance.rate_limits[].token_max_limit", outcome: Mapped, target: "chain[].config.limits[].tokens", later: true,
		why: "with token_reset_duration",
	},
}

// readGovernance reads virtual keys with their budgets and rate limits.
func (im *importer) readGovernance(root *node) {
	g, version := root.get("governance"), root.get("version")
	version.mark(Changed, "tenants[].keys[].models", "what lists without entries allow")
	keys := map[string]string{} // the name of a key in the result, by its id
	for _, k := range g.findOptional("virtual_keys[]") {
		im.readVirtualKey(g, k, version.readString(), keys)
	}
	for _, b := range g.findOptional("budgets[]") {
		if to, ok := keys[b.get("virtual_key_id").readString()]; ok && !b.isJudged() {
			im.addBudget(b, to)
			b.get("virtual_key_id").mark(Mapped, "budgets[].apiKeyId", "")
			b.mark(Unsupported, "", "the gateway counts from its own records")
		}
		b.mark(Unsupported, "", "no virtual key of the file has this budget; teams and customers are tenants in the gateway")
	}
	for _, r := range g.findOptional("rate_limits[]") {
		r.mark(Unsupported, "", "no virtual key of the file has this limit")
	}
	g.mark(Unsupported, "", "create tenants, and write policies on their keys: docs/policy.md")
}

// findOptional is find on a value that may be absent.
func (n *node) findOptional(path string) []*node {
	if n == nil {
		return nil
	}
	return n.find(path)
}

func (im *importer) readVirtualKey(g, k *node, version string, keys map[string]string) {
	if on := k.get("is_active"); on != nil && !on.isTrue() {
		k.mark(Unsupported, "", "the key is turned off, so it is left out")
		return
	}
	models, ok := readAllowedModels(k, version)
	if !ok {
		k.mark(Unsupported, "", "the key may use no model, so it is left out")
		return
	}
	wanted := k.get("name").readString()
	if wanted == "" {
		wanted = k.get("id").readString()
	}
	taken := map[string]bool{}
	for _, t := range im.out.Tenants {
		for _, have := range t.Keys {
			taken[have.Name] = true
		}
	}
	name := makeUniqueName(taken, wanted)
	im.addKey(name)
	t := &im.out.Tenants[0]
	t.Keys[slices.IndexFunc(t.Keys, func(have key) bool { return have.Name == name })].Models = models
	keys[k.get("id").readString()] = name
	const why = "the gateway's keys start with gw_: it creates each at its first start and prints it once"
	for _, field := range []string{"name", "id", "value"} {
		k.get(field).mark(Changed, "tenants[].keys[]", why)
	}
	k.get("is_active").mark(Mapped, "tenants[].keys[]", "")
	for _, b := range append(k.find("budgets[]"), k.get("budget")) {
		if b != nil {
			im.addBudget(b, name)
		}
	}
	if ref := k.get("budget_id"); ref != nil {
		if b := findEntry(g, "budgets[]", ref.readString()); b != nil {
			im.addBudget(b, name)
			b.mark(Unsupported, "", "the gateway counts from its own records")
			ref.mark(Mapped, "budgets[].apiKeyId", "")
		}
	}
	limit := k.get("rate_limit")
	if ref := k.get("rate_limit_id"); ref != nil {
		if limit = findEntry(g, "rate_limits[]", ref.readString()); limit != nil {
			ref.mark(Mapped, "chain[].config.limits[].keys", "")
		}
	}
	if limit != nil {
		im.addLimit(limit, name, "request")
		im.addLimit(limit, name, "token")
	}
	for _, field := range []string{"provider_configs", "mcp_configs"} {
		k.get(field).mark(Unsupported, "", "what a key may use is a matter of policies and of mcp_servers.*.access, which "+
			"names keys by the ids that the gateway gives")
	}
	k.mark(Unsupported, "", "keys of the gateway have no such setting; metadata and tags of a key are free")
}

// findEntry returns the entry of a list that has an id, or nil.
func findEntry(g *node, list, id string) *node {
	for _, e := range g.findOptional(list) {
		if e.get("id").readString() == id {
			e.get("id").mark(Mapped, "", "the key that names it has it")
			return e
		}
	}
	return nil
}

// addBudget adds the budget of a key.
func (im *importer) addBudget(b *node, key string) {
	limit, span := b.get("max_limit"), b.get("reset_duration")
	usd, ok := parseDollars(limit.readString())
	period := periods[span.readString()]
	if !ok || period == "" {
		b.mark(Unsupported, "", "the gateway's budgets are in USD and reset daily, weekly or monthly")
		return
	}
	taken := map[string]bool{}
	for i := range im.out.Budgets {
		taken[im.out.Budgets[i].Name] = true
	}
	im.out.Budgets = append(im.out.Budgets, budget{
		Name: makeUniqueName(taken, key), TenantID: "default", APIKeyID: key,
		Period: period, LimitUSD: usd,
	})
	limit.mark(Mapped, "budgets[].limitUsd", "")
	span.mark(Changed, "budgets[].period", "resets at midnight, on Monday or on the first of the month, in UTC")
}

// addLimit adds one rate of a key to the link of the rate limit.
func (im *importer) addLimit(limit *node, key, kind string) {
	most, span := limit.get(kind+"_max_limit"), limit.get(kind+"_reset_duration")
	if most.isEmpty() {
		span.mark(Unsupported, "", "there is no limit beside it")
		return
	}
	n, ok := most.readNumber()
	d, known := spans[span.readString()]
	if !ok || !known || n < 1 {
		most.mark(Unsupported, "", "the gateway's limits are for a period of up to 31 days: 30s, 1m, 5m, 1h, 1d, 1w or 1M")
		span.mark(Unsupported, "", "as the limit")
		return
	}
	var l *link
	for _, have := range im.out.Chain {
		if have.Stage == "ratelimit" {
			l = have
		}
	}
	if l == nil {
		l = &link{Stage: "ratelimit", Config: map[string]any{"limits": []any{}}}
		im.out.Chain = append([]*link{l}, im.out.Chain...)
	}
	all, _ := l.Config["limits"].([]any)
	if len(all) == maxLimits {
		most.mark(Unsupported, "", "the gateway's list has at most 16 limits: write one for all keys")
		span.mark(Unsupported, "", "as the limit")
		return
	}
	l.Config["limits"] = append(all, map[string]any{
		"keys": []string{key}, "per": []string{"key"}, kind + "s": int64(n),
		"period": d.String(),
	})
	most.mark(Mapped, "chain[].config.limits[]."+kind+"s", "")
	span.mark(Mapped, "chain[].config.limits[].period", "")
}

// spans are the periods of Bifrost's rate limits.
var spans = map[string]time.Duration{
	"30s": 30 * time.Second, "1m": time.Minute, "5m": 5 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour,
	"1w": 7 * 24 * time.Hour, "1M": 30 * 24 * time.Hour,
}
