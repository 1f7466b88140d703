package project

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/wasm"
)

// stage loads a plugin as a stage, with settings as JSON or "" for none.
func (p plugin) stage(t testing.TB, config string) wasm.Plugin {
	t.Helper()
	st, err := wasm.NewPlugin(p.load(t, config), wasm.Options{Link: "link", State: state.NewMemory(state.Options{})})
	require.NoError(t, err)
	return st
}

// newRequest is a request for a model with texts of a system, a user and a tool, as many
// as there are.
func newRequest(head core.Head, tenant string, texts ...string) *core.Exchange {
	x := &core.Exchange{ID: "ex", Dialect: "openai.chat", Head: head, Principal: &core.Principal{Tenant: tenant, KeyID: "key-1"}}
	for i, text := range texts {
		at := len(x.Request.Raw)
		x.Request.Raw = append(x.Request.Raw, text...)
		s := core.Segment{
			Role:    core.RoleUser,
			Kind:    core.KindText,
			Message: int32(i),
			Part:    -1,
			Span:    splice.Span{Start: at, End: at + len(text)},
		}
		switch i {
		case 0:
			s.Role = core.RoleSystem
		case 2:
			s.Role, s.Kind = core.RoleTool, core.KindToolResult
		}
		x.Request.Segments = append(x.Request.Segments, s)
	}
	return x
}

// describeVerdict is a verdict in words: its code, or the texts with what was cut out between
// brackets, and the labels.
func describeVerdict(t *testing.T, st core.Stage, x *core.Exchange, texts ...string) string {
	t.Helper()
	v, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	if v.Action == core.Block {
		return v.Err.Code
	}
	edits := slices.Clone(v.Edits)
	slices.SortFunc(edits, func(a, b core.Edit) int { return b.Start - a.Start }) // the last first
	for _, e := range edits {
		texts[e.Segment] = texts[e.Segment][:e.Start] + "‹" + e.With + "›" + texts[e.Segment][e.End:]
	}
	var labels []string
	for _, f := range v.Findings {
		labels = append(labels, f.Label)
	}
	return strings.TrimRight(strings.Join(texts, "|")+" "+strings.Join(labels, ","), " ")
}

func TestANewStageJudgesTheSameInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			st := template(t, lang, "stage").stage(t, "")
			defer func() { require.NoError(t, st.Close(context.Background())) }()
			for _, c := range []struct {
				name, model string
				texts       []string
				want        string
			}{
				{"nothing marked", "gpt-4o", []string{"be brief", "Grüße"}, "be brief|Grüße"},
				{"a mark is cut out", "gpt-4o", []string{"be brief", "é [internal] x", "42"}, "be brief|é ‹› x|42 internal_mark"},
				{"marks are cut out of all", "gpt-4o", []string{"[internal][internal]", "[[internal]]", "[internal]"}, "‹›‹›|[‹›]|‹› internal_mark,internal_mark,internal_mark,internal_mark"},
				{"confidential text is refused", "gpt-4o", []string{"[internal]", "is [confidential]"}, "confidential_text"},
				{"a local model", "local-llama-70b", []string{"[internal]", "is [confidential]"}, "[internal]|is [confidential]"},
				{"a model that is named in a short way", "loc", []string{"[internal]"}, "‹› internal_mark"},
				{"no model", "", []string{"[internal]"}, "‹› internal_mark"},
				{"half a mark at the end", "gpt-4o", []string{"[confidential", "[interna"}, "[confidential|[interna"},
				{"an empty text and a long one", "gpt-4o", []string{"", strings.Repeat("x", 100_000) + "[confidential]"}, "confidential_text"},
				{"no text", "gpt-4o", nil, ""},
			} {
				assert.Equal(t, c.want, describeVerdict(t, st, newRequest(core.Head{Model: c.model}, "acme", c.texts...), slices.Clone(c.texts)...), c.name)
			}
		})
	}
}

func TestANewStageConformsInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			conformStage(t, template(t, lang, "stage"), "", []string{"[internal]", "a [internal] b [internal]", "[confidential]", "none"})
		})
	}
}

func conformStage(t *testing.T, p plugin, config string, texts []string) {
	t.Helper()
	stagetest.Conform(t, stagetest.Suite{
		New:   func(t testing.TB) core.Stage { return p.stage(t, config) },
		Texts: texts, Phases: []core.Phase{core.Request},
	})
}

// sampleStages are the settings of the samples of stages that are not in Go; those are tested beside their
// source. That all conform is tested by the gateway's own table of adapters.
var sampleStages = map[string]string{
	"key-rate":       `{"per_minute": 1000000}`,
	"tool-list":      `{"allow": []}`,
	"model-list":     `{"other": ["*"]}`,
	"invisible-text": "",
	"image-guard":    `{"hosts": "a.example"}`,
}

func TestKeyRateLetsSoManyThrough(t *testing.T) {
	st := sample(t, "key-rate").stage(t, `{"per_minute": 2}`)
	defer func() { require.NoError(t, st.Close(context.Background())) }()
	for _, want := range []string{"a", "a", "rate_limit_exceeded"} {
		assert.Equal(t, want, describeVerdict(t, st, newRequest(core.Head{}, "acme", "a"), "a"))
	}
	assert.Equal(t, "a", describeVerdict(t, st, newRequest(core.Head{}, "other", "a"), "a"), "another tenant's key is another")
	v, err := st.Check(context.Background(), newRequest(core.Head{}, "acme", "a"), core.Request, nil)
	require.NoError(t, err)
	assert.Positive(t, v.Err.RetryAfter)
}

func TestToolListRefusesOtherTools(t *testing.T) {
	st := sample(t, "tool-list").stage(t, `{"allow":["get_weather","a\"b","München","tab\t"]}`)
	defer func() { require.NoError(t, st.Close(context.Background())) }()
	for _, c := range []struct {
		tools []string
		want  string
	}{
		{nil, "a"},
		{[]string{"get_weather"}, "a"},
		{[]string{`a"b`, "München", "tab\t"}, "a"},
		{[]string{"get_weather", "run_shell"}, "POLICY_DENIED"},
		{[]string{"get_weathe"}, "POLICY_DENIED"},
	} {
		assert.Equal(t, c.want, describeVerdict(t, st, newRequest(core.Head{Tools: c.tools}, "acme", "a"), "a"), "%v", c.tools)
	}
}

func TestModelListKnowsTenants(t *testing.T) {
	st := sample(t, "model-list").stage(t, `{"tenants":{"acme":["gpt-4o","claude-*","a*z"],"none":[]},"other":["*-mini"]}`)
	defer func() { require.NoError(t, st.Close(context.Background())) }()
	for _, c := range []struct{ tenant, model, want string }{
		{"acme", "gpt-4o", "a"},
		{"acme", "claude-opus", "a"},
		{"acme", "az", "a"},
		{"acme", "a", "POLICY_DENIED"},
		{"acme", "gpt-4o-mini", "POLICY_DENIED"},
		{"none", "gpt-4o", "POLICY_DENIED"},
		{"else", "gpt-4o-mini", "a"},
		{"else", "gpt-4o", "POLICY_DENIED"},
	} {
		assert.Equal(t, c.want, describeVerdict(t, st, newRequest(core.Head{Model: c.model}, c.tenant, "a"), "a"), "%v", c)
	}
}

func TestInvisibleTextIsCutOut(t *testing.T) {
	st := sample(t, "invisible-text").stage(t, "")
	defer func() { require.NoError(t, st.Close(context.Background())) }()
	for _, c := range []struct{ text, want string }{
		{"plain é 東京 👩\u200d🚀", "plain é 東京 👩\u200d🚀"},
		{"a\u200b\u2060b\ufeff", "a‹›b‹›"},
		{"\u202eabc\u2069", "‹›abc‹›"},
		{"x\U000e0041\U000e007fy\U000e0080", "x‹›y\U000e0080"},
	} {
		want := "sys\u200b|" + c.want
		if c.text != c.want {
			want += " invisible_text"
		}
		assert.Equal(t, want, describeVerdict(t, st, newRequest(core.Head{}, "acme", "sys\u200b", c.text), "sys\u200b", c.text))
	}
}

func TestWrongSettingsAreRefusedByASampleStage(t *testing.T) {
	for name, configs := range map[string][]string{
		"key-rate":    {`{"per_minute": 0}`, `{"per_minute": "60"}`, `{"per_minut": 60}`, `{"per_minute": 60, "x": 1}`, `[]`, `{"per_minute": 1000001}`},
		"tool-list":   {`{}`, `{"allow": "x"}`, `{"allow": ["x",]}`, `{"allow": [1]}`, `{"allow": ["x"`},
		"image-guard": {`[]`, `{"hosts": ["x"]}`, `{"hosts": "a/b"}`, `{"host": "x"}`},
		"model-list":  {`{"tenants": []}`, `{"tenant": {}}`, `{"other": "x"}`},
	} {
		p := sample(t, name)
		for _, config := range configs {
			_, err := wasm.Load(context.Background(), wasm.LoadOptions{Source: p.source, Name: "x.wasm", Config: []byte(config)})
			assert.ErrorContains(t, err, "settings", "%s %s", name, config)
		}
	}
}
