package mcp

import (
	"context"
	"errors"
	"net/http"
	"slices"
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
// [tools.WithUser]. fetch returns what exchanges a user's token. Without a token, or for one that cannot be exchanged, no
// call is made. Close closes the given client.
func NewAuthorizedForUsers(client upstream.Client, fetch func(subject string) token.Fetch) *Authorized {
	return &Authorized{Client: client, users: newUsers(fetch)}
}

// pin is what was sent for one answer. It belongs to the goroutine of the answer.
type pin struct {
	ids    []*identity
	tokens [][]byte
}

// pinKey is the key of the pin of an answer in the context of its calls.
type pinKey struct{}

// get returns the identity for a call and its token.
func (a *Authorized) get(ctx context.Context) (*identity, string, error) {
	if a.users != nil {
		return a.users.get(ctx, tools.FindUser(ctx))
	}
	value, err := a.own.tokens.Get(ctx)
	return a.own, value, err
}

// Do adds the token and makes the call. A token that the server refuses is not used again.
func (a *Authorized) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	id, value, err := a.get(ctx)
	var own *core.Error
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, &upstream.Error{Unsent: true, Err: ctx.Err()}
	case errors.As(err, &own):
		return nil, &upstream.Error{Unsent: true, Err: own}
	case err != nil:
		return nil, &upstream.Error{Unsent: true, Err: &core.Error{
			Kind: core.BadGateway, Code: core.CodeUpstream, Err: err,
			Public: "the MCP server cannot be called: the gateway could not obtain an access token for it",
		}}
	}
	id.noteSent(value)
	if p, ok := ctx.Value(pinKey{}).(*pin); ok {
		p.add(id, value)
	}
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

// add notes what is about to be sent for the answer.
func (p *pin) add(id *identity, value string) {
	if !slices.Contains(p.ids, id) {
		p.ids = append(p.ids, id)
	}
	if !slices.ContainsFunc(p.tokens, func(t []byte) bool { return string(t) == value }) {
		p.tokens = append(p.tokens, []byte(value))
	}
}

// checkLeak refuses a message that repeats a token which was sent for the answer, or since then on the same user's behalf. What the
// gateway has meanwhile forgotten of the user makes no difference.
func (p *pin) checkLeak(data []byte) error {
	if err := checkTokens(p.tokens, data); err != nil {
		return err
	}
	for _, id := range p.ids {
		if err := id.checkLeak(data); err != nil {
			return err
		}
	}
	return nil
}

// checkLeak refuses a message that repeats one of the newest tokens that were sent.
func (id *identity) checkLeak(data []byte) error {
	id.mu.Lock()
	sent := id.sent
	id.mu.Unlock()
	return checkTokens(sent[:], data)
}

// checkTokens refuses a message that repeats a token which is long enough not to occur by chance.
func checkTokens(sent [][]byte, data []byte) error {
	for _, secret := range sent {
		if len(secret) >= minCredential {
			if err := checkSecrets([][]byte{secret}, data); err != nil {
				return err
			}
		}
	}
	return nil
}
