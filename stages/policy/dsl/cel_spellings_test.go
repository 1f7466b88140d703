package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every way to test for a model that the language offers. "$M" stands for its name in the rule, in either case.
var spellings = []string{
	`model.name == "$M"`, `model["name"] == "$M"`, `model.?name == optional.of("$M")`, `model[?"name"] == optional.of("$M")`,
	// Lookups.
	`tenant.metadata.blocked[model.name]`, `tenant.metadata.blocked[?model.name].orValue(false)`,
	`tenant.metadata.?blocked[?model.name].orValue(false)`, `tenant.metadata.?blocked[model.name].orValue(false)`,
	`tenant.metadata[?"blocked"][?model.name].orValue(false)`, `tenant.metadata.blocked[?model.?name.orValue("")].orValue(false)`,
	`{"$M": true}[model.name]`, `{"$M": true}[?model.name].orValue(false)`, `{"$M": true}[?model.name].hasValue()`,
	`optional.of({"$M": true})[?model.name].value()`, `{"openai/$M": 1}[?"openai/" + model.name] == optional.of(1)`,
	`{"a": {"$M": true}}.a[?model.name].orValue(false)`, `[{"$M": true}][0][model.name]`, `{" $M ": true}[model.name]`,
	`[model.name].exists(n, {"$M": true}[?n].orValue(false))`, `[model.name].map(n, {"$M": 5}[?n].orValue(0))[0] == 5`,
	`model.?name.optMap(n, {"$M": true}[?n].orValue(false)).orValue(false)`, `model.?name.optFlatMap(n, {"$M": true}[?n]).orValue(false)`,
	`{"$M": 100, "x": 1}[?model.name].orValue(1) > tokens.prompt`, `{"$M": "Gold"}[?model.name].orValue("") == tenant.metadata.plan`,
	`[{"k": "$M"}].exists(e, {"x": true, "$M": true}[?model.name].orValue(false))`, `(true ? {"$M": true} : {})[?model.name].orValue(false)`,
	`model.exists(k, {"name": model[k]}.name == "$M")`, `{"$M": {"$M": true}}[model.name][model.routed]`, `{"$M": [true]}[model.name][0]`,
	// Leading dots.
	`.model.name == "$M"`, `.model["name"] == "$M"`, `.matches(model.name, "^$M$")`, `.matches(.model.name, "^$M$")`, `.model.?name.orValue("") == "$M"`,
	`["$M"].exists(m, .model.name == m)`, `.string(.model.name) == "$M"`, `.optional.of(.model.name) == optional.of("$M")`, `"$M" in [.dyn(.model).name]`,
	// Values that contain a name.
	`{"m": model.name} == {"m": "$M"}`, `[{"m": model.name}] == [{"m": "$M"}]`, `{"m": model.name} in [{"m": "$M"}]`, `{"m": [model.name]} == {"m": ["$M"]}`,
	`{"m": {"n": model.name}} == {"m": {"n": "$M"}}`, `{"m": model.name}.m == "$M"`, `{"m": model.name}[?"m"] == optional.of("$M")`, `[model.name][0] == "$M"`,
	`[?model.?name] == ["$M"]`, `{?"m": model.?name} == {"m": "$M"}`, `[model.name] + ["x"] == ["$M", "x"]`, `[[model.name]] == [["$M"]]`,
	`{"context_window": model.name}.context_window == "$M"`, `{"context_window": model.name}[?"context_window"].orValue("") == "$M"`,
	`[model][0].name == "$M"`, `{"m": model}.m.name == "$M"`, `dyn(model).name == "$M"`, `(true ? model : {}).name == "$M"`, `model.name in [["$M"]][0]`,
	`model in [{"name": "$M", "routed": "$M", "context_window": 1000}]`, `model == {"name": "$M", "routed": "$M", "context_window": 1000}`,
	// Optionals.
	`optional.of(model.name) == optional.of("$M")`, `optional.ofNonZeroValue(model.name) == optional.of("$M")`, `model.?name.hasValue("$M")`,
	`optional.of("$M").hasValue(model.name)`, `optional.none().or(model.?name) == optional.of("$M")`, `optional.none().orValue(model.name) == "$M"`,
	`tenant.metadata.?missing.orValue(model.name) == "$M"`, `model.?name.value() == "$M"`, `model.?name in [optional.of("$M")]`, `optional.of([model.name]) == optional.of(["$M"])`,
	`optional.of(model).?name == optional.of("$M")`, `model.?name.optMap(n, n == "$M").orValue(false)`, `model.?name.optMap(n, n + "!") == optional.of("$M!")`,
	`[model.name].first() == optional.of("$M")`, `[model.name].last().value() == "$M"`, `optional.unwrap([model.?name]) == ["$M"]`, `[model.?name].unwrapOpt()[0] == "$M"`,
	// Conversions.
	`bytes(model.name) == b"$M"`, `string(bytes(model.name)) == "$M"`, `b"$M" == bytes(model.name)`, `bytes(model.name) + b"!" == b"$M!"`, `bytes(model.name) in [b"$M"]`,
	`bytes(model.name) <= b"$M" && bytes(model.name) >= b"$M"`, `[bytes(model.name)] == [b"$M"]`, `bytes(model.name) == bytes("$M")`, `string(model.name) == "$M"`,
	`type(model.name) == string && model.name == "$M"`, `dyn(model.name) == "$M"`, `bytes(model.name).size() == 6 && size(model.name) == size("$M")`,
	`int(model.?context_window.orValue(1)) * 2 == 2000 && model.name == "$M"`, `double(model["context_window"]) > 1.0 && model.name == "$M"`,
	// Parts.
	`model.name.startsWith("$M")`, `model.name.endsWith("$M")`, `model.name.contains("$M")`, `model.name.matches("$M")`, `matches(model.name, "^$M$")`,
	`model.name.matches("(?i)^$M$")`, `"$M".contains(model.name)`, `"x$M".endsWith(model.name)`, `"$M".matches(model.name)`, `!(model.name < "$M" || model.name > "$M")`,
	// Macros, ternaries and nesting.
	`["$M"].exists(m, m == model.name)`, `!["$M"].all(m, m != model.name)`, `["$M", "x"].exists_one(m, m == model.name)`, "model.`name` == \"$M\"",
	`["$M"].filter(m, m == model.name).size() == 1`, `["$M"].map(m, m == model.name, 1) == [1]`, `[model.name].map(n, n) == ["$M"]`,
	`[model.name].filter(n, n.startsWith("$M")).size() == 1`, `[[model.name]].map(l, l[0])[0] == "$M"`, `["$M"].map(m, [m, model.name]).exists(p, p[0] == p[1])`,
	`["$M"].map(m, {"a": m, "b": model.name}).exists(p, p.a == p.b)`, `[1].map(i, [model.name].map(n, n)[0])[0] == "$M"`, `[model].exists(m, m.name == "$M")`,
	`model.exists(k, k == "name" && model[k] == "$M")`, `(model.name == "$M" ? 1 : 2) == 1`, `(tokens.prompt > 5 ? model.name : "x") == "$M"`,
	`has(model.name) && model.name == "$M"`, `has({"m": model.name}.m) && model.routed == "$M"`, `"openai/" + model.name == "openai/$M"`,
	`{"$M": 1}.exists(k, k == model.name)`, `model.name in {"$M": 1}`, `model.name in tenant.metadata.blocked`, `tenant.metadata.blocked.exists(k, k == model.name && tenant.metadata.blocked[k])`,
	`["$M"].exists(model, model == "$M") && model.name == "$M"`, `model.name == "$M" && tenant.id == "Acme"`, `!(model.name != "$M")`, `model.name in ["x"] + ["$M"]`,
}

// An accepted expression decides the same for every spelling of a model.
func TestEverySpellingOfAnExpressionDecidesTheSameForEverySpellingOfAModel(t *testing.T) {
	for _, spelling := range spellings {
		for _, written := range []string{"gpt-4o", "GPT-4O"} {
			when := strings.ReplaceAll(spelling, "$M", written)
			_, err := compileExpression(when)
			require.NoError(t, err, when)
			for _, asked := range []string{"gpt-4o", "GPT-4O", "gPt-4o"} {
				r := decideFor(t, when, asked, written)
				assert.Equal(t, Denied, r.Status, "%s about %s", when, asked)
				assert.Empty(t, r.Notes, "%s about %s", when, asked)
			}
			r := decideFor(t, when, "other", written)
			assert.True(t, r.Status == Allowed || len(r.Notes) > 0, "%s about another model: %s", when, r.Status)
		}
	}
}

func decideFor(t *testing.T, when, asked, written string) *Result {
	t.Helper()
	context := `{"model":"` + asked + `","tenant":{"id":"Acme","metadata":{"plan":"Gold","blocked":{"` + written + `":true}}},` +
		`"context_window":1000,"tokens":{"prompt":7}}`
	return Decide(parseRule(t, `{id: r, when: '`+when+`', action: DENY}`), facts(t, context, true))
}

// An expression is refused if its result could depend on the spelling of a model. The error says what to write instead.
func TestAnExpressionThatTellsSpellingsOfAModelApartIsRefused(t *testing.T) {
	for when, says := range map[string]string{
		`bool(model.name)`:                                           "bool() cannot be used",
		`duration(model.name) > duration("1s")`:                      "duration() cannot be used",
		`timestamp(model.name) > now`:                                "timestamp() cannot be used",
		`[model.name].exists(n, .bool(n))`:                           "bool() cannot be used",
		`timestamp(model.?name.orValue("")).getHours() > 1`:          "timestamp() cannot be used",
		`_in_(model.name, ["gpt-4o"])`:                               "_in_() cannot be used",
		`model.name.lowerAscii() == "gpt-4o"`:                        "compare the name with ==, in",
		`model.name.split("-")[0] == "gpt"`:                          "split() cannot be used",
		`model.name.replace("g", "G") == "x"`:                        "replace() cannot be used",
		`"%s".format([model.name]) == "gpt-4o"`:                      "format() cannot be used",
		`[model.name].join(",") == "gpt-4o"`:                         "join() cannot be used",
		`model.name.indexOf("gpt") == 0`:                             "indexOf() cannot be used",
		`sets.contains(["gpt-4o"], [model.name])`:                    "contains() cannot be used",
		`{model.name: true}["gpt-4o"]`:                               "cannot be the key of a map",
		`has({model.name: true}.o3)`:                                 "cannot be the key of a map",
		`{?model.name: optional.of(1)} == {"o3": 1}`:                 "cannot be the key of a map",
		`[model.name].exists(n, {n: 1} == {"gpt-4o": 1})`:            "cannot be the key of a map; compare it with ==, in or exists (column 25)",
		`google.protobuf.StringValue{value: model.name} == "gpt-4o"`: "cannot be in a message",
		`["a"].exists(model, .model.name == "gpt-4o")`:               "model is a variable of the expression too",
		`"gpt-4o".@name() == model.name`:                             "Syntax error",
	} {
		_, err := compileExpression(when)
		assert.ErrorContains(t, err, says, when)
	}
}

// Neither of two spellings takes precedence, so a DENY rule denies.
func TestAMapThatSpellsAModelTwiceDecidesNothing(t *testing.T) {
	const when = `{"gpt-4o": false, "GPT-4O": true}[?model.name].orValue(false)`
	for _, asked := range []string{"gpt-4o", "GPT-4O"} {
		r := decideFor(t, when, asked, "x")
		assert.Equal(t, Denied, r.Status, asked)
		assert.Contains(t, fmt.Sprint(r.Notes), "spellings of one model")
	}
	assert.Equal(t, Allowed, decideFor(t, `{"gpt-4o": false, "GPT-4O": false}[model.name]`, "GPT-4o", "x").Status, "they say the same")
}

// An input that is written with a leading dot, or in a message, remains unknown until it is known.
func TestAnInputIsUnknownHoweverItIsWritten(t *testing.T) {
	for _, when := range []string{`.pii.count == 0`, `google.protobuf.Int64Value{value: pii.count} == 0`, `{"x": 1}[?model.name].orValue(1) == 1`} {
		r := Decide(parseRule(t, `{id: r, when: '`+when+`', action: DENY}`), facts(t, `{}`, false))
		assert.Equal(t, Undetermined, r.Status, when)
	}
}
