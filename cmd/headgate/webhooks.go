package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/headgate-dev/headgate/cmd/headgate/node"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

func webhooksCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "webhooks", Short: "Look after subscriptions to events, and what is delivered to them", Args: cobra.NoArgs}
	list := &cobra.Command{
		Use: "list", Short: "List subscriptions", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return onStore(c, f, listWebhooks) },
	}
	dead := &cobra.Command{
		Use: "dead", Short: "List the newest deliveries that were given up", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return onStore(c, f, listDead) },
	}
	again := &cobra.Command{
		Use: "redeliver DELIVERY...", Short: "Have deliveries sent once more by the gateways that serve", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, ids []string) error {
			return onStore(c, f, func(c *cobra.Command, r *node.Records) error { return redeliver(c, r, ids) })
		},
	}
	c.AddCommand(list, dead, again)
	return c
}

// onStore runs what needs the records.
func onStore(c *cobra.Command, f *node.Options, do func(c *cobra.Command, r *node.Records) error) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	r, err := node.OpenStore(c.Context(), cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(c.Context()))) }()
	return do(c, r)
}

// listWebhooks prints no URLs: they may hold credentials.
func listWebhooks(c *cobra.Command, r *node.Records) error {
	pending, dead, err := r.DB.Outbox().CountBacklog(c.Context())
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tTENANT\tENABLED\tEVENTS") // Flush tells of errors
	for hook, err := range r.DB.Webhooks().Each(c.Context(), "", store.Cursor{}, 0) {
		if err != nil {
			return err
		}
		tenant := hook.Tenant
		if tenant == "" {
			tenant = "-"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%t\t%s\n", hook.ID, hook.Name, tenant, hook.Enabled, strings.Join(hook.EventTypes, ","))
	}
	_, _ = fmt.Fprintf(w, "\n%d deliveries wait, %d were given up\n", pending, dead)
	return w.Flush()
}

func listDead(c *cobra.Command, r *node.Records) error {
	list, err := r.DB.Outbox().List(c.Context(), store.DeliveryFilter{State: store.DeliveryDead})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err = fmt.Fprintln(c.OutOrStdout(), "no delivery was given up")
		return err
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "DELIVERY\tWEBHOOK\tEVENT\tGIVEN UP\tATTEMPTS\tLAST") // as above
	for i := range list {
		d := &list[i]
		last := ""
		if n := len(d.Calls); n > 0 {
			last = d.Calls[n-1].Error
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", d.ID, d.Webhook, d.EventType, d.Ended.Format(time.RFC3339), d.Attempts, last)
	}
	return w.Flush()
}

func redeliver(c *cobra.Command, r *node.Records, ids []string) (err error) {
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
			return fmt.Errorf("there is no delivery %q; headgate webhooks dead lists those that were given up", id)
		}
		if err != nil {
			return err
		}
		var p audit.Payload
		p.Str("actor", "cli")
		p.Str("action", "redeliver")
		p.Str("resource", "webhook")
		p.Str("id", hook)
		p.Str("delivery", id)
		if err := log.Append(c.Context(), audit.Event{Tenant: tenant, Type: audit.ConfigChanged, Payload: p.Bytes()}); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.OutOrStdout(), "sent once more:", id); err != nil {
			return err
		}
	}
	return nil
}
