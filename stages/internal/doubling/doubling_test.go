package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// schemas ask for every kind of check that reads more than one value.
var schemas = []string{
	`{type: array, uniqueItems: true}`,
	`{type: array, contains: {const: -1}, minContains: 0, items: {oneOf: [{type: string, pattern: "^(a+)+$"}, {type: [number, object, array]}]}}`,
	`{type: object, additionalProperties: false, properties: {a: {type: string}}}`,
	`{type: object, patternProperties: {"^k[0-9]+$": {type: integer}}, unevaluatedProperties: false, anyOf: [{required: [a]}, {required: [k0]}]}`,
	`{$ref: "#/$defs/n", $defs: {n: {type: [array, object, string, number], items: {$ref: "#/$defs/n"}, additionalProperties: {$ref: "#/$defs/n"}}}}`,
	`{type: string, pattern: "(a|aa)+$", format: email, maxLength: 10}`,
}

// answers are JSON, and what begins like it.
var answers = []job{
	{Head: "[", Unit: "{n},", Tail: "0]"},
	{Head: "[", Unit: `"a",`, Tail: "0]"},
	{Head: "[", Unit: `{"a":[{n}]},`, Tail: "0]"},
	{Head: "{", Unit: `"k{n}":{n},`, Tail: `"a":0}`},
	{Head: "{", Unit: `"a":0,`, Tail: `"a":0}`},
	{Head: `"`, Unit: `a`, Tail: `b"`},
	{Head: `"`, Unit: `\u0061\\`, Tail: `"`},
	{Unit: "["},
	{Unit: `{"a":`},
	{Unit: " "},
	{Unit: `"`},
	{Unit: "1"},
	{Unit: "prose, and more. "},
}

// policies ask for every input that is read from a body or from findings.
var policies = []string{
	`{id: a, conditions: {request.temperature_gt: 1, metadata: {a: b}, tools.denylist: ["*a*b*c*", "sh?ll*"]}, action: DENY}`,
	`{id: a, when: 'messages.count > 100000 && request.metadata.?a.orValue("") == "b"', action: DENY}`,
	`{id: a, conditions: {response.pii_types_any: [CREDIT_CARD]}, action: DENY}, {id: b, phase: response, action: REDACT, params: {types: ["*"]}}`,
}

// bodies are requests.
var bodies = []job{
	{Head: `{"model":"m","messages":[`, Unit: `{"role":"user","content":"hello {n}"},`, Tail: `{"role":"user","content":""}]}`},
	{Head: `{"model":"m","messages":[{"role":"user","content":[`, Unit: `{"type":"text","text":"a"},`, Tail: `{"type":"text","text":"a"}]}]}`},
	{Head: `{"model":"m","messages":[{"role":"user","content":"`, Unit: `\\\"a`, Tail: `"}]}`},
	{
		Head: `{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[`, Unit: `{"type":"function","function":{"name":"aaaabbbbaaaabbbb{n}"}},`,
		Tail: `{"type":"function","function":{"name":"f"}}]}`,
	},
	{Head: `{"model":"m","messages":[{"role":"user","content":"a"}],"metadata":{`, Unit: `"k{n}":"v",`, Tail: `"a":"a"}}`},
	{Head: `{"model":"m","messages":[{"role":"user","content":"a"}],"x":`, Unit: " ", Tail: `0}`},
	{Head: `{"model":"m","messages":[{"role":"user","content":"a"}],"x":[`, Unit: `{"temperature":{n},"system":["a"]},`, Tail: `0]}`},
}

// Twice the text is at most twice the work, for each schema with each answer and each policy with each body. Quadratic work
// would be four times as much.
func TestTwiceTheTextIsTwiceTheWork(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds a program")
	}
	const times = 1500
	var jobs []job
	add := func(run, rules string, texts []job) {
		for _, j := range texts {
			j.Run, j.Rules, j.Times = run, rules, times
			jobs = append(jobs, j)
		}
	}
	for _, s := range schemas {
		add("schema", s, answers)
		add("schema stream", s, answers)
	}
	for _, p := range policies {
		add("policy request", p, bodies)
		add("policy answer", p, answers)
	}
	for _, j := range answers[9:] { // as many findings as a stream has pieces
		j.Run, j.Rules, j.Times = "policy findings", policies[2], 64*times
		jobs = append(jobs, j)
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, j := range jobs {
		require.NoError(t, enc.Encode(j))
	}
	const module = "github.com/headgate-dev/headgate/"
	counted := []string{
		module + "stages/internal/doubling", module + "stages/schema", "github.com/santhosh-tekuri/jsonschema/v6",
		module + "stages/policy", module + "stages/policy/dsl", module + "core/body/splice",
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "doubling")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(counted, ","),
		"-tags", "nomsgpack,grpcnotrace", "-o", program, ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	work := exec.Command(program)
	work.Stdin, work.Stderr, work.Env = &in, os.Stderr, append(os.Environ(), "GOCOVERDIR="+dir)
	counts, err := work.Output()
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(counts))
	most := 0
	for _, j := range jobs {
		var a answer
		require.NoError(t, dec.Decode(&a))
		assert.LessOrEqual(t, a.Twice, a.Once*5/2+2000, "%s, %s: %q", j.Run, j.Rules, j.Unit)
		most = max(most, a.Once)
	}
	assert.Greater(t, most, 10*times, "nothing is counted")
}
