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
		"model.denylist":            makeGlobsForm(Model, OpIn),
		"model.in":                  makeGlobsForm(Model, OpIn),
		"model.allowlist":           makeGlobsForm(Model, OpNotIn),
		"provider.denylist":         makeProvidersForm(OpIn),
		"provider.in":               makeProvidersForm(OpIn),
		"provider.allowlist":        makeProvidersForm(OpNotIn),
		"region.denylist":           makeGlobsForm(Region, OpIn),
		"region.in":                 makeGlobsForm(Region, OpIn),
		"region.allowlist":          makeGlobsForm(Region, OpNotIn),
		"tenant.in":                 makeGlobsForm(TenantID, OpIn),
		"tenant.metadata":           makeKeyedForm(TenantMetadata, nil),
		"key.in":                    makeGlobsForm(KeyID, OpIn),
		"key.scopes_any":            makeGlobsForm(KeyScopes, OpAny),
		"key.scopes_all":            makeGlobsForm(KeyScopes, OpAll),
		"key.tags_any":              makeGlobsForm(KeyTags, OpAny),
		"key.metadata":              makeKeyedForm(KeyMetadata, nil),
		"key.expires_within":        readWithin,
		"user.in":                   readUsers,
		"user.missing":              readUserMissing,
		"request.shape_in":          makeGlobsForm(Shape, OpIn),
		"request.stream":            makeSwitchForm(Streaming),
		"request.has_tools":         makeSwitchForm(HasTools),
		"request.has_images":        makeSwitchForm(HasImages),
		"request.has_files":         makeSwitchForm(HasFiles),
		"request.effort_in":         makeGlobsForm(Effort, OpIn),
		"request.temperature_gt":    makeAboveForm(Temperature, 0, 2),
		"tools.denylist":            makeGlobsForm(ToolNames, OpAny),
		"tools.allowlist":           makeGlobsForm(ToolNames, OpOther),
		"tools.types_any":           makeGlobsForm(ToolTypes, OpAny),
		"tools.count_gt":            makeAboveForm(ToolCount, 0, 1e6),
		"agent.name":                makeGlobsForm(AgentName, OpIn),
		"agent.method":              makeGlobsForm(AgentMethod, OpIn),
		"tool.name":                 makeGlobsForm(ToolName, OpIn),
		"tool.server":               makeGlobsForm(ToolServer, OpIn),
		"tool.annotations":          makeKeyedForm(ToolAnnotations, nil),
		"tool.args":                 makeKeyedForm(ToolArgs, nil),
		"tool.offered":              makeSwitchForm(ToolOffered),
		"tool.requested":            makeSwitchForm(ToolRequested),
		"messages.count_gt":         makeAboveForm(MessageCount, 0, 1e9),
		"messages.system_missing":   makeSwitchForm(SystemMissing),
		"tokens.prompt_gt":          makeAboveForm(PromptTokens, 0, 1e12),
		"tokens.prompt_lt":          makeBelowForm(PromptTokens, 0, 1e12),
		"tokens.max_gt":             makeAboveForm(MaxTokens, 0, 1e12),
		"tokens.max_missing":        makeSwitchForm(MaxTokensMissing),
		"cost.estimated_usd_gt":     makeAboveForm(Cost, 0, 1e9),
		"budget.remaining_pct_lt":   makeBelowForm(BudgetPct, 0, 100),
		"budget.exceeded":           makeSwitchForm(BudgetExceeded),
		"time.window":               readWindow,
		"headers":                   makeKeyedForm(Headers, normalizeHeader),
		"metadata":                  makeKeyedForm(Metadata, nil),
		"pii.types_any":             makeGlobsForm(PIITypes, OpAny),
		"pii.count_gt":              makeAboveForm(PIICount, 0, 1e6),
		"pii.min_confidence":        readConfidence,
		"detector.labels_any":       makeGlobsForm(DetectorLabels, OpAny),
		"detector.score":            readScores,
		"response.finish_reason_in": makeGlobsForm(FinishReason, OpIn),
		"response.tokens_gt":        makeAboveForm(ResponseTokens, 0, 1e12),
		"response.pii_types_any":    makeGlobsForm(ResponsePII, OpAny),
		"response.schema_invalid":   makeSwitchForm(SchemaInvalid),
	}
	conditionNames = slices.Sorted(maps.Keys(named))
}

func makeGlobsForm(a Attr, op Op) form {
	return func(r *reader, e entry) []Test { return []Test{{Attr: a, Op: op, Globs: r.readGlobs(e)}} }
}

func makeProvidersForm(op Op) form {
	return func(r *reader, e entry) []Test {
		list := r.readTexts(e)
		globs := make([]Glob, len(list))
		for i, s := range list {
			globs[i] = NewGlob(normalizeProvider(s))
		}
		return []Test{{Attr: Provider, Op: op, Globs: globs}}
	}
}

func makeSwitchForm(a Attr) form {
	return func(r *reader, e entry) []Test { return []Test{{Attr: a, Op: OpIs, Is: r.readBoolean(e)}} }
}

func makeAboveForm(a Attr, lo, hi float64) form {
	return func(r *reader, e entry) []Test {
		return []Test{{Attr: a, Op: OpRange, Range: Range{Lo: r.readNumber(e, lo, hi), HasLo: true, OpenLo: true}}}
	}
}

func makeBelowForm(a Attr, lo, hi float64) form {
	return func(r *reader, e entry) []Test {
		return []Test{{Attr: a, Op: OpRange, Range: Range{Hi: r.readNumber(e, lo, hi), HasHi: true, OpenHi: true}}}
	}
}

// makeKeyedForm reads a mapping whose values are patterns.
func makeKeyedForm(a Attr, spell func(string) string) form {
	return func(r *reader, e entry) []Test {
		var out []Test
		list := r.readMapping(e.value, e.key)
		if len(list) == 0 && e.value.Kind == yaml.MappingNode {
			r.addInvalid(e.value, "%s is empty; write %s: {name: pattern}", e.key, e.key)
		}
		for _, kid := range list {
			key := kid.key
			if spell != nil {
				key = spell(key)
			}
			out = append(out, Test{Attr: a, Key: key, Op: OpIn, Globs: r.readGlobs(entry{e.key + "." + kid.key, kid.at, kid.value})})
		}
		return out
	}
}
