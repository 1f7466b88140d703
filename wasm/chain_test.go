package wasm

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/chain"
)

// mint makes placeholders that show the value they replace.
type mint struct{}

func (mint) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	return "<" + typ + ":" + value + ">", nil
}

func (mint) Resolve(context.Context, *core.Exchange, string) (string, bool, error) {
	return "", false, nil
}

// body returns a request whose raw bytes are the texts as a list of JSON strings.
func body(texts ...core.Segment) func(t *testing.T, parts ...string) *core.Exchange {
	return func(t *testing.T, parts ...string) *core.Exchange {
		t.Helper()
		x := &core.Exchange{Principal: &core.Principal{}}
		raw := []byte("[")
		for k, p := range parts {
			if k > 0 {
				raw = append(raw, ',')
			}
			s := core.Segment{Role: core.RoleUser, Kind: core.KindText}
			if k < len(texts) {
				s = texts[k]
			}
			start := len(raw) + 1
			raw = append(raw, '"')
			raw = splice.AppendEscaped(raw, p)
			raw = append(raw, '"')
			s.Depth, s.Span = 1, splice.Span{Start: start, End: len(raw) - 1}
			x.Request.Segments = append(x.Request.Segments, s)
		}
		x.Request.Raw = append(raw, ']')
		return x
	}
}

func chainOf(t *testing.T, s Settings, source []byte, o chain.OnFault) *chain.Chain {
	t.Helper()
	c, err := chain.New([]chain.Link{{
		Name: "employees", Stage: stageOf(t, source, s), Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce, OnFault: o,
	}}, mint{})
	require.NoError(t, err)
	return c
}

func TestTheChainCutsMatchesOutOfTheBody(t *testing.T) {
	x := body()(t, "a \"EMP-123456\"\n", "none", "EMP-654321")
	d := chainOf(t, Settings{Action: "redact"}, employeeID(t), 0).RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, `["a \"<EMPLOYEE_ID:EMP-123456>\"\n","none","<EMPLOYEE_ID:EMP-654321>"]`, string(x.Request.Raw))
	require.Len(t, x.Findings, 2)
	assert.Equal(t, "employee_id", x.Findings[0].Label)
	assert.Equal(t, 2, x.Findings[1].Segment)
}

func TestAMatchThatAMessageSplitsOverTwoPartsIsFound(t *testing.T) {
	joined := core.Segment{Role: core.RoleUser, Kind: core.KindText, Joined: true}
	x := body(core.Segment{Role: core.RoleUser, Kind: core.KindText}, joined, joined)(t, "id EMP-1", "234", "56.")
	d := chainOf(t, Settings{Action: "redact"}, employeeID(t), 0).RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, `["id ","<EMPLOYEE_ID:EMP-123456>","."]`, string(x.Request.Raw))
}

func TestABlockNamesTheLinkAndTheLabelAndNothingOfTheText(t *testing.T) {
	x := body()(t, "it is EMP-123456")
	d := chainOf(t, Settings{Action: "block"}, employeeID(t), 0).RunRequest(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.False(t, d.Fault)
	assert.Equal(t, core.CodeContentFilter, d.Err.Code)
	assert.Equal(t, 400, d.Err.HTTPStatus())
	assert.Equal(t, `the guard "link" found employee_id in this request, which must not pass`, d.Err.Public)
	require.Len(t, x.Findings, 1)
}

func TestSourcesNarrowWhatIsLookedAt(t *testing.T) {
	system := core.Segment{Role: core.RoleSystem, Kind: core.KindText}
	user := core.Segment{Role: core.RoleUser, Kind: core.KindText}
	more := core.Segment{Role: core.RoleSystem, Kind: core.KindText, Joined: true}
	x := body(system, more, user)(t, "EMP-111111", " EMP-222222", "EMP-333333")
	d := chainOf(t, Settings{Action: "redact", Sources: []string{"user"}}, employeeID(t), 0).RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, `["EMP-111111"," EMP-222222","<EMPLOYEE_ID:EMP-333333>"]`, string(x.Request.Raw))
}

func TestAGuestThatFailsBlocksUnlessTheLinkSaysOtherwise(t *testing.T) {
	hostile := guest{detect: onMark(unreachable)}.bytes()
	x := body()(t, "!")
	d := chainOf(t, Settings{}, hostile, 0).RunRequest(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	assert.Equal(t, core.CodeGuardUnavailable, d.Err.Code)
	assert.Equal(t, core.FaultTrap, x.Visits[0].Fault)

	x = body()(t, "!")
	d = chainOf(t, Settings{}, hostile, chain.FaultPasses).RunRequest(context.Background(), x)
	assert.Equal(t, core.Pass, d.Action)
	assert.Equal(t, core.FaultTrap, x.Visits[0].Fault)
}

func TestOneTimeoutHoldsForAllTextsOfACheck(t *testing.T) {
	v := loadModule(t, LoadOptions{Source: guest{locals: 1, detect: onMark(cat( // about 40 ms of work
		[]byte{0x03, 0x40, 0x20, 3}, i32c(1), []byte{0x6a, 0x22, 3}, i32c(20_000_000), []byte{0x48, 0x0d, 0, 0x0b}, i64c(0),
	))}.bytes(), Limits: Limits{Timeout: 100 * time.Millisecond}})
	require.True(t, v.Acquire())
	st, err := NewStage(v, "slow", Settings{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, st.Close(context.Background())) }()
	texts := make([]string, 500)
	for k := range texts {
		texts[k] = "!"
	}
	_, err = st.Check(context.Background(), body()(t, texts...), core.Request, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
