package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// Event is what a subscriber receives. Headgate sends it until a call is answered with status 2xx, so the same event may
// arrive more than once: compare Delivery.
type Event struct {
	Version int `json:"version"`
	// Delivery is the same in each call that is made for this event and this
	// subscriber. Remember it, and do nothing when it comes again.
	Delivery string `json:"delivery"`
	// ID is the event's own id, the same for all its subscribers.
	ID   string `json:"event"`
	Type string `json:"type"`
	// Tenant is the id of the tenant that it concerns; "": no single one.
	Tenant string    `json:"tenant"`
	At     time.Time `json:"created_at"`
	// Data holds the fields of the type: docs/webhooks.md.
	Data json.RawMessage `json:"data"`
}

// VerifyEvent checks that an event was sent by the gateway, lately, and that this
// call is new, and reads it. The body must be the bytes as they were received.
func (v *Verifier) VerifyEvent(h http.Header, body []byte) (*Event, error) {
	if _, err := v.verify(h, body, Told); err != nil {
		return nil, err
	}
	var e Event
	if err := json.Unmarshal(body, &e); err != nil || e.Version != Version {
		return nil, errors.New("the body is not an event of version 1")
	}
	return &e, nil
}

// Hear takes one event. An error is answered with 500, and then it is sent again.
type Hear func(ctx context.Context, e *Event) error

// EventHandler serves events: each is verified, read, and handed on.
func EventHandler(v *Verifier, hear Hear) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "only POST is served", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		e, err := v.VerifyEvent(r.Header, body)
		switch {
		case errors.Is(err, ErrBusy):
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusUnauthorized)
		case hear(r.Context(), e) != nil:
			http.Error(w, "the receiver failed", http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
