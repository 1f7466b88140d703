// Package piitest holds the cases that every stage passes that redacts personal data and restores it: the compiled-in stage, and plugins in
// its place. They use e-mail addresses and payment cards, which all find.
package piitest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// Subject is a stage under the cases.
type Subject struct {
	// Build returns the link of a stage with a block of settings in YAML, which keeps values in a vault. An error means that it refuses the
	// settings; it says why.
	Build func(t testing.TB, config string, tokens core.Tokens) (chain.Link, error)
	// Asked is how many unknown placeholders the stage looks up in one exchange.
	Asked int
}

// Case is one case.
type Case struct {
	Name string
	run  func(t *testing.T, by *Subject)
}

// Run runs the case.
func (c *Case) Run(t *testing.T, by *Subject) { c.run(t, by) }

// Tokens is a vault without a store: a value is bound to the key that sent it.
type Tokens struct {
	mu    sync.Mutex
	Known map[string]string // by key and token
	Asked int
	Err   error
}

func (f *Tokens) Mint(_ context.Context, x *core.Exchange, p core.Phase, typ, value string) (string, error) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, typ, "\x1f", value)
	token := placeholder.Format(typ, fmt.Sprintf("%016x", h.Sum64()))
	if p == core.Request {
		f.Add(x.Principal.KeyID, token, value)
	}
	return token, nil
}

func (f *Tokens) Add(key, token, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Known == nil {
		f.Known = map[string]string{}
	}
	f.Known[key+strings.Clone(token)] = strings.Clone(value)
}

func (f *Tokens) Resolve(_ context.Context, x *core.Exchange, token string) (string, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Asked++
	v, ok := f.Known[x.Principal.KeyID+token]
	return v, ok, f.Err
}

// Bench carries exchanges through a chain of the stage alone.
type Bench struct {
	t      testing.TB
	Chain  *chain.Chain
	Tokens *Tokens
}

// NewBench returns a chain of the stage with its settings.
func NewBench(t testing.TB, by *Subject, config string) *Bench {
	t.Helper()
	b := &Bench{t: t, Tokens: new(Tokens)}
	l, err := by.Build(t, config, b.Tokens)
	require.NoError(t, err)
	b.Chain, err = chain.New([]chain.Link{l}, b.Tokens)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Chain.Close(context.Background())) })
	return b
}

// Quote returns a text as a JSON string.
func Quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// BuildBody is a request with one message for each text.
func BuildBody(texts ...string) string {
	parts := make([]string, len(texts))
	for i, s := range texts {
		parts[i] = `{"role":"user","content":` + Quote(s) + `}`
	}
	return `{"model":"m","stream":true,"messages":[` + strings.Join(parts, ",") + `]}`
}

// Send takes a request through the chain.
func (b *Bench) Send(key, raw string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := &core.Exchange{Principal: &core.Principal{Tenant: "t", KeyID: key}}
	x.Request.Raw = []byte(raw)
	require.Nil(b.t, openai.Chat{}.Scan(x))
	return x, b.Chain.RunRequest(context.Background(), x)
}

// ReadContents reads the messages of a request.
func ReadContents(t testing.TB, raw []byte) (out []string) {
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

// Redact returns the messages as a provider sees them.
func (b *Bench) Redact(texts ...string) []string {
	b.t.Helper()
	x, d := b.Send("k", BuildBody(texts...))
	require.Equal(b.t, core.Pass, d.Action)
	defer b.Chain.Finish(context.Background(), x)
	return ReadContents(b.t, x.Request.Raw)
}
