package stagetest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// Suite says how to make the stage and which texts tell it apart from one that
// does nothing.
type Suite struct {
	// New makes a stage. It is closed by the suite.
	New func(t testing.TB) core.Stage
	// Texts are texts that the stage has something to say about, and some that
	// it has not. The suite adds empty, long and strange ones.
	Texts []string
	// Phases are those that the stage is made for.
	Phases []core.Phase
}

// strange are texts that no stage may stumble over.
var strange = []string{
	"", " ", "\x00\x01\x7f", "\u00e9\u0301 \U0001F600 \u202Eabc\u202C \uFFFD", strings.Repeat("a", 10_000),
	strings.Repeat("é", 100_000), "{{PII_EMAIL_0123456789abcdef}}", "{{PII_EMAIL_0123", `{"a":"\\u00e9"}`, strings.Repeat("{", 500),
}

// Conform holds the stage against the contract of core.Stage, and of
// core.StreamStage and core.Closer where it is one.
func Conform(t *testing.T, s Suite) {
	t.Helper()
	texts := append(append([]string(nil), s.Texts...), strange...)
	made := func(t *testing.T) core.Stage {
		t.Helper()
		st := s.New(t)
		t.Cleanup(func() {
			if c, ok := st.(core.Closer); ok {
				require.NoError(t, c.Close(context.Background()))
			}
		})
		return st
	}
	t.Run("every verdict is one, and the same text gets the same one", func(t *testing.T) {
		st := made(t)
		for _, p := range s.Phases {
			for _, text := range texts {
				in := Text{Phase: p, Text: text}
				first := Whole(t, st, in)
				require.Equal(t, first, Whole(t, st, in))
			}
		}
	})
	t.Run("a stage does not change what it is shown", func(t *testing.T) {
		st := made(t)
		for _, p := range s.Phases {
			for _, text := range texts {
				x := Text{Phase: p, Text: text}.Exchange()
				_, err := st.Check(context.Background(), x, p, nil)
				require.NoError(t, err)
				raw := append(append([]byte(nil), x.Request.Raw...), x.Response.Raw...)
				require.True(t, bytes.Equal([]byte(text), raw))
				require.Empty(t, x.Findings)
			}
		}
	})
	t.Run("many callers at once get what one gets", func(t *testing.T) { many(t, made(t), s.Phases, texts) })
	t.Run("a caller that has left gets an answer or an error, and no panic", func(t *testing.T) {
		st := made(t)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for _, p := range s.Phases {
			for _, text := range texts {
				v, err := st.Check(ctx, Text{Phase: p, Text: text}.Exchange(), p, nil)
				if err == nil {
					checkVerdict(t, v)
				}
			}
		}
	})
	t.Run("a body without text passes", func(t *testing.T) {
		st := made(t)
		for _, p := range s.Phases {
			v, err := st.Check(context.Background(), &core.Exchange{}, p, nil)
			require.NoError(t, err)
			assert.Equal(t, core.Pass, v.Action)
		}
	})
	t.Run("any chopping of a stream gives the result of the whole", func(t *testing.T) {
		st, ok := made(t).(core.StreamStage)
		if !ok {
			t.Skip("the stage does not look at streams")
		}
		streams(t, st, texts)
	})
}

func many(t *testing.T, st core.Stage, phases []core.Phase, texts []string) {
	t.Helper()
	p := phases[0]
	want := make([]core.Verdict, len(texts))
	for k, text := range texts {
		var err error
		want[k], err = st.Check(context.Background(), Text{Phase: p, Text: text}.Exchange(), p, nil)
		require.NoError(t, err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for k := range texts {
				k = (k + g) % len(texts)
				got, err := st.Check(context.Background(), Text{Phase: p, Text: texts[k]}.Exchange(), p, nil)
				if assert.NoError(t, err) {
					assert.Equal(t, want[k].Action, got.Action)
					assert.Equal(t, want[k].Edits, got.Edits)
					assert.Equal(t, want[k].Findings, got.Findings)
				}
			}
		})
	}
	all.Wait()
}

func streams(t *testing.T, st core.StreamStage, texts []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // a test's own randomness
	for _, text := range texts {
		in := Text{Phase: core.Response, Role: core.RoleAssistant, Text: text}
		want := Whole(t, st, in)
		ways := [][]string{{text}, {text, ""}, {"", text}}
		for _, n := range []int{1, 3, 20} {
			if len(text) < 2000*n {
				ways = append(ways, Chop(r, text, n))
			}
		}
		for _, pieces := range ways {
			got := Streamed(t, st, in, pieces)
			if want.Action == core.Block {
				require.Equal(t, core.Block, got.Action)
				require.True(t, strings.HasPrefix(text, got.Text), "what was sent before the block is how the text begins")
				continue
			}
			require.Equal(t, want, got, "in %d pieces", len(pieces))
		}
	}
}
