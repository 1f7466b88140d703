package admin

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// Vault gives values back to administrators, and forgets them. It is made of a vault in the binary.
type Vault interface {
	// Detokenize replaces the placeholders of a tenant in a text. record is called before the text is given out, with
	// the count of each type and of what stayed; an error of it keeps the text back.
	Detokenize(ctx context.Context, tenant, text string, record func(ctx context.Context, types map[string]int, unknown int) error) (string, error)
	// DeleteTenant forgets all values of a tenant for good, and answers how many there were.
	DeleteTenant(ctx context.Context, tenant string) (removed int, err error)
}

// Detokenize asks for the values behind placeholders.
type Detokenize struct {
	Text     string `json:"text" maxLength:"1000000" doc:"Placeholders in it become values. Unknown and expired ones stay."`
	TenantID string `json:"tenant_id" minLength:"1" maxLength:"128" doc:"Whose placeholders they are."`
	Reason   string `json:"reason,omitempty" maxLength:"500" doc:"Why somebody looks; it is kept in the audit chain."`
}

// Detokenized is a text with values.
type Detokenized struct {
	Text string `json:"text"`
}

// TokensRemoved says how many values were forgotten.
type TokensRemoved struct {
	TenantID      string `json:"tenant_id"`
	TokensRemoved int    `json:"tokens_removed"`
}

// PIIStats counts the values that are kept, and nothing else of them.
type PIIStats struct {
	TenantID string           `json:"tenant_id,omitempty"`
	Total    int64            `json:"total"`
	Types    map[string]int64 `json:"types" doc:"How many of each type."`
}

// Detokenize gives the values behind placeholders. Each look is told to the audit chain before anything is given out.
func (s PII) Detokenize(ctx context.Context, who *auth.Actor, d Detokenize) (Detokenized, error) {
	tenant, err := s.svc.allow(ctx, who, auth.Detokenize, d.TenantID)
	if err != nil {
		return Detokenized{}, err
	}
	if err := s.svc.requireFeature(FeatureDetokenize, "DETOKENIZE_NOT_AVAILABLE", "turning placeholders back into values"); err != nil {
		return Detokenized{}, err
	}
	if tenant == "" {
		return Detokenized{}, missingField("tenant_id")
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
		e.Str("actor", who.ID)
		e.Int("restored", int64(restored))
		e.Int("unresolved", int64(unknown))
		e.Raw("types", counts)
		e.Opt("reason", d.Reason)
		return s.svc.writeEvent(ctx, tenant, audit.PIIDetokenized, &e)
	})
	return Detokenized{text}, err
}

// DeleteTokens forgets all values of a tenant. It cannot be undone: the keys that they were sealed with are destroyed.
func (s PII) DeleteTokens(ctx context.Context, who *auth.Actor, tenant string) (TokensRemoved, error) {
	if _, err := s.svc.allow(ctx, who, auth.TokensDelete, tenant); err != nil {
		return TokensRemoved{}, err
	}
	if err := s.svc.checkTenant(ctx, &tenant); err != nil {
		return TokensRemoved{}, err
	}
	n, err := s.svc.Vault.DeleteTenant(ctx, tenant)
	if err != nil {
		return TokensRemoved{}, err
	}
	return TokensRemoved{tenant, n}, s.svc.publishChange(ctx, who, deleted, "pii_tokens", tenant, tenant)
}

// Stats counts the values that are kept, of one tenant or all, by type.
func (s PII) Stats(ctx context.Context, who *auth.Actor, tenant string) (PIIStats, error) {
	tenant, err := s.svc.allow(ctx, who, auth.Detokenize, tenant)
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
