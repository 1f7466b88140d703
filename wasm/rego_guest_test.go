package wasm

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/wasm/abi"
)

const modelAccess = "../sdk/samples/model-access/"

func modelAccessModule(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Clean(modelAccess + "model-access.wasm"))
	require.NoError(t, err)
	return b
}

var regoManifest = Manifest{
	Name: "model-access", Kind: "rego", Labels: []string{"model_refused"}, Phases: []string{"request"},
	Reads: Reads{Fields: []string{"model", "tenant", "max_tokens"}},
}

func loadRego(t testing.TB, settings string, change ...func(*LoadOptions)) (*Version, error) {
	t.Helper()
	m := regoManifest
	o := LoadOptions{
		Source:   modelAccessModule(t),
		Name:     "model-access.wasm",
		Manifest: &m,
		Config:   []byte(settings),
		Limits:   Limits{Timeout: 30 * time.Second},
	}
	for _, c := range change {
		c(&o)
	}
	v, err := Load(context.Background(), o)
	if err == nil {
		t.Cleanup(func() { v.Release(context.Background()) })
	}
	return v, err
}

// ask holds the parts of a request that the sample policy reads.
type ask struct {
	tenant, model string
	tokens        int64
	text          string
}

func decide(t testing.TB, v *Version, a ask) (core.Verdict, error) {
	t.Helper()
	require.True(t, v.Acquire())
	st, err := NewPlugin(v, Options{Link: "access"})
	require.NoError(t, err)
	defer func() { assert.NoError(t, st.Close(context.Background())) }()
	x := NewRehearsal("rehearsal")
	x.Principal = &core.Principal{Tenant: a.tenant}
	x.Head.Model, x.Head.MaxTokens = a.model, a.tokens
	if a.text != "" {
		x.Request.Reset()
		x.Request.Raw = []byte(`{"model":"rehearsal","messages":[{"role":"user","content":"` + a.text + `"}]}`)
		at := strings.Index(string(x.Request.Raw), `content":"`) + len(`content":"`)
		x.Request.Segments = []core.Segment{
			{Role: core.RoleUser, Kind: core.KindText, Depth: 1, Part: -1, Span: splice.Span{Start: at, End: at + len(a.text)}},
		}
	}
	return st.Check(context.Background(), x, core.Request, nil)
}

func TestACompiledPolicyDecides(t *testing.T) {
	v, err := loadRego(t, `{"models":{"acme":["gpt-","o3"]},"most_tokens":4096}`)
	require.NoError(t, err)
	for a, want := range map[ask]string{
		{tenant: "acme", model: "gpt-5"}:                                 "",
		{tenant: "beta", model: "claude-opus-4"}:                         "",
		{tenant: "acme", model: "claude-opus-4"}:                         "the tenant acme must not use the model claude-opus-4",
		{tenant: "acme", model: "o3", tokens: 4097}:                      "an answer may have at most 4096 tokens",
		{tenant: "acme", model: "é\"\\\x00", tokens: 100000, text: "hi"}: "an answer may have at most 4096 tokens; the tenant acme must not use the model é\"\\",
	} {
		for range 3 { // the heap starts over for each evaluation
			got, err := decide(t, v, a)
			require.NoError(t, err, "%v", a)
			if want == "" {
				assert.Equal(t, core.Pass, got.Action, "%v", a)
				assert.Empty(t, got.Findings)
				continue
			}
			require.Equal(t, core.Block, got.Action, "%v", a)
			assert.Equal(t, want, got.Err.Public)
			assert.Equal(t, core.CodePolicyDenied, got.Err.Code)
			assert.Equal(t, []core.Finding{{Label: "model_refused", Kind: core.FoundPolicy}}, got.Findings)
		}
	}
}

func TestAPolicyIsGivenWhatItReadsAndIsGranted(t *testing.T) {
	v, err := loadRego(t, `{}`)
	require.NoError(t, err)
	x := NewRehearsal("rehearsal")
	x.Head.Tools, x.Head.Stream = []string{"a"}, true
	input := func(phase uint32, fields []string, sources ...abi.Source) string {
		var c talk
		set, err := parseFields("", fields)
		require.NoError(t, err)
		s := &FullStage{v: v, see: view{fields: set}}
		for _, src := range sources {
			s.see.sources |= 1 << src
		}
		c.begin(s, x, &job{phase: phase, body: &x.Request})
		i, err := v.acquire(context.Background(), newTimeAllowance(startTime), caller{})
		require.NoError(t, err)
		defer v.release(i, nil)
		return string(c.appendInput(nil, i))
	}
	assert.Equal(t, `{"phase":"request"}`, input(abi.PhaseRequest, nil))
	assert.Equal(t, `{"phase":"target","model":"rehearsal","provider":"rehearsal","stream":true,"tools":["a"],"messages":1}`,
		input(abi.PhaseTarget, []string{"tools", "stream", "provider", "model", "messages", "max_tokens", "cost"}))
	assert.Equal(t, `{"phase":"request","model":"rehearsal","text":[{"role":"user","source":"user","text":"`+rehearsalText+`"}]}`,
		input(abi.PhaseRequest, []string{"model", "provider"}, abi.SourceUser))
	assert.Equal(t, `{"phase":"request","text":[]}`, input(abi.PhaseRequest, nil, abi.SourceToolResult))
	for _, f := range abi.FieldNames() {
		assert.True(t, json.Valid([]byte(input(abi.PhaseFinish, []string{f}))), f)
	}
}

func TestAPolicyDoesNotGrowFromEvaluationToEvaluation(t *testing.T) {
	v, err := loadRego(t, `{"models":{"acme":["gpt-"]}}`, reading)
	require.NoError(t, err)
	text := strings.Repeat("word ", 20_000)
	var before int64
	for k := range 200 {
		_, err := decide(t, v, ask{tenant: "acme", model: "o1", text: text})
		require.NoError(t, err)
		if k == 10 {
			before = v.memory.Load()
		}
	}
	assert.Equal(t, before, v.memory.Load())
}

func TestAnInputThatDoesNotFitIsAFaultOfMemory(t *testing.T) {
	v, err := loadRego(t, `{}`, reading, func(o *LoadOptions) { o.Limits.Memory = 1 << 20 })
	require.NoError(t, err)
	_, err = decide(t, v, ask{text: strings.Repeat("a", 2<<20)})
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultMemory, e.Kind)
	_, err = decide(t, v, ask{text: strings.Repeat("a", 400<<10)})
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultMemory, e.Kind, e.Reason)
	_, err = decide(t, v, ask{})
	require.NoError(t, err, "the next call is served")
}

// reading lets the policy see texts.
func reading(o *LoadOptions) { o.Manifest.Reads.Text = []string{"user"} }

func TestADecisionIsReadOrIsAFault(t *testing.T) {
	v := &Version{Name: "p.wasm", Manifest: regoManifest}
	for result, want := range map[string]string{
		`[{"result":true}]`:              "pass",
		`[{"result":false}]`:             "block: the policy \"p\" does not allow it",
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
		`[{"result":[1]}]`:            "elements that are not reasons",
		`[{"result":{"allow":true,"labels":["other"]}}]`: "a label that its manifest does not have",
	} {
		d, err := v.readDecision([]byte(result))
		if err != nil {
			assert.ErrorContains(t, err, want, result)
			continue
		}
		c := talk{s: &FullStage{v: v, link: "p"}}
		c.applyDecision(&d)
		said := "pass"
		if c.decided == core.Block {
			said = "block: " + c.refusal.Public
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
		"an unknown entrypoint": {func(o *LoadOptions) { o.Manifest.Entrypoint = "other/allow" }, `no entrypoint "other/allow"; it has [headgate/decision]`},
		"samples": {func(o *LoadOptions) {
			o.Manifest.Samples = []Sample{{Text: "a"}}
		}, "samples are for detectors"},
		"capabilities": {func(o *LoadOptions) { o.Manifest.Capabilities = []string{"now"} }, "no capabilities"},
		"an entrypoint of a detector": {func(o *LoadOptions) {
			o.Source, o.Manifest = guest{manifest: "none"}.bytes(), &Manifest{Name: "x", Kind: "detector", Entrypoint: "a"}
		}, "entrypoint is for policies"},
		"a detector declared as a policy": {func(o *LoadOptions) { o.Source = guest{manifest: "none"}.bytes() }, "does not export builtins"},
	} {
		_, err := loadRego(t, "{}", c.change)
		assert.ErrorContains(t, err, c.says, name)
	}
}

func BenchmarkPolicyMetadata(b *testing.B) { benchmarkRego(b, `{"tenant":"acme","model":"gpt-5"}`) }

func BenchmarkPolicy8KB(b *testing.B) {
	benchmarkRego(b, `{"tenant":"acme","model":"gpt-5","text":["`+strings.Repeat("word ", 1600)+`"]}`)
}

func benchmarkRego(b *testing.B, input string) {
	v, err := loadRego(b, `{"models":{"acme":["gpt-","o3"]},"most_tokens":4096}`)
	require.NoError(b, err)
	i, err := v.acquire(context.Background(), newTimeAllowance(startTime), caller{})
	require.NoError(b, err)
	defer v.release(i, nil)
	b.ReportAllocs()
	for b.Loop() {
		i.call.arm(context.Background(), newTimeAllowance(startTime))
		if _, err := i.evaluate([]byte(input)); err != nil {
			b.Fatal(err)
		}
	}
}
