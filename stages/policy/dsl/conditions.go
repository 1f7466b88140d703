package dsl

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

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
		"tenant.metadata":           keyed(TenantMetadata, nil),
		"key.in":                    globsOf(KeyID, OpIn),
		"key.scopes_any":            globsOf(KeyScopes, OpAny),
		"key.scopes_all":            globsOf(KeyScopes, OpAll),
		"key.tags_any":              globsOf(KeyTags, OpAny),
		"key.metadata":              keyed(KeyMetadata, nil),
		"key.expires_within":        within,
		"user.in":                   users,
		"user.missing":              userMissing,
		"request.shape_in":          globsOf(Shape, OpIn),
		"request.stream":            is(Streaming),
		"request.has_tools":         is(HasTools),
		"request.has_images":        is(HasImages),
		"request.has_files":         is(HasFiles),
		"request.effort_in":         globsOf(Effort, OpIn),
		"request.temperature_gt":    above(Temperature, 0, 2),
		"tools.denylist":            globsOf(ToolNames, OpAny),
		"tools.allowlist":           globsOf(ToolNames, OpOther),
		"tools.types_any":           globsOf(ToolTypes, OpAny),
		"tools.count_gt":            above(ToolCount, 0, 1e6),
		"messages.count_gt":         above(MessageCount, 0, 1e9),
		"messages.system_missing":   is(SystemMissing),
		"tokens.prompt_gt":          above(PromptTokens, 0, 1e12),
		"tokens.prompt_lt":          below(PromptTokens, 0, 1e12),
		"tokens.max_gt":             above(MaxTokens, 0, 1e12),
		"tokens.max_missing":        is(MaxTokensMissing),
		"cost.estimated_usd_gt":     above(Cost, 0, 1e9),
		"budget.remaining_pct_lt":   below(BudgetPct, 0, 100),
		"budget.exceeded":           is(BudgetExceeded),
		"time.window":               window,
		"headers":                   keyed(Headers, headerKey),
		"metadata":                  keyed(Metadata, nil),
		"pii.types_any":             globsOf(PIITypes, OpAny),
		"pii.count_gt":              above(PIICount, 0, 1e6),
		"pii.min_confidence":        confidence,
		"detector.labels_any":       globsOf(DetectorLabels, OpAny),
		"detector.score":            scores,
		"response.finish_reason_in": globsOf(FinishReason, OpIn),
		"response.tokens_gt":        above(ResponseTokens, 0, 1e12),
		"response.pii_types_any":    globsOf(ResponsePII, OpAny),
		"response.schema_invalid":   is(SchemaInvalid),
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

func is(a Attr) form {
	return func(r *reader, e entry) []Test { return []Test{{Attr: a, Op: OpIs, Is: r.boolean(e)}} }
}

func above(a Attr, lo, hi float64) form {
	return func(r *reader, e entry) []Test {
		return []Test{{Attr: a, Op: OpRange, Range: Range{Lo: r.number(e, lo, hi), HasLo: true, OpenLo: true}}}
	}
}

func below(a Attr, lo, hi float64) form {
	return func(r *reader, e entry) []Test {
		return []Test{{Attr: a, Op: OpRange, Range: Range{Hi: r.number(e, lo, hi), HasHi: true, OpenHi: true}}}
	}
}

// keyed reads a mapping whose values are patterns.
func keyed(a Attr, spell func(string) string) form {
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

// users reads patterns of end users. None fits a request without one.
func users(r *reader, e entry) []Test {
	return []Test{
		{Attr: User, Op: OpIn, Globs: r.globs(e)},
		{Attr: User, Op: OpNotIn, Globs: []Glob{NewGlob("")}},
	}
}

func userMissing(r *reader, e entry) []Test {
	op := OpNotIn
	if r.boolean(e) {
		op = OpIn
	}
	return []Test{{Attr: User, Op: op, Globs: []Glob{NewGlob("")}}}
}

// within reads a span of time: 30d, or as Go writes durations. A key that has
// expired already does not authenticate, so there is no lower bound.
func within(r *reader, e entry) []Test {
	s := r.text(e)
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if d, err = time.ParseDuration(days + "h"); err == nil && d < math.MaxInt64/24 {
			d *= 24
		}
	}
	if err != nil || d <= 0 {
		r.invalid(e.value, "%s: %q is no span of time; write it as 30d or 12h", e.key, s)
		return nil
	}
	return []Test{{Attr: KeyExpiry, Op: OpRange, Range: Range{Hi: d.Seconds(), HasHi: true}}}
}

// confidence counts when a finding has it. It also holds for the rule's other
// conditions on personal data; see parseConditions.
func confidence(r *reader, e entry) []Test {
	return []Test{{Attr: PIIConfidence, Op: OpAny, MinScore: float32(r.number(e, 0, 1))}}
}

// scores reads {label: {gte: 0.8}}, or {label: 0.8}, which means the same.
func scores(r *reader, e entry) []Test {
	var out []Test
	for _, label := range r.mapping(e.value, e.key) {
		t := Test{Attr: DetectorScore, Key: label.key, Op: OpRange}
		if label.value.Kind == yaml.ScalarNode {
			t.Range = Range{Lo: r.number(entry{e.key + "." + label.key, label.at, label.value}, 0, 1), HasLo: true}
			out = append(out, t)
			continue
		}
		bounds := r.mapping(label.value, e.key+"."+label.key)
		for _, b := range bounds {
			v := r.number(b, 0, 1)
			switch b.key {
			case "gte", "gt":
				t.Range.Lo, t.Range.HasLo, t.Range.OpenLo = v, true, b.key == "gt"
			case "lte", "lt":
				t.Range.Hi, t.Range.HasHi, t.Range.OpenHi = v, true, b.key == "lt"
			default:
				r.unknown(b, CodeInvalid, "comparison", []string{"gte", "gt", "lte", "lt"})
			}
		}
		if len(bounds) == 0 {
			r.invalid(label.value, "%s.%s compares with nothing; write {gte: 0.8}", e.key, label.key)
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		r.invalid(e.value, "%s is empty; write %s: {prompt_injection: {gte: 0.8}}", e.key, e.key)
	}
	return out
}

var dayNames = [7]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// window reads {days, from, to, tz}.
func window(r *reader, e entry) []Test {
	w := &Window{Zone: time.UTC, Days: [7]bool{true, true, true, true, true, true, true}, To: dayMinutes}
	var err error
	for _, kid := range r.mapping(e.value, e.key) {
		switch kid.key {
		case "days":
			w.Days = [7]bool{}
			for _, day := range r.texts(kid) {
				i := slices.Index(dayNames[:], day)
				if i < 0 {
					r.invalid(kid.value, "time.window.days: %q is no day; write %s", day, strings.Join(dayNames[:], ", "))
					continue
				}
				w.Days[i] = true
			}
		case "from":
			w.From = r.clock(kid)
		case "to":
			w.To = r.clock(kid)
		case "tz":
			name := r.text(kid)
			if w.Zone, err = time.LoadLocation(name); err != nil || name == "" || name == "Local" {
				r.invalid(kid.value, "time.window.tz: %q is no time zone; write a name as Europe/Berlin", name)
				w.Zone = time.UTC
			}
		default:
			r.unknown(kid, CodeUnknownCondition, "time.window key", []string{"days", "from", "to", "tz"})
		}
	}
	if w.From == w.To {
		r.invalid(e.value, "time.window: from and to are equal; leave both out for the whole day")
	}
	return []Test{{Attr: Clock, Op: OpWindow, Window: w}}
}
