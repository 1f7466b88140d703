package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// detourer sends each answer of a client to another server first, and keeps what that says.
type detourer struct {
	bearer

	to    string
	there []string
}

func (d *detourer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if strings.Contains(string(body), `"action"`) {
		other, err := http.NewRequestWithContext(r.Context(), http.MethodPost, d.to, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		other.Header = r.Header.Clone()
		other.Header.Del(mcp.HeaderSession)
		res, err := d.bearer.RoundTrip(other)
		if err != nil {
			return nil, err
		}
		said, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		d.there = append(d.there, string(said))
	}
	return d.bearer.RoundTrip(r)
}

func TestAnAnswerGoesToTheServerThatHasAskedAlone(t *testing.T) {
	for server, tool := range map[string]string{"a": "greet", "all": "a__greet"} {
		t.Run(server, func(t *testing.T) {
			url, _ := askingPeer(t, true)
			g := openJoined(t, map[string]string{"a": url, "b": url}, func(s tools.Servers) {
				s["a"].Era, s["b"].Era = mcp.Modern, mcp.Modern
			}, "a", "b")
			d := &detourer{bearer: bearer{g.key["dev"]}, to: g.url + "/mcp/b"}
			s := talkBy(t, g, server, mcp.LegacyVersion, d)
			got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
			assert.Equal(t, "hello Jo", resultText(t, got, err))
			require.Len(t, d.there, 1)
			assert.Contains(t, d.there[0], "no call of this key waits")
			require.Eventually(t, func() bool {
				of := map[any]int{}
				for _, r := range g.records() {
					if r.payload["mcp_server"] == "a" {
						of[r.payload["mcp_method"]]++
					}
				}
				return len(of) > 1
			}, generous, 5*time.Millisecond, "the answer is judged and recorded as one to the member")
		})
	}
}

func TestACallThatWaitsForItsClientHoldsNoPlace(t *testing.T) {
	url, _ := askingPeer(t, true)
	tiers := route.NewTiers(route.TierSettings{Max: 1, Threshold: [3]int{100, 100, 100}, Wait: generous})
	g := openNarrow(t, tiers, map[string]string{"a": url}, func(s tools.Servers) { s["a"].Era = mcp.Modern }, "a")
	got, err := talk(t, g, "a", mcp.LegacyVersion).CallTool(t.Context(), &sdk.CallToolParams{Name: "greet", Arguments: map[string]any{}})
	assert.Equal(t, "hello Jo", resultText(t, got, err))
}
