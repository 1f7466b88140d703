package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// newWebhookCommand returns "headgate webhook". Subscriptions used to be managed by "headgate webhooks", which still works.
func newWebhookCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{
		Use:   "webhook",
		Short: "Manage subscriptions to events and their deliveries, and seal webhook secrets",
		Args:  cobra.NoArgs,
	}
	c.AddCommand(newWebhookListCommand(f), newWebhookDeadCommand(f), newWebhookRedeliverCommand(f), newWebhookSealCommand())
	return c
}

// newWebhooksAlias returns the former noun, which help does not show.
func newWebhooksAlias(f *node.Options) *cobra.Command {
	c := newWebhookCommand(f)
	c.Use, c.Hidden = "webhooks", true
	return c
}

func newWebhookListCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use: "list", Short: "List subscriptions", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runWithRecords(c, f, func(r *node.Records) error { return listWebhooks(c, r, *asJSON) })
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func newWebhookDeadCommand(f *node.Options) *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use: "dead", Short: "List the newest deliveries that failed permanently", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runWithRecords(c, f, func(r *node.Records) error { return listDead(c, r, *asJSON) })
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func newWebhookRedeliverCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use: "redeliver DELIVERY...", Short: "Queue deliveries again; a running gateway sends them", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, ids []string) error {
			return runWithRecords(c, f, func(r *node.Records) error { return redeliverWebhooks(c, r, ids) })
		},
	}
}

// runWithRecords opens the records of the configured database for one command.
func runWithRecords(c *cobra.Command, f *node.Options, do func(r *node.Records) error) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	r, err := f.OpenRecords(c.Context(), cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(c.Context()))) }()
	return do(r)
}

// subscription is a row of "headgate webhook list". It has no URL, which may contain credentials.
type subscription struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Tenant  string   `json:"tenant_id,omitempty"` // empty: the platform
	Enabled bool     `json:"enabled"`
	Events  []string `json:"event_types"`
}

var subscriptionColumns = []cli.Column[subscription]{
	{Head: "ID", Text: func(w *subscription) string { return w.ID }},
	{Head: "NAME", Text: func(w *subscription) string { return escapeName(w.Name) }},
	{Head: "TENANT", Text: func(w *subscription) string { return cmp.Or(w.Tenant, "-") }},
	{Head: "ENABLED", Text: func(w *subscription) string { return strconv.FormatBool(w.Enabled) }},
	{Head: "EVENTS", Text: func(w *subscription) string { return strings.Join(w.Events, ",") }},
}

func listWebhooks(c *cobra.Command, r *node.Records, asJSON bool) error {
	var list []subscription
	for hook, err := range r.DB.Webhooks().ListByOwner(c.Context(), "", store.Cursor{}, 0) {
		if err != nil {
			return err
		}
		list = append(list, subscription{hook.ID, hook.Name, hook.Tenant, hook.Enabled, hook.EventTypes})
	}
	if err := cli.PrintList(c.OutOrStdout(), asJSON, list, subscriptionColumns); err != nil || asJSON {
		return err
	}
	pending, dead, err := r.DB.Outbox().CountBacklog(c.Context())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "\npending deliveries: %d, given up: %d\n", pending, dead)
	return err
}

// deadDelivery is a row of "headgate webhook dead".
type deadDelivery struct {
	ID        string    `json:"id"`
	Webhook   string    `json:"webhook_id"`
	Event     string    `json:"event_type"`
	GivenUpAt time.Time `json:"given_up_at"`
	Attempts  int       `json:"attempts"`
	LastError string    `json:"last_error,omitempty"`
}

var deadDeliveryColumns = []cli.Column[deadDelivery]{
	{Head: "DELIVERY", Text: func(d *deadDelivery) string { return d.ID }},
	{Head: "WEBHOOK", Text: func(d *deadDelivery) string { return d.Webhook }},
	{Head: "EVENT", Text: func(d *deadDelivery) string { return d.Event }},
	{Head: "GIVEN UP", Text: func(d *deadDelivery) string { return formatTime(&d.GivenUpAt, "") }},
	{Head: "ATTEMPTS", Text: func(d *deadDelivery) string { return strconv.Itoa(d.Attempts) }},
	{Head: "LAST ERROR", Text: func(d *deadDelivery) string { return d.LastError }},
}

func listDead(c *cobra.Command, r *node.Records, asJSON bool) error {
	list, err := r.DB.Outbox().List(c.Context(), store.DeliveryFilter{State: store.DeliveryDead})
	if err != nil {
		return err
	}
	if len(list) == 0 && !asJSON {
		_, err = fmt.Fprintln(c.OutOrStdout(), "no delivery was given up")
		return err
	}
	rows := make([]deadDelivery, len(list))
	for i := range list {
		d := &list[i]
		rows[i] = deadDelivery{ID: d.ID, Webhook: d.Webhook, Event: d.EventType, GivenUpAt: d.Ended.UTC(), Attempts: d.Attempts}
		if n := len(d.Calls); n > 0 {
			rows[i].LastError = d.Calls[n-1].Error
		}
	}
	return cli.PrintList(c.OutOrStdout(), asJSON, rows, deadDeliveryColumns)
}

func redeliverWebhooks(c *cobra.Command, r *node.Records, ids []string) (err error) {
	w := store.NewWriter(r.DB, store.WriterOptions{})
	defer func() { err = errors.Join(err, w.Close(context.WithoutCancel(c.Context()))) }()
	log, err := audit.OpenGuest(c.Context(), r.DB, w, r.Master.AuditKey())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close(context.WithoutCancel(c.Context()))) }()
	for _, id := range ids {
		tenant, hook := "", ""
		err := r.DB.Outbox().Redeliver(c.Context(), id, func(w store.Webhook) error { tenant, hook = w.Tenant, w.ID; return nil })
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("unknown delivery %q; \"headgate webhook dead\" lists the deliveries that were given up", id)
		}
		if err != nil {
			return err
		}
		var p audit.Payload
		p.AddStr("actor", "cli")
		p.AddStr("action", "redeliver")
		p.AddStr("resource", "webhook")
		p.AddStr("id", hook)
		p.AddStr("delivery", id)
		if err := log.Append(c.Context(), audit.Event{Tenant: tenant, Type: audit.ConfigChanged, Payload: p.Bytes()}); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.OutOrStdout(), "queued again:", id); err != nil {
			return err
		}
	}
	return nil
}
