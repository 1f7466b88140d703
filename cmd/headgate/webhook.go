package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/plugins/webhook"
)

// sealPurpose keeps a sealed secret of a webhook from being opened as anything else.
const sealPurpose = "headgate webhook 1"

// buildWebhook makes the stage of a webhook link.
func buildWebhook(l *config.Link, note func(webhook.Observed)) (*webhook.Stage, error) {
	s, err := webhook.ReadSettings(l.Config)
	if err != nil {
		return nil, err
	}
	o := webhook.Options{
		Link: l.Name, URL: l.Webhook, Timeout: l.Timeout, Calls: l.Limits.Instances, AllowPrivate: l.AllowPrivate,
		FailOpen: l.OnFault == config.FaultPass, Shadow: l.Mode == config.Shadow, Note: note, Settings: s, PreviousUntil: l.Previous.Until,
	}
	if o.Secret, err = unsealed(l.Secret, l.SecretSealed); err != nil {
		return nil, fmt.Errorf("secret_sealed: %w", err)
	}
	if !l.Previous.IsZero() {
		if o.Previous, err = unsealed(l.Previous.Secret, l.Previous.SecretSealed); err != nil {
			return nil, fmt.Errorf("previous.secret_sealed: %w", err)
		}
	}
	return webhook.New(o)
}

// observed logs what a webhook in shadow would have done: its exchange has ended, and its records are written.
func (g *gateway) observed(o webhook.Observed) {
	line := g.tel.Log.Info()
	if o.Fault != nil {
		line = g.tel.Log.Warn().Err(o.Fault)
	}
	line.Str("link", o.Link).Str("exchange", o.Exchange).Stringer("phase", o.Phase).Str("action", string(o.Action)).
		Strs("labels", o.Labels).Int64("dropped", o.Dropped).Msg("a webhook in shadow was asked")
}

// guardObserved logs what a guardrail plugin in shadow would have done, and the failure of one that fails open.
func (g *gateway) guardObserved(o webhook.Observed) {
	if o.Fault != nil && o.Action == "" {
		g.tel.Log.Warn().Err(o.Fault).Str("plugin", o.Link).Str("exchange", o.Exchange).Stringer("phase", o.Phase).Int64("dropped", o.Dropped).
			Msg("a guardrail plugin failed, and the exchange went on without it")
		return
	}
	g.observed(o)
}

// unsealed gives the secret that is written, or the one that is sealed.
func unsealed(plain, sealed config.Secret) (string, error) {
	if sealed == "" {
		return plain.Reveal(), nil
	}
	return vault.Open(os.Getenv(passwordVar), sealPurpose, sealed.Reveal())
}

func webhookCommand() *cobra.Command {
	c := &cobra.Command{Use: "webhook", Short: "Look after webhooks", Args: cobra.NoArgs}
	c.AddCommand(webhookSeal())
	return c
}

// maxSealed bounds what is read from standard input, in bytes.
const maxSealed = 4096

func webhookSeal() *cobra.Command {
	return &cobra.Command{
		Use:   "seal",
		Short: "Read a webhook's secret from standard input, and print it sealed for secret_sealed:",
		Long: "Read a webhook's secret from standard input, and print it sealed under the master password in\n" +
			passwordVar + ", for secret_sealed: in the configuration.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b, err := io.ReadAll(io.LimitReader(c.InOrStdin(), maxSealed+1))
			secret := strings.TrimRight(string(b), "\r\n")
			switch {
			case err != nil:
				return fmt.Errorf("standard input: %w", err)
			case len(b) > maxSealed:
				return fmt.Errorf("the secret is longer than %d bytes", maxSealed)
			case len(secret) < webhook.MinSecret:
				return errors.New("the secret has fewer than 16 characters; pipe in a random one: openssl rand -hex 32 | headgate webhook seal")
			}
			sealed, err := vault.Seal(os.Getenv(passwordVar), sealPurpose, secret)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), sealed)
			return err
		},
	}
}
