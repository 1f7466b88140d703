package cache

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

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct{ name, config, says string }{
		{"nothing is needed", "{}", ""},
		{"all can be set", "{store: memory, ttl: 1m, max_bytes: 1000, max_tenant_bytes: 900, max_entry_bytes: 800, wait: 1s, shared_timeout: 1s, max_temperature: 0.5, single_only: true, generation: b}", ""},
		{"an unknown key is an error", "size: 1", "size"},
		{"an unknown store is an error", "store: redis", `"redis"`},
		{"a negative time is an error", "ttl: -1s", "ttl"},
		{"a negative size is an error", "max_bytes: -1", "max_bytes"},
		{"a tenant's bound above the whole is an error", "{max_bytes: 10, max_tenant_bytes: 11}", "max_tenant_bytes"},
		{"an answer's bound above the tenant's is an error", "{max_tenant_bytes: 10, max_entry_bytes: 11}", "max_entry_bytes"},
		{"a temperature out of range is an error", "max_temperature: 3", "max_temperature"},
		{"a shared store needs one", "store: shared", "state"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, err := New(block(c.config), Deps{})
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			assert.NotNil(t, st)
		})
	}
	_, err := New(nil, Deps{})
	require.NoError(t, err, "a link without settings")
}

func TestAnEqualRequestIsAnsweredFromTheCache(t *testing.T) {
	for store, state := range map[string]core.Values{"memory": nil, "shared": &fakeState{}} {
		t.Run(store, func(t *testing.T) {
			b := newBench(t, "store: "+store, state)
			first := b.send(call{body: ask("hi"), answer: says("one")})
			assert.Equal(t, "MISS", first.cache)
			b.pass(90 * time.Second)
			second := b.send(call{body: ` { "messages": [ {"content":"hi", "role":"user"} ], "model":"m" }`, answer: says("two")})
			assert.Equal(t, core.Answer, second.action)
			assert.Equal(t, says("one"), second.text)
			assert.Equal(t, "HIT", second.cache)
			assert.Contains(t, second.x.Header, core.Field{Name: "Age", Value: "90"})
			assert.Equal(t, "MISS", b.send(call{body: ask("ho"), answer: says("two")}).cache)
		})
	}
}

func TestAStreamIsAnsweredAsAStream(t *testing.T) {
	for store, state := range map[string]core.Values{"memory": nil, "shared": &fakeState{}} {
		t.Run(store, func(t *testing.T) {
			b := newBench(t, "store: "+store, state)
			events := []string{delta("a"), delta("b"), stop, done}
			first := b.send(call{body: askStream("hi"), events: events})
			assert.Empty(t, first.cache, "a stream carries no X-Cache")
			second := b.send(call{body: askStream("hi"), events: []string{delta("other"), stop, done}})
			require.Equal(t, core.Answer, second.action)
			assert.Equal(t, strings.Join(events, ""), second.text)
			assert.Empty(t, second.cache)

			whole := b.send(call{body: ask("hi"), answer: says("whole")})
			assert.Equal(t, core.Pass, whole.action, "a stream's answer does not serve a whole one")
			assert.Equal(t, "MISS", whole.cache)
		})
	}
}

func TestWhatIsNotStored(t *testing.T) {
	for _, c := range []struct {
		name, config string
		call         call
	}{
		{"an answer whose status is an error", "{}", call{body: ask("hi"), answer: says("x"), status: 429}},
		{"a redirection", "{}", call{body: ask("hi"), answer: says("x"), status: 302}},
		{"an answer that was not delivered to its end", "{}", call{body: ask("hi"), answer: says("x"), cut: true}},
		{"half a stream", "{}", call{body: askStream("hi"), events: []string{delta("x")}, cut: true}},
		{"a stream whose client has left", "{}", call{body: askStream("hi"), events: []string{delta("x"), stop, done}, kind: core.ClientGone}},
		{"an answer that a link has blocked", "{}", call{body: ask("hi"), answer: says("x"), kind: core.Blocked}},
		{"another stage's answer", "{}", call{body: ask("hi"), answer: says("x"), kind: core.Answered}},
		{"a provider's failure", "{}", call{body: ask("hi"), answer: says("x"), kind: core.UpstreamErr}},
		{"an answer that is too large", "max_entry_bytes: 100", call{body: ask("hi"), answer: says("x")}},
		{"a stream that is too large", "max_entry_bytes: 100", call{body: askStream("hi"), events: []string{delta("x"), stop, done}}},
		{"an answer that the client forbids to store", "{}", call{body: ask("hi"), answer: says("x"), header: http.Header{"Cache-Control": {"private, No-Store"}}}},
		{"several answers where they are excluded", "single_only: true", call{body: strings.Replace(ask("hi"), "{", `{"n":2,`, 1), answer: says("x")}},
		{"a high temperature", "max_temperature: 0.2", call{body: strings.Replace(ask("hi"), "{", `{"temperature":0.21,`, 1), answer: says("x")}},
		{"the provider's temperature", "max_temperature: 0.2", call{body: ask("hi"), answer: says("x")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.config, nil)
			assert.Equal(t, core.Pass, b.send(c.call).action)
			assert.Equal(t, core.Pass, b.send(c.call).action)
			assert.Zero(t, b.stage.shelves.total.Load())
			assert.Empty(t, b.stage.shelves.loadShelf("t").flights, "no request waits")
		})
	}
}

func TestRequestsThatSettingsLeaveInAreStored(t *testing.T) {
	for _, c := range []struct{ config, members string }{
		{"single_only: true", `"n":1,`},
		{"single_only: true", `"n":null,`},
		{"max_temperature: 0.2", `"temperature":0.2,`},
		{"max_temperature: 1", ``},
		{"max_temperature: 1", `"temperature":null,`},
		{"{}", `"temperature":2,"n":4,`},
	} {
		b := newBench(t, c.config, nil)
		body := strings.Replace(ask("hi"), "{", "{"+c.members, 1)
		b.send(call{body: body, answer: says("x")})
		assert.Equal(t, core.Answer, b.send(call{body: body}).action, "%v", c)
	}
}

func TestAClientDecidesOverTheCache(t *testing.T) {
	b := newBench(t, "{}", nil)
	b.send(call{body: ask("hi"), answer: says("one")})
	for i, name := range []string{"X-Cache-Control", "Cache-Control"} {
		text := says(string(rune('a' + i)))
		g := b.send(call{body: ask("hi"), answer: text, header: http.Header{name: {"no-cache"}}})
		assert.Equal(t, "MISS", g.cache, name)
		assert.Equal(t, text, g.text)
		assert.Equal(t, text, b.send(call{body: ask("hi"), answer: says("never")}).text, "the new answer is stored")
	}
	b.pass(30 * time.Second)
	for directive, want := range map[string]string{
		"max-age=30": "HIT", "max-age=29": "MISS", "max-age=0": "MISS", "max-age=x": "HIT", "max-age=-1": "HIT", "max-age=99999999999999999999": "HIT", "immutable": "HIT", "": "HIT",
	} {
		g := b.send(call{body: ask("hi"), answer: says("x"), header: http.Header{"Cache-Control": {directive}}, cut: true})
		assert.Equal(t, want, g.cache, directive)
	}
	g := b.send(call{body: ask("hi"), answer: says("x"), header: http.Header{"X-Cache-Control": {"no-store"}}})
	assert.Equal(t, "MISS", g.cache)
	assert.NotEqual(t, says("x"), b.send(call{body: ask("hi")}).text)
}

func TestAnAnswerIsGivenForItsTimeOnly(t *testing.T) {
	b := newBench(t, "ttl: 10s", nil)
	b.send(call{body: ask("hi"), answer: says("one")})
	b.pass(9 * time.Second)
	assert.Equal(t, "HIT", b.send(call{body: ask("hi")}).cache)
	b.pass(time.Second)
	assert.Equal(t, "MISS", b.send(call{body: ask("hi"), answer: says("two"), cut: true}).cache)
	assert.Zero(t, b.stage.shelves.total.Load(), "the answer is removed")

	state := &fakeState{}
	b = newBench(t, "{store: shared, ttl: 10s}", state)
	b.send(call{body: ask("hi"), answer: says("one")})
	assert.Equal(t, 10*time.Second, state.ttl)
}

func TestWhatTheLinksBehindHaveMadeOfAnAnswerIsStoredAndNotWhatTheLinksBeforeDo(t *testing.T) {
	before := swap{"placeholder", "value"}
	behind := swap{"secret", "placeholder"}
	for _, streamed := range []bool{false, true} {
		b := newBench(
			t,
			"{}",
			nil,
			chain.Link{Name: "before", Stage: before, Phases: core.PhaseSet(core.Response)},
			chain.Link{Name: "z", Stage: behind, Phases: core.PhaseSet(core.Response)},
		)
		c := call{body: ask("hi"), answer: says("a secret")}
		if streamed {
			c = call{body: askStream("hi"), events: []string{delta("a secret"), stop, done}}
		}
		first := b.send(c)
		assert.Contains(t, first.text, "a value")
		for _, it := range b.stage.shelves.loadShelf("t").items {
			assert.Contains(t, string(it.entry.body), "a placeholder")
		}
		second := b.send(call{body: c.body})
		require.Equal(t, core.Answer, second.action)
		assert.Equal(t, first.text, second.text, "a hit passes the links before")
	}
}

// swap replaces one word in answers, if it arrives in one piece.
type swap struct{ from, to string }

func (s swap) edits(text string) []core.Edit {
	if at := strings.Index(text, s.from); at >= 0 {
		return []core.Edit{{Start: at, End: at + len(s.from), With: s.to}}
	}
	return nil
}

func (s swap) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Rewrite}
	for i := range x.Response.Segments {
		for _, e := range s.edits(x.Response.Text(i)) {
			e.Segment = i
			v.Edits = append(v.Edits, e)
		}
	}
	return v, nil
}

func (s swap) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return swapping{s}, nil
}

type swapping struct{ s swap }

func (s swapping) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	edits := s.s.edits(w.Text[w.Sent:])
	for i := range edits {
		edits[i].Start += w.Sent
		edits[i].End += w.Sent
	}
	return core.Verdict{Action: core.Rewrite, Edits: edits}, 0, nil
}
func (swapping) Close(context.Context) error { return nil }

func TestAFailingStoreIsAMissAndIsRecorded(t *testing.T) {
	state := &fakeState{err: errDown}
	b := newBench(t, "store: shared", state)
	g := b.send(call{body: ask("hi"), answer: says("x")})
	assert.Equal(t, "MISS", g.cache)
	require.Len(t, g.x.Findings, 1)
	assert.Equal(t, Unavailable, g.x.Findings[0].Label)
	assert.Equal(t, says("x"), g.text)
}

func TestWhatElseLiesInTheStoreIsNoAnswer(t *testing.T) {
	for _, junk := range []string{"", "x", "\x01\x00\x00\xc8", "\x02\x00\x00\xc8\x00\x00\x00\x00\x00\x00\x00\x00{}", "\x01\x00\x01\xad\x00\x00\x00\x00\x00\x00\x00\x00{}", "\x01\x04\x00\xc8\x00\x00\x00\x00\x00\x00\x00\x00{}"} {
		state := &fakeState{}
		b := newBench(t, "store: shared", state)
		b.send(call{body: ask("hi"), answer: says("x")})
		state.values[state.keys()[0]] = []byte(junk)
		assert.Equal(t, "MISS", b.send(call{body: ask("hi"), answer: says("y")}).cache, "%q", junk)
	}
}

func TestAPanicOfTheStoreLeavesNobodyWaiting(t *testing.T) {
	b := newBench(t, "store: shared", &fakeState{panics: true})
	x := b.open(call{body: ask("hi")})
	assert.True(t, b.chain.Request(context.Background(), x).Fault)
	assert.Empty(t, b.stage.shelves.loadShelf("t").flights)
}

func TestTheCacheHasNoShadow(t *testing.T) {
	st, err := New(nil, Deps{})
	require.NoError(t, err)
	_, err = chain.New([]chain.Link{{Name: Name, Stage: st, Phases: Phases, Mode: chain.Shadow}}, nil)
	require.ErrorContains(t, err, "shadow")
}

// requests replaces one word in requests.
type requests swap

func (r requests) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Rewrite}
	for i := range x.Request.Segments {
		for _, e := range swap(r).edits(x.Request.Text(i)) {
			e.Segment = i
			v.Edits = append(v.Edits, e)
		}
	}
	return v, nil
}
