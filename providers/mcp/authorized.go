package mcp

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// Authorized is a client whose calls carry an access token that is renewed. It is safe for concurrent use.
type Authorized struct {
	upstream.Client
	tokens *token.Cache

	mu   sync.Mutex
	sent [2][]byte // the newest tokens, which must not come back in answers
}

// NewAuthorized returns a client that calls with the tokens of a cache. Close closes the given client.
func NewAuthorized(client upstream.Client, tokens *token.Cache) *Authorized {
	return &Authorized{Client: client, tokens: tokens}
}

// Do adds the token and makes the call. A token that the server refuses is not used again.
func (a *Authorized) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	value, err := a.tokens.Get(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, &upstream.Error{Unsent: true, Err: ctx.Err()}
	case err != nil:
		return nil, &upstream.Error{Unsent: true, Err: &core.Error{
			Kind: core.BadGateway, Code: core.CodeUpstream, Err: err,
			Public: "the MCP server cannot be called: the gateway could not obtain an access token for it",
		}}
	}
	a.noteSent(value)
	r.Header = append(r.Header, upstream.Field{Name: "Authorization", Value: "Bearer " + value})
	res, err := a.Client.Do(ctx, r)
	if err == nil && res.Status == http.StatusUnauthorized {
		a.tokens.Drop(value)
	}
	return res, err
}

// noteSent remembers a token that is about to be sent.
func (a *Authorized) noteSent(value string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if string(a.sent[0]) != value {
		a.sent[1], a.sent[0] = a.sent[0], []byte(strings.Clone(value))
	}
}

// checkLeak refuses a message that repeats a token.
func (a *Authorized) checkLeak(data []byte) error {
	a.mu.Lock()
	sent := a.sent
	a.mu.Unlock()
	for _, secret := range sent {
		if len(secret) >= minCredential {
			if err := checkSecrets([][]byte{secret}, data); err != nil {
				return err
			}
		}
	}
	return nil
}
