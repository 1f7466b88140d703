package wasm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// repetition returns the sample that remembers the whole answer.
func repetition(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "sdk", "samples", "repetition", "repetition.wasm"))
	require.NoError(t, err)
	return b
}

// pem returns a detector with state whose matches may have 16 KiB.
func pem(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "pem.wasm"))
	require.NoError(t, err)
	return b
}

// lines returns an answer in which some lines are repeated, and which contains everything that the other detectors look for.
func lines(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(6) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "This is line %d of what is said again.\n", r.IntN(4))
		case 3:
			fmt.Fprintf(&b, "%s\n", strings.Repeat("lang é ", r.IntN(300)))
		case 4:
			b.WriteString("{{PII_EMAIL_00112233445566ff}} is repeated in this line\n")
		default:
			b.WriteString(tangle(r, 40))
		}
	}
	return b.String()
}

// keys returns text with private keys: whole, cut off and too long.
func keys(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(6) {
		case 0, 1:
			fmt.Fprintf(&b, "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----", strings.Repeat("QUJD\n", r.IntN(600)))
		case 2:
			fmt.Fprintf(&b, "----------BEGIN PRIVATE KEY-----%s-----END PRIVATE KEY----------", strings.Repeat("é{{", r.IntN(50)))
		case 3:
			b.WriteString("-----BEGIN PRIVATE KEY-----"[:r.IntN(27)])
		case 4:
			b.WriteString(strings.Repeat("{{PII_EMAIL_00112233445566ff}}é", r.IntN(20)))
		default:
			fmt.Fprintf(&b, "-----BEGIN PRIVATE KEY-----%s-----END PRIVATE KEY-----", strings.Repeat("x", 16_000+r.IntN(800)))
		}
	}
	return b.String()
}

var stateful = map[string]struct {
	source func(testing.TB) []byte
	text   func(*rand.Rand, int) string
	label  string
}{
	"repetition": {repetition, lines, "repetition"},
	"pem":        {pem, keys, "private_key"},
}

func TestAnyCuttingOfAStreamGivesTheResultOfTheWholeToAGuestWithState(t *testing.T) {
	for name, g := range stateful {
		for _, action := range []string{"redact", "flag", "block"} {
			t.Run(name+" "+action, func(t *testing.T) {
				st := stageOf(t, g.source(t), Settings{Action: action})
				r := rand.New(rand.NewPCG(8, 9))
				found := 0
				for round := range 12 {
					text := g.text(r, 1+r.IntN(60_000))
					want := passWhole(t, st, text)
					found += len(want.Labels)
					for _, n := range []int{1, 5, 60, 3000} {
						if len(text) > 8000*n {
							continue
						}
						got := passStream(t, st, stagetest.Chop(r, text, n))
						if want.Action == core.Block {
							require.Equal(t, core.Block, got.Action)
							require.True(t, strings.HasPrefix(text, got.Text), "what was sent before the block is a prefix")
							continue
						}
						require.Equal(t, want, got, "round %d, pieces of about %d bytes", round, n)
					}
				}
				assert.Greater(t, found, 5)
				assert.Zero(t, st.v.Stats().Streams)
			})
		}
	}
}

func FuzzAnyCuttingOfAStreamGivesTheResultOfTheWholeToAGuestWithState(f *testing.F) {
	f.Add("This line is said three times.\nThis line is said three times.\nThis line is said three times.", uint64(1), byte(3))
	f.Add("-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY----------BEGIN PRIVATE KEY-----", uint64(2), byte(1))
	f.Add(
		"{{PII_EMAIL_00112233445566ff}}-----BEGIN PRIVATE KEY-----{{PII_EMAIL_00112233445566ff}}é-----END PRIVATE KEY-----",
		uint64(3),
		byte(9),
	)
	stages := map[string]*Stage{}
	for name, g := range stateful {
		stages[name] = stageOf(f, g.source(f), Settings{Action: "redact"})
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, n byte) {
		text = strings.ToValidUTF8(text, "\ufffd")
		for name, st := range stages {
			r := rand.New(rand.NewPCG(seed, 1))
			require.Equal(t, passWhole(t, st, text), passStream(t, st, stagetest.Chop(r, text, 1+int(n))), name)
		}
	})
}

func TestGuestsWithStateConformToTheContractOfStages(t *testing.T) {
	texts := []string{
		strings.Repeat("I am sorry, I said that before.\n", 5), "-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----.", "no match",
	}
	for name, g := range stateful {
		for _, action := range []string{"flag", "redact", "block"} {
			t.Run(name+" "+action, func(t *testing.T) {
				stagetest.Conform(t, stagetest.Suite{
					New:   func(t testing.TB) core.Stage { return stageOf(t, g.source(t), Settings{Action: action}) },
					Texts: texts, Phases: []core.Phase{core.Request, core.Response},
				})
			})
		}
	}
}

// window returns a window of a single part.
func window(text string, last bool) core.Window {
	return core.Window{Part: core.Part{Kind: core.KindText}, Text: text, Last: last}
}

func TestAGuestWithStateRemembersAPartOfAnAnswerAndNothingOfAnother(t *testing.T) {
	const line = "This line stands in the answer again and again.\n"
	st := stageOf(t, repetition(t), Settings{})
	ctx := context.Background()
	answer := func(choices int32) (found []int) {
		f, err := st.Stream(ctx, &core.Exchange{}, nil)
		require.NoError(t, err)
		for k := range int32(4) {
			w := window(line, k+choices > 3)
			w.Part.Choice = k % choices
			v, hold, err := f.Check(ctx, w)
			require.NoError(t, err)
			require.Zero(t, hold, "the line has ended")
			found = append(found, len(v.Findings))
		}
		require.NoError(t, f.Close(ctx))
		return found
	}
	assert.Equal(t, []int{0, 0, 1, 1}, answer(1))
	assert.Equal(t, []int{0, 0, 1, 1}, answer(1), "the next answer starts without state")
	assert.Equal(t, []int{0, 0, 0, 0}, answer(4), "each choice is remembered for itself")
	assert.Equal(t, 1, st.v.Stats().Instances, "and all are served by the same instance")

	x := body()(t, line+line+line)
	x.Response, x.Request = x.Request, core.Payload{}
	v, err := st.Check(ctx, x, core.Response, nil)
	require.NoError(t, err)
	assert.Len(t, v.Findings, 1, "whole, an answer is remembered as well")
}

func TestAMarkLetsTextGoAndWithoutOneMaxMatchIsHeld(t *testing.T) {
	ctx := context.Background()
	hold := func(st *Stage, text string) int {
		f, err := st.Stream(ctx, &core.Exchange{}, nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close(ctx)) }()
		_, hold, err := f.Check(ctx, window(text, false))
		require.NoError(t, err)
		return hold
	}
	st := stageOf(t, repetition(t), Settings{Action: "redact"})
	assert.Equal(t, 6, hold(st, "a line\nsecond"))
	assert.Zero(t, hold(st, strings.Repeat("x", 1025)), "text that cannot be a match is released")
	st = stageOf(t, pem(t), Settings{Action: "redact"})
	assert.Equal(t, 8, hold(st, "see -----BEG"))
	assert.Equal(t, 12_027, hold(st, "see -----BEGIN PRIVATE KEY-----"+strings.Repeat("A", 12_000)))
	silent := guest{nodetect: true, stream: i64c(0), manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":5000}`}
	st = stageOf(t, silent.bytes(), Settings{Action: "redact"})
	assert.Equal(t, 5000, hold(st, strings.Repeat("é", 10_000)))
	assert.Equal(t, 5000, hold(st, strings.Repeat("x", 200_000)))
}

func TestStreamsAboveTheLimitAreAnOverloadAndTheNextIsServed(t *testing.T) {
	v := loadModule(
		t,
		LoadOptions{Source: repetition(t), Name: "repetition.wasm", Limits: Limits{Streams: 2, Instances: 1, Timeout: 10 * time.Second}},
	)
	require.True(t, v.Acquire())
	st, err := NewStage(v, "link", Settings{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, st.Close(context.Background())) }()
	ctx := context.Background()
	var open []core.StreamFilter
	for range 2 {
		f, err := st.Stream(ctx, &core.Exchange{}, nil)
		require.NoError(t, err)
		open = append(open, f)
	}
	assert.Equal(t, 2, v.Stats().Streams)
	_, err = st.Stream(ctx, &core.Exchange{}, nil)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultOverload, e.Kind)
	assert.ErrorContains(t, err, "2 answers already stream")
	assert.Zero(t, v.breaker.circuit.Failures(), "a full pool is not the guest's fault")
	_, err = v.Detect(ctx, nil, "whole texts do not wait for streams", 0)
	require.NoError(t, err)
	for _, f := range open {
		require.NoError(t, f.Close(ctx))
	}
	f, err := st.Stream(ctx, &core.Exchange{}, nil)
	require.NoError(t, err)
	require.NoError(t, f.Close(ctx))
	assert.Zero(t, v.Stats().Streams)
	assert.LessOrEqual(t, v.Stats().Instances, 1, "no more instances are kept than the limit")
}

func TestAStreamThatIsCutClosesItsInstance(t *testing.T) {
	st := stageOf(t, repetition(t), Settings{Action: "redact"})
	ctx := context.Background()
	f, err := st.Stream(ctx, &core.Exchange{}, nil)
	require.NoError(t, err)
	_, _, err = f.Check(ctx, window("the client hangs up in the mid", false))
	require.NoError(t, err)
	assert.Equal(t, 1, st.v.Stats().Instances)
	require.NoError(t, f.Close(ctx))
	require.NoError(t, f.Close(ctx), "closing twice is allowed")
	assert.Zero(t, st.v.Stats().Instances, "state of an unfinished part is discarded")

	left, cancel := context.WithCancel(ctx)
	f, err = st.Stream(left, &core.Exchange{}, nil)
	require.NoError(t, err)
	cancel()
	_, _, err = f.Check(left, window(strings.Repeat("a line of text\n", 1<<20), false))
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, st.v.Stats().Faults)
	require.NoError(t, f.Close(ctx))
	assert.Zero(t, st.v.Stats().Instances)
	_, err = st.Stream(left, &core.Exchange{}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestADetectorThatDoesNotLookAtAnswersPinsNothing(t *testing.T) {
	st := stageOf(t, repetition(t), Settings{Sources: []string{"user"}})
	f, err := st.Stream(context.Background(), &core.Exchange{}, nil)
	require.NoError(t, err)
	assert.Nil(t, f)
	st = stageOf(t, repetition(t), Settings{Sources: []string{"tool_args"}})
	f, err = st.Stream(context.Background(), &core.Exchange{}, nil)
	require.NoError(t, err)
	for range 4 {
		v, hold, err := f.Check(context.Background(), window("The same line, four times over.\n", false))
		require.NoError(t, err)
		assert.Zero(t, hold)
		assert.Empty(t, v.Findings)
	}
	require.NoError(t, f.Close(context.Background()))
}
