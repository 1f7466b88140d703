package node

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

func TestAddressesOfStoredProvidersArePublicUnlessTheOperatorAllowsOthers(t *testing.T) {
	for _, c := range []struct {
		name, url       string
		public, private bool
	}{
		{"the address of the type", "", true, true},
		{"a public https URL", "https://api.example.com/v1", true, true},
		{"plain http", "http://api.example.com", false, true},
		{"this machine", "https://localhost:8000", false, true},
		{"a private network", "https://10.1.2.3", false, true},
		{"the metadata service of a cloud", "https://169.254.169.254", false, false},
		{"a password", "https://me:secret@api.example.com", false, false},
		{"a query", "https://api.example.com?key=secret", false, false},
		{"another scheme", "file:///etc/passwd", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.public, checkAddress(c.url, false) == nil, "by default")
			assert.Equal(t, c.private, checkAddress(c.url, true) == nil, "with private addresses: %v", checkAddress(c.url, true))
		})
	}
}

func TestAProviderThatCannotBeBuiltLeavesTheOthersServing(t *testing.T) {
	ctx := t.Context()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "p.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close(context.WithoutCancel(ctx))) })
	master, _, err := vault.LoadMaster(ctx, db, "a long enough password for tests")
	require.NoError(t, err)
	box, err := master.NewBox(providerBox)
	require.NoError(t, err)
	credential := func(name, sealedFor string) []store.ProviderCredential {
		return []store.ProviderCredential{{ID: "c", Name: name, Weight: 1, Enabled: true, Sealed: box.Seal([]byte("sk-"+name), sealedFor+"\x00c")}}
	}
	for _, p := range []store.Provider{
		{ID: "good", Type: "openai", Enabled: true, Prefix: true, Credentials: credential("good", "good")},
		{ID: "moved", Type: "openai", Enabled: true, Credentials: credential("moved", "other")},
		{ID: "bare", Type: "openai", Enabled: true},
		{ID: "off", Type: "openai", Credentials: credential("off", "off")},
		{ID: "mock", Type: "openai", Enabled: true, Credentials: credential("mock", "mock")},
		{ID: "local", Type: "vllm", Enabled: true, BaseURL: "http://127.0.0.1:8000"},
	} {
		_, err := db.Providers().Insert(ctx, p)
		require.NoError(t, err)
	}
	cfg := &config.Config{Providers: map[string]config.Provider{"mock": {Type: "mock"}}}
	s, err := readProviders(ctx, &Records{DB: db, Master: master}, cfg)
	require.NoError(t, err)
	rt := &snapshot.Runtime{}
	for name := range cfg.Providers {
		p, stored := s.build(rt, name)
		assert.Equal(t, name != "mock", stored, name)
		if name != "good" {
			assert.Nil(t, p, name)
			continue
		}
		var r upstream.Request
		require.NoError(t, p.NewRequest(&core.Exchange{Target: core.TargetRef{Provider: name, Model: "m", Wire: "openai.chat"}}, &r))
		assert.Contains(t, r.Header, upstream.Field{Name: "Authorization", Value: "Bearer sk-good"})
	}
	for _, c := range rt.Clients {
		require.NoError(t, c.Close())
	}
	assert.Equal(t, []string{"bare", "local", "mock", "moved"}, namesIn(s.listWarnings()))
	for _, w := range s.listWarnings() {
		assert.NotContains(t, w, "sk-")
	}
}

// namesIn returns the names of the providers that warnings are about.
func namesIn(warnings []string) (out []string) {
	for _, w := range warnings {
		var name string
		for _, r := range w[len("provider "):] {
			if r == ' ' {
				break
			}
			name += string(r)
		}
		out = append(out, name)
	}
	return out
}
