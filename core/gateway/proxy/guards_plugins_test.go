package proxy_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	vendorguard "github.com/headgate-dev/headgate/plugins/outside"
	"github.com/headgate-dev/headgate/plugins/outside/outsidetest"
	"github.com/headgate-dev/headgate/plugins/remote"
	adapter "github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/sdk/webhook"
	"github.com/headgate-dev/headgate/wasm"
)

// linkWebhook returns a chain of a webhook whose receiver, on loopback, objects to a value.
func linkWebhook(action webhook.Action, value string) func(t testing.TB) func(core.Tokens) []chain.Link {
	return func(t testing.TB) func(core.Tokens) []chain.Link {
		const secret = "0123456789abcdef0123456789abcdef"
		s := httptest.NewServer(
			webhook.Handler(&webhook.Verifier{Secrets: []string{secret}}, func(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
				v := &webhook.Verdict{Action: webhook.Pass}
				for i, s := range r.Segments {
					if at := strings.Index(s.Text, value); at >= 0 {
						v.Action = action
						v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: at, End: at + len(value), Label: "value"})
					}
				}
				return v, nil
			}),
		)
		t.Cleanup(s.Close)
		st, err := adapter.New(adapter.Options{Link: "hook", URL: s.URL, Secret: secret, AllowPrivate: true})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
		return func(core.Tokens) []chain.Link {
			return []chain.Link{link("hook", st, core.Request, core.Response)}
		}
	}
}

// vendorRows are the rows of the table for each vendor, with its default action, asked in the wire form that it publishes.
func vendorRows() (rows []guard) {
	const value = "PROJECT-APOLLO"
	for i := range outsidetest.Fakes {
		f := &outsidetest.Fakes[i]
		rows = append(rows, guard{name: "guard " + f.Vendor, value: value, chain: func(t testing.TB) func(core.Tokens) []chain.Link {
			s := httptest.NewServer(f.NewHandler(nil))
			t.Cleanup(s.Close)
			o := vendorguard.Options{
				Vendor: f.Vendor, Link: "vendor", Secret: outsidetest.Secret, AllowPrivate: true, Settings: vendorguard.Settings{URL: s.URL + f.Path},
			}
			if f.Vendor == vendorguard.Judge {
				o.Secret, o.Settings = "", vendorguard.Settings{Model: "guard", Template: "llama_guard"}
				o.Chat = func(_ context.Context, _ *remote.Caller, _ string, body []byte) (int, []byte, error) {
					var in map[string]any
					if err := json.Unmarshal(body, &in); err != nil {
						return 0, nil, err
					}
					reply, err := json.Marshal(f.Answer(in))
					return http.StatusOK, reply, err
				}
			}
			st, err := vendorguard.New(o)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
			return func(core.Tokens) []chain.Link {
				return []chain.Link{link("vendor", st, core.Request, core.Response)}
			}
		}})
	}
	return rows
}

// detecting returns a chain of the sample detector, a WebAssembly module. It is compiled once per test run.
func detecting(action string) func(t testing.TB) func(core.Tokens) []chain.Link {
	stage := sync.OnceValues(func() (core.Stage, error) {
		source, err := os.ReadFile("../../../sdk/samples/employee-id/employee-id.wasm")
		if err != nil {
			return nil, err
		}
		v, err := wasm.Load(context.Background(), wasm.LoadOptions{Source: source, Name: "employee-id.wasm"})
		if err != nil {
			return nil, err
		}
		return wasm.NewStage(v, "employees", wasm.Settings{Action: action})
	})
	return func(t testing.TB) func(core.Tokens) []chain.Link {
		st, err := stage()
		require.NoError(t, err)
		return func(core.Tokens) []chain.Link {
			return []chain.Link{link("employees", st, core.Request, core.Response)}
		}
	}
}
