package chain_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// wholeArgs is what a whole answer with a call of these arguments becomes.
func wholeArgs(t testing.TB, c *chain.Chain, args string) (any, *core.Error) {
	x := newRequest(t, helloRequest)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	setAnswer(
		t,
		x,
		`{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":`+quote(args)+`}}]}}]}`,
	)
	if d := c.RunResponse(context.Background(), x); d.Action == core.Block {
		return nil, d.Err
	}
	var v struct {
		Choices []struct {
			Message struct {
				Calls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(x.Response.Raw, &v), "%s", x.Response.Raw)
	var out any
	require.NoError(t, json.Unmarshal([]byte(v.Choices[0].Message.Calls[0].Function.Arguments), &out))
	return out, nil
}

// randomArgs is JSON text with values that the stages look for.
func randomArgs(r *rand.Rand, depth int) string {
	leaf := func() string {
		parts := []string{token, "12345678", "1234", " ", "é", "😀", "\"", "\\", "\n", "{{PII_", "x"}
		s := ""
		for range r.IntN(6) {
			s += parts[r.IntN(len(parts))]
		}
		return spellText(r, s)
	}
	switch n := r.IntN(8); {
	case n < 3 || depth == 0:
		return leaf()
	case n == 3:
		return []string{"12345678", "-1", "true", "null", "1234567890123456", "1.5e10"}[r.IntN(6)]
	case n < 6:
		return "[" + randomArgs(r, depth-1) + randomSpace(r) + "," + randomArgs(r, depth-1) + "]"
	}
	return "{" + randomSpace(r) + `"a":` + randomArgs(r, depth-1) + `,"` + token + `" :` + randomArgs(r, depth-1) + randomSpace(r) + "}"
}

func TestArgumentsInAStreamBecomeWhatWholeOnesBecome(t *testing.T) {
	all := chains(t)
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, 9))
				args := randomArgs(r, 3)
				want, refused := wholeArgs(t, c, args)
				for range 6 {
					var events []string
					for _, p := range cutText(args, func() int { return 1 + r.IntN(9) }) {
						events = append(events, argsOf(0, p))
					}
					got := stream(t, c, append(events, chunk(0, "", `"tool_calls"`), doneEvent))
					if refused != nil {
						require.NotNil(t, got.err, "%s", args)
						continue
					}
					require.Nil(t, got.err, "%s", args)
					var out any
					require.NoError(t, json.Unmarshal([]byte(got.parts["0.args0"]), &out), "%s gives %s", args, got.parts["0.args0"])
					require.Equal(t, want, out, "%s", args)
				}
			}
		})
	}
}
