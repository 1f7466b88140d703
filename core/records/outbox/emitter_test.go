package outbox_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
)

// shelf is a store of events in memory that can be away.
type shelf struct {
	away   atomic.Bool
	stored atomic.Int64
	wants  []store.Interest
}

func (s *shelf) InsertEvents(_ context.Context, events []store.WebhookEvent) error {
	if s.away.Load() {
		return errors.New("the store is away")
	}
	s.stored.Add(int64(len(events)))
	return nil
}

func (s *shelf) ListInterests(context.Context) ([]store.Interest, error) { return s.wants, nil }

func TestAnEventThatNobodyWantsIsNotStored(t *testing.T) {
	s := &shelf{wants: []store.Interest{{Type: outbox.PolicyDenial, Tenant: "acme"}, {Type: outbox.PIIDetected}}}
	e := outbox.NewEmitter(outbox.EmitterOptions{Store: s})
	assert.True(t, e.IsIdle())
	e.Emit(outbox.Event{Type: outbox.PIIDetected}) // nothing is known yet
	require.NoError(t, e.Refresh(context.Background()))
	assert.False(t, e.IsIdle())
	for _, c := range []struct {
		typ, tenant string
		want        bool
	}{
		{outbox.PolicyDenial, "acme", true},
		{outbox.PolicyDenial, "globex", false},
		{outbox.PolicyDenial, "", false},
		{outbox.PIIDetected, "globex", true},
		{outbox.PIIDetected, "", true},
		{outbox.ConfigChanged, "", false},
	} {
		assert.Equal(t, c.want, e.Wants(c.typ, c.tenant), "%v", c)
		e.Emit(outbox.Event{Type: c.typ, Tenant: c.tenant})
	}
	e.Close(context.Background())
	stored, dropped := e.Counts()
	assert.Equal(t, int64(3), stored)
	assert.Zero(t, dropped)
	assert.Equal(t, int64(3), s.stored.Load())
}

func TestWhatTheStoreCannotKeepUpWithIsDroppedAndCounted(t *testing.T) {
	s := &shelf{wants: []store.Interest{{Type: outbox.PolicyDenial}}}
	s.away.Store(true)
	e := outbox.NewEmitter(outbox.EmitterOptions{Store: s})
	require.NoError(t, e.Refresh(context.Background()))
	const many = 10_000
	for range many {
		e.Emit(outbox.Event{Type: outbox.PolicyDenial})
	}
	_, dropped := e.Counts()
	assert.Positive(t, dropped)
	s.away.Store(false)
	e.Close(context.Background())
	stored, dropped := e.Counts()
	assert.Equal(t, int64(many), stored+dropped, "each is either stored or counted")
	assert.Equal(t, stored, s.stored.Load())
	assert.Positive(t, stored)
}

func TestAnEventWithAFieldThatItsTypeLacksIsNotStored(t *testing.T) {
	s := &shelf{}
	for _, name := range outbox.ListNames() {
		s.wants = append(s.wants, store.Interest{Type: name})
	}
	var faults []error
	e := outbox.NewEmitter(outbox.EmitterOptions{Store: s, OnError: func(err error) { faults = append(faults, err) }})
	require.NoError(t, e.Refresh(context.Background()))
	for _, data := range []map[string]any{
		{"prompt": "the text of a request"}, {"model": 5}, {"rules": "one"}, {"rules": []string{"a"}, "model": "gpt"},
	} {
		e.Emit(outbox.Event{Type: outbox.PolicyDenial, Data: data})
	}
	e.Emit(outbox.Event{Type: outbox.CostAnomaly, Data: map[string]any{"deviation_pct": math.NaN()}})
	e.Close(context.Background())
	stored, dropped := e.Counts()
	assert.Equal(t, int64(1), stored)
	assert.Equal(t, int64(4), dropped)
	assert.Len(t, faults, 4)
}

func TestAStoreThatStaysAwayDoesNotKeepTheGatewayFromEnding(t *testing.T) {
	s := &shelf{wants: []store.Interest{{Type: outbox.PolicyDenial}}}
	s.away.Store(true)
	e := outbox.NewEmitter(outbox.EmitterOptions{Store: s})
	require.NoError(t, e.Refresh(context.Background()))
	e.Emit(outbox.Event{Type: outbox.PolicyDenial})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	e.Close(ctx)
	_, dropped := e.Counts()
	assert.Equal(t, int64(1), dropped)
}
