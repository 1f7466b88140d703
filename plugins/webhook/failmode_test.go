package webhook

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// serveBroken fails every nth call, beginning with the first.
func serveBroken(t testing.TB, healthy func(n int64) bool, judge webhook.Judge) *receiver {
	var n atomic.Int64
	h := webhook.Handler(&webhook.Verifier{Secrets: []string{secret}}, judge)
	return serves(t, new(receiver), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !healthy(n.Add(1)) {
			http.Error(w, canary, http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	}))
}

func never(int64) bool { return false }

func TestAFailureBlocksInFailModeClosed(t *testing.T) {
	c := chainOf(t, serveBroken(t, never, finds(webhook.Redact)).link(t), chain.FaultBlocks)
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"PROJECT-APOLLO"}]}`)
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	assert.Equal(t, 503, d.Err.HTTPStatus())
	assert.Equal(t, core.CodeGuardUnavailable, d.Err.Code)
	assert.NotContains(t, d.Err.Public, canary)

	_, d, _ = runAnswer(t, c, "PROJECT-APOLLO")
	assert.Equal(t, core.Block, d.Action)
	got, e, _ := streamAnswer(t, c, strings.Split(strings.Repeat("PROJECT-APOLLO ", 100), ""))
	require.NotNil(t, e)
	assert.Equal(t, core.CodeGuardUnavailable, e.Code)
	assert.Empty(t, got, "nothing was let through before the verdict")
}

func TestAFailureIsAnEmptyResultInFailModeOpen(t *testing.T) {
	c := chainOf(t, serveBroken(t, never, finds(webhook.Redact)).link(t, func(o *Options) { o.FailOpen = true }), chain.FaultPasses)
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"PROJECT-APOLLO"}]}`)
	raw := string(x.Request.Raw)
	d := c.RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, raw, string(x.Request.Raw))
	assert.Empty(t, x.Findings)
	require.Len(t, x.Visits, 1)
	assert.Equal(t, core.FaultError, x.Visits[0].Fault, "the fault is recorded anyway")

	text := strings.Repeat("PROJECT-APOLLO ", 100)
	got, d, x := runAnswer(t, c, text)
	assert.Equal(t, core.Pass, d.Action)
	assert.Equal(t, text, got)
	assert.Empty(t, x.Findings)
	got, e, x := streamAnswer(t, c, strings.SplitAfter(text, " "))
	require.Nil(t, e)
	assert.Equal(t, text, got)
	assert.Empty(t, x.Findings)
	assert.NotZero(t, x.Visits[len(x.Visits)-1].Fault)
}

func TestAStreamThatFailsOpenIsGuardedAgainAfterAFailure(t *testing.T) {
	r := serveBroken(t, func(n int64) bool { return n != 2 }, finds(webhook.Redact))
	c := chainOf(t, r.link(t, func(o *Options) { o.FailOpen = true }), chain.FaultPasses)
	text := strings.Repeat("a", 200) + "PROJECT-A" + strings.Repeat("b", 321) + "PROJECT-B" + strings.Repeat("c", 430) + "PROJECT-C."
	text = strings.NewReplacer("PROJECT-A", " PROJECT-AAA ", "PROJECT-B", " PROJECT-BBB ", "PROJECT-C", " PROJECT-CCC ").Replace(text)
	got, e, x := streamAnswer(t, c, strings.Split(text, ""))
	require.Nil(t, e)
	want := strings.NewReplacer("PROJECT-AAA", "<PROJECT:PROJECT-AAA>", "PROJECT-CCC", "<PROJECT:PROJECT-CCC>").Replace(text)
	assert.Equal(t, want, got, "the second window alone was not judged")
	assert.Equal(t, core.FaultError, x.Visits[len(x.Visits)-1].Fault)
}
