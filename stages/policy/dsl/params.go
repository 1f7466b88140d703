package dsl

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Params are an action's parameters.
type Params struct {
	Exempts           []string // of ALLOW: rule, or policy/rule
	Message           string   // of WARN_AGENT
	Severity          string   // of FLAG
	Types             []Glob   // of REDACT
	Model             string   // of ROUTE, as the two below
	Provider          string
	Region            string
	KeepIfUnavailable bool
	MaxTokens         int64  // of CAP_TOKENS
	Regions           []Glob // of REQUIRE_REGION
	Scopes            []string
	Metadata          []Test // of REQUIRE_METADATA
}

// params are the parameters of each action. The first ones, up to needed, are required. ROUTE requires one of its first
// three.
var params = map[Action]struct {
	known  []string
	needed int
}{
	Deny:            {},
	Allow:           {[]string{"exempts"}, 1},
	WarnAgent:       {[]string{"message"}, 0},
	Flag:            {[]string{"severity"}, 0},
	Redact:          {[]string{"types"}, 0},
	Route:           {[]string{"model", "provider", "region", "keep_if_unavailable"}, 0},
	CapTokens:       {[]string{"max_tokens"}, 1},
	RequireRegion:   {[]string{"regions"}, 1},
	RequireScope:    {[]string{"scopes"}, 1},
	RequireUser:     {},
	RequireMetadata: {[]string{"keys"}, 1},
	RequireSchema:   {},
	RequireApproval: {},
}

// params reads the parameters of an action. n is nil without parameters.
func (r *reader) params(a Action, n *yaml.Node, at *yaml.Node) (p Params) {
	table, seen := params[a], map[string]bool{}
	if n != nil && n.ShortTag() != "!!null" {
		for _, e := range r.mapping(n, "params") {
			if !slices.Contains(table.known, e.key) {
				if len(table.known) == 0 {
					r.invalid(e.at, "%s takes no params; take out %q", a, e.key)
				} else {
					r.unknown(e, CodeInvalid, "param of "+string(a), table.known)
				}
				continue
			}
			seen[e.key] = true
			r.param(&p, e)
		}
	}
	for _, need := range table.known[:table.needed] {
		if !seen[need] {
			r.invalid(at, "%s needs params: {%s: …}", a, need)
		}
	}
	if a == Route && p.Model == "" && p.Provider == "" && p.Region == "" {
		r.invalid(at, "ROUTE needs params: {model: …}, {provider: …} or {region: …}")
	}
	return p
}

func (r *reader) param(p *Params, e entry) {
	switch e.key {
	case "exempts":
		p.Exempts = r.texts(e)
	case "message":
		p.Message = r.message(e)
	case "severity":
		p.Severity = r.word(e, "low", "medium", "high", "critical")
	case "types":
		p.Types = r.globs(e)
	case "model":
		p.Model = r.name(e)
	case "provider":
		p.Provider = providerName(r.name(e))
	case "region":
		p.Region = r.name(e)
	case "keep_if_unavailable":
		p.KeepIfUnavailable = r.boolean(e)
	case "max_tokens":
		p.MaxTokens = r.integer(e, 1, 1<<40)
	case "regions":
		p.Regions = r.globs(e)
	case "scopes":
		p.Scopes = r.texts(e)
	case "keys":
		if e.value.Kind == yaml.MappingNode {
			p.Metadata = readKeyed(Metadata, nil)(r, e)
			return
		}
		for _, key := range r.texts(e) {
			p.Metadata = append(p.Metadata, Test{Attr: Metadata, Key: key, Op: OpIn, Globs: []Glob{NewGlob("*")}})
		}
	}
}

// name reads the target of ROUTE: a name, not a pattern.
func (r *reader) name(e entry) string {
	s := r.text(e)
	if s == "" || strings.ContainsAny(s, "*?") || len(s) > 256 {
		r.invalid(e.value, "%s must be one name, without * or ?", e.key)
		return ""
	}
	return s
}

// message reads a line that is shown to a client.
func (r *reader) message(e entry) string {
	s := r.text(e)
	if len(s) > MaxMessage {
		r.invalid(e.value, "%s is longer than %d bytes", e.key, MaxMessage)
		return ""
	}
	return s
}
