package importtool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// importer turns one source into a configuration.
type importer struct {
	prefix string // the prefix of references to variables in the source
	out    gateway
	vars   variables
	dep    *deployment // the one whose fields are being judged
	deps   []*deployment
	// What several fields decide together.
	redis    redis
	cache    *link
	timeout  time.Duration // of providers that have none
	balance  string        // the source's way to choose among deployments
	fallback []chainOf
	aliases  map[string]string // names of models, by their aliases
	// typeOfCache is the field that says where answers are kept.
	typeOfCache *node
	// lastServer is the name of the server of tools that was added last.
	lastServer string
}

// deployment is one model at one provider.
type deployment struct {
	name   string // as clients call it
	vendor string // the prefix in the source
	model  string // as the provider calls it
	p      provider
	weight float64 // 0: not written
	rate   float64 // requests per minute, or tokens per minute
	order  float64
	shares []*node // the fields of weight and rate
	prices map[string]amount
	as     string // the name of its provider in the result
}

// chainOf is a list of models to try after another one.
type chainOf struct {
	from string // "*": every model
	to   *node
}

// result is a finished import.
type result struct {
	out      gateway
	vars     variables
	findings []Finding
}

// sources are the verbs, and what reads each source.
var sources = map[string]func(*importer, *node) error{
	"litellm": (*importer).readLiteLLM,
	"bifrost": (*importer).readBifrost,
	"portkey": (*importer).readPortkey,
}

// convertSource imports the text of a source file.
func convertSource(source string, data []byte) (*result, error) {
	read, ok := sources[source]
	if !ok {
		return nil, fmt.Errorf("unknown gateway %s: write litellm, bifrost or portkey", quoteKey(source))
	}
	root, err := parseSource(data)
	if err != nil {
		return nil, err
	}
	im := &importer{vars: variables{byName: map[string]*variable{}}}
	im.out.Providers = map[string]*provider{}
	if err := read(im, root); err != nil {
		return nil, err
	}
	im.finish()
	return &result{out: im.out, vars: im.vars, findings: root.listFindings()}, nil
}

// finish writes what several fields decide together.
func (im *importer) finish() {
	if im.out.Tenants == nil {
		im.addKey("imported")
	}
	if url := im.redis.url(); url != "" {
		im.out.State = &address{URL: url}
	}
	if im.cache != nil {
		im.cache.Config["store"] = "memory"
		if im.out.State != nil {
			im.cache.Config["store"] = "shared"
		} else if n := im.typeOfCache; n != nil && n.readString() != "local" {
			n.found = &Finding{Path: n.path, Outcome: Changed, Target: "chain[].config.store", Why: "kept in memory, because " +
				"the source names no Redis server: write state.url and store: shared to share it"}
		}
		im.out.Chain = append(im.out.Chain, im.cache)
	}
}

// addKey adds a gateway key, which the gateway creates at its first start and prints once.
func (im *importer) addKey(name string) {
	if im.out.Tenants == nil {
		im.out.Tenants = []tenant{{ID: "default"}}
	}
	t := &im.out.Tenants[0]
	if !slices.ContainsFunc(t.Keys, func(k key) bool { return k.Name == name }) {
		t.Keys = append(t.Keys, key{Name: name, Scopes: []string{}})
	}
}

func (im *importer) ensureRouting() *routing {
	if im.out.Routing == nil {
		im.out.Routing = &routing{}
	}
	return im.out.Routing
}

func (im *importer) ensureRetry() *retry {
	r := im.ensureRouting()
	if r.Retry == nil {
		r.Retry = &retry{}
	}
	return r.Retry
}

func (im *importer) ensureBreaker() *breaker {
	r := im.ensureRouting()
	if r.Breaker == nil {
		r.Breaker = &breaker{}
	}
	return r.Breaker
}

// ensureCacheLink returns the link of the cache, which is the last one.
func (im *importer) ensureCacheLink() *link {
	if im.cache == nil {
		im.cache = &link{Stage: "cache", Config: map[string]any{}}
	}
	return im.cache
}

// importAttempts reads a number of retries unless one has been read.
func importAttempts(im *importer, n *node) verdict {
	if im.ensureRetry().Attempts > 0 {
		return newRefusal(whyFirst)
	}
	return importMaxAttempts(im, n)
}

const whyFirst = "a setting that takes precedence in the source says the same"

// importMaxAttempts reads a number of retries; the highest counts. The gateway counts calls.
func importMaxAttempts(im *importer, n *node) verdict {
	f, ok := n.readNumber()
	if !ok {
		return newRefusal("is not a number of retries")
	}
	im.ensureRetry().Attempts = max(im.ensureRetry().Attempts, int(min(f, 9))+1)
	if f > 9 {
		return newChange("the gateway makes at most 10 calls to one target")
	}
	return verdict{}
}

// buildTimeouts returns the timeouts of a provider whose calls may take d. The first byte of a whole answer comes at
// its end.
func buildTimeouts(d time.Duration) *timeouts {
	return &timeouts{FirstByte: min(d, time.Hour), Total: d}
}

// newTimeoutImport returns a rule's action that reads a time of calls.
func newTimeoutImport(unit time.Duration, set func(im *importer, d time.Duration)) func(*importer, *node) verdict {
	return func(im *importer, n *node) verdict {
		d, ok := n.parseDuration(unit, 10*time.Millisecond, 24*time.Hour)
		if !ok {
			return newRefusal("is not a time from 10 ms to 24 h")
		}
		set(im, d)
		return verdict{}
	}
}

// redis collects the parts of an address.
type redis struct{ whole, host, port, password, db string }

func (r *redis) url() string {
	if r.whole != "" || r.host == "" {
		return r.whole
	}
	var b strings.Builder
	b.WriteString("redis://")
	if r.password != "" {
		b.WriteString(":" + r.password + "@")
	}
	b.WriteString(r.host + ":" + cmp.Or(r.port, "6379") + "/" + cmp.Or(r.db, "0"))
	return b.String()
}

// newSingleTextImport is newTextImport for a place that holds one text: another one is refused.
func newSingleTextImport(into func(*importer) *string) func(*importer, *node) verdict {
	return func(im *importer, n *node) verdict {
		if n.kind != scalar || strings.ContainsAny(n.readString(), " @/?#") && !strings.HasPrefix(n.readString(), im.prefix) {
			return newRefusal("is not a part of an address")
		}
		if have := *into(im); have != "" && have != im.importValue(n) {
			return newRefusal("the gateway uses one Redis server, and the file names another one first")
		}
		*into(im) = im.importValue(n)
		return verdict{}
	}
}

// listRedisRules returns the fields of a Redis server below a path.
func listRedisRules(prefix string) []rule {
	const to = "state.url"
	return []rule{
		{
			path: prefix + "url", outcome: Mapped, target: to,
			take: newSecretImport("REDIS_URL", func(im *importer) *string { return &im.redis.whole }),
		},
		{path: prefix + "host", outcome: Mapped, target: to, take: newSingleTextImport(func(im *importer) *string { return &im.redis.host })},
		{path: prefix + "port", outcome: Mapped, target: to, take: newSingleTextImport(func(im *importer) *string { return &im.redis.port })},
		{path: prefix + "db", outcome: Mapped, target: to, take: newSingleTextImport(func(im *importer) *string { return &im.redis.db })},
		{
			path: prefix + "password", outcome: Mapped, target: to,
			take: newSecretImport("REDIS_PASSWORD", func(im *importer) *string { return &im.redis.password }),
		},
	}
}
