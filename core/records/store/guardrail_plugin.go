package store

import (
	"context"
	"time"
)

// GuardrailPlugin is a guardrail that the gateway calls over HTTP.
type GuardrailPlugin struct {
	ID, Tenant, Name string // Tenant "" is the platform, which applies to every tenant
	URL              string
	Secrets
	Timeout              time.Duration // whole milliseconds
	FailMode             string        // OPEN or CLOSED
	Mode                 string        // enforce or shadow
	Enabled              bool
	Version              int64
	CreatedAt, UpdatedAt time.Time // set by the store
}

var guardrailPluginTable = newTable(table[GuardrailPlugin]{
	name: "guardrail_plugin", noun: "guardrail plugin", kind: "guardrail_plugin", owner: "tenant_id",
	head: func(p *GuardrailPlugin) head { return head{&p.ID, &p.Version, &p.CreatedAt, &p.UpdatedAt} },
	fields: func(p *GuardrailPlugin) []field {
		return append(p.Secrets.listFields(),
			newFixedField("id", &p.ID),
			field{column: "tenant_id", at: &p.Tenant},
			field{column: "name", at: &p.Name},
			field{column: "url", at: &p.URL},
			field{column: "timeout_ms", at: newMillisCodec(&p.Timeout)},
			field{column: "fail_mode", at: &p.FailMode},
			field{column: "mode", at: &p.Mode},
			field{column: "enabled", at: &p.Enabled},
			field{column: "version", at: &p.Version},
			newFixedField("created_at", newInstantCodec(&p.CreatedAt)),
			field{column: "updated_at", at: newInstantCodec(&p.UpdatedAt)},
		)
	},
})

// GuardrailPlugins reads and writes the guardrail plugins.
type GuardrailPlugins struct{ Records[GuardrailPlugin] }

// GuardrailPlugins returns the guardrail plugins.
func (db *DB) GuardrailPlugins() GuardrailPlugins {
	return GuardrailPlugins{Records[GuardrailPlugin]{db, guardrailPluginTable}}
}

// Cursor is the place of the plugin in a list.
func (p *GuardrailPlugin) Cursor() Cursor { return Cursor{p.CreatedAt, p.ID} }

// Delete removes a plugin unless check returns an error, and returns it as it was.
func (ps GuardrailPlugins) Delete(ctx context.Context, id string, check func(p GuardrailPlugin) error) (was GuardrailPlugin, err error) {
	err = ps.Records.Delete(ctx, id, func(p GuardrailPlugin) error {
		was = p
		return check(p)
	})
	if err != nil {
		return GuardrailPlugin{}, err
	}
	return was, nil
}
