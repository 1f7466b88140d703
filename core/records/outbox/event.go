package outbox

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Event is something that subscribers are notified of. Data has exactly the fields of its type.
type Event struct {
	Type   string
	Tenant string // "" if it concerns no single tenant
	Data   map[string]any
	At     time.Time // zero means now
}

// encode checks an event against its type and encodes it for the store.
func (e *Event) encode() (store.WebhookEvent, error) {
	t := findType(e.Type)
	if t == nil {
		return store.WebhookEvent{}, fmt.Errorf("unknown type of event %q", e.Type)
	}
	for name, value := range e.Data {
		f := t.findField(name)
		if f == nil {
			return store.WebhookEvent{}, fmt.Errorf("an event %s has no field %q", e.Type, name)
		}
		if !f.holds(value) {
			return store.WebhookEvent{}, fmt.Errorf("field %q of an event %s is not of the kind %s", name, e.Type, f.Kind)
		}
	}
	data := e.Data
	if data == nil {
		data = map[string]any{}
	}
	b, err := json.Marshal(data)
	if err != nil {
		return store.WebhookEvent{}, fmt.Errorf("event %s: %w", e.Type, err)
	}
	return store.WebhookEvent{Type: e.Type, Tenant: e.Tenant, Data: string(b), At: e.At}, nil
}

func (f *Field) holds(value any) (ok bool) {
	switch f.Kind {
	case Text:
		_, ok = value.(string)
	case Texts:
		_, ok = value.([]string)
	case Counts:
		_, ok = value.(map[string]int)
	case Number:
		switch value.(type) {
		case int, int64, float64, json.Number:
			ok = true
		}
	}
	return ok
}

// message is the body of a call. It is the same at each attempt, so that a receiver can recognize repeats.
type message struct {
	Version  int             `json:"version"`
	Delivery string          `json:"delivery"`
	Event    string          `json:"event"`
	Type     string          `json:"type"`
	Tenant   string          `json:"tenant"`
	At       time.Time       `json:"created_at"`
	Data     json.RawMessage `json:"data"`
}

func buildBody(delivery string, e *store.WebhookEvent) ([]byte, error) {
	b, err := json.Marshal(message{1, delivery, e.ID, e.Type, e.Tenant, e.At, json.RawMessage(e.Data)})
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return b, nil
}
