package node

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/replay"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/pii"
)

// watchShadow lets the log see the verdicts of a link in shadow mode.
func watchShadow(l *chain.Link, log *shadow.Log) {
	if l.Mode != chain.Shadow || log == nil {
		return
	}
	name := l.Name
	l.Watch = func(x *core.Exchange, p core.Phase, body *core.Payload, v *core.Verdict) {
		log.Watch(x, name, p, body, v)
	}
}

// digestLinks returns a digest of the settings of each link by name: of what it runs, for whom, and how it is configured. Its place
// and its mode are no settings.
func digestLinks(cfg *config.Config) (map[string]string, error) {
	out := map[string]string{}
	for i := range cfg.Chain {
		l := &cfg.Chain[i]
		text, err := l.Config.JSON()
		if err != nil {
			return nil, WrapLinkError(l, err)
		}
		sum := sha256.Sum256(fmt.Appendf(text, "%q", []any{
			l.Stage, l.Wasm, l.Plugins, l.Webhook, l.Guard, l.Process, l.SHA256, l.Args, l.Phases, l.For,
		}))
		out[l.Name] = string(sum[:])
	}
	return out, nil
}

// buildContextRedactors returns the stages that redact the contexts of findings: what captured exchanges are redacted by, what
// the links of the chain look for, custom types included, and credentials as the guardrail knows them. Values cannot be restored.
func buildContextRedactors(cfg *config.Config) ([]core.Stage, error) {
	tokens := replay.Tokens{Key: make([]byte, 32)}
	_, _ = rand.Read(tokens.Key) // rand.Read never fails
	first, err := pii.NewRedactor(cfg.Capture.PII, tokens)
	if err != nil {
		return nil, fmt.Errorf("capture.pii: %w", err)
	}
	secrets, err := guardrail.NewSecretRedactor()
	if err != nil {
		return nil, err
	}
	out := []core.Stage{first, secrets}
	for i := range cfg.Chain {
		l := &cfg.Chain[i]
		if l.Stage != pii.Name {
			continue
		}
		st, err := pii.NewRedactor(l.Config, tokens)
		if err != nil {
			return nil, WrapLinkError(l, err)
		}
		out = append(out, st)
	}
	return out, nil
}
