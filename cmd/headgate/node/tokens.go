package node

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// tokens gives the chain access to the vault. The scope comes from the exchange.
type tokens struct{ v *vault.Vault }

var _ core.Tokens = tokens{}

func readScope(x *core.Exchange) vault.Scope {
	s := vault.Scope{User: x.Head.User}
	if p := x.Principal; p != nil {
		s.Tenant, s.Key = p.Tenant, p.Lineage
	}
	return s
}

func (t tokens) Mint(ctx context.Context, x *core.Exchange, p core.Phase, typ, value string) (string, error) {
	s := readScope(x)
	if p == core.Response {
		s.Key, s.User = "", ""
	} else {
		s.At = x.Received
	}
	return t.v.Mint(ctx, s, typ, value)
}

func (t tokens) Resolve(ctx context.Context, x *core.Exchange, token string) (string, bool, error) {
	return t.v.Resolve(ctx, readScope(x), token)
}

// values gives administrators access to the vault.
type values struct{ *vault.Vault }

var _ admin.Vault = values{}

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
