package rest_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/plugins/webhook"
)

// subscribers delivers webhooks as the binary does, also to receivers on loopback.
type subscribers struct {
	*outbox.Dispatcher
	*webhook.Sender
	strict     *webhook.Sender
	publicOnly *atomic.Bool // addresses are checked as they are by default
}

func (s subscribers) CheckURL(address string) error {
	if s.publicOnly.Load() {
		return s.strict.CheckURL(address)
	}
	return s.Sender.CheckURL(address)
}

type sends struct{ *webhook.Sender }

func (s sends) Send(ctx context.Context, c outbox.Call) (int, error) {
	return s.Sender.Send(ctx, webhook.Event(c))
}

func newSubscribers(t testing.TB, db *store.DB, box *vault.Box, now func() time.Time) subscribers {
	s, err := webhook.NewSender(webhook.SenderOptions{AllowPrivate: true})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	strict, err := webhook.NewSender(webhook.SenderOptions{})
	require.NoError(t, err)
	t.Cleanup(strict.Close)
	d := outbox.NewDispatcher(outbox.Options{Store: db, Box: box, Sender: sends{s}, Now: now})
	return subscribers{d, s, strict, &atomic.Bool{}}
}

// deliver runs deliveries until the given number has reached a state.
func (a *api) deliver(box *vault.Box, state string, n int) {
	ctx, stop := context.WithCancel(a.t.Context())
	defer stop()
	s, err := webhook.NewSender(webhook.SenderOptions{AllowPrivate: true})
	require.NoError(a.t, err)
	d := outbox.NewDispatcher(
		outbox.Options{Store: a.db, Box: box, Sender: sends{s}, Every: time.Millisecond, Backoff: outbox.Backoff{Attempts: 1}},
	)
	done := make(chan struct{})
	go func() { defer close(done); d.Run(ctx) }()
	require.Eventually(a.t, func() bool {
		list, err := a.db.Outbox().List(ctx, store.DeliveryFilter{State: state})
		return err == nil && len(list) == n
	}, 15*time.Second, 5*time.Millisecond)
	stop()
	<-done
}

// values is the vault as the binary offers it to administrators.
type values struct{ *vault.Vault }

func (v values) Detokenize(
	ctx context.Context,
	tenant, text string,
	record func(ctx context.Context, types map[string]int, unknown int) error,
) (string, error) {
	return v.Vault.Detokenize(
		ctx,
		tenant,
		text,
		func(ctx context.Context, d vault.Detokenized) error { return record(ctx, d.Types, d.Unknown) },
	)
}
