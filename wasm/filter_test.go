package wasm

import (
	"context"
	"encoding/hex"
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

// overlap returns a detector whose matches overlap and differ in length.
func overlap(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "overlap.wasm"))
	require.NoError(t, err)
	return b
}

func stageOf(t testing.TB, source []byte, s Settings) *Stage {
	t.Helper()
	v, err := Load(context.Background(), LoadOptions{Source: source, Name: "test.wasm", Limits: Limits{Timeout: 10 * time.Second}})
	require.NoError(t, err)
	st, err := NewStage(v, "link", s)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
	return st
}

// passWhole passes a text to the stage at once.
func passWhole(t testing.TB, st *Stage, text string) stagetest.Outcome {
	t.Helper()
	return stagetest.Whole(t, st, stagetest.Text{Phase: core.Response, Role: core.RoleAssistant, Text: text})
}

// passStream passes the text to the stage in pieces.
func passStream(t testing.TB, st *Stage, pieces []string) stagetest.Outcome {
	t.Helper()
	return stagetest.Streamed(t, st, stagetest.Text{}, pieces)
}

// tangle returns text in which matches, near matches, placeholders and other text run into each other.
func tangle(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(12) {
		case 0, 1:
			fmt.Fprintf(&b, "EMP-%06d", r.IntN(1e6))
		case 2:
			fmt.Fprintf(&b, "%d", r.Int64N(1<<uint(1+r.IntN(62))))
		case 3:
			b.WriteString([]string{"abc-12345", "x-1-2-3", "word", "EMP-", "EMP", "E", "-", "_", "{", "{{", "{{PII_", "}}"}[r.IntN(12)])
		case 4:
			var h [12]byte
			for i := range h {
				h[i] = byte(r.Uint32())
			}
			token := "{{PII_EMPLOYEE_ID_" + hex.EncodeToString(h[:8]) + "}}"
			if r.IntN(2) == 0 {
				token = "{{PII_THE_LONGEST_TYPE_THAT_THERE_IS_" + hex.EncodeToString(h[:]) + "}}"
			}
			b.WriteString(token[:len(token)-r.IntN(2)*r.IntN(20)])
		case 5:
			b.WriteString([]string{"é", "東京", "😀", "\u0300"}[r.IntN(4)])
		case 6:
			b.WriteString(strings.Repeat(string("a1-"[r.IntN(3)]), r.IntN(40)))
		case 7:
			b.WriteByte("\n\t"[r.IntN(2)])
		default:
			b.WriteString(strings.Repeat(" ", r.IntN(3)))
		}
	}
	return b.String()
}

func TestAnyChoppingOfAStreamGivesTheResultOfTheWhole(t *testing.T) {
	for name, source := range map[string][]byte{"employee-id": employeeID(t), "overlap": overlap(t)} {
		for _, s := range []Settings{
			{Action: "redact"}, {Action: "flag"}, {Action: "block"},
		} {
			t.Run(name+" "+s.Action, func(t *testing.T) {
				st := stageOf(t, source, s)
				r := rand.New(rand.NewPCG(1, 2))
				for round := range 30 {
					text := tangle(r, 1+r.IntN(3000))
					want := passWhole(t, st, text)
					for _, n := range []int{1, 2, 7, 50, 400} {
						got := passStream(t, st, stagetest.Chop(r, text, n))
						if want.Action == core.Block {
							require.Equal(t, core.Block, got.Action)
							require.True(t, strings.HasPrefix(text, got.Text), "what was sent before the block is a prefix")
							continue
						}
						require.Equal(t, want, got, "round %d, pieces of about %d bytes", round, n)
					}
				}
			})
		}
	}
}

func TestTwoCutsAnywhereGiveTheResultOfTheWhole(t *testing.T) {
	const text = "see EMP-123456, {{PII_EMPLOYEE_ID_00112233445566ff}} and EMP-654321é EMP-1234567"
	st := stageOf(t, employeeID(t), Settings{Action: "redact"})
	want := passWhole(t, st, text)
	require.Equal(t, "see <EMPLOYEE_ID>, {{PII_EMPLOYEE_ID_00112233445566ff}} and <EMPLOYEE_ID>é EMP-1234567", want.Text)
	for a := range text {
		for b := range text {
			if a <= b {
				require.Equal(t, want, passStream(t, st, []string{text[:a], text[a:b], text[b:]}), "cut at %d and %d", a, b)
			}
		}
	}
}

func TestWhatStandsInAPlaceholderIsNoMatch(t *testing.T) {
	st := stageOf(t, overlap(t), Settings{Action: "redact"})
	const text = "12345 {{PII_THE_LONGEST_TYPE_THAT_THERE_IS_a12345b123456789012345cd}} {{PII_X_a12345b}}"
	want := "<NUMBER> {{PII_THE_LONGEST_TYPE_THAT_THERE_IS_a12345b123456789012345cd}} {{PII_X_a<NUMBER>b}}"
	assert.Equal(t, want, passWhole(t, st, text).Text)
	for n := range text {
		assert.Equal(t, want, passStream(t, st, []string{text[:n], text[n:]}).Text, "cut at %d", n)
	}
}

func TestMatchesThatOverlapAreCutOutTogetherAndNamedAfterTheLongest(t *testing.T) {
	const text = "a-12345 12345-abcdef 777"
	for _, c := range []struct {
		name string
		s    Settings
		want string
	}{
		{"both redacted", Settings{Action: "redact"}, "<WORD> <WORD> <NUMBER>"},
		{"one is only reported", Settings{Labels: map[string]string{"number": "redact"}}, "a-<NUMBER> <NUMBER>-abcdef <NUMBER>"},
		{"the other is only reported", Settings{Action: "redact", Labels: map[string]string{"number": "flag"}}, "<WORD> <WORD> 777"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := passWhole(t, stageOf(t, overlap(t), c.s), text)
			assert.Equal(t, c.want, got.Text)
		})
	}
}

func TestATextOfManyPiecesIsScannedLikeOne(t *testing.T) {
	for name, source := range map[string][]byte{"employee-id": employeeID(t), "overlap": overlap(t)} {
		t.Run(name, func(t *testing.T) {
			st := stageOf(t, source, Settings{Action: "redact"})
			r := rand.New(rand.NewPCG(3, 4))
			text := tangle(r, 5*pieceBytes/2)
			want := passWhole(t, st, text)
			require.Equal(t, want, passStream(t, st, stagetest.Chop(r, text, 300)))
			require.Greater(t, strings.Count(want.Text, "<"), 100)
		})
	}
}

func TestADetectorThatOnlyFlagsHoldsNothingBack(t *testing.T) {
	st := stageOf(t, employeeID(t), Settings{})
	f, err := st.Stream(context.Background(), nil, nil)
	require.NoError(t, err)
	v, hold, err := f.Check(context.Background(), core.Window{Text: "EMP-12"})
	require.NoError(t, err)
	assert.Zero(t, hold)
	assert.Empty(t, v.Findings)
	v, hold, err = f.Check(context.Background(), core.Window{Text: "EMP-123456 ", Sent: 6, New: 6})
	require.NoError(t, err)
	assert.Zero(t, hold)
	assert.Equal(t, core.Pass, v.Action)
	assert.Len(t, v.Findings, 1)
}

func TestATokenDetectorHoldsBackOneWordOnly(t *testing.T) {
	st := stageOf(t, employeeID(t), Settings{Action: "redact"})
	f, err := st.Stream(context.Background(), nil, nil)
	require.NoError(t, err)
	for text, want := range map[string]int{
		"Hello ": 0, "Hello wor": 3, "a very long-worded-sentence": 10, "x\n": 0, "see {": 1, "see {{PII_A_ b": 1,
		"{{PII_EMPLOYEE_ID_0011": 22, "{{ not": 3,
	} {
		_, hold, err := f.Check(context.Background(), core.Window{Part: core.Part{Index: int32(len(text))}, Text: text})
		require.NoError(t, err)
		assert.Equal(t, want, hold, text)
	}
}
