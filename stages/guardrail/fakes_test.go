package guardrail

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// exchangeOf is a chat request with one user message.
func exchangeOf(t testing.TB, text string) *core.Exchange {
	b, err := json.Marshal(map[string]any{"model": "m", "messages": []any{map[string]any{"role": "user", "content": text}}})
	require.NoError(t, err)
	return exchangeFrom(t, string(b))
}

// exchangeFrom is a chat request with a body.
func exchangeFrom(t testing.TB, body string) *core.Exchange {
	d := openai.Chat{}
	x := &core.Exchange{Dialect: "openai.chat", Principal: &core.Principal{Tenant: "t", KeyID: "k"}}
	x.Request.Raw = []byte(body)
	e := d.Scan(x)
	require.Nil(t, e)
	return x
}
