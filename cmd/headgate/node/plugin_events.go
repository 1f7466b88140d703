package node

import (
	"context"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/plugins"
)

// applyPluginRules applies a configuration's plugin rules to subsequent loads. The caller undoes that if the configuration
// is refused.
func (g *gateway) applyPluginRules(cfg *config.Config) (restore func(), err error) {
	rules, err := buildPluginRules(cfg)
	if err != nil {
		return nil, err
	}
	old := g.dir.Rules()
	if err := g.dir.SetRules(rules); err != nil {
		return nil, err
	}
	return func() { _ = g.dir.SetRules(old) }, nil // they were valid before
}

// mayBeAbsent reports whether a link may fall back to its fault rule if its file is unusable: at start, and if it
// already serves. A configuration that newly names such a file is refused, because the configuration in force is better.
func (g *gateway) mayBeAbsent(file string) bool { return g.cfg == nil || isNamedInChain(g.cfg, file) }

// needsPluginRestart reports whether the folder must be reopened.
func needsPluginRestart(old, now *config.Plugins) bool {
	return old.Dir != now.Dir || old.Watch != now.Watch || old.Trust != now.Trust || old.CacheDir != now.CacheDir
}

// watchPluginEvents writes plugin events to the log and the audit log. While the gateway serves, it also advances the
// configuration version, so that observers notice the change.
func (g *gateway) watchPluginEvents(ctx context.Context) {
	events := g.dir.Events()
	changed := false
	for _, e := range events {
		line := g.tel.Log.Info()
		if e.Type == plugins.EventRefused || e.Type == plugins.EventHeld {
			line = g.tel.Log.Warn()
		}
		line.Str("event", e.Type).Str("file", e.File).Str("digest", e.Digest).Str("before", e.Before).Str("plugin_version", e.Version).
			Str("reason", e.Reason).Msg("a plugin has changed")
		changed = changed || e.Type == plugins.EventLoaded || e.Type == plugins.EventPromoted || e.Type == plugins.EventWithdrawn
		g.hooks.sendPlugin(&e)
		var p audit.Payload
		p.Reset()
		p.AddStr("file", e.File)
		p.AddOptionalStr("digest", e.Digest)
		p.AddOptionalStr("version", e.Version)
		p.AddOptionalStr("before", e.Before)
		p.AddOptionalStr("reason", e.Reason)
		if err := g.rec.audit.Append(ctx, audit.Event{Type: e.Type, Payload: p.Bytes()}); err != nil {
			g.tel.ReportLoss("audit", e.Type, err)
			continue
		}
		g.tel.RecordAudit(e.Type)
	}
	if changed && g.announce != nil && g.flags.replica == nil { // the first configuration already has a version
		if err := g.rec.DB.Config().Advance(ctx, "plugin", ""); err != nil {
			g.tel.Log.Error().Err(err).Msg("the configuration version could not be advanced")
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.turns == nil {
		g.turns = map[string]int{}
	}
	for _, e := range events {
		g.turns[e.Type]++
	}
}
