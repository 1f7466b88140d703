package wasm

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

const modelAccess = "../sdk/samples/model-access/"

func modelAccessModule(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Clean(modelAccess + "model-access.wasm"))
	require.NoError(t, err)
	return b
}

var regoManifest = Manifest{Name: "model-access", Kind: "rego", Labels: []string{"model_refused"}}

func loadRego(t testing.TB, settings string, change ...func(*LoadOptions)) (*Version, error) {
	t.Helper()
	m := regoManifest
	o := LoadOptions{Source: modelAccessModule(t), Name: "model-access.wasm", Manifest: &m, Config: []byte(settings)}
	for _, c := range change {
		c(&o)
	}
	v, err := Load(context.Background(), o)
	if err == nil {
		t.Cleanup(func() { v.Release(context.Background()) })
	}
	return v, err
}

func decide(t testing.TB, v *Version, input string) (core.Verdict, error) {
	t.Helper()
	i, err := v.acquire(context.Background(), loadTime)
	require.NoError(t, err)
	result, err := i.evaluate([]byte(input))
	var d decision
	if err == nil {
		d, err = v.readDecision(result)
	}
	v.release(i, err)
	if err != nil {
		return core.Verdict{}, err
	}
	return d.verdict("access"), nil
}

func TestACompiledPolicyDecides(t *testing.T) {
	v, err := loadRego(t, `{"models":{"acme":["gpt-","o3"]},"most_tokens":4096}`)
	require.NoError(t, err)
	for input, want := range map[string]string{
		`{"tenant":"acme","model":"gpt-5"}`:                     "",
		`{"tenant":"beta","model":"claude-opus-4"}`:             "",
		`{"tenant":"acme","model":"claude-opus-4"}`:             "the tenant acme may not use the model claude-opus-4",
		`{"tenant":"acme","model":"o3","max_tokens":4097}`:      "an answer may have at most 4096 tokens",
		`{"tenant":"acme","model":"é\"\\","max_tokens":100000}`: "an answer may have at most 4096 tokens; the tenant acme may not use the model é\"\\",
	} {
		for range 3 { // the heap begins anew each time
			got, err := decide(t, v, input)
			require.NoError(t, err, input)
			if want == "" {
				assert.Equal(t, core.Pass, got.Action, input)
				assert.Empty(t, got.Findings)
				continue
			}
			require.Equal(t, core.Block, got.Action, input)
			assert.Equal(t, want, got.Err.Public)
			assert.Equal(t, core.CodePolicyDenied, got.Err.Code)
			assert.Equal(t, []core.Finding{{Label: "model_refused", Kind: core.FoundPolicy, Segment: -1}}, got.Findings)
		}
	}
}

func TestAPolicyDoesNotGrowFromEvaluationToEvaluation(t *testing.T) {
	v, err := loadRego(t, `{"models":{"acme":["gpt-"]}}`)
	require.NoError(t, err)
	text := strings.Repeat("word ", 20_000)
	var before int64
	for k := range 200 {
		_, err := decide(t, v, `{"tenant":"acme","model":"o1","text":[{"role":"user","text":"`+text+`"}]}`)
		require.NoError(t, err)
		if k == 10 {
			before = v.memory.Load()
		}
	}
	assert.Equal(t, before, v.memory.Load())
}

func TestAnInputThatDoesNotFitIsAFaultOfMemory(t *testing.T) {
	v, err := loadRego(t, `{}`, func(o *LoadOptions) { o.Limits.Memory = 1 << 20 })
	require.NoError(t, err)
	_, err = decide(t, v, `{"text":"`+strings.Repeat("a", 2<<20)+`"}`)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultMemory, e.Kind)
	_, err = decide(t, v, `{"text":"`+strings.Repeat("a", 400<<10)+`"}`)
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultMemory, e.Kind, e.Reason)
	_, err = decide(t, v, `{}`)
	require.NoError(t, err, "the next call is served")
}

func TestADecisionIsReadOrIsAFault(t *testing.T) {
	v := &Version{Name: "p.wasm", Manifest: regoManifest}
	for result, want := range map[string]string{
		`[{"result":true}]`:              "pass",
		`[{"result":false}]`:             "block: the policy p does not allow this request",
		`[{"result":[]}]`:                "pass",
		`[{"result":["no","nor that"]}]`: "block: no",
		`[{"result":{"allow":true,"labels":["model_refused"]}}]`:      "pass",
		`[{"result":{"allow":false,"reason":"a\nb","other":[1,{}]}}]`: "block: a b",
		`[]`:                          "decides nothing",
		`[{}]`:                        "decides nothing",
		`{`:                           "not JSON",
		`[{"result":"yes"}]`:          "neither true",
		`[{"result":null}]`:           "neither true",
		`[{"result":{"reason":"x"}}]`: "neither true",
		`[{"result":{"allow":"no"}}]`: "must be true or false",
		`[{"result":[1]}]`:            "something else than reasons",
		`[{"result":{"allow":true,"labels":["other"]}}]`: "a label that its manifest does not have",
	} {
		d, err := v.readDecision([]byte(result))
		if err != nil {
			assert.ErrorContains(t, err, want, result)
			continue
		}
		got := d.verdict("p")
		said := got.Action.String()
		if got.Err != nil {
			said += ": " + got.Err.Public
		}
		assert.Equal(t, want, said, result)
	}
}

func TestAPolicyThatDoesNotFitIsRefusedWithTheReason(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*LoadOptions)
		says   string
	}{
		"another kind": {func(o *LoadOptions) {
			o.Manifest = &Manifest{Name: "x", Kind: "detector", Labels: []string{"a"}, MaxMatch: 5}
		}, "a memory is imported"},
		"an entrypoint that there is not": {func(o *LoadOptions) { o.Entrypoint = "other/allow" }, `no entrypoint "other/allow"; it has [headgate/decision]`},
		"samples": {func(o *LoadOptions) {
			o.Manifest.Samples = []Sample{{Text: "a"}}
		}, "samples are for detectors"},
		"a detector that is called a policy": {func(o *LoadOptions) { o.Source = employeeID(t) }, "in"},
	} {
		_, err := loadRego(t, "{}", c.change)
		assert.ErrorContains(t, err, c.says, name)
	}
}

func TestSprintfFormatsAsRegoDoes(t *testing.T) {
	for args, want := range map[string]any{
		`["%s is %d", ["a", 5]]`:              "a is 5",
		`["%v %v %v", [true, [1,"x"], null]]`: `true [1,"x"] null`,
		`["%.2f", [1.5]]`:                     "1.50",
		`["%d", [123456789012345678901]]`:     "123456789012345678901",
		`["%s"]`:                              nil,
		`[5, []]`:                             nil,
		`["%1000000d", [1]]`:                  nil,
		`["%*d", [1000000, 1]]`:               nil,
		`["%[1]*[1]d", [100000]]`:             nil,
	} {
		got, ok := regoSprintf(raws(t, args))
		assert.Equal(t, want != nil, ok, args)
		if ok {
			assert.Equal(t, want, got, args)
		}
	}
}

func BenchmarkPolicyMetadata(b *testing.B) { benchmarkRego(b, `{"tenant":"acme","model":"gpt-5"}`) }

func BenchmarkPolicy8KB(b *testing.B) {
	benchmarkRego(b, `{"tenant":"acme","model":"gpt-5","text":["`+strings.Repeat("word ", 1600)+`"]}`)
}

func benchmarkRego(b *testing.B, input string) {
	v, err := loadRego(b, `{"models":{"acme":["gpt-","o3"]},"most_tokens":4096}`)
	require.NoError(b, err)
	i, err := v.acquire(context.Background(), loadTime)
	require.NoError(b, err)
	defer v.release(i, nil)
	b.ReportAllocs()
	for b.Loop() {
		i.call.arm(context.Background(), loadTime)
		if _, err := i.evaluate([]byte(input)); err != nil {
			b.Fatal(err)
		}
	}
}

func raws(t *testing.T, list string) (out []json.RawMessage) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(list), &out))
	return out
}
