package dsl

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// form reads the value of one named condition.
type form func(r *reader, e entry) []Test

// named are the conditions by name.
var named map[string]form

// conditionNames lists them, sorted, for messages.
var conditionNames []string

func init() { // the table refers to functions that refer to the table's names
	named = map[string]form{
		"model.denylist":            globsOf(Model, OpIn),
		"model.in":                  globsOf(Model, OpIn),
		"model.allowlist":           globsOf(Model, OpNotIn),
		"provider.denylist":         providers(OpIn),
		"provider.in":               providers(OpIn),
		"provider.allowlist":        providers(OpNotIn),
		"region.denylist":           globsOf(Region, OpIn),
		"region.in":                 globsOf(Region, OpIn),
		"region.allowlist":          globsOf(Region, OpNotIn),
		"tenant.in":                 globsOf(TenantID, OpIn),
		"tenant.metadata":           readKeyed(TenantMetadata, nil),
		"key.in":                    globsOf(KeyID, OpIn),
		"key.scopes_any":            globsOf(KeyScopes, OpAny),
		"key.scopes_all":            globsOf(KeyScopes, OpAll),
		"key.tags_any":              globsOf(KeyTags, OpAny),
		"key.metadata":              readKeyed(KeyMetadata, nil),
		"key.expires_within":        readWithin,
		"user.in":                   users,
		"user.missing":              userMissing,
		"request.shape_in":          globsOf(Shape, OpIn),
		"request.stream":            readIs(Streaming),
		"request.has_tools":         readIs(HasTools),
		"request.has_images":        readIs(HasImages),
		"request.has_files":         readIs(HasFiles),
		"request.effort_in":         globsOf(Effort, OpIn),
		"request.temperature_gt":    readAbove(Temperature, 0, 2),
		"tools.denylist":            globsOf(ToolNames, OpAny),
		"tools.allowlist":           globsOf(ToolNames, OpOther),
		"tools.types_any":           globsOf(ToolTypes, OpAny),
		"tools.count_gt":            readAbove(ToolCount, 0, 1e6),
		"agent.name":                globsOf(AgentName, OpIn),
		"agent.method":              globsOf(AgentMethod, OpIn),
		"tool.name":                 globsOf(ToolName, OpIn),
		"tool.server":               globsOf(ToolServer, OpIn),
		"tool.annotations":          readKeyed(ToolAnnotations, nil),
		"tool.args":                 readKeyed(ToolArgs, nil),
		"tool.offered":              readIs(ToolOffered),
		"tool.requested":            readIs(ToolRequested),
		"messages.count_gt":         readAbove(MessageCount, 0, 1e9),
		"messages.system_missing":   readIs(SystemMissing),
		"tokens.prompt_gt":          readAbove(PromptTokens, 0, 1e12),
		"tokens.prompt_lt":          readBelow(PromptTokens, 0, 1e12),
		"tokens.max_gt":             readAbove(MaxTokens, 0, 1e12),
		"tokens.max_missing":        readIs(MaxTokensMissing),
		"cost.estimated_usd_gt":     readAbove(Cost, 0, 1e9),
		"budget.remaining_pct_lt":   readBelow(BudgetPct, 0, 100),
		"budget.exceeded":           readIs(BudgetExceeded),
		"time.window":               window,
		"headers":                   readKeyed(Headers, headerKey),
		"metadata":                  readKeyed(Metadata, nil),
		"pii.types_any":             globsOf(PIITypes, OpAny),
		"pii.count_gt":              readAbove(PIICount, 0, 1e6),
		"pii.min_confidence":        confidence,
		"detector.labels_any":       globsOf(DetectorLabels, OpAny),
		"detector.score":            scores,
		"response.finish_reason_in": globsOf(FinishReason, OpIn),
		"response.tokens_gt":        readAbove(ResponseTokens, 0, 1e12),
		"response.pii_types_any":    globsOf(ResponsePII, OpAny),
		"response.schema_invalid":   readIs(SchemaInvalid),
	}
	conditionNames = slices.Sorted(maps.Keys(named))
}

func globsOf(a Attr, op Op) form {
	return func(r *reader, e entry) []Test { return []Test{{Attr: a, Op: op, Globs: r.globs(e)}} }
}

func providers(op Op) form {
	return func(r *reader, e entry) []Test {
		list := r.texts(e)
		globs := make([]Glob, len(list))
		for i, s := range list {
			globs[i] = NewGlob(providerName(s))
		}
		return []Test{{Attr: Provider, Op: op, Globs: globs}}
	}
}

func readIs(a Attr) form {
	return func(r *reader, e entry) []Test { return []Test{{Attr: a, Op: OpIs, Is: r.boolean(e)}} }
}

func readAbove(a Attr, lo, hi float64) form {
	return func(r *reader, e entry) []Test {
		return []Test{{Attr: a, Op: OpRange, Range: Range{Lo: r.number(e, lo, hi), HasLo: true, OpenLo: true}}}
	}
}

func readBelow(a Attr, lo, hi float64) form {
	return func(r *reader, e entry) []Test {
		return []Test{{Attr: a, Op: OpRange, Range: Range{Hi: r.number(e, lo, hi), HasHi: true, OpenHi: true}}}
	}
}

// readKeyed reads a mapping whose values are patterns.
func readKeyed(a Attr, spell func(string) string) form {
	return func(r *reader, e entry) []Test {
		var out []Test
		list := r.mapping(e.value, e.key)
		if len(list) == 0 && e.value.Kind == yaml.MappingNode {
			r.invalid(e.value, "%s is empty; write %s: {name: pattern}", e.key, e.key)
		}
		for _, kid := range list {
			key := kid.key
			if spell != nil {
				key = spell(key)
			}
			out = append(out, Test{Attr: a, Key: key, Op: OpIn, Globs: r.globs(entry{e.key + "." + kid.key, kid.at, kid.value})})
		}
		return out
	}
}
