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
	// Delivery is the same in each call for this event and this subscriber. Remember it, and ignore repeated calls.
	Delivery string `json:"delivery"`
	// ID is the event's own id, the same for all its subscribers.
	ID   string `json:"event"`
	Type string `json:"type"`
	// Tenant is the id of the tenant that it concerns; "" if it concerns several or none.
	Tenant string    `json:"tenant"`
	At     time.Time `json:"created_at"`
	// Data holds the fields of the type: docs/webhooks.md.
	Data json.RawMessage `json:"data"`
}

// VerifyEvent checks that the gateway sent the event recently and that this call is new, and then parses it. The body must
// be the bytes as received.
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

// Hear handles one event. If it returns an error, the answer is 500 and the gateway sends the event again.
type Hear func(ctx context.Context, e *Event) error

// EventHandler serves events: it verifies and parses each, and passes it to Hear.
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
