package proxy_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/stages/pii"
)

// tokens is the vault, wired as the command wires it.
type tokens struct{ v *vault.Vault }

func scope(x *core.Exchange) vault.Scope {
	return vault.Scope{User: x.Head.User, Tenant: x.Principal.Tenant, Key: x.Principal.Lineage}
}

func (t tokens) Mint(ctx context.Context, x *core.Exchange, p core.Phase, typ, value string) (string, error) {
	s := scope(x)
	if p == core.Response {
		s.Key, s.User = "", ""
	}
	return t.v.Mint(ctx, s, typ, value)
}

func (t tokens) Resolve(ctx context.Context, x *core.Exchange, token string) (string, bool, error) {
	return t.v.Resolve(ctx, scope(x), token)
}

// block is a stage's part of a configuration.
type block string

func (b block) Decode(into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	return d.Decode(into)
}

// redacting returns a chain of the PII stage alone.
func redacting(t testing.TB, config string) func(core.Tokens) []chain.Link {
	return func(tok core.Tokens) []chain.Link {
		var s core.Settings
		if config != "" {
			s = block(config)
		}
		st, err := pii.New(s, tok)
		require.NoError(t, err)
		return []chain.Link{link("pii", st, core.Request, core.Response)}
	}
}

func link(name string, st core.Stage, phases ...core.Phase) chain.Link {
	return chain.Link{Name: name, Stage: st, Phases: core.NewPhaseSet(phases...), Mode: chain.Enforce, OnFault: chain.FaultBlocks}
}
