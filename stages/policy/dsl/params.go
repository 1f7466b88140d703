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

// readParams reads the parameters of an action. n is nil without parameters.
func (r *reader) readParams(a Action, n *yaml.Node, at *yaml.Node) (p Params) {
	table, seen := params[a], map[string]bool{}
	if n != nil && n.ShortTag() != "!!null" {
		for _, e := range r.readMapping(n, "params") {
			if !slices.Contains(table.known, e.key) {
				if len(table.known) == 0 {
					r.addInvalid(e.at, "%s takes no params; remove %q", a, e.key)
				} else {
					r.addUnknown(e, CodeInvalid, "param of "+string(a), table.known)
				}
				continue
			}
			seen[e.key] = true
			r.readParam(&p, e)
		}
	}
	for _, need := range table.known[:table.needed] {
		if !seen[need] {
			r.addInvalid(at, "%s needs params: {%s: …}", a, need)
		}
	}
	if a == Route && p.Model == "" && p.Provider == "" && p.Region == "" {
		r.addInvalid(at, "ROUTE needs params: {model: …}, {provider: …} or {region: …}")
	}
	return p
}

func (r *reader) readParam(p *Params, e entry) {
	switch e.key {
	case "exempts":
		p.Exempts = r.readTexts(e)
	case "message":
		p.Message = r.readMessage(e)
	case "severity":
		p.Severity = r.readWord(e, "low", "medium", "high", "critical")
	case "types":
		p.Types = r.readGlobs(e)
	case "model":
		p.Model = r.readName(e)
	case "provider":
		p.Provider = normalizeProvider(r.readName(e))
	case "region":
		p.Region = r.readName(e)
	case "keep_if_unavailable":
		p.KeepIfUnavailable = r.readBoolean(e)
	case "max_tokens":
		p.MaxTokens = r.readInteger(e, 1, 1<<40)
	case "regions":
		p.Regions = r.readGlobs(e)
	case "scopes":
		p.Scopes = r.readTexts(e)
	case "keys":
		if e.value.Kind == yaml.MappingNode {
			p.Metadata = makeKeyedForm(Metadata, nil)(r, e)
			return
		}
		for _, key := range r.readTexts(e) {
			p.Metadata = append(p.Metadata, Test{Attr: Metadata, Key: key, Op: OpIn, Globs: []Glob{NewGlob("*")}})
		}
	}
}

// readName reads the target of ROUTE: a name, not a pattern.
func (r *reader) readName(e entry) string {
	s := r.readText(e)
	if s == "" || strings.ContainsAny(s, "*?") || len(s) > 256 {
		r.addInvalid(e.value, "%s must be one name, without * or ?", e.key)
		return ""
	}
	return s
}

// readMessage reads a line that is shown to a client.
func (r *reader) readMessage(e entry) string {
	s := r.readText(e)
	if len(s) > MaxMessage {
		r.addInvalid(e.value, "%s is longer than %d bytes", e.key, MaxMessage)
		return ""
	}
	return s
}
