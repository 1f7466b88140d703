package pii

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"testing"

	"github.com/headgate-dev/headgate/stages/internal/settingstest"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// fakeTokens is a vault without a store: a value is bound to the key that sent it.
type fakeTokens struct {
	mu    sync.Mutex
	known map[string]string // by key and token
	asked int
	err   error
}

func (f *fakeTokens) Mint(_ context.Context, x *core.Exchange, p core.Phase, typ, value string) (string, error) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, typ, "\x1f", value)
	token := placeholder.Spell(typ, fmt.Sprintf("%016x", h.Sum64()))
	if p == core.Request {
		f.add(x.Principal.KeyID, token, value)
	}
	return token, nil
}

func (f *fakeTokens) add(key, token, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = map[string]string{}
	}
	f.known[key+strings.Clone(token)] = strings.Clone(value)
}

func (f *fakeTokens) Resolve(_ context.Context, x *core.Exchange, token string) (string, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	v, ok := f.known[x.Principal.KeyID+token]
	return v, ok, f.err
}

// bench carries exchanges through a chain of the stage alone.
type bench struct {
	t     testing.TB
	chain *chain.Chain
	tok   *fakeTokens
}

func newBench(t testing.TB, config string) *bench {
	t.Helper()
	b := &bench{t: t, tok: new(fakeTokens)}
	st, err := New(block(config), b.tok)
	require.NoError(t, err)
	b.chain, err = chain.New([]chain.Link{{Name: "pii", Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}}, b.tok)
	require.NoError(t, err)
	return b
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// body is a request with one message for each text.
func body(texts ...string) string {
	parts := make([]string, len(texts))
	for i, s := range texts {
		parts[i] = `{"role":"user","content":` + quote(s) + `}`
	}
	return `{"model":"m","stream":true,"messages":[` + strings.Join(parts, ",") + `]}`
}

// send takes a request through the chain.
func (b *bench) send(key, raw string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := &core.Exchange{Principal: &core.Principal{Tenant: "t", KeyID: key}}
	x.Request.Raw = []byte(raw)
	require.Nil(b.t, openai.Chat{}.Scan(x))
	return x, b.chain.Request(context.Background(), x)
}

// contents reads the messages of a request.
func contents(t testing.TB, raw []byte) (out []string) {
	t.Helper()
	var v struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	require.NoError(t, json.Unmarshal(raw, &v), "%s", raw)
	for _, m := range v.Messages {
		out = append(out, m.Content)
	}
	return out
}

// redact returns the messages as a provider sees them.
func (b *bench) redact(texts ...string) []string {
	b.t.Helper()
	x, d := b.send("k", body(texts...))
	require.Equal(b.t, core.Pass, d.Action)
	defer b.chain.Finish(context.Background(), x)
	return contents(b.t, x.Request.Raw)
}
