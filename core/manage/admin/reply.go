package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Reply is the stored answer to a request, for a repeated request.
type Reply struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// Box seals stored answers, because the answer to the creation of a key contains the key.
type Box interface {
	Seal(plain []byte, context string) []byte
	Open(sealed []byte, context string) ([]byte, error)
}

// Replies stores the answers to requests with an idempotency key, so that a repeated request is executed once.
type Replies struct {
	Store *store.DB
	Box   Box
	Now   func() time.Time
}

// replyAge is how long an answer is stored, and runningAge how long a request blocks its key if its gateway died.
const (
	replyAge   = 24 * time.Hour
	runningAge = time.Minute
)

// Begin claims a key for a request. It returns the stored answer if the same request was sent before, and a core.Error if
// the key belongs to another request or to one that is still running.
func (r *Replies) Begin(ctx context.Context, scope, key string, request [32]byte) (*Reply, error) {
	now := r.Now()
	old, err := r.Store.Replies().ClaimReply(ctx, store.Reply{
		Scope: scope, Key: key, Request: request, At: now, Expires: now.Add(runningAge),
	})
	switch {
	case err != nil:
		return nil, err
	case old == nil:
		return nil, nil
	case old.Request != request:
		return nil, newConflictError("idempotency_key_reused", "the Idempotency-Key was used for another request; send a new key with each request")
	case old.Sealed == nil:
		return nil, newConflictError("idempotency_key_in_use", "the first request with this Idempotency-Key is still running; try again in a moment")
	}
	plain, err := r.Box.Open(old.Sealed, scope+"\x00"+key)
	if err != nil {
		return nil, fmt.Errorf("stored reply: %w", err)
	}
	var out Reply
	if err := json.Unmarshal(plain, &out); err != nil {
		return nil, fmt.Errorf("stored reply: %w", err)
	}
	return &out, nil
}

// End stores the answer to the request that claimed the key. nil releases the key, so that the request can be repeated.
func (r *Replies) End(ctx context.Context, scope, key string, reply *Reply) error {
	if reply == nil {
		return r.Store.Replies().Delete(ctx, scope, key)
	}
	plain, err := json.Marshal(reply)
	if err != nil {
		return fmt.Errorf("store reply: %w", err)
	}
	err = r.Store.Replies().Save(ctx, scope, key, r.Box.Seal(plain, scope+"\x00"+key), r.Now().Add(replyAge))
	if errors.Is(err, store.ErrNotFound) {
		return nil // the claim expired and another request has taken it
	}
	return err
}
