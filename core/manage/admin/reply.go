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

// Reply is the answer to a request, kept for one that is sent again.
type Reply struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// Box seals what is kept: the answer to the making of a key holds the key.
type Box interface {
	Seal(plain []byte, context string) []byte
	Open(sealed []byte, context string) ([]byte, error)
}

// Replies keeps the answers to requests with an idempotency key, so that one that is sent twice is done once.
type Replies struct {
	Store *store.DB
	Box   Box
	Now   func() time.Time
}

// replyAge is how long an answer is kept, and runningAge how long a request whose gateway has died blocks its key.
const (
	replyAge   = 24 * time.Hour
	runningAge = time.Minute
)

// Begin claims a key for a request. A reply is the kept answer to the same request; a core.Error says that the key
// belongs to another request, or to one that is still running.
func (r *Replies) Begin(ctx context.Context, scope, key string, request [32]byte) (*Reply, error) {
	now := r.Now()
	old, err := r.Store.Replies().Claim(ctx, store.Reply{
		Scope: scope, Key: key, Request: request, At: now, Expires: now.Add(runningAge),
	})
	switch {
	case err != nil:
		return nil, err
	case old == nil:
		return nil, nil
	case old.Request != request:
		return nil, conflict("idempotency_key_reused", "the Idempotency-Key was used for another request; make a new one for each request")
	case old.Sealed == nil:
		return nil, conflict("idempotency_key_in_use", "the first request with this Idempotency-Key is still running; try again in a moment")
	}
	plain, err := r.Box.Open(old.Sealed, scope+"\x00"+key)
	if err != nil {
		return nil, fmt.Errorf("kept reply: %w", err)
	}
	var out Reply
	if err := json.Unmarshal(plain, &out); err != nil {
		return nil, fmt.Errorf("kept reply: %w", err)
	}
	return &out, nil
}

// End keeps the answer to the request that claimed the key; nil gives the key back, so that the request can be sent
// again.
func (r *Replies) End(ctx context.Context, scope, key string, reply *Reply) error {
	if reply == nil {
		return r.Store.Replies().Delete(ctx, scope, key)
	}
	plain, err := json.Marshal(reply)
	if err != nil {
		return fmt.Errorf("keep reply: %w", err)
	}
	err = r.Store.Replies().Save(ctx, scope, key, r.Box.Seal(plain, scope+"\x00"+key), r.Now().Add(replyAge))
	if errors.Is(err, store.ErrNotFound) {
		return nil // it ran so long that its claim was given away
	}
	return err
}
