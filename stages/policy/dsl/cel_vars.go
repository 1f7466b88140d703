package dsl

import (
	"maps"
	"slices"

	"cel.dev/cel-go/cel"
)

// fieldSet contains the fields of a variable, each with its input.
type fieldSet struct {
	attrs map[string]Attr
	open  bool // any field may be asked for
}

func (s fieldSet) listAttrs() (out Attrs) {
	for _, a := range s.attrs {
		out |= NewAttrSet(a)
	}
	return out
}

func (s fieldSet) listNames() []string { return slices.Sorted(maps.Keys(s.attrs)) }

// variables are those of an expression, except now, which is a time.
var variables = map[string]fieldSet{
	"request": {attrs: map[string]Attr{
		"shape": Shape, "stream": Streaming, "has_tools": HasTools, "has_images": HasImages, "has_files": HasFiles,
		"effort": Effort, "temperature": Temperature, "schema": AnswerSchema, "metadata": Metadata, "headers": Headers,
	}},
	"model":    {attrs: map[string]Attr{"name": Model, "routed": Model, "context_window": ContextWindow}},
	"provider": {attrs: map[string]Attr{"name": Provider, "region": Region}},
	"tenant":   {attrs: map[string]Attr{"id": TenantID, "metadata": TenantMetadata, "tags": TenantMetadata}},
	"key": {attrs: map[string]Attr{
		"id": KeyID, "name": KeyID, "tier": KeyID, "scopes": KeyScopes, "tags": KeyTags, "metadata": KeyMetadata, "expires": KeyExpiry,
	}},
	"user":  {attrs: map[string]Attr{"id": User, "missing": User}},
	"tools": {attrs: map[string]Attr{"names": ToolNames, "types": ToolTypes, "count": ToolCount}},
	"agent": {attrs: map[string]Attr{"name": AgentName, "method": AgentMethod}},
	"tool": {attrs: map[string]Attr{
		"name": ToolName, "server": ToolServer, "annotations": ToolAnnotations, "args": ToolArgs,
		"offered": ToolOffered, "requested": ToolRequested,
	}},
	"messages": {attrs: map[string]Attr{"count": MessageCount, "system_missing": SystemMissing}},
	"tokens":   {attrs: map[string]Attr{"prompt": PromptTokens, "max": MaxTokens, "max_missing": MaxTokensMissing}},
	"cost":     {attrs: map[string]Attr{"estimated_usd": Cost}},
	"budget":   {attrs: map[string]Attr{"remaining_pct": BudgetPct, "exceeded": BudgetExceeded}},
	"pii":      {attrs: map[string]Attr{"types": PIITypes, "count": PIICount}},
	"detector": {attrs: map[string]Attr{"": DetectorScore}, open: true},
}

// activation provides the variables of an expression. They are created when they are needed.
type activation struct{ f *Facts }

var _ cel.Activation = (*activation)(nil)

// Parent returns nil: there are no other variables.
func (*activation) Parent() cel.Activation { return nil }

// ResolveName returns a variable.
func (a *activation) ResolveName(name string) (any, bool) {
	f := a.f
	m := map[string]any{}
	switch name {
	case "now":
		return f.Now, true
	case "request":
		m = map[string]any{
			"shape": f.Shape, "stream": f.Stream, "has_tools": len(f.Tools)+len(f.ToolTypes) > 0, "has_images": f.HasImages,
			"has_files": f.HasFiles, "effort": f.Effort, "schema": f.Schema, "metadata": f.Metadata, "headers": listHeaders(f),
		}
		if f.HasTemperature {
			m["temperature"] = f.Temperature
		}
	case "model":
		m["name"], m["routed"] = f.Asked[0], f.Sent[0]
		if f.Sent[0] == "" {
			m["routed"] = f.Asked[0]
		}
		if f.ContextWindow > 0 {
			m["context_window"] = f.ContextWindow
		}
	case "provider":
		m["name"], m["region"] = f.Provider, f.Region
	case "tenant":
		m["id"], m["metadata"], m["tags"] = f.Tenant, ensureMap(f.TenantMetadata), f.TenantTags
	case "key":
		m["id"], m["name"], m["tier"], m["scopes"], m["tags"], m["metadata"] = f.Key, f.KeyName, f.KeyTier, f.Scopes, f.KeyTags, ensureMap(
			f.KeyMetadata,
		)
		if !f.KeyExpires.IsZero() {
			m["expires"] = f.KeyExpires
		}
	case "user":
		m["id"], m["missing"] = f.User, f.User == ""
	case "tools":
		m["names"], m["types"], m["count"] = f.Tools, f.ToolTypes, max(len(f.Tools), len(f.ToolTypes))
	case "agent":
		m["name"], m["method"] = f.Agent.Name, f.Agent.Method
	case "tool":
		m["name"], m["server"] = f.Tool.Name, f.Tool.Server
		m["annotations"], m["args"] = ensureMap(f.Tool.Annotations), ensureMap(f.Tool.Args)
		other := f.Tool.Name == "" // an exchange without a tool call must not be denied for lack of an offer
		m["offered"], m["requested"] = f.Tool.Offered || other, f.Tool.Requested || other
	case "messages":
		m["count"], m["system_missing"] = f.Messages, f.SystemMissing
	case "tokens":
		m["prompt"], m["max"], m["max_missing"] = f.PromptTokens, f.MaxTokens, f.MaxTokens == 0
	case "cost":
		if f.Priced {
			m["estimated_usd"] = f.CostUSD
		}
	case "budget":
		if f.Budgeted {
			m["remaining_pct"] = f.BudgetPct
		}
		m["exceeded"] = f.Budgeted && f.BudgetExceeded
	case "pii":
		n, names := 0, make([]string, len(f.PII))
		for i, l := range f.PII {
			names[i] = l.Name
			n += l.Count
		}
		m["types"], m["count"] = names, n
	case "detector":
		for i := range f.Detectors {
			m[f.Detectors[i].Name] = f.Detectors[i].parseDecimal()
		}
	default:
		return nil, false
	}
	return m, true
}

// listHeaders returns the request's headers with names in lower case, and the first value of each.
func listHeaders(f *Facts) map[string]string {
	out := make(map[string]string, len(f.Header))
	for name, v := range f.Header {
		if len(v) > 0 && !isSecretHeader(name) {
			out[lowerASCII(name)] = v[0]
		}
	}
	return out
}

// ensureMap returns m, or an empty map if m is nil.
func ensureMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// buildPartial marks the inputs that are unknown.
func (a *activation) buildPartial(unknown Attrs) any {
	if unknown == 0 {
		return a
	}
	var patterns []*cel.AttributePatternType
	for name, fields := range variables {
		for field, attr := range fields.attrs {
			if !unknown.Has(attr) {
				continue
			}
			p := cel.AttributePattern(name)
			if fields.open {
				p = p.Wildcard()
			} else {
				p = p.QualString(field)
			}
			patterns = append(patterns, p)
		}
	}
	if unknown.Has(Clock) {
		patterns = append(patterns, cel.AttributePattern("now"))
	}
	p, err := cel.PartialVars(a, patterns...)
	if err != nil { // a is an activation, so this cannot be
		return a
	}
	return p
}
