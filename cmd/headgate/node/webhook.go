package node

import (
	"fmt"
	"os"

	"github.com/headgate-dev/headgate/plugins/outside"
	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/stages"
)

// SealPurpose binds a webhook's sealed secret to its use, so that it cannot be opened as anything else.
const SealPurpose = "headgate webhook 1"

// buildWebhook builds the stage of a webhook link.
func buildWebhook(l *config.Link, note func(remote.Observed)) (*remote.Stage, error) {
	s, err := webhook.ReadSettings(l.Config)
	if err != nil {
		return nil, err
	}
	o := webhook.Options{
		Link: l.Name, URL: l.Webhook, Timeout: l.Timeout, Calls: l.Limits.Instances, AllowPrivate: l.AllowPrivate,
		FailOpen: l.OnFault == config.FaultPass, Shadow: l.Mode == config.Shadow, Note: note, Settings: s, PreviousUntil: l.Previous.Until,
	}
	if o.Secret, err = revealSecret(l.Secret, l.SecretSealed); err != nil {
		return nil, fmt.Errorf("secret_sealed: %w", err)
	}
	if !l.Previous.IsZero() {
		if o.Previous, err = revealSecret(l.Previous.Secret, l.Previous.SecretSealed); err != nil {
			return nil, fmt.Errorf("previous.secret_sealed: %w", err)
		}
	}
	return webhook.New(o)
}

// buildGuard builds the stage of a vendor's guard.
func buildGuard(l *config.Link, note func(remote.Observed), h *stages.Host) (*remote.Stage, error) {
	s, err := outside.ReadSettings(l.Config)
	if err != nil {
		return nil, err
	}
	o := outside.Options{
		Vendor: l.Guard, Link: l.Name, Timeout: l.Timeout, Calls: l.Limits.Instances, AllowPrivate: l.AllowPrivate,
		FailOpen: l.OnFault == config.FaultPass, Shadow: l.Mode == config.Shadow, Note: note, Settings: s,
		Chat: newChatCaller(h), Book: newChargeRecorder(h), Score: scoreLocally,
	}
	if o.Secret, err = revealSecret(l.Secret, l.SecretSealed); err != nil {
		return nil, fmt.Errorf("secret_sealed: %w", err)
	}
	return outside.New(o)
}

// logObserved logs what a webhook in shadow mode would have done, since its exchange has already ended.
func (g *gateway) logObserved(o remote.Observed) {
	line := g.tel.Log.Info()
	if o.Fault != nil {
		line = g.tel.Log.Warn().Err(o.Fault)
	}
	line.Str("link", o.Link).Str("exchange", o.Exchange).Stringer("phase", o.Phase).Str("action", string(o.Action)).
		Strs("labels", o.Labels).Int64("dropped", o.Dropped).Msg("a webhook in shadow was asked")
}

// logGuardObserved logs what a guardrail plugin in shadow mode would have done, and the failure of one that fails open.
func (g *gateway) logGuardObserved(o remote.Observed) {
	if o.Fault != nil && o.Action == "" {
		g.tel.Log.Warn().Err(o.Fault).Str("plugin", o.Link).Str("exchange", o.Exchange).Stringer("phase", o.Phase).Int64("dropped", o.Dropped).
			Msg("a guardrail plugin failed, and the exchange went on without it")
		return
	}
	g.logObserved(o)
}

// revealSecret returns the plaintext secret, or unseals the sealed one.
func revealSecret(plain, sealed config.Secret) (string, error) {
	if sealed == "" {
		return plain.Reveal(), nil
	}
	return vault.Open(os.Getenv(PasswordVar), SealPurpose, sealed.Reveal())
}
