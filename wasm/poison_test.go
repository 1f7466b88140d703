package wasm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// poisoned is the number of requests with a poisonous text that are sent beside those of a victim.
const poisoned = 2000

// sentBy returns a request of a key with one user text.
func sentBy(tenant, key, text string) *core.Exchange {
	x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, text)
	x.Principal = &core.Principal{Tenant: tenant, KeyID: key}
	return x
}

// sulks returns a detector with two defects. After a text that starts with '?' its next call traps, whatever the text. A text that begins
// with '!' traps at once.
func sulks() guest {
	const mood = 2000
	return guest{pages: 4, detect: cat(
		i32c(mood), []byte{0x2d, 0, 0, 0x04, 0x40}, unreachable, end,
		[]byte{0x20, 1, 0x04, 0x40, 0x20, 0, 0x2d, 0, 0}, i32c('?'), []byte{0x46, 0x04, 0x40}, i32c(mood), i32c(1), []byte{0x3a, 0, 0}, end, end,
		onMark(unreachable),
	)}
}

func TestOneClientsTextsDoNotCostAnotherItsGuard(t *testing.T) {
	for name, c := range map[string]struct {
		poison string
		guest  guest
	}{
		"texts that trap":                        {"!", sulks()},
		"texts that leave an instance broken":    {"?", sulks()},
		"texts whose result breaks the contract": {hostileText, reporting(span(0, 100, 0, 1))},
	} {
		t.Run(name, func(t *testing.T) {
			v := loadModule(t, LoadOptions{Source: c.guest.bytes(), Limits: Limits{Timeout: 5 * time.Second}})
			require.True(t, v.Acquire())
			st, err := NewStage(v, "guard", Settings{Action: "block"})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
			ctx := context.Background()
			for k := range poisoned {
				_, _ = st.Check(ctx, sentBy("mallory", "k1", c.poison), core.Request, nil)
				if k%10 == 0 {
					v, err := st.Check(ctx, sentBy("acme", "k2", "calm"), core.Request, nil)
					require.NoError(t, err, "after %d poisoned requests", k+1)
					require.Equal(t, core.Pass, v.Action)
				}
			}
			assert.False(t, v.Stats().OutOfService)
		})
	}
}

func TestATextLargerThanAGuestsMemoryIsTheTextsFault(t *testing.T) {
	m := &Manifest{
		Name: "template", Version: "0.1.0", Kind: "stage", Labels: []string{"internal_mark"}, Phases: []string{"request"},
		Reads: Reads{Fields: []string{"model"}, Text: []string{"system", "user", "tool_result"}},
	}
	v := loadModule(t, LoadOptions{Source: testModule(t, "template"), Manifest: m})
	require.True(t, v.Acquire())
	st, err := NewPlugin(v, Options{Link: "guard"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
	large := strings.Repeat("a", 17<<20)
	for range 3 * tripAfter {
		_, err = st.Check(context.Background(), sentBy("mallory", "k1", large), core.Request, nil)
		require.ErrorContains(t, err, "limits.memory")
		_, err = st.Check(context.Background(), sentBy("acme", "k2", "calm"), core.Request, nil)
		require.NoError(t, err)
	}
	assert.False(t, v.Stats().OutOfService)
}
