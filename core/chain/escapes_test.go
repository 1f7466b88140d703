package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

func TestEditsOfEscapedTextsGoWhereTheyBelong(t *testing.T) {
	for name, pieces := range map[string][]string{
		"plain":    {"a one b two c three d ", "one"},
		"escaped":  {"\"one\"\n", "é two \\ \u2028\U0001F600three\t", "/one/"},
		"no text":  {"", "one"},
		"adjacent": {"\none\ntwo\nthree\n"},
	} {
		for _, times := range []int{1, 30, 2000} { // the last have more escapes than are noted
			t.Run(name, func(t *testing.T) {
				type message struct {
					Role    string `json:"role"`
					Content string `json:"content"`
				}
				var body struct {
					Model    string    `json:"model"`
					Messages []message `json:"messages"`
				}
				body.Model = "m"
				for range 2 {
					for _, piece := range pieces {
						body.Messages = append(body.Messages, message{"user", strings.Repeat(piece, times)})
					}
				}
				raw, err := json.Marshal(&body) // which escapes more than it must
				require.NoError(t, err)

				var seen []string
				of := func(p core.Phase, mode chain.Mode, s *guard) chain.Link {
					return chain.Link{Name: fmt.Sprint(p, mode, s), Stage: s, Phases: core.NewPhaseSet(p), Mode: mode}
				}
				c := newChain(t, nil, of(core.Request, chain.Shadow, seeing(&seen)),
					of(core.Request, chain.Enforce, rewriting("one", "\"1\"\n")),
					of(core.Request, chain.Enforce, rewriting("two", "zwei")),
					of(core.Target, chain.Enforce, rewriting("three", "")))
				x := newRequest(t, string(raw))
				require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
				require.Equal(t, core.Pass, c.RunTarget(context.Background(), x).Action)

				var want []string
				for i := range body.Messages {
					if text := body.Messages[i].Content; text != "" {
						want = append(want, "request:"+text)
					}
					body.Messages[i].Content = strings.NewReplacer("one", "\"1\"\n", "two", "zwei", "three", "").Replace(body.Messages[i].Content)
				}
				assert.True(t, slices.Equal(want, seen), "what is in shadow sees the texts as they came")
				got := body
				got.Messages = nil
				require.NoError(t, json.Unmarshal(x.Request.Raw, &got))
				assert.True(t, slices.Equal(body.Messages, got.Messages))
			})
		}
	}
}
