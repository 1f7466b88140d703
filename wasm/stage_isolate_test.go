package wasm

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// The host passes no text to a stage, so its hg_alloc need not have room for one.
func TestAStageIsTakenBackToItsBeginningForAnotherTenant(t *testing.T) {
	config, err := json.Marshal(map[string]string{"script": "1 K;1 k seen;1 o;"})
	require.NoError(t, err)
	for _, isolate := range []Isolation{IsolateTenant, IsolateCall} {
		v, err := Load(context.Background(), LoadOptions{
			Source: testModule(t, "stage"), Name: "scripted.wasm", Manifest: allManifest(), Config: config, Cache: sharedCache(t),
			Limits: Limits{Timeout: 10 * time.Second, Isolate: isolate, Instances: 1},
		})
		require.NoError(t, err, isolate.String())
		st, err := NewPlugin(v, Options{Link: "l", State: noState{}})
		require.NoError(t, err)
		for _, tenant := range []string{"acme", "acme", "beta", "acme"} {
			x := newConversation(t)
			x.Principal = &core.Principal{Tenant: tenant}
			_, err = st.Check(context.Background(), x, core.Request, nil)
			require.NoError(t, err)
		}
		assert.Equal(t, 1, v.Stats().Instances, "the instance was reset, not replaced")
		require.NoError(t, st.Close(context.Background()))
	}
}

// The results of a policy or an Extism plug-in must not depend on whether it is reset.
func TestForeignModulesAreTakenBackToo(t *testing.T) {
	for _, isolate := range []Isolation{IsolateTenant, IsolateCall} {
		v, err := loadRego(t, `{"models":{"acme":["gpt-"]}}`, func(o *LoadOptions) { o.Limits.Isolate, o.Limits.Instances = isolate, 1 })
		require.NoError(t, err)
		for range 3 {
			for tenant, want := range map[string]core.Action{"acme": core.Block, "beta": core.Pass} {
				got, err := decide(t, v, ask{tenant: tenant, model: "claude"})
				require.NoError(t, err)
				assert.Equal(t, want, got.Action)
			}
		}
		m := codenames
		e, err := Load(context.Background(), LoadOptions{
			Source: codenamesModule(t), Name: "codenames.wasm", Manifest: &m, Config: []byte(`{"words":"apollo"}`),
			Limits: Limits{Timeout: time.Second, Isolate: isolate, Instances: 1},
		})
		require.NoError(t, err)
		for range 3 {
			for _, text := range []string{"apollo", "an apollo"} {
				got, err := e.Detect(context.Background(), nil, text, 0)
				require.NoError(t, err)
				assert.Len(t, got, 1)
			}
		}
		assert.Equal(t, 1, v.Stats().Instances)
		assert.Equal(t, 1, e.Stats().Instances)
		e.Release(context.Background())
	}
}
