package vault

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDetokenizeShowsEverybodysValuesOfOneTenantAndKeepsARecord(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, Options{TTL: time.Hour})
	a := r.mint(t, alice, "EMAIL", "a@example.com")
	b := r.mint(t, Scope{Tenant: "acme", Key: "bob"}, "PHONE", "+49 30 901820")
	foreign := r.mint(t, Scope{Tenant: "other", Key: "k"}, "EMAIL", "o@example.com")
	text := "to " + a + " or " + b + ", not " + foreign + " nor {{PII_EMAIL_0123456789abcdef}}; again " + a
	var seen Detokenized
	record := func(_ context.Context, d Detokenized) error { seen = d; return nil }

	got, err := r.Detokenize(ctx, "acme", text, record)
	require.NoError(t, err)
	assert.Equal(t, "to a@example.com or +49 30 901820, not "+foreign+" nor {{PII_EMAIL_0123456789abcdef}}; again a@example.com", got)
	assert.Equal(t, Detokenized{Tenant: "acme", Restored: 3, Unknown: 2, Types: map[string]int{"EMAIL": 2, "PHONE": 1}}, seen)

	r.sync(t)
	r.open(t, Options{TTL: time.Hour}) // another process, which reads the store
	got, err = r.Detokenize(ctx, "acme", a, record)
	require.NoError(t, err)
	assert.Equal(t, "a@example.com", got)

	r.time = r.time.Add(2 * time.Hour)
	got, err = r.Detokenize(ctx, "acme", a, record)
	require.NoError(t, err)
	assert.Equal(t, a, got, "what has expired is not shown")

	got, err = r.Detokenize(ctx, "nobody", a, record)
	require.NoError(t, err)
	assert.Equal(t, a, got)
}

func TestDetokenizeShowsNothingWithoutARecord(t *testing.T) {
	r := newRig(t, Options{})
	token := r.mint(t, alice, "EMAIL", "a@example.com")
	got, err := r.Detokenize(context.Background(), "acme", token, func(context.Context, Detokenized) error { return errors.New("disk full") })
	require.ErrorContains(t, err, "disk full")
	assert.Empty(t, got)
	_, err = r.Detokenize(context.Background(), "acme", token, nil)
	require.ErrorContains(t, err, "record")
}
