package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestAGuestSeesTheSegments(t *testing.T) {
	got := saw(t, script{steps: "1 c;1 i 0;1 i 2;1 i 3;1 r 0 0 100;1 r 0 3 2;1 r 0 8 5;1 o;"}, newConversation(t), core.Request)
	assert.Equal(t, "4 1/1/1/0/8 2/1/2/1/9 4/3/5/0/2 be brief br ", got)
	assert.Equal(t, "1 3/1/3/0/9 an answer", saw(t, script{steps: "3 c;3 i 0;3 r 0 0 100;3 o;"}, newConversation(t), core.Response))
}

func TestFieldsOfAnExchange(t *testing.T) {
	x := newConversation(t)
	x.Request.Raw = []byte(
		`{"model":"gpt-4o","messages":["hi"], "temperature" : 0.5,"user":"alice","metadata":{"a":"b, }"},"stop":null,"response_format":{"type":"json"},"tools":[],"us\u0065r":1}`,
	)
	at := strings.Index(string(x.Request.Raw), "hi")
	x.Request.Segments = x.Request.Segments[:1]
	x.Request.Segments[0].Span.Start, x.Request.Segments[0].Span.End = at, at+2
	x.Target = core.TargetRef{Provider: "azure", Model: "deployment", Region: "eu", Route: "r1"}
	x.Usage, x.Cost, x.Priced, x.Finish = llm.Usage{Input: 3, Output: 4, Cached: 1, Reported: true}, 77, true, "stop"
	x.Outcome = core.Outcome{Kind: core.Served, Status: 201, Complete: true}
	sum := sha256.Sum256(x.Request.Raw)
	for f, want := range map[abi.Field][2]string{ // in the request, and at the end
		abi.FieldModel: {"gpt-4o", "gpt-4o"}, abi.FieldTenant: {"acme", "acme"}, abi.FieldKeyID: {"k1", "k1"}, abi.FieldKeyName: {"dev", "dev"},
		abi.FieldUser: {"alice", "alice"}, abi.FieldDialect: {"openai.chat", "openai.chat"}, abi.FieldRoute: {"", "r1"}, abi.FieldProvider: {"", "azure"},
		abi.FieldTarget: {"", "deployment"}, abi.FieldRegion: {"", "eu"}, abi.FieldStream: {"0", "0"}, abi.FieldMaxTokens: {"100", "100"},
		abi.FieldEffort: {"low", "low"}, abi.FieldExchange: {"ex-1", "ex-1"}, abi.FieldTrace: {"tr-1", "tr-1"},
		abi.FieldParams:   {`{"temperature" : 0.5,"stop":null,"response_format":{"type":"json"}}`, `{"temperature" : 0.5,"stop":null,"response_format":{"type":"json"}}`},
		abi.FieldTools:    {`["get","a\"b"]`, `["get","a\"b"]`},
		abi.FieldMetadata: {`{"a":"b, }"}`, `{"a":"b, }"}`}, abi.FieldScopes: {`["completions:write"]`, `["completions:write"]`},
		abi.FieldStatus: {"", "201"}, abi.FieldUsage: {"", `{"input":3,"output":4,"cached":1,"reported":true}`}, abi.FieldFinish: {"", "stop"},
		abi.FieldCost: {"", "77"}, abi.FieldOutcome: {"", "served"}, abi.FieldEstimate: {"41", "41"}, abi.FieldMessages: {"3", "3"},
		abi.FieldImages: {"0", "0"}, abi.FieldTask: {"answer", "answer"}, abi.FieldComplete: {"", "1"}, abi.FieldTier: {"premium", "premium"},
		abi.FieldDigest: {hex.EncodeToString(sum[:]), hex.EncodeToString(sum[:])},
	} {
		c := &talk{s: &FullStage{}, x: x, phase: abi.PhaseRequest}
		i := &instance{}
		i.call.parent, i.call.inst = context.Background(), i
		got := c.readField(i, f)
		assert.Equal(t, want[0], got, f.String())
		c = &talk{s: &FullStage{}, x: x, phase: abi.PhaseFinish, num: c.num}
		assert.Equal(t, want[1], c.readField(i, f), f.String())
	}
	for f := abi.FieldModel; f.String() != ""; f++ { // none of them needs a principal
		i := &instance{}
		assert.NotPanics(t, func() { (&talk{s: &FullStage{}, x: &core.Exchange{}, phase: abi.PhaseFinish}).readField(i, f) }, f.String())
	}
}

func TestTheAnswersUsageAndEndAreKnownWithIt(t *testing.T) {
	x := newConversation(t)
	x.Usage, x.Finish = llm.Usage{Input: 3, Output: 4, Reported: true}, "left of an earlier stream"
	x.Response.Raw = []byte(`{"choices":[{"finish_reason":"length"}]}`)
	read := func(phase uint32, f abi.Field) string {
		i := &instance{}
		i.call.parent, i.call.inst = context.Background(), i
		return (&talk{s: &FullStage{}, x: x, phase: phase}).readField(i, f)
	}
	assert.Equal(t, `{"input":3,"output":4,"cached":0,"reported":true}`, read(abi.PhaseResponse, abi.FieldUsage))
	assert.Empty(t, read(abi.PhaseTarget, abi.FieldUsage))
	assert.Equal(t, "length", read(abi.PhaseResponse, abi.FieldFinish))
	x.Head.Stream = true
	assert.Empty(t, read(abi.PhaseResponse, abi.FieldFinish), "more of it may come")
}

func TestAFieldThatThereIsNotHasNoValue(t *testing.T) {
	assert.Equal(t, "!1 !1 gpt-4o", saw(t, script{steps: "1 f 0;1 f 999;1 f 1;1 o;"}, newConversation(t), core.Request))
}

func TestAGuestSeesWhatItAsksForAndTheOperatorGrants(t *testing.T) {
	steps := "1 f 1;1 f 2;1 f 5;1 c;1 i 0;1 r 0 0 9;1 l;"
	asks := allManifest()
	asks.Reads = Reads{Fields: []string{"model", "tenant"}, Text: []string{"user", "tool_result"}}
	for _, c := range []struct {
		name  string
		grant foreign.Grant
		want  string
	}{
		{"everything that it asks for", foreign.Grant{}, "gpt-4o acme !2 3 2/1/2/0/7 Grüße"},
		{"less of it", foreign.Grant{Fields: []string{"model", "user"}, Text: []string{"tool_result", "system"}}, "gpt-4o !2 !2 1 4/3/5/0/2 42"},
		{"no field", foreign.Grant{Fields: []string{}}, "!2 !2 !2 3 2/1/2/0/7 Grüße"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lines []string // a header holds ASCII alone
			s := script{manifest: asks, steps: steps, options: Options{Grant: c.grant}, log: logTo(&lines)}
			_, err := s.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
			require.NoError(t, err)
			assert.Equal(t, []string{c.want}, lines)
		})
	}
	t.Run("no text", func(t *testing.T) {
		s := script{steps: "1 c;1 o;", options: Options{Grant: foreign.Grant{Text: []string{}}}}
		assert.Equal(t, "0", saw(t, s, newConversation(t), core.Request))
		_, err := script{steps: "1 e 0 0 0 x;", options: s.options}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
		requireFault(t, err, "segment that there is not")
	})
	t.Run("an edit reaches the segment that the guest means", func(t *testing.T) {
		s := script{steps: "1 e 0 0 2 43;", options: Options{Grant: foreign.Grant{Text: []string{"tool_result"}}}}
		v, err := s.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
		require.NoError(t, err)
		assert.Equal(t, []core.Edit{{Segment: 3, Start: 0, End: 2, With: "43"}}, v.Edits)
	})
}

func TestAGrantThatCannotBeIsRefusedWithTheNames(t *testing.T) {
	v := script{}.load(t)
	defer v.Release(context.Background())
	for says, g := range map[string]foreign.Grant{
		`grant.fields: "password" is not a field; the fields are model, tenant`:                  {Fields: []string{"password"}},
		`grant.text: unknown source "all"`:                                                       {Text: []string{"all"}},
		`grant.capabilities: unknown capability "disk"; write now, random, state, redact, patch`: {Capabilities: []string{"disk"}},
		`asks for the capability "state", which grant.capabilities does not hold; add it`:        {Capabilities: []string{"now"}},
	} {
		_, err := NewPlugin(v, Options{Link: "x", State: noState{}, Grant: g})
		require.ErrorContains(t, err, says)
	}
}

func TestADetectorSeesTheSourcesThatItAsksForAndTheOperatorGrants(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads []string
		grant []string
		want  int
	}{
		{"all", nil, nil, 3},
		{"what it asks for", []string{"user"}, nil, 1},
		{"what is granted", nil, []string{"tool_result", "system"}, 2},
		{"both", []string{"user", "system"}, []string{"system"}, 1},
		{"nothing", nil, []string{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := loadModule(t, LoadOptions{})
			v.Manifest.Reads.Text = c.reads
			require.True(t, v.Acquire())
			st, err := NewPlugin(v, Options{Link: "x", Grant: foreign.Grant{Text: c.grant}})
			require.NoError(t, err)
			defer func() { assert.NoError(t, st.Close(context.Background())) }()
			x := body(core.Segment{Role: core.RoleSystem, Kind: core.KindText}, core.Segment{Role: core.RoleUser, Kind: core.KindText},
				core.Segment{Role: core.RoleTool, Kind: core.KindToolResult})(t, "EMP-111111", "EMP-222222", "EMP-333333")
			verdict, err := st.Check(context.Background(), x, core.Request, nil)
			require.NoError(t, err)
			assert.Len(t, verdict.Findings, c.want)
		})
	}
}

func TestAModuleImportsWhatItsManifestAsksForAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(m *Manifest)
	}{
		{"imports headgate.state_", func(m *Manifest) { m.Capabilities = nil }},
		{"imports headgate.field, but its manifest lists nothing under reads.fields", func(m *Manifest) { m.Reads.Fields = nil }},
		{"but its manifest lists nothing under reads.text", func(m *Manifest) { m.Reads.Text = nil }},
	} {
		m := allManifest()
		c.change(m)
		_, err := Load(context.Background(), LoadOptions{Source: testModule(t, "stage"), Manifest: m, Name: "x.wasm"})
		require.ErrorContains(t, err, c.says)
		_, err = Inspect(testModule(t, "stage"), m)
		require.ErrorContains(t, err, c.says)
	}
}

func FuzzMembersOfAnyBytesPanicNowhere(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"}"}],"c" : "\"" , "d":1e9}`))
	f.Add([]byte(`{"a":`))
	f.Add([]byte(`{"a"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		last := 0
		visitMembers(b, func(_ []byte, from, start, end int) bool {
			if from < last || start < from || end < start || end > len(b) {
				t.Fatalf("%d %d %d after %d", from, start, end, last)
			}
			last = end
			return true
		})
		_ = formatParams(&core.Payload{Raw: b})
		_ = findMember(b, "a")
	})
}
