package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/headgate-dev/headgate/core"
)

// HeaderUserToken is the header in which a client sends the token of its user, beside its key. The gateway exchanges it for one
// that a server accepts, and passes it on to no server.
const HeaderUserToken = "X-User-Token"

// User is the user on whose behalf a call is made.
type User struct {
	// Token is what the client has sent; "" if there is no user.
	Token string
	// Tenant is that of the caller's key. Limits of users are shared out by it.
	Tenant string
}

// userKey is the key of the user in a context.
type userKey struct{}

// WithUser returns a context of calls on behalf of a user.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// FindUser returns the user on whose behalf a call is made, or a User without a token.
func FindUser(ctx context.Context) User {
	u, _ := ctx.Value(userKey{}).(User)
	return u
}

// DetachUser returns a context that has only the user of another one, and never ends: that of what the gateway does for the user
// after a call, such as ending a session.
func DetachUser(ctx context.Context) context.Context {
	return WithUser(context.Background(), FindUser(ctx))
}

// digest returns the user with a digest of the token, for use as a key.
func (u User) digest() User { return User{Token: DigestUserToken(u.Token), Tenant: u.Tenant} }

// DigestUserToken returns a digest that distinguishes the users of one key.
func DigestUserToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// NewMissingUserError returns the error of a call without a user to a server that is called on behalf of one.
func NewMissingUserError() *core.Error {
	return NewUserError("is missing: this server is called on behalf of a user, whose token goes with each request")
}

// NewUserError returns an error that says what is wrong with the token of a user.
func NewUserError(what string) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: HeaderUserToken, Public: "the header " + HeaderUserToken + " " + what,
	}
}

// IsPerUser reports whether the server, or a member of the virtual server, is called on behalf of users.
func (s *Server) IsPerUser() bool {
	if s.PerUser {
		return true
	}
	for i := range s.Members {
		if s.Members[i].Server.PerUser {
			return true
		}
	}
	return false
}
