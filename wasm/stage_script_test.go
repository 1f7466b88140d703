package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// testModule returns a module that is committed beside its source.
func testModule(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".wasm"))
	require.NoError(t, err)
	return b
}

// allManifest returns a manifest that asks for everything.
func allManifest() *Manifest {
	m := &Manifest{
		Name:   "scripted",
		Kind:   abi.KindStage,
		Labels: []string{"odd", "odder"},
		Phases: []string{
			"request",
			"target",
			"response",
			"stream_end",
			"finish",
		},
		Capabilities: []string{
			abi.CapabilityState, abi.CapabilityRedact, abi.CapabilityPatch, abi.CapabilityNotify, abi.CapabilityCall, abi.CapabilityRestore,
		},
	}
	m.Reads.Fields = abi.FieldNames()
	for s := abi.SourceSystem; s <= abi.SourceOther; s++ {
		m.Reads.Text = append(m.Reads.Text, s.String())
	}
	return m
}

// script is a stage that executes a script; see testdata/stage.c.
type script struct {
	steps    string
	manifest *Manifest // nil means allManifest
	timeout  time.Duration
	options  Options
	log      LogFunc
	follow   bool // it has hg_stream
	limits   Limits
}

func (s script) load(t testing.TB) *Version {
	t.Helper()
	if s.manifest == nil {
		s.manifest = allManifest()
	}
	if s.timeout == 0 {
		s.timeout = 10 * time.Second
	}
	config, err := json.Marshal(map[string]string{"script": s.steps})
	require.NoError(t, err)
	module := "stage"
	if s.follow {
		module = "follow"
	}
	s.limits.Timeout = s.timeout
	v, err := Load(context.Background(), LoadOptions{
		Source: testModule(t, module), Name: "scripted.wasm", Manifest: s.manifest, Config: config, Limits: s.limits,
		Cache: sharedCache(t), Log: s.log,
	})
	require.NoError(t, err)
	return v
}

func (s script) stage(t testing.TB) *FullStage {
	t.Helper()
	if s.options.State == nil {
		s.options.State = noState{}
	}
	if s.options.Link == "" {
		s.options.Link = "link"
	}
	if s.options.Answer == nil {
		s.options.Answer = func(_ *core.Exchange, text string) (*core.Payload, error) {
			if text == "wordless" {
				return nil, errors.New("no words")
			}
			return &core.Payload{Status: 200, Raw: []byte(text)}, nil
		}
	}
	st, err := NewPlugin(s.load(t), s.options)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
	return st.(*FullStage)
}

// newConversation returns an exchange whose request and answer are lists of texts.
func newConversation(t *testing.T) *core.Exchange {
	t.Helper()
	x := body(
		core.Segment{Role: core.RoleSystem, Kind: core.KindText}, core.Segment{Role: core.RoleUser, Kind: core.KindText},
		core.Segment{Role: core.RoleUser, Kind: core.KindText, Joined: true}, core.Segment{Role: core.RoleTool, Kind: core.KindToolResult},
	)(t, "be brief", "Grüße", "aus Köln", "42")
	x.ID, x.Trace, x.Dialect = "ex-1", "tr-1", "openai.chat"
	x.Principal = &core.Principal{Tenant: "acme", KeyID: "k1", KeyName: "dev", Tier: "premium", Scopes: []string{"completions:write"}}
	x.Head = core.Head{Model: "gpt-4o", User: "alice", MaxTokens: 100, Messages: 3, Effort: "low", Tools: []string{"get", `a"b`}}
	x.Response.Status = 200
	x.Response.Raw = []byte("an answer")
	x.Response.Segments = []core.Segment{{Role: core.RoleAssistant, Kind: core.KindText, Span: splice.Span{End: 9}}}
	return x
}

// saw returns the guest's value of the header x-out in the request phase.
func saw(t *testing.T, s script, x *core.Exchange, p core.Phase) string {
	t.Helper()
	v, err := s.stage(t).Check(context.Background(), x, p, nil)
	require.NoError(t, err)
	require.Len(t, v.Header, 1)
	assert.Equal(t, "X-Out", v.Header[0].Name)
	return v.Header[0].Value
}

// requireFault requires a fault of the kind abi whose message contains says.
func requireFault(t *testing.T, err error, says string) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultABI, e.Fault(), err.Error())
	assert.ErrorContains(t, err, says)
}

func logTo(lines *[]string) LogFunc {
	return func(_ abi.Level, text string, _ int) { *lines = append(*lines, text) }
}
