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

// A stage is given no text, so its hg_alloc need not have room for one.
func TestAStageIsTakenBackToItsBeginningForAnotherTenant(t *testing.T) {
	config, err := json.Marshal(map[string]string{"script": "1 K;1 k seen;1 o;"})
	require.NoError(t, err)
	for _, isolate := range []Isolation{IsolateTenant, IsolateCall} {
		v, err := Load(context.Background(), LoadOptions{
			Source: testModule(t, "stage"), Name: "scripted.wasm", Manifest: allManifest(), Config: config, Cache: sharedCache(t),
			Limits: Limits{Timeout: 10 * time.Second, Isolate: isolate, Instances: 1},
		})
		require.NoError(t, err, isolate)
		st, err := NewPlugin(v, Options{Link: "l", State: noState{}})
		require.NoError(t, err)
		for _, tenant := range []string{"acme", "acme", "beta", "acme"} {
			x := talked(t)
			x.Principal = &core.Principal{Tenant: tenant}
			_, err = st.Check(context.Background(), x, core.Request, nil)
			require.NoError(t, err)
		}
		assert.EqualValues(t, 1, v.Stats().Instances, "the one was taken back, and not made anew")
		require.NoError(t, st.Close(context.Background()))
	}
}
