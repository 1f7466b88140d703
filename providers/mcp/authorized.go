package mcp

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// Authorized is a client whose calls carry an access token that is renewed. It is safe for concurrent use.
type Authorized struct {
	upstream.Client

	own   *identity // of all callers
	users *users    // of each caller's user; nil if own is used
}

// identity is the gateway towards a server: for all callers, or on behalf of one user.
type identity struct {
	tokens *token.Cache

	mu   sync.Mutex
	sent [2][]byte // the newest tokens, which must not come back in answers
}

// NewAuthorized returns a client that calls with the tokens of a cache. Close closes the given client.
func NewAuthorized(client upstream.Client, tokens *token.Cache) *Authorized {
	return &Authorized{Client: client, own: &identity{tokens: tokens}}
}

// NewAuthorizedForUsers returns a client that calls on behalf of the user whose token the context holds; see
// [tools.WithUserToken]. fetch returns what exchanges a user's token. Without a token, or for one that cannot be exchanged, no
// call is made. Close closes the given client.
func NewAuthorizedForUsers(client upstream.Client, fetch func(subject string) token.Fetch) *Authorized {
	return &Authorized{Client: client, users: newUsers(fetch)}
}

// find returns the identity for a call.
func (a *Authorized) find(ctx context.Context) (*identity, error) {
	if a.users == nil {
		return a.own, nil
	}
	return a.users.find(tools.FindUserToken(ctx))
}

// Do adds the token and makes the call. A token that the server refuses is not used again.
func (a *Authorized) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	id, err := a.find(ctx)
	if err != nil {
		return nil, &upstream.Error{Unsent: true, Err: err}
	}
	value, err := id.tokens.Get(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, &upstream.Error{Unsent: true, Err: ctx.Err()}
	case err != nil:
		return nil, &upstream.Error{Unsent: true, Err: &core.Error{
			Kind: core.BadGateway, Code: core.CodeUpstream, Err: err,
			Public: "the MCP server cannot be called: the gateway could not obtain an access token for it",
		}}
	}
	id.noteSent(value)
	r.Header = append(r.Header, upstream.Field{Name: "Authorization", Value: "Bearer " + value})
	res, err := a.Client.Do(ctx, r)
	if err == nil && res.Status == http.StatusUnauthorized {
		id.tokens.Drop(value)
	}
	return res, err
}

// noteSent remembers a token that is about to be sent.
func (id *identity) noteSent(value string) {
	id.mu.Lock()
	defer id.mu.Unlock()
	if string(id.sent[0]) != value {
		id.sent[1], id.sent[0] = id.sent[0], []byte(strings.Clone(value))
	}
}

// checkLeak refuses a message that repeats a token which was sent on the same user's behalf.
func (a *Authorized) checkLeak(ctx context.Context, data []byte) error {
	id, err := a.find(ctx)
	if err != nil {
		return err
	}
	id.mu.Lock()
	sent := id.sent
	id.mu.Unlock()
	for _, secret := range sent {
		if len(secret) >= minCredential {
			if err := checkSecrets([][]byte{secret}, data); err != nil {
				return err
			}
		}
	}
	return nil
}
