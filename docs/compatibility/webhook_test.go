package compatibility

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/plugins/remote"
	adapter "github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

const (
	guardRow    = "Webhook guard protocol"
	guardSecret = "0123456789abcdef0123456789abcdef"
	guardFolder = "testdata/webhook-1"
)

// guardCall is a call as a receiver of version 1 gets it. Its fields and its signature are written down here once more, so that a
// change of sdk/webhook does not change them.
type guardCall struct {
	Version                            int
	Link, Phase, Exchange, Tenant, Key string
	Shape, Model, Provider             string
	TargetModel                        string `json:"target_model"`
	Stream                             bool
	Segments                           []struct {
		Role, Kind, Path, Text string
		Before                 bool
	}
}

func signAsIn1(direction, timestamp, nonce string, body []byte) string {
	m := hmac.New(sha256.New, []byte(guardSecret))
	_, _ = fmt.Fprintf(m, "headgate-webhook-v1\n%s\n%s\n%s\n%s", direction, timestamp, nonce, body)
	return "v1=" + hex.EncodeToString(m.Sum(nil))
}

// receiver1 is a receiver of version 1 that redacts "secret". It keeps the bodies of the calls.
type receiver1 struct {
	t      *testing.T
	mu     sync.Mutex
	bodies [][]byte
}

func (r *receiver1) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	assert.NoError(r.t, err)
	at, nonce := req.Header.Get("Headgate-Timestamp"), req.Header.Get("Headgate-Nonce")
	assert.Len(r.t, nonce, 32)
	assert.Equal(r.t, signAsIn1("call", at, nonce, body), req.Header.Get("Headgate-Signature"), "breaks the promise of the webhook guard protocol")
	assert.Equal(r.t, http.MethodPost, req.Method)
	assert.Equal(r.t, "application/json", req.Header.Get("Content-Type"))
	var call guardCall
	assert.NoError(r.t, json.Unmarshal(body, &call))
	assert.Equal(r.t, 1, call.Version)
	r.mu.Lock()
	r.bodies = append(r.bodies, body)
	r.mu.Unlock()
	reply := `{"version":1,"action":"pass"}`
	for i, s := range call.Segments {
		if start := strings.Index(s.Text, "secret"); start >= 0 {
			reply = fmt.Sprintf(`{"version":1,"action":"redact","unit":"byte","findings":[{"segment":%d,"start":%d,"end":%d,"label":"word","score":0.5,"with":"***"}]}`,
				i, start, start+6)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Headgate-Signature", signAsIn1("reply", at, nonce, []byte(reply)))
	_, _ = io.WriteString(w, reply)
}

// guardLink returns a chain with a link that calls the receiver.
func guardLink(t *testing.T, r http.Handler) *chain.Chain {
	t.Helper()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	s, err := adapter.New(adapter.Options{Link: "the-guard", URL: server.URL, Secret: guardSecret, AllowPrivate: true, Timeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	c, err := chain.New([]chain.Link{{Name: "the-guard", Stage: s, Phases: remote.Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}}, nil)
	require.NoError(t, err)
	return c
}

func guardExchange(t *testing.T, body string) *core.Exchange {
	t.Helper()
	x := &core.Exchange{ID: "x-1", Dialect: "openai.chat", Principal: &core.Principal{Tenant: "acme", KeyID: "key-7"}}
	x.Request.Raw = []byte(body)
	require.Nil(t, openai.Chat{}.Scan(x))
	return x
}

// runGuard has a receiver judge a request, an answer and a stream. It returns what clients and providers get.
func runGuard(t *testing.T, c *chain.Chain) (request, answer, stream string) {
	t.Helper()
	ctx := t.Context()
	x := guardExchange(t, `{"model":"gpt-x","messages":[{"role":"system","content":"be kind"},{"role":"user","content":"a \"secret\"\nü"}]}`)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	request = string(x.Request.Raw)
	x.Target = core.TargetRef{Provider: "openai", Model: "gpt-x-1"}
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":{"content":"the secret is out"}}]}`)
	require.NoError(t, openai.Chat{}.ScanResponse(x))
	require.Equal(t, core.Pass, c.RunResponse(ctx, x).Action)
	answer = string(x.Response.Raw)

	x = guardExchange(t, `{"model":"gpt-x","stream":true,"messages":[{"role":"user","content":""}]}`)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	s, e := c.Stream(ctx, x, openai.Chat{})
	require.Nil(t, e)
	var out []byte
	for _, data := range []string{
		`{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("words ", 90) + `"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"a secret at the end"}}]}`, `[DONE]`,
	} {
		ev := &core.Event{Raw: []byte("data: " + data + "\n\n")}
		require.NoError(t, openai.Chat{}.ScanEvent(x, ev))
		out, e = s.RunEvent(ctx, ev, out)
		require.Nil(t, e)
	}
	s.Close(ctx)
	return request, answer, string(out)
}

func TestAReceiverOfVersion1JudgesCallsOfToday(t *testing.T) {
	r := &receiver1{t: t}
	request, answer, stream := runGuard(t, guardLink(t, r))
	for name, text := range map[string]string{"request": request, "answer": answer, "stream": stream} {
		assert.Contains(t, text, "***", "breaks the promise of the webhook guard protocol: its verdict about the %s has no effect", name)
		assert.NotContains(t, text, "secret", name)
	}
	path := filepath.Join(guardFolder, "calls.jsonl")
	got := append(bytes.Join(r.bodies, []byte("\n")), '\n')
	if _, err := os.Stat(path); *update && os.IsNotExist(err) {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	promised, sent := bytes.Split(bytes.TrimSpace(want), []byte("\n")), r.bodies
	require.Len(t, sent, len(promised))
	for i := range promised {
		assert.Subset(t, decodeCall(t, sent[i]), decodeCall(t, promised[i]), "breaks the promise %q: call %d lost or changed a field", guardRow, i)
	}
}

func decodeCall(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var fields map[string]any
	require.NoError(t, json.Unmarshal(body, &fields))
	return fields
}

// The calls were signed at a fixed time with a fixed nonce by version 1 of the protocol.
func TestSignedCallsOfVersion1AreAcceptedByTheSDK(t *testing.T) {
	const at, nonce = 1795348800, "000102030405060708090a0b0c0d0e0f"
	text, err := os.ReadFile(filepath.Join(guardFolder, "calls.jsonl"))
	require.NoError(t, err)
	signatures, err := os.ReadFile(filepath.Join(guardFolder, "signatures.txt"))
	require.NoError(t, err)
	lines := strings.Fields(string(signatures))
	for i, body := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		signature := lines[2*i]
		assert.Equal(t, signature, signAsIn1("call", fmt.Sprint(at), nonce, body))
		now := func() time.Time { return time.Unix(at+60, 0) }
		h := http.Header{"Headgate-Timestamp": {fmt.Sprint(at)}, "Headgate-Nonce": {nonce}, "Headgate-Signature": {signature}}
		v := &webhook.Verifier{Secrets: []string{guardSecret}, Now: now}
		call, err := v.Verify(h, body)
		require.NoError(t, err, "breaks the promise %q: call %d is refused", guardRow, i)
		assert.Equal(t, lines[2*i+1], call.Sign([]byte(`{"version":1,"action":"pass"}`)), "breaks the promise %q: replies are signed in another way", guardRow)
		changed := slices.Clone(body)
		changed[len(changed)/2] ^= 1
		_, err = (&webhook.Verifier{Secrets: []string{guardSecret}, Now: now}).Verify(h, changed)
		require.ErrorIs(t, err, webhook.ErrSignature)
		var in webhook.Request
		require.NoError(t, json.Unmarshal(body, &in))
		assert.Equal(t, 1, in.Version)
		assert.NotEmpty(t, in.Segments)
	}
}

func TestCallsAndRepliesOfWebhookGuardsKeepTheirFields(t *testing.T) {
	exist := []string{
		"header " + webhook.HeaderTimestamp, "header " + webhook.HeaderNonce, "header " + webhook.HeaderSignature, "header " + webhook.HeaderPrevious,
	}
	for name, message := range map[string]any{"call": webhook.Request{}, "reply": webhook.Verdict{}} {
		exist = append(exist, listMembers(name, reflect.TypeOf(message))...)
	}
	requireKept(t, guardRow, "webhook-1/fields.txt", exist)
}

// listMembers names the JSON members of a type and their types.
func listMembers(path string, typ reflect.Type) (lines []string) {
	for f := range typ.Fields() {
		member := path + "." + f.Tag.Get("json")
		lines = append(lines, member+" "+f.Type.Kind().String())
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			lines = append(lines, listMembers(path+"."+strings.TrimSuffix(f.Tag.Get("json"), ",omitempty")+"[]", f.Type.Elem())...)
		}
	}
	return lines
}
