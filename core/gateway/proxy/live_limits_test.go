package proxy_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/stages/budget"
)

// hearEnd reads events to the end of a session.
func hearEnd(t testing.TB, c *websocket.Conn) (events []string, code websocket.StatusCode) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	for {
		_, b, err := c.Read(ctx)
		if err != nil {
			require.NoError(t, ctx.Err(), "the session goes on after %q", events)
			return events, websocket.CloseStatus(err)
		}
		events = append(events, string(b))
	}
}

func TestASessionEndsWhenItIsIdle(t *testing.T) {
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1, Idle: 50 * time.Millisecond}})
	events, code := hearEnd(t, g.session(t, "dev", "mock-echo"))
	assert.Equal(t, websocket.StatusNormalClosure, code)
	assert.Equal(t, []string{"session.created"}, typesOf(events))
}

func TestASessionEndsAtItsAge(t *testing.T) {
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1, Age: 50 * time.Millisecond}})
	events, code := hearEnd(t, g.session(t, "dev", "mock-echo"))
	assert.Equal(t, websocket.StatusNormalClosure, code)
	assert.Equal(t, "session_expired", findAt(lastOf(events), "error.code").text())
}

// flood answers a response with sound until the gateway closes the session, and tells when it has closed the first one.
func flood(t *testing.T, closed chan<- struct{}) *liveProvider {
	var tellClosed sync.Once
	sound := `{"type":"response.output_audio.delta","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"delta":"` +
		strings.Repeat("A", 256<<10) + `"}`
	return newLiveProvider(t, func(ctx context.Context, c *websocket.Conn, next func() string) {
		defer tellClosed.Do(func() { close(closed) })
		tell(ctx, c, liveCreated)
		for ev := next(); ev != ""; ev = next() {
			if findAt(ev, "type").text() != "response.create" {
				continue
			}
			tell(ctx, c, liveBegun)
			for c.Write(ctx, websocket.MessageText, []byte(sound)) == nil {
			}
			return
		}
	})
}

func TestASessionEndsIfItsClientDoesNotRead(t *testing.T) {
	for name, netHTTP := range map[string]bool{"fast": false, "net/http": true} {
		t.Run(name, func(t *testing.T) {
			closed := make(chan struct{})
			up := flood(t, closed)
			g := open(t, setup{
				provider: newProvider(t, "openai", up.url), listens: true, netHTTP: netHTTP, send: 200 * time.Millisecond, sockets: socket.Limits{PerKey: 1},
			})
			c := g.session(t, "dev", "gpt-test")
			say(t, c, `{"type":"response.create"}`)
			<-closed // nothing is read meanwhile
			require.Eventually(t, func() bool { return len(g.records()) == 4 }, generous, 5*time.Millisecond, "the session and its response are recorded")
		})
	}
}

func TestEventsOfAProviderThatWaitCountAgainstTheMemoryOfTheirTenant(t *testing.T) {
	closed := make(chan struct{})
	up := flood(t, closed)
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 1, Kept: 100 << 10}})
	c := g.session(t, "dev", "gpt-test")
	say(t, c, `{"type":"response.create"}`)
	_, code := hearEnd(t, c)
	assert.Equal(t, websocket.StatusTryAgainLater, code)
	<-closed
	require.Eventually(t, func() bool { // what was counted is given back
		next := g.session(t, "other", "gpt-test")
		defer func() { _ = next.CloseNow() }()
		_, _, err := next.Read(t.Context())
		return err == nil
	}, generous, 5*time.Millisecond)
}

// lock suspends the tenant of the key dev, or revokes the key.
func (g *gate) lock(suspend bool) {
	key := auth.Key{ID: "id-dev", Tenant: "tenant-a", Hash: auth.Hash(g.key["dev"])}
	if !suspend {
		key.Hash = auth.Hash(g.key["other"])
	}
	now := g.proxy.Snapshots.Acquire()
	keys := auth.NewKeys([]auth.Tenant{{ID: "tenant-a", Suspended: suspend}}, []auth.Key{key})
	g.proxy.Snapshots.Swap(snapshot.New(now.Runtime, keys, 2))
	now.Release()
}

func TestASessionEndsWithItsKey(t *testing.T) {
	for name, c := range map[string]struct {
		suspended bool
		event     string
		code      string
	}{
		"the key is revoked before a response":     {false, `{"type":"response.create"}`, "UNAUTHORIZED"},
		"the key is revoked before an item":        {false, strings.Replace(liveText, "@", "hi", 1), "UNAUTHORIZED"},
		"the key is revoked before sound":          {false, liveHeard, "UNAUTHORIZED"},
		"the tenant is suspended before a setting": {true, `{"type":"session.update","session":{"instructions":"x"}}`, "TENANT_SUSPENDED"},
		"the tenant is suspended before an answer": {true, `{"type":"response.create"}`, "TENANT_SUSPENDED"},
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1}})
			ws := g.session(t, "dev", "mock-echo")
			hearUntil(t, ws, "session.created")
			say(t, ws, `{"type":"response.create"}`)
			hearUntil(t, ws, "response.done")
			g.lock(c.suspended)
			say(t, ws, c.event)
			events, code := hearEnd(t, ws)
			assert.Equal(t, websocket.StatusPolicyViolation, code)
			assert.Equal(t, c.code, findAt(lastOf(events), "error.code").text(), events)
		})
	}
}

func TestASessionEndsWithItsKeyWhenATranscriptArrives(t *testing.T) {
	up := answering(t, map[string][]string{
		"input_audio_buffer.commit": {liveTaken}, "output_audio_buffer.clear": {strings.Replace(liveSaid, "@", "hello", 1)},
	})
	g := open(t, setup{
		provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 1}, links: []chain.Link{newObjector("FORBIDDEN")},
		runtime: func(rt *snapshot.Runtime) { rt.Prices = byModel{flat{1_500, 6_000}} },
	})
	ws := g.session(t, "dev", "gpt-test")
	hearUntil(t, ws, "session.created")
	for _, ev := range []string{manual, liveHeard, `{"type":"input_audio_buffer.commit"}`} {
		say(t, ws, ev)
	}
	hearUntil(t, ws, "input_audio_buffer.committed")
	g.lock(false)
	say(t, ws, `{"type":"output_audio_buffer.clear"}`) // it costs nothing, so it needs no key
	events, code := hearEnd(t, ws)
	assert.Equal(t, websocket.StatusPolicyViolation, code)
	assert.Equal(t, "UNAUTHORIZED", findAt(lastOf(events), "error.code").text(), events)
	g.awaitCost(25*7 + 8*11) // what has been made is paid
}

// turnOnGuards reloads the gateway with a chain that judges.
func (g *gate) turnOnGuards(t *testing.T, links ...chain.Link) {
	judged, err := chain.New(links, nil)
	require.NoError(t, err)
	now := g.proxy.Snapshots.Acquire()
	rt := &snapshot.Runtime{Chain: judged, Providers: now.Providers, Router: now.Router, MaxBody: now.MaxBody}
	g.proxy.Snapshots.Swap(snapshot.New(rt.Start(), now.Keys, 2))
	now.Release()
}

func TestGuardsThatAReloadTurnsOnJudgeASessionOrEndIt(t *testing.T) {
	t.Run("a session without sound is judged from now on", func(t *testing.T) {
		g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1}})
		c := g.session(t, "dev", "mock-echo")
		hearUntil(t, c, "session.created")
		g.turnOnGuards(t, newObjector("FORBIDDEN"))
		say(t, c, `{"type":"input_audio_buffer.append","audio":"`+soundOf("say FORBIDDEN things")+`"}`)
		say(t, c, `{"type":"input_audio_buffer.append","audio":"AAAAAAAA"}`)
		assert.Equal(t, "content_filter", findAt(lastOf(hearUntil(t, c, "error")), "error.code").text())
	})
	t.Run("a session with sound that nobody has judged ends", func(t *testing.T) {
		g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1}})
		c := g.session(t, "dev", "mock-echo")
		hearUntil(t, c, "session.created")
		say(t, c, manual)
		say(t, c, `{"type":"input_audio_buffer.append","audio":"`+soundOf("say FORBIDDEN things")+`"}`)
		say(t, c, `{"type":"input_audio_buffer.commit"}`)
		hearUntil(t, c, "conversation.item.done")
		g.turnOnGuards(t, newObjector("FORBIDDEN"))
		say(t, c, `{"type":"response.create"}`)
		events, code := hearEnd(t, c)
		assert.Equal(t, websocket.StatusServiceRestart, code)
		assert.Equal(t, []string{"error"}, typesOf(events))
		assert.Equal(t, "guard_unavailable", findAt(lastOf(events), "error.code").text())
	})
}

// byModel has a price of its own for the model that transcribes.
type byModel struct{ flat }

func (b byModel) FindPrice(provider, model string) *price.Price {
	if model == "gpt-4o-mini-transcribe" {
		return &price.Price{ID: "heard", Input: 1e6 * 7, Output: 1e6 * 11, Cached: -1, Written: -1, Reasoning: -1}
	}
	if model == "whisper-1" {
		return &price.Price{ID: "heard", Second: 13, Cached: -1, Written: -1, Reasoning: -1}
	}
	return b.flat.FindPrice(provider, model)
}

func TestWhatAProviderTranscribesIsBooked(t *testing.T) {
	const begins = `"type":"conversation.item.input_audio_transcription.completed","item_id":"s1","transcript":"hello"`
	for name, c := range map[string]struct {
		says, wants string
		guards      bool
		cost        int64
	}{
		"tokens, for guards": {
			`{` + begins + `,"usage":{"type":"tokens","input_tokens":100,"output_tokens":10,"total_tokens":110,"input_token_details":{"audio_tokens":100}}}`, "",
			true, 100*7 + 10*11,
		},
		"seconds, for the client":                              {`{` + begins + `,"usage":{"type":"duration","seconds":2.5}}`, "whisper-1", false, 3 * 13},
		"by the length of the sound where nothing is reported": {`{` + begins + `}`, "", true, 25*7 + 8*11},
	} {
		t.Run(name, func(t *testing.T) {
			up := answering(t, map[string][]string{"input_audio_buffer.commit": {liveTaken, c.says, `{"type":"input_audio_buffer.cleared"}`}})
			with := setup{
				provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2},
				runtime: func(rt *snapshot.Runtime) { rt.Prices = byModel{flat{1_500, 6_000}} },
			}
			if c.guards {
				with.links = []chain.Link{newObjector("FORBIDDEN")}
			}
			g := open(t, with)
			ws := g.session(t, "dev", "gpt-test")
			hearUntil(t, ws, "session.created")
			say(t, ws, manual)
			if c.wants != "" {
				say(t, ws, `{"type":"session.update","session":{"audio":{"input":{"transcription":{"model":"`+c.wants+`"}}}}}`)
			}
			say(t, ws, liveHeard)
			say(t, ws, `{"type":"input_audio_buffer.commit"}`)
			hearUntil(t, ws, "input_audio_buffer.cleared")
			g.awaitCost(c.cost)
		})
	}
}

func TestATranscriptIsBookedWithoutItsEnd(t *testing.T) {
	const (
		delta  = `{"type":"conversation.item.input_audio_transcription.delta","item_id":"s1","delta":"hello"}`
		failed = `{"type":"conversation.item.input_audio_transcription.failed","item_id":"s1","error":{"type":"server_error"}}`
		wish   = `{"type":"session.update","session":{"audio":{"input":{"turn_detection":null,"transcription":{"model":"gpt-4o-mini-transcribe"}}}}}`
		last   = `{"type":"input_audio_buffer.cleared"}`
	)
	updated := func(transcription string) string {
		return `{"type":"session.updated","session":{"type":"realtime","audio":{"input":{"transcription":` + transcription + `}}}}`
	}
	whole := int64(25*7 + 8*11)
	for name, c := range map[string]struct {
		updated string
		says    []string
		cost    int64
	}{
		"the client leaves before all of it": {updated(`{"model":"gpt-4o-mini-transcribe"}`), []string{liveTaken, delta, last}, whole},
		"the client leaves before any of it": {updated(`{"model":"gpt-4o-mini-transcribe"}`), []string{liveTaken, last}, whole},
		"it fails behind a part":             {updated(`{"model":"gpt-4o-mini-transcribe"}`), []string{liveTaken, delta, failed, last}, whole},
		"it fails at once":                   {updated(`{"model":"gpt-4o-mini-transcribe"}`), []string{liveTaken, failed, last}, 0},
		"the provider does not transcribe":   {updated(`null`), []string{liveTaken, last}, 0},
		"several items, at once for one model": {updated(`{"model":"gpt-4o-mini-transcribe"}`), []string{
			liveTaken, strings.Replace(liveTaken, "s1", "s2", 1), last,
		}, 2 * whole},
	} {
		t.Run(name, func(t *testing.T) {
			up := answering(t, map[string][]string{"session.update": {c.updated}, "input_audio_buffer.commit": c.says})
			g := open(t, setup{
				provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 1},
				runtime: func(rt *snapshot.Runtime) { rt.Prices = byModel{flat{1_500, 6_000}} },
			})
			ws := g.session(t, "dev", "gpt-test")
			hearUntil(t, ws, "session.created")
			say(t, ws, wish)
			hearUntil(t, ws, "session.updated")
			say(t, ws, liveHeard)
			say(t, ws, `{"type":"input_audio_buffer.commit"}`)
			hearUntil(t, ws, "input_audio_buffer.cleared")
			require.NoError(t, ws.CloseNow())
			require.NoError(t, g.proxy.ShutdownSockets(t.Context()))
			assert.Equal(t, c.cost, g.usage().Cost)
		})
	}
}

func TestASessionEndsWhenNoBudgetPaysForItsTranscripts(t *testing.T) {
	money := new(spending.Budgets)
	money.Set([]spending.Budget{{ID: "all", Name: "all", Period: spending.Daily, Limit: -1, Tokens: 50}})
	st, err := budget.New(block("least_output_tokens: 0"), budget.Deps{State: state.NewMemory(state.Options{}), Now: time.Now, Spending: money})
	require.NoError(t, err)
	up := answering(t, map[string][]string{"input_audio_buffer.commit": {liveTaken, strings.Replace(liveSaid, "@", "hello", 1)}})
	counts := link("budget", st, core.Target)
	counts.Counts = true
	g := open(t, setup{
		provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 2}, links: []chain.Link{counts, newObjector("FORBIDDEN")},
	})
	c := g.session(t, "dev", "gpt-test")
	hearUntil(t, c, "session.created")
	say(t, c, manual)
	for range 2 { // 33 tokens each
		say(t, c, liveHeard)
		say(t, c, `{"type":"input_audio_buffer.commit"}`)
	}
	events, code := hearEnd(t, c)
	assert.Equal(t, websocket.StatusPolicyViolation, code)
	assert.Equal(t, core.CodeQuota, findAt(lastOf(events), "error.code").text(), events)
}

func TestBookingATranscriptNeedsNoProviderAndNoRoom(t *testing.T) {
	const last = `{"type":"input_audio_buffer.cleared"}`
	up := answering(t, map[string][]string{
		"session.update":            {`{"type":"session.updated","session":{}}`},
		"input_audio_buffer.commit": {liveTaken, strings.Replace(liveSaid, "@", "hello", 1), last},
	})
	latencies := route.NewLatencies(route.LatencySettings{}, nil)
	g := open(t, setup{
		provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 1},
		writer: store.WriterOptions{MaxRecords: 8, Wait: time.Millisecond},
		runtime: func(rt *snapshot.Runtime) {
			rt.Prices = byModel{flat{1_500, 6_000}}
			strict(rt)
			rt.Traffic.Latencies = latencies
		},
	})
	ws := g.session(t, "dev", "gpt-test")
	hearUntil(t, ws, "session.created")
	say(t, ws, manual)
	hearUntil(t, ws, "session.updated") // it is judged before the queue is full
	transcribe := func() {
		say(t, ws, liveHeard)
		say(t, ws, `{"type":"input_audio_buffer.commit"}`)
		events := hearUntil(t, ws, "input_audio_buffer.cleared")
		assert.Equal(t, last, lastOf(events))
	}
	now := g.proxy.Snapshots.Acquire()
	health := now.Traffic.Health
	now.Release()
	for _, witness := range []string{"tenant-a", "tenant-b", "tenant-a", "tenant-b"} {
		if c, ok := health.Allow(route.Ask{Provider: "openai", Model: "gpt-4o-mini-transcribe", Caller: witness}); ok {
			c.Report(route.Failed)
		}
	}
	_, ok := health.Allow(route.Ask{Provider: "openai", Model: "gpt-4o-mini-transcribe", Caller: "tenant-a"})
	require.False(t, ok, "the circuit is open")
	require.NoError(t, g.log.Sync(t.Context()))
	release := g.fillQueue()
	transcribe()
	release()
	require.NoError(t, g.log.Sync(t.Context()))
	transcribe()
	g.awaitCost(2 * (25*7 + 8*11)) // both are booked
	for _, r := range latencies.Records() {
		assert.NotEqual(t, "gpt-4o-mini-transcribe", r.Model)
	}
}
