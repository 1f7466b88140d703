package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// HeaderUserToken is the header in which a client sends the token of its user, beside its key. The gateway exchanges it for one
// that a server accepts, and passes it on to no server.
const HeaderUserToken = "X-User-Token"

// userTokenKey is the key of the user's token in a context.
type userTokenKey struct{}

// WithUserToken returns a context of calls on behalf of the user whose token it is.
func WithUserToken(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, userTokenKey{}, token)
}

// FindUserToken returns the token of the user on whose behalf a call is made, or "".
func FindUserToken(ctx context.Context) string {
	token, _ := ctx.Value(userTokenKey{}).(string)
	return token
}

// DigestUserToken returns a digest that distinguishes the users of one key.
func DigestUserToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
