package replay

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// Tokens mints placeholders that cannot be resolved: their values are not stored. Equal tenant, type and value give
// equal placeholders under the same key.
type Tokens struct{ Key []byte }

var _ core.Tokens = Tokens{}

// Mint returns the placeholder of a value.
func (t Tokens) Mint(_ context.Context, x *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	h := hmac.New(sha256.New, t.Key)
	for _, part := range []string{x.Principal.Tenant, typ, value} {
		_, _ = h.Write([]byte(part + "\x00")) // never fails
	}
	return placeholder.Format(typ, hex.EncodeToString(h.Sum(nil)[:8])), nil
}

// Resolve never returns a value.
func (Tokens) Resolve(context.Context, *core.Exchange, string) (string, bool, error) {
	return "", false, nil
}
