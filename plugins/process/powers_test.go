package process

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	sdk "github.com/headgate-dev/headgate/sdk/process"
)

func init() {
	acts["asker"] = func() { sdk.Serve(asker{}) }
}

// asker asks for everything, and says in its refusal what it was told.
type asker struct{}

func (asker) Manifest() sdk.Manifest {
	return sdk.Manifest{
		Name: "asker", Phases: []core.Phase{core.Request, core.Response}, Fields: []string{"tier", "key_tags", "places"}, Texts: pb.Texts,
		State: true, Capabilities: []string{"body", "restore", "notify", "call"},
	}
}

func (asker) Check(ctx context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	var told []string
	add := func(what, value string, err error) {
		if err != nil {
			value = err.Error()
		}
		told = append(told, what+"="+value)
	}
	for _, name := range []string{"tier", "key_tags", "tier", "cost"} {
		value, err := sdk.FieldOf(ctx, name)
		add(name, value, err)
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		add("place", f.Label+strconv.Itoa(f.Segment)+":"+strconv.Itoa(f.Start)+"-"+strconv.Itoa(f.End), nil)
	}
	add("body", strconv.Itoa(len(sdk.BodyOf(ctx))), nil)
	add("threshold", "sent", sdk.Threshold(ctx, "day", 80))
	status, answer, err := sdk.Call(ctx, "judge", "/v1/x", []byte("{}"))
	add("call", strconv.Itoa(status)+string(answer), err)
	value, ok, err := sdk.Restore(ctx, "{{PII_EMAIL_0123456789abcdef}}")
	add("restore", value+strconv.FormatBool(ok), err)
	add("shared", "put", sdk.StateOf(ctx).OpenScope("shared:team").Put(ctx, "k", []byte("v"), 1e9))
	return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Public: strings.Join(told, " | ")}}, nil
}

// judge answers calls of upstreams.
type judge struct{}

func (judge) Call(_ context.Context, c *foreign.Call) (int, []byte, error) {
	return 200, []byte(c.Upstream + c.Path + c.Exchange.Principal.Tenant), nil
}

func TestAPluginAsksForWhatItIsGranted(t *testing.T) {
	var notices []spending.Notice
	services := foreign.Services{Calls: judge{}, Notify: func(_ context.Context, n spending.Notice) { notices = append(notices, n) }}
	ask := func(change func(*Spec)) string {
		p := plug(t, "asker", func(s *Spec) { s.Services, s.State = services, state.NewMemory(state.Options{}) }, change)
		x := request(t, `{"model":"m","messages":[{"role":"user","content":"mail a@b.example"}]}`)
		x.Principal = &core.Principal{Tenant: "acme", KeyID: "k", Tier: "bulk", Tags: []string{"batch"}}
		x.Findings = []core.Finding{{Label: "EMAIL", Kind: core.FoundPII, Phase: core.Request, Segment: 0, Start: 5, End: 16}}
		v, err := p.stage(t).Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		require.Equal(t, core.Block, v.Action)
		return v.Err.Public
	}
	all := ask(func(s *Spec) { s.Grant.Scopes, s.Grant.Upstreams = []string{"shared:team"}, []string{"judge"} })
	for _, want := range []string{
		`tier=bulk`, `key_tags=["batch"]`, "place=EMAIL0:5-16", "threshold=sent", "call=200judge/v1/xacme", "shared=put",
		"cost=the field was not requested", "restore=values are restored in answers only",
	} {
		assert.Contains(t, all, want)
	}
	assert.NotContains(t, all, "body=0")
	require.Len(t, notices, 1)

	none := ask(func(s *Spec) { s.Grant = foreign.Grant{Fields: []string{}, Capabilities: []string{"state"}} })
	for _, want := range []string{
		"tier=the field was not requested, or not granted", "body=0", "threshold=the capability notify was not granted",
		"call=the capability call was not granted", "restore=the capability restore was not granted", "shared=the scope is not granted",
	} {
		assert.Contains(t, none, want)
	}
	assert.NotContains(t, none, "place=")
	assert.Contains(t, ask(func(*Spec) {}), "call=the upstream is not granted", "upstreams are granted by name alone")
	silent := len(notices)
	ask(func(s *Spec) { s.Silent = true })
	assert.Len(t, notices, silent, "a link in shadow emits no events")
}
