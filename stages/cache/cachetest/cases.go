package cachetest

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// Cases are what a cache does.
var Cases = []Case{
	{"settings that make no sense are refused", checkSettings},
	{"bounds of the memory are checked", checkBounds},
	{"an equal request is answered from the cache", answerEqual},
	{"a stream is answered as a stream", answerStream},
	{"answers that were not served whole are not stored", skipUncacheable},
	{"requests that the settings admit are stored", storeAdmitted},
	{"a client decides over the cache", obeyClient},
	{"an answer is given for its time only", expireAnswers},
	{"an answer is stored as the links behind the cache have made it", storeInPlace},
	{"a failing store is a miss and is recorded", recordFailure},
	{"other values in the store are not answers", ignoreJunk},
	{"a panic of the store leaves no request waiting", survivePanic},
	{"a cache has no shadow mode", refuseShadow},
	{"equal requests that come together are one call", joinRequests},
	{"when the first of equal requests fails the others go on by themselves", splitRequests},
	{"a request waits for a limited time and no longer than its client", limitWaiting},
	{"two gateways share the answers of one store", shareAnswers},
	{"all of an answer is repeated", repeatAnswers},
	{"what decides over an answer is part of its key", separateRequests},
	{"what does not decide over an answer is not part of its key", matchEqualRequests},
	{"the key follows from the texts as the links before have made them", followEdits},
}

func checkSettings(t *testing.T, by *Subject) {
	for _, c := range []struct{ name, config, says string }{
		{"nothing is needed", "{}", ""},
		{
			"what an answer depends on can be set",
			"{store: memory, ttl: 1m, max_entry_bytes: 800, max_temperature: 0.5, single_only: true, generation: b}", "",
		},
		{"an unknown key is an error", "size: 1", "size"},
		{"an unknown store is an error", "store: redis", `"redis"`},
		{"a negative time is an error", "ttl: -1s", "ttl"},
		{"a negative size is an error", "max_entry_bytes: -1", "max_entry_bytes"},
		{"a temperature out of range is an error", "max_temperature: 3", "max_temperature"},
		{"a shared store needs one", "store: shared", "state"},
	} {
		t.Run(c.name, func(t *testing.T) { checkConfig(t, by, c.config, c.says) })
	}
}

func checkBounds(t *testing.T, by *Subject) {
	for _, c := range []struct{ name, config, says string }{
		{"all can be set", "{max_bytes: 1000, max_tenant_bytes: 900, max_entry_bytes: 800, wait: 1s, shared_timeout: 1s}", ""},
		{"a negative size is an error", "max_bytes: -1", "max_bytes"},
		{"a tenant's bound above the whole is an error", "{max_bytes: 10, max_tenant_bytes: 11}", "max_tenant_bytes"},
		{"an answer's bound above the tenant's is an error", "{max_tenant_bytes: 10, max_entry_bytes: 11}", "max_entry_bytes"},
	} {
		t.Run(c.name, func(t *testing.T) { checkConfig(t, by, c.config, c.says) })
	}
}

// checkConfig checks that a cache accepts settings, or refuses them with a text.
func checkConfig(t *testing.T, by *Subject, config, says string) {
	l, err := by.Build(t, config, Deps{})
	if says != "" {
		require.ErrorContains(t, err, says)
		return
	}
	require.NoError(t, err)
	if c, ok := l.Stage.(core.Closer); ok {
		require.NoError(t, c.Close(context.Background()))
	}
}

func answerEqual(t *testing.T, by *Subject) {
	for store, state := range map[string]core.Values{"memory": nil, "shared": &Values{}} {
		t.Run(store, func(t *testing.T) {
			b := NewBench(t, by, "store: "+store, state)
			first := b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("one")})
			assert.Equal(t, "MISS", first.Cache)
			b.advanceClock(90 * time.Second)
			second := b.Send(Call{Body: ` { "messages": [ {"content":"hi", "role":"user"} ], "model":"m" }`, Answer: FormatAnswer("two")})
			assert.Equal(t, core.Answer, second.Action)
			assert.Equal(t, FormatAnswer("one"), second.Text)
			assert.Equal(t, "HIT", second.Cache)
			assert.Contains(t, second.X.Header, core.Field{Name: "Age", Value: "90"})
			assert.Equal(t, "MISS", b.Send(Call{Body: FormatRequest("ho"), Answer: FormatAnswer("two")}).Cache)
		})
	}
}

func answerStream(t *testing.T, by *Subject) {
	for store, state := range map[string]core.Values{"memory": nil, "shared": &Values{}} {
		t.Run(store, func(t *testing.T) {
			b := NewBench(t, by, "store: "+store, state)
			events := []string{FormatDelta("a"), FormatDelta("b"), Stop, Done}
			first := b.Send(Call{Body: FormatStreamRequest("hi"), Events: events})
			assert.Empty(t, first.Cache, "a stream carries no X-Cache")
			second := b.Send(Call{Body: FormatStreamRequest("hi"), Events: []string{FormatDelta("other"), Stop, Done}})
			require.Equal(t, core.Answer, second.Action)
			assert.Equal(t, strings.Join(events, ""), second.Text)
			assert.Empty(t, second.Cache)

			whole := b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("whole")})
			assert.Equal(t, core.Pass, whole.Action, "a stream's answer does not serve a whole one")
			assert.Equal(t, "MISS", whole.Cache)
		})
	}
}

func skipUncacheable(t *testing.T, by *Subject) {
	for _, c := range []struct {
		name, config string
		call         Call
	}{
		{"an answer whose status is an error", "{}", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Status: 429}},
		{"a redirection", "{}", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Status: 302}},
		{"an answer that was not delivered to its end", "{}", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Cut: true}},
		{"half a stream", "{}", Call{Body: FormatStreamRequest("hi"), Events: []string{FormatDelta("x")}, Cut: true}},
		{"a stream whose client has left", "{}", Call{
			Body: FormatStreamRequest("hi"), Events: []string{FormatDelta("x"), Stop, Done},
			Kind: core.ClientGone,
		}},
		{"an answer that a link has blocked", "{}", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Kind: core.Blocked}},
		{"another stage's answer", "{}", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Kind: core.Answered}},
		{"a provider's failure", "{}", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Kind: core.UpstreamErr}},
		{"an answer that is too large", "max_entry_bytes: 100", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x")}},
		{
			"a stream that is too large", "max_entry_bytes: 100",
			Call{Body: FormatStreamRequest("hi"), Events: []string{FormatDelta("x"), Stop, Done}},
		},
		{
			"an answer that the client forbids to store", "{}",
			Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Header: http.Header{"Cache-Control": {"private, No-Store"}}},
		},
		{"several answers where they are excluded", "single_only: true", Call{Body: strings.Replace(FormatRequest("hi"), "{", `{"n":2,`, 1), Answer: FormatAnswer("x")}},
		{"a high temperature", "max_temperature: 0.2", Call{Body: strings.Replace(FormatRequest("hi"), "{", `{"temperature":0.21,`, 1), Answer: FormatAnswer("x")}},
		{"the provider's temperature", "max_temperature: 0.2", Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBench(t, by, c.config, nil)
			assert.Equal(t, core.Pass, b.Send(c.call).Action)
			assert.Equal(t, core.Pass, b.Send(c.call).Action)
			assert.Empty(t, by.Bodies(b.link))
			assert.Zero(t, b.countWaiting(), "no request waits")
		})
	}
}

func storeAdmitted(t *testing.T, by *Subject) {
	for _, c := range []struct{ config, members string }{
		{"single_only: true", `"n":1,`},
		{"single_only: true", `"n":null,`},
		{"max_temperature: 0.2", `"temperature":0.2,`},
		{"max_temperature: 1", ``},
		{"max_temperature: 1", `"temperature":null,`},
		{"{}", `"temperature":2,"n":4,`},
	} {
		b := NewBench(t, by, c.config, nil)
		body := strings.Replace(FormatRequest("hi"), "{", "{"+c.members, 1)
		b.Send(Call{Body: body, Answer: FormatAnswer("x")})
		assert.Equal(t, core.Answer, b.Send(Call{Body: body}).Action, "%v", c)
	}
}

func obeyClient(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}", nil)
	b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("one")})
	for i, name := range []string{"X-Cache-Control", "Cache-Control"} {
		text := FormatAnswer(string(rune('a' + i)))
		g := b.Send(Call{Body: FormatRequest("hi"), Answer: text, Header: http.Header{name: {"no-cache"}}})
		assert.Equal(t, "MISS", g.Cache, name)
		assert.Equal(t, text, g.Text)
		assert.Equal(t, text, b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("never")}).Text, "the new answer is stored")
	}
	b.advanceClock(30 * time.Second)
	for directive, want := range map[string]string{
		"max-age=30": "HIT", "max-age=29": "MISS", "max-age=0": "MISS", "max-age=x": "HIT",
		"max-age=-1": "HIT", "max-age=99999999999999999999": "HIT", "immutable": "HIT", "": "HIT",
	} {
		g := b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Header: http.Header{"Cache-Control": {directive}}, Cut: true})
		assert.Equal(t, want, g.Cache, directive)
	}
	g := b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Header: http.Header{"X-Cache-Control": {"no-store"}}})
	assert.Equal(t, "MISS", g.Cache)
	assert.NotEqual(t, FormatAnswer("x"), b.Send(Call{Body: FormatRequest("hi")}).Text)
}

func expireAnswers(t *testing.T, by *Subject) {
	b := NewBench(t, by, "ttl: 10s", nil)
	b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("one")})
	b.advanceClock(9 * time.Second)
	assert.Equal(t, "HIT", b.Send(Call{Body: FormatRequest("hi")}).Cache)
	b.advanceClock(time.Second)
	assert.Equal(t, "MISS", b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("two"), Cut: true}).Cache)
	assert.Empty(t, by.Bodies(b.link), "the answer is removed")

	state := &Values{}
	b = NewBench(t, by, "{store: shared, ttl: 10s}", state)
	b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("one")})
	assert.Equal(t, 10*time.Second, state.ttl)
}

func recordFailure(t *testing.T, by *Subject) {
	state := &Values{err: errDown}
	b := NewBench(t, by, "store: shared", state)
	g := b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x")})
	assert.Equal(t, "MISS", g.Cache)
	require.Len(t, g.X.Findings, 1)
	assert.Equal(t, "cache.unavailable", g.X.Findings[0].Label)
	assert.Equal(t, FormatAnswer("x"), g.Text)
}

func ignoreJunk(t *testing.T, by *Subject) {
	for _, junk := range []string{
		"", "x", "\x01\x00\x00\xc8", "\x02\x00\x00\xc8\x00\x00\x00\x00\x00\x00\x00\x00{}",
		"\x01\x00\x01\xad\x00\x00\x00\x00\x00\x00\x00\x00{}", "\x01\x04\x00\xc8\x00\x00\x00\x00\x00\x00\x00\x00{}",
	} {
		state := &Values{}
		b := NewBench(t, by, "store: shared", state)
		b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x")})
		state.values[state.listKeys()[0]] = []byte(junk)
		assert.Equal(t, "MISS", b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("y")}).Cache, "%q", junk)
	}
}

func survivePanic(t *testing.T, by *Subject) {
	b := NewBench(t, by, "store: shared", &Values{panics: true})
	x := b.open(Call{Body: FormatRequest("hi")})
	assert.True(t, b.chain.RunRequest(context.Background(), x).Fault)
	assert.Zero(t, b.countWaiting())
}

func refuseShadow(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}", nil)
	l := b.link
	l.Mode = chain.Shadow
	_, err := chain.New([]chain.Link{l}, nil)
	require.ErrorContains(t, err, "shadow")
}

// requests replaces one word in requests.
type requests swap

func (r requests) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Rewrite}
	for i := range x.Request.Segments {
		for _, e := range swap(r).listEdits(x.Request.ReadText(i)) {
			e.Segment = i
			v.Edits = append(v.Edits, e)
		}
	}
	return v, nil
}
