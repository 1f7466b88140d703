package wasm

import (
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func handleRestore(c *talk, i *instance, stack []uint64) {
	token := readBytes(i, stack[0], stack[1])
	c.charge(i, len(token))
	switch {
	case c.phase != abi.PhaseResponse: // never in a request: what a provider must not see stays out of it
		endWithBreach("it read a value in a phase other than the answer's")
	case len(token) > placeholder.MaxLen:
		endWithBreach("it asks to restore a placeholder that is too long")
	}
	if c.more.token == "" || c.more.token != string(token) {
		_, own := c.x.Minted.FindValue(string(token)) // which costs no lookup
		if k := c.ensureState(); !own && c.s.remote == nil && (len(k.unknown) == maxRestored || slices.Contains(k.unknown, string(token))) {
			stack[0] = uint64(abi.NoValue)
			return
		}
		ctx, done := newStoreContext(i)
		defer done()
		value, ok, err := lookUpValue(ctx, c.s.services.Tokens, c.x, string(token))
		switch {
		case err != nil:
			stack[0] = uint64(abi.Unavailable)
			return
		case !ok:
			c.kept.unknown = append(c.kept.unknown, string(token))
			stack[0] = uint64(abi.NoValue)
			return
		}
		c.more.token, c.more.value = string(token), value
	}
	stack[0] = copyText(i, stack[2], stack[3], c.more.value)
}

// maxRestored is how many placeholders that turn out to be unknown a stage may ask for in one exchange: each costs a look into the
// database.
const maxRestored = 64

// lookUpValue returns the value of a placeholder that was made in the exchange or is bound to its caller.
func lookUpValue(ctx context.Context, tokens core.Tokens, x *core.Exchange, token string) (value string, ok bool, err error) {
	if value, ok = x.Minted.FindValue(token); ok || tokens == nil {
		return value, ok, nil
	}
	return tokens.Resolve(ctx, x, token)
}
