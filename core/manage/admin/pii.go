package admin

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// Vault restores and deletes redacted values.
type Vault interface {
	// Detokenize replaces the placeholders of a tenant in a text. It calls record with the counts by type before it returns
	// the text, and returns record's error instead of the text.
	Detokenize(
		ctx context.Context,
		tenant, text string,
		record func(ctx context.Context, types map[string]int, unknown int) error,
	) (string, error)
	// ShredTenant deletes all values of a tenant permanently and returns their number.
	ShredTenant(ctx context.Context, tenant string) (removed int, err error)
}

// Detokenize contains a text with placeholders and the reason to restore it.
type Detokenize struct {
	Text     string `json:"text" maxLength:"1000000" doc:"The text. Its placeholders are replaced by their values; unknown and expired placeholders stay."`
	TenantID string `json:"tenant_id" minLength:"1" maxLength:"128" doc:"The tenant of the placeholders."`
	Reason   string `json:"reason,omitempty" maxLength:"500" doc:"Why the values are needed. The audit log records it."`
}

// Detokenized is a text with restored values.
type Detokenized struct {
	Text string `json:"text"`
}

// TokensRemoved is the number of deleted values.
type TokensRemoved struct {
	TenantID      string `json:"tenant_id"`
	TokensRemoved int    `json:"tokens_removed"`
}

// PIIStats counts the stored values.
type PIIStats struct {
	TenantID string           `json:"tenant_id,omitempty"`
	Total    int64            `json:"total"`
	Types    map[string]int64 `json:"types" doc:"The counts by type."`
}

// Detokenize restores the values of placeholders. An audit event is durable before the text is returned.
func (s PII) Detokenize(ctx context.Context, who *auth.Actor, d Detokenize) (Detokenized, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.Detokenize, d.TenantID)
	if err != nil {
		return Detokenized{}, err
	}
	if err := s.svc.requireFeature(FeatureDetokenize, "DETOKENIZE_NOT_AVAILABLE", "turning placeholders back into values"); err != nil {
		return Detokenized{}, err
	}
	if tenant == "" {
		return Detokenized{}, newMissingFieldError("tenant_id")
	}
	text, err := s.svc.Vault.Detokenize(ctx, tenant, d.Text, func(ctx context.Context, types map[string]int, unknown int) error {
		restored := 0
		for _, n := range types {
			restored += n
		}
		counts, err := json.Marshal(types)
		if err != nil {
			return err
		}
		var e audit.Payload
		e.AddStr("actor", who.ID)
		e.AddInt("restored", int64(restored))
		e.AddInt("unresolved", int64(unknown))
		e.AddRaw("types", counts)
		e.AddOptionalStr("reason", d.Reason)
		return s.svc.writeEvent(ctx, tenant, audit.PIIDetokenized, &e)
	})
	return Detokenized{text}, err
}

// DeleteTokens deletes all values of a tenant. This cannot be undone: their encryption keys are destroyed.
func (s PII) DeleteTokens(ctx context.Context, who *auth.Actor, tenant string) (TokensRemoved, error) {
	if _, err := s.svc.authorize(ctx, who, auth.TokensDelete, tenant); err != nil {
		return TokensRemoved{}, err
	}
	if err := s.svc.checkTenant(ctx, &tenant); err != nil {
		return TokensRemoved{}, err
	}
	n, err := s.svc.Vault.ShredTenant(ctx, tenant)
	if err != nil {
		return TokensRemoved{}, err
	}
	return TokensRemoved{tenant, n}, s.svc.publishChange(ctx, who, deleted, "pii_tokens", tenant, tenant, nil, nil)
}

// CountValues counts the stored values by type, of one tenant or of all.
func (s PII) CountValues(ctx context.Context, who *auth.Actor, tenant string) (PIIStats, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.Detokenize, tenant)
	if err != nil {
		return PIIStats{}, err
	}
	types, err := s.svc.Store.Vault().CountByType(ctx, tenant, s.svc.Now())
	if err != nil {
		return PIIStats{}, err
	}
	out := PIIStats{TenantID: tenant, Types: types}
	for _, n := range types {
		out.Total += n
	}
	return out, nil
}
