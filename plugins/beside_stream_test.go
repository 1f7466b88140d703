package plugins

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// streams passes an answer through a filter, as the chain does. It returns the text that leaves the filter, with a mark
// in place of each cut. It ends at a block.
func streams(t testing.TB, st core.Stage, pieces ...string) (string, core.Action) {
	t.Helper()
	ctx := context.Background()
	f, err := st.(core.StreamStage).Stream(ctx, exchange(""), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close(ctx)) }()
	var out strings.Builder
	text, sent := "", 0
	for i, piece := range pieces {
		w := core.Window{Part: core.Part{Kind: core.KindText}, Text: text + piece, Sent: sent, New: len(text), Last: i == len(pieces)-1}
		v, hold, err := f.Check(ctx, w)
		require.NoError(t, err)
		if v.Action == core.Block {
			return out.String(), v.Action
		}
		known, at := len(w.Text)-hold, sent
		require.GreaterOrEqual(t, known, sent)
		before := out.Len()
		for _, e := range v.Edits {
			out.WriteString(w.Text[at:e.Start] + "<" + e.Type + ">")
			at = e.End
		}
		out.WriteString(w.Text[at:known])
		shown := out.String()
		context := shown[max(0, len(shown)-contextBytes):]
		if before == len(shown) && sent == known {
			context = w.Text[:sent]
		}
		text, sent = context+w.Text[known:], len(context)
	}
	return out.String(), core.Pass
}

// chop cuts a text into pieces at random.
func chop(r *rand.Rand, text string) (out []string) {
	for len(text) > 0 {
		n := min(len(text), 1+r.IntN(12))
		out = append(out, text[:n])
		text = text[n:]
	}
	return append(out, "")
}

// wider returns the sample with a manifest by which it holds back more of a stream.
func wider(t testing.TB) []byte {
	t.Helper()
	b, err := wasm.WithManifest(
		sample(t, 0),
		[]byte(`{"name":"employee-id","version":"2","kind":"detector","labels":["employee_id"],"max_match":40}`),
	)
	require.NoError(t, err)
	return b
}

func TestStreamsAreComparedWhateverEachVersionHoldsBack(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 1 << 40})
	put(t, s.dir, file, wider(t))
	l := s.stage()
	r := rand.New(rand.NewPCG(1, 2))
	parts := int64(0)
	for range 300 {
		var text, want strings.Builder
		for range 1 + r.IntN(8) {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&text, " EMP-%06d", r.IntN(1e6))
				want.WriteString(" <EMPLOYEE_ID>")
			}
			filler := " " + strings.Repeat("é words ", r.IntN(20))
			text.WriteString(filler)
			want.WriteString(filler)
		}
		got, _ := streams(t, l, chop(r, text.String())...)
		require.Equal(t, want.String(), got, "the client gets what the version that serves makes of it")
		parts++
		k := s.candidate()
		require.Equal(t, parts, k.Calls)
		require.Empty(t, k.Diverged, "%q", text.String())
		require.Empty(t, k.Faults)
		require.Zero(t, k.Skipped)
	}
	for _, n := range s.candidate().Labels {
		assert.Equal(t, n.Live, n.Candidate)
		assert.Positive(t, n.Live)
	}
}

func TestADivergenceInAStreamIsSeen(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 10})
	put(t, s.dir, file, blind("2"))
	l := s.stage()
	got, _ := streams(t, l, "call EMP-12", "3456 now", "")
	assert.Equal(t, "call <EMPLOYEE_ID> now", got)
	k := s.candidate()
	assert.Equal(t, StateHeld, k.State)
	assert.Equal(t, map[string]int64{DiffersEdits: 1}, k.Diverged)
	got, _ = streams(t, l, "call EMP-12", "3456 now", "")
	assert.Equal(t, "call <EMPLOYEE_ID> now", got)
}

func TestATrapInAStreamIsTheCandidatesAlone(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 10, MaxFaults: 1})
	put(t, s.dir, file, trapping("2"))
	l := s.stage()
	got, _ := streams(t, l, "! EMP-123456 ", "and more ", "")
	assert.Equal(t, "! <EMPLOYEE_ID> and more ", got)
	k := s.candidate()
	assert.Equal(t, map[core.Fault]int64{core.FaultTrap: 1}, k.Faults, "it is not called for the rest of that answer")
	assert.Zero(t, k.Calls)
	assert.Equal(t, StateShadow, k.State)
}

func TestABlockInAStreamEndsTheComparison(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		want map[string]int64
	}{
		"one that agrees":         {sample(t, 2), map[string]int64{}},
		"one that holds more":     {wider(t), map[string]int64{}},
		"one that does not block": {blind("2"), map[string]int64{DiffersAction: 1}},
	} {
		dir := t.TempDir()
		put(t, dir, file, sample(t, 1))
		d := openDir(t, Options{Dir: dir, Rules: Rules{Candidate: Candidate{MinCalls: 10}}})
		link(t, d, "action: block")
		put(t, dir, file, c.body)
		l, err := d.OpenStage(context.Background(), file, block("action: block"), wasm.Limits{}, Deps{Name: "x"})
		require.NoError(t, err)
		_, action := streams(t, l, "say EMP-123456 ", "never", "")
		assert.Equal(t, core.Block, action)
		k := d.Status()[0].Candidate
		assert.Equal(t, int64(1), k.Calls, name)
		assert.Equal(t, c.want, k.Diverged, name)
		require.NoError(t, l.Close(context.Background()))
	}
}

// keeper is a filter that keeps a value for the exchange.
type keeper struct {
	fake
	at   int
	keep []any
	end  any
}

func (k *keeper) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return keeperFilter{k}, nil
}

type keeperFilter struct{ k *keeper }

func (f keeperFilter) Check(context.Context, core.Window) (core.Verdict, int, error) {
	f.k.at++
	return core.Verdict{Action: core.Pass, Keep: f.k.keep[f.k.at-1]}, 0, nil
}

func (f keeperFilter) End(context.Context) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass, Keep: f.k.end}, nil
}

func (keeperFilter) Close(context.Context) error { return nil }

func TestWhatEachVersionKeepsOfAStreamIsItsOwn(t *testing.T) {
	live, next := &keeper{keep: []any{nil, "l1", nil}}, &keeper{keep: []any{"n1", nil, "n2"}, end: "n3"}
	s, tr := newBeside(t, &live.fake, &next.fake)
	s.live, s.next = live, next
	ctx := context.Background()
	f, err := s.Stream(ctx, exchange(""), nil)
	require.NoError(t, err)
	var kept any
	for range 3 {
		v, _, err := f.Check(ctx, core.Window{Text: "a"})
		require.NoError(t, err)
		kept = v.Keep
		assert.IsType(t, versionStates{}, kept)
	}
	assert.Equal(t, versionStates{"l1", "n2"}, kept)
	v, err := f.(core.Ender).End(ctx)
	require.NoError(t, err)
	assert.Equal(t, versionStates{"l1", "n3"}, v.Keep)
	tr.stop()
	live.keep = append(live.keep, "l2")
	v, _, err = f.Check(ctx, core.Window{Text: "a"})
	require.NoError(t, err)
	assert.Equal(t, versionStates{"l2", "n3"}, v.Keep, "the trial is over, and the candidate still keeps a value")
	s.Finish(ctx, exchange(""), v.Keep)
	assert.Equal(t, []any{"l2"}, live.finished)
	assert.Equal(t, []any{"n3"}, next.finished)
	require.NoError(t, f.Close(ctx))
}

// holder is a filter that waits for the end of a text.
type holder struct{ fake }

func (h *holder) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return holderFilter{}, nil
}

type holderFilter struct{}

func (holderFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	if !w.Last {
		return v, len(w.Text) - w.Sent, nil
	}
	v.Findings = []core.Finding{{Label: "length", Start: w.Sent, End: len(w.Text)}}
	return v, 0, nil
}

func (holderFilter) Close(context.Context) error { return nil }

func TestATextThatACandidateHoldsIsNotCopiedForEachPiece(t *testing.T) {
	live, next := new(holder), new(holder)
	s, tr := newBeside(t, &live.fake, &next.fake)
	s.live, s.next = live, next
	f, err := s.Stream(context.Background(), exchange(""), nil)
	require.NoError(t, err)
	text := strings.Repeat("0123456789", 10_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := 0; n <= len(text); n += 10 {
		_, _, err := f.Check(context.Background(), core.Window{Text: text[:n], New: max(n-10, 0), Last: n == len(text)})
		require.NoError(t, err)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
	assert.EqualValues(t, 1, tr.calls.Load())
	assert.Zero(t, tr.diverged.Load())
	require.NoError(t, f.Close(context.Background()))
}
