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
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	vendorguard "github.com/headgate-dev/headgate/plugins/outside"
	"github.com/headgate-dev/headgate/plugins/remote"
	adapter "github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/sdk/webhook"
	"github.com/headgate-dev/headgate/wasm"
)

// hooked returns a chain of a webhook whose receiver, on loopback, objects to a value.
func hooked(action webhook.Action, value string) func(t testing.TB) func(core.Tokens) []chain.Link {
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

// analyzed returns a chain of a vendor's guard, on loopback, that finds a value.
func analyzed(action remote.Action, value string) func(t testing.TB) func(core.Tokens) []chain.Link {
	return func(t testing.TB) func(core.Tokens) []chain.Link {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct{ Text string }
			_ = json.NewDecoder(r.Body).Decode(&in)
			found := []any{}
			if at := strings.Index(in.Text, value); at >= 0 {
				start := utf8.RuneCountInString(in.Text[:at])
				found = append(found, map[string]any{"entity_type": "VALUE", "start": start, "end": start + len(value), "score": 1})
			}
			_ = json.NewEncoder(w).Encode(found)
		}))
		t.Cleanup(s.Close)
		st, err := vendorguard.New(vendorguard.Options{
			Vendor: "presidio", Link: "vendor", AllowPrivate: true, Settings: vendorguard.Settings{URL: s.URL, Action: action},
		})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
		return func(core.Tokens) []chain.Link {
			return []chain.Link{link("vendor", st, core.Request, core.Response)}
		}
	}
}

// judging returns a chain of a judge model that objects to a value. Its answers have the form of Llama Guard's.
func judging(value string) func(t testing.TB) func(core.Tokens) []chain.Link {
	return func(t testing.TB) func(core.Tokens) []chain.Link {
		st, err := vendorguard.New(vendorguard.Options{
			Vendor: vendorguard.Judge, Link: "judge", Settings: vendorguard.Settings{Model: "guard", Template: "llama_guard"},
			Chat: func(_ context.Context, _, _ string, body []byte) (int, []byte, error) {
				verdict := "safe"
				if strings.Contains(string(body), value) {
					verdict = `unsafe\nS1`
				}
				return http.StatusOK, []byte(`{"choices":[{"message":{"role":"assistant","content":"` + verdict + `"},"finish_reason":"stop"}]}`), nil
			},
		})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
		return func(core.Tokens) []chain.Link {
			return []chain.Link{link("judge", st, core.Request, core.Response)}
		}
	}
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
