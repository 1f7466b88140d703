package proxy_test

import (
	"encoding/base64"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

//go:generate go test -tags nomsgpack,grpcnotrace -run TestEveryGuardSeesEveryPlace|TestEveryBoundHoldsInEveryShape -update .

// guard is a stage that blocks or redacts a value.
type guard struct {
	name  string
	value string
	chain func(t testing.TB) func(core.Tokens) []chain.Link
}

// TestEveryGuardSeesEveryPlace plants a value in each place of each shape, in requests and answers, and expects the
// guard to stop it. Without the guard the same request must let the value through; otherwise the cell proves nothing.
func TestEveryGuardSeesEveryPlace(t *testing.T) {
	table, free := newParity(), newStands(t, nil)
	through := map[string]bool{} // the unguarded run is made once per value
	for _, g := range guards {
		t.Run(g.name, func(t *testing.T) {
			guarded := newStands(t, g.chain(t))
			for _, c := range askings() {
				for _, m := range c.manners() {
					name := "request/" + c.shape + "/" + c.place + "/" + string(m)
					t.Run(name, func(t *testing.T) {
						if k := g.value + name; !through[k] {
							through[k] = c.arrives(t, m, g.value, free)
							assert.True(t, through[k], "without the guard the value must reach the provider")
						}
						assert.False(t, c.arrives(t, m, g.value, guarded), "the provider was sent the value")
						table.note(g.name, "request", c.shape, c.place, m)
					})
				}
			}
			for _, c := range tellings() {
				name := "answer/" + c.shape + " of " + c.provider + "/" + c.place + "/" + string(c.manner)
				t.Run(name, func(t *testing.T) {
					if k := g.value + name; !through[k] {
						through[k] = c.arrives(t, g.value, free)
						assert.True(t, through[k], "without the guard the value must reach the client")
					}
					assert.False(t, c.arrives(t, g.value, guarded), "the client was sent the value")
					table.note(g.name, "answer", c.shape, c.place, c.manner)
				})
			}
		})
	}
	if t.Failed() || !table.complete() { // some were left out by -run
		return
	}
	checkPart(t, table.String(), false)
}

func (c *asking) manners() []manner {
	if c.streams {
		return []manner{wholly, streamed}
	}
	return []manner{wholly}
}

// stands are gateways with one chain in front of scripted providers, by the provider's type.
type stands struct {
	t     *testing.T
	chain func(core.Tokens) []chain.Link
	asks  map[string]*stand
	tells map[string]*stand
	says  atomic.Pointer[string] // the whole answer of a provider of a direct shape
}

// stand is a gateway and its provider, which either refuses every request or answers from a script.
type stand struct {
	*gate
	refuses *fake
	answers *scriptedProvider
	replies chan string // of the server of tools
}

func newStands(t *testing.T, chain func(core.Tokens) []chain.Link) *stands {
	return &stands{t: t, chain: chain, asks: map[string]*stand{}, tells: map[string]*stand{}}
}

func (s *stands) asking(kind string) *stand {
	if s.asks[kind] == nil {
		up := newFake(s.t, says(buildWhole(418, "application/json", `{}`)))
		with := setup{override: "own", chain: s.chain}
		switch kind {
		case toolServer:
			with = withPeer(s.t, up.url, with, legacy)
		case agentPeer:
			with = withAgent(s.t, up.url, with, nil)
		default:
			with.provider = newProvider(s.t, kind, up.url)
		}
		s.asks[kind] = &stand{gate: open(s.t, with), refuses: up}
	}
	return s.asks[kind]
}

func (s *stands) telling(kind string) *stand {
	if s.tells[kind] == nil {
		up := newScripted(s.t)
		s.tells[kind] = &stand{gate: open(s.t, setup{provider: newProvider(s.t, kind, up.url), chain: s.chain}), answers: up}
	}
	return s.tells[kind]
}

// arrives sends the request and reports whether the value reached the provider.
func (c *asking) arrives(t *testing.T, m manner, value string, s *stands) bool {
	t.Helper()
	kind := map[string]string{
		messagesPath: "anthropic", countPath: "anthropic", generatePath: "gemini", tokensPath: "gemini", embedPath: "gemini", batchPath: "gemini", toolPath: toolServer,
		agentPlace: agentPeer,
	}[c.path]
	if c.path == rerankPath {
		kind = "vllm"
	}
	if kind == "" {
		kind = "openai"
	}
	g := s.asking(kind)
	before := len(g.refuses.requests())
	half := len(value) / 2
	file := base64.StdEncoding.EncodeToString([]byte("Write this to " + value + " now, and nothing else."))
	body := strings.NewReplacer("@64", file, "@1", value[:half], "@2", value[half:], "@", value).Replace(c.body)
	a := g.callPath(inManner(c.path, m), streamedBody(body, m), mediaOf(body)...)
	sent := g.refuses.requests()[before:]
	assert.NotContains(t, a.body, core.CodeGuardUnavailable, "a guard that fails stops everything, and proves nothing")
	if s.chain == nil {
		require.NotEmpty(t, sent, "the provider is called: %d %s", a.status, a.body)
	}
	for _, r := range sent {
		said := strings.Join(strings.Fields(joinStrings(t, r.body)), "")
		if c.place == inFile {
			text, err := base64.StdEncoding.DecodeString(longBase64.FindString(r.body))
			require.NoError(t, err, r.body)
			said += string(text)
		}
		if strings.Contains(said, value) {
			return true
		}
	}
	return false
}

// arrives sends a request and reports whether the value reached the client.
func (c *telling) arrives(t *testing.T, value string, s *stands) bool {
	t.Helper()
	switch {
	case c.provider == toolServer, c.provider == agentPeer:
		return c.arrivesFromServer(t, value, s)
	case c.reply != "":
		return c.arrivesDirect(t, value, s)
	}
	g := s.telling(c.provider)
	g.answers.t = t
	g.answers.say(c.feature(), c.manner)
	g.answers.edit = plantValue(value)
	a := g.callPath(inManner(c.path, c.manner), streamedBody(c.body, c.manner))
	assert.NotContains(t, a.body, core.CodeGuardUnavailable, "a guard that fails stops everything, and proves nothing")
	if s.chain == nil {
		require.Equal(t, 200, a.status, a.body)
	}
	return strings.Contains(joinStrings(t, a.body), value)
}

func inManner(path string, m manner) string {
	if m == streamed {
		return strings.Replace(path, ":generateContent", ":streamGenerateContent?alt=sse", 1)
	}
	return path
}

func streamedBody(body string, m manner) string {
	if m == streamed {
		return strings.Replace(body, "STREAM", `,"stream":true`, 1)
	}
	return strings.Replace(body, "STREAM", "", 1)
}
