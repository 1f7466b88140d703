package node

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
)

// eventStore keeps events of circuits for one subscription.
type eventStore struct {
	mu     sync.Mutex
	events []string
}

func (s *eventStore) ListInterests(context.Context) ([]store.Interest, error) {
	return []store.Interest{{Type: outbox.CircuitChanged}}, nil
}

func (s *eventStore) InsertEvents(_ context.Context, events []store.WebhookEvent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		s.events = append(s.events, e.Type+" "+e.Data)
	}
	return nil
}

func TestSubscribersLearnThatACircuitHasOpenedAndClosed(t *testing.T) {
	s := new(eventStore)
	var failed []error
	h := &hooks{emitter: outbox.NewEmitter(outbox.EmitterOptions{Store: s, OnError: func(err error) { failed = append(failed, err) }})}
	assert.NoError(t, h.emitter.Refresh(t.Context()))
	h.reportCircuit("openai", "", route.Open)
	h.reportCircuit("openai", "", route.HalfOpen)
	h.reportCircuit("openai", "gpt-5", route.Closed)
	h.emitter.Close(t.Context())
	assert.Empty(t, failed)
	assert.Equal(t, []string{
		`CIRCUIT_CHANGED {"provider":"openai","state":"OPEN"}`,
		`CIRCUIT_CHANGED {"model":"gpt-5","provider":"openai","state":"CLOSED"}`,
	}, s.events)
}
