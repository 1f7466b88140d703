package proxy_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACallThatLacksTheScopeIsNoGovernedCall(t *testing.T) {
	g := open(t, setup{provider: newProvider(t, "openai", newFake(t, answersBriefly).url)})
	require.Equal(t, 403, g.callPath(chatPath, chat("x"), "Authorization", "Bearer "+g.key["models"]).status)
	require.Equal(t, 200, g.post("dev", chat("x")).status)
	require.Equal(t, 400, g.post("dev", `{"model":"gpt-test","messages":[]}`).status)
	require.NoError(t, g.w.Sync(context.Background()))
	n, err := g.db.Usage().CountGoverned(context.Background(), time.Now())
	require.NoError(t, err)
	assert.EqualValues(t, 2, n, "the answered request and the one refused for its content")
}
