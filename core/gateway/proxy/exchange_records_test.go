package proxy_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestAnExchangeLeavesTwoAuditRecordsAndOneOfUsage(t *testing.T) {
	g := open(t, setup{url: newFake(t, says(buildWhole(200, "application/json", completion("hi")))).url, chain: redacting(t, "")})
	a := g.post(
		"dev",
		strings.Replace(chat("cards "+card+" and 5555 5555 5555 4444, a@b.example"), "{", `{"user":"u-1",`, 1),
		"X-Trace-Id",
		"trace-1",
	)
	require.Equal(t, 200, a.status)
	req, res := g.pair()
	id := req["request_id"]
	assert.Regexp(t, "^[0-9a-f]{32}$", id)
	assert.Equal(t, map[string]any{
		"request_id": id, "trace_id": "trace-1", "shape": "openai.chat", "api_key": g.key["dev"][:10], "api_key_id": "id-dev",
		"model": "gpt-test", "stream": false, "messages": 1.0, "user": "u-1",
		"findings": []any{
			map[string]any{"link": "pii", "label": "CREDIT_CARD", "count": 2.0},
			map[string]any{"link": "pii", "label": "EMAIL", "count": 1.0},
		},
	}, req)
	assert.GreaterOrEqual(t, res["latency_ms"], 0.0)
	delete(res, "latency_ms")
	assert.Equal(t, map[string]any{
		"request_id": id, "model": "gpt-test", "provider": "openai", "status": 200.0, "outcome": "served", "complete": true,
		"api_key": g.key["dev"][:10], "tokens_prompt": 7.0, "tokens_completion": 3.0, "tokens_total": 10.0,
	}, res)
	for _, r := range g.records() {
		assert.Equal(t, "tenant-a", r.tenant)
	}
	u, err := g.m.ReadTotals(context.Background(), meter.Filter{Tenant: "tenant-a", KeyID: "id-dev", EndUser: "u-1"})
	require.NoError(t, err)
	assert.Equal(t, meter.Totals{Records: 1, Counted: 1, Input: 7, Output: 3, Cached: 2, Reasoning: 1}, u)
	rep, err := audit.Verify(context.Background(), g.db, g.auKey)
	require.NoError(t, err)
	assert.True(t, rep.Valid(), "the chain verifies")
}

func TestABlockedRequestHasBothRecords(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{url: up.url, chain: redacting(t, "action: block")})
	a := g.post("dev", chat(card))
	assert.Equal(t, 400, a.status)
	e := errorOf(t, a)
	assert.Equal(t, "content_filter", e["code"])
	assert.NotContains(t, e["message"], "4111")
	assert.Empty(t, up.requests())
	res := g.outcome()
	assert.InDelta(t, 400, res["status"], 0)
	assert.Equal(t, "blocked", res["outcome"])
	assert.Equal(t, "pii", res["by"])
	assert.Equal(t, "content_filter", res["code"])
	assert.Nil(t, res["provider"])
}

// TestNothingOfAPromptOrAKeyIsWrittenAnywhere sends secrets down every path and searches for them in the log, the
// records and the answers.
func TestNothingOfAPromptOrAKeyIsWrittenAnywhere(t *testing.T) {
	const canary = "canary-prompt"
	leaky := `{"error":{"message":"` + canary + ` ` + upstreamKey + `","code":"` + canary + ` code"}}`
	answers := []string{
		buildWhole(
			200,
			"application/json",
			completion(canary),
		),
		buildWhole(200, "application/json", `{"`+canary+`"`),
		buildWhole(500, "application/json", leaky),
		buildWhole(
			401,
			"application/json",
			leaky,
		),
		buildWhole(400, "application/json", leaky),
		canary,
		"HTTP/1.1 200 " + canary + "\r\n" + canary + "\r\n\r\n",
		stream(roleEvent, textEvent(canary), doneEvent),
		stream(roleEvent, "data: {\""+canary+"\n\n"),
		stream("data: " + leaky + "\n\n"),
		buildWhole(200, canary+"/html", canary),
		streamHead + chunk(roleEvent+textEvent(canary)),
	}
	n := 0
	g := open(
		t,
		setup{url: newFake(t, func(c net.Conn, r sent) { says(answers[n%len(answers)])(c, r) }).url, chain: redacting(t, "response: redact")},
	)
	var bodies strings.Builder
	exchanges := 0
	for ; n < len(answers); n++ {
		for _, b := range []string{chat(canary + " " + card), chatStream(canary + " " + card)} {
			bodies.WriteString(g.post("dev", b).body)
			exchanges++
		}
	}
	for _, b := range []string{
		`{"` + canary + `":`, `{"messages":"` + canary + `"}`, `{"model":"gpt-test","messages":[{"role":"` + canary + `"}]}`,
		`{"model":"gpt-test","` + canary + `":1,"` + canary + `":2}`, canary,
	} {
		a := g.post("dev", b)
		assert.Equal(t, 400, a.status)
		assert.NotContains(t, a.body, canary)
		exchanges++
	}
	g.post("gw_"+canary+strings.Repeat("x", 30), chat(canary))
	require.Eventually(t, func() bool { return g.usage().Records == int64(exchanges) }, generous, 5*time.Millisecond)
	all := g.records()
	redacted := 0
	for _, r := range all {
		if r.kind == audit.PIIRedacted {
			redacted++
		}
	}
	assert.Len(t, all, 2*exchanges+1+redacted)
	assert.Positive(t, redacted)
	for _, r := range all {
		assert.NotContains(t, r.raw, canary)
		assert.NotContains(t, r.raw, upstreamKey)
		assert.NotContains(t, r.raw, "4111 1111")
		assert.NotContains(t, r.raw, g.key["dev"][:14])
	}
	// By the specification, the client may read what a provider says about a request that it refuses.
	assert.Equal(
		t,
		2,
		strings.Count(bodies.String(), upstreamKey),
		"two answers with status 400; an unknown status counts as a failure",
	)
	g.end()
	log := g.lines.String()
	assert.Equal(t, exchanges+1, strings.Count(log, `"message":"exchange"`))
	for _, secret := range []string{canary, upstreamKey, "4111 1111", g.key["dev"][:14]} {
		assert.NotContains(t, log, secret)
	}
}

func TestAFullAuditQueueRefusesTheExchangeBeforeTheProviderIsAsked(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("x"))))
	g := open(t, setup{url: up.url, writer: store.WriterOptions{MaxRecords: 8, Wait: time.Millisecond}})
	release := g.fillQueue()
	for _, streamed := range []bool{false, true} {
		a := g.post("dev", chatBody("hi", streamed))
		assert.Equal(t, 503, a.status)
		e := errorOf(t, a)
		assert.Equal(t, "overloaded", e["code"])
		assert.Equal(t, "server_error", e["type"])
		assert.Equal(t, "1", a.header.Get("Retry-After"))
	}
	assert.Empty(t, up.requests(), "a request that cannot be recorded is not sent")
	release()
	require.Eventually(t, func() bool { return g.post("dev", chat("hi")).status == 200 }, generous, 10*time.Millisecond)
	w := httptest.NewRecorder()
	g.tel.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.NotContains(t, w.Body.String(), "headgate_records_lost_total{", "a refused exchange is not a lost record")
	assert.Positive(t, g.w.Stats().Refused)
}

// TestAnAnsweredExchangeIsRecordedWhenTheQueueHasFilledMeanwhile fills the queue while the provider answers: the
// records of the answer were reserved when the exchange was admitted.
func TestAnAnsweredExchangeIsRecordedWhenTheQueueHasFilledMeanwhile(t *testing.T) {
	var g *gate
	var release func()
	up := newFake(t, func(c net.Conn, r sent) {
		release = g.fillQueue()
		if strings.Contains(r.body, `"stream":true`) {
			says(stream(roleEvent, textEvent("hi"), stopEvent, doneEvent))(c, r)
			return
		}
		says(buildWhole(200, "application/json", completion("hi")))(c, r)
	})
	g = open(t, setup{url: up.url, chain: redacting(t, ""), writer: store.WriterOptions{MaxRecords: 30, Wait: time.Millisecond}})
	for i, streamed := range []bool{false, true} {
		require.Equal(t, 200, g.post("dev", chatBody("mail a@b.example", streamed)).status)
		release()
		require.Eventually(t, func() bool { return g.usage().Records == int64(i)+1 }, generous, 5*time.Millisecond)
	}
	kinds := map[string]int{}
	for _, r := range g.records() {
		kinds[r.kind]++
	}
	delete(kinds, audit.ConfigImported)
	assert.Equal(t, map[string]int{audit.GatewayRequest: 2, audit.PIIRedacted: 2, audit.GatewayResponse: 2}, kinds)
}

func TestTheEndOfAnAnswerWaitsForItsRecordsWhereConfigured(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		release := make(chan func(), 1)
		var g *gate
		up := newFake(t, func(c net.Conn, r sent) {
			release <- g.holdDatabase()
			if streamed {
				says(stream(roleEvent, textEvent("hi"), stopEvent, doneEvent))(c, r)
				return
			}
			says(buildWhole(200, "application/json", completion("hi")))(c, r)
		})
		g = open(t, setup{url: up.url, runtime: func(r *snapshot.Runtime) { r.AuditSync = true }})
		answered := make(chan answer)
		go func() { answered <- g.post("dev", chatBody("hello", streamed)) }()
		done := <-release
		require.Eventually(t, func() bool { return g.w.Stats().Queued >= 2 }, generous, time.Millisecond)
		select {
		case <-answered:
			require.Fail(t, "the answer ended before its records were durable")
		default:
		}
		done()
		a := <-answered
		assert.Equal(t, 200, a.status)
		assert.EqualValues(t, 1, g.usage().Records, "the records exist when the answer ends")
		res := g.outcome()
		assert.Equal(t, "served", res["outcome"])
		assert.Equal(t, true, res["complete"])
		assert.InDelta(t, 200, res["status"], 0)
		assert.InDelta(t, 10, res["tokens_total"], 10)
	}
}

// An answer whose records are lost must not look complete. The writer gives up while another process holds the database,
// as it does when a shutdown runs out of time.
func TestAnAnswerThatCannotBeRecordedEndsInAnErrorWhereConfigured(t *testing.T) {
	for name, streamed := range map[string]bool{"a whole answer": false, "a stream": true} {
		t.Run(name, func(t *testing.T) {
			var g *gate
			release, read := make(chan func(), 1), make(chan struct{})
			up := newFake(t, func(c net.Conn, r sent) {
				if !streamed {
					release <- g.holdDatabase()
					says(buildWhole(200, "application/json", completion("hello")))(c, r)
					return
				}
				says(streamHead+chunk(roleEvent+textEvent("hello")))(c, r)
				<-read
				release <- g.holdDatabase()
				says(chunk(stopEvent+doneEvent)+chunk(""))(c, r)
			})
			t.Cleanup(func() { // after the server's own cleanup
				require.ErrorIs(t, g.log.Close(context.Background()), store.ErrClosed)
				require.NoError(t, g.db.Close(context.Background()))
				require.NoError(t, g.tel.Close())
			})
			g = open(t, setup{url: up.url, runtime: func(r *snapshot.Runtime) { r.AuditSync = true }})
			g.ended = true
			answered := make(chan answer, 1)
			go func() {
				defer close(answered)
				res, err := http.DefaultTransport.RoundTrip(g.request("dev", strings.NewReader(chatBody("hi", streamed))))
				if !assert.NoError(t, err) {
					return
				}
				defer func() { _ = res.Body.Close() }()
				lines, text := bufio.NewReader(res.Body), ""
				for streamed && !strings.Contains(text, "hello") {
					line, err := lines.ReadString('\n')
					text += line
					if !assert.NoError(t, err) {
						break
					}
				}
				close(read)
				rest, err := io.ReadAll(lines)
				assert.NoError(t, err)
				answered <- answer{status: res.StatusCode, header: res.Header, body: text + string(rest)}
			}()
			done := <-release
			defer done()
			require.Eventually(t, func() bool { return g.w.Stats().Queued >= 2 }, generous, time.Millisecond)
			gaveUp, cancel := context.WithCancel(context.Background())
			cancel()
			require.ErrorContains(t, g.w.Close(gaveUp), "traffic records were not written")

			a := <-answered
			if !streamed {
				assert.Equal(t, 503, a.status)
				assert.Equal(t, "overloaded", errorOf(t, a)["code"])
				assert.NotContains(t, a.body, "hello", "nothing of the answer is sent")
				return
			}
			assert.Equal(t, 200, a.status)
			assert.Contains(t, a.body, "hello", "it was sent before")
			assert.NotContains(t, a.body, "[DONE]")
			assert.NotContains(t, a.body, `"finish_reason":"stop"`)
			events := strings.Split(strings.TrimSpace(a.body), "\n\n")
			last := events[len(events)-1]
			assert.Contains(t, last, `"error"`)
			assert.Contains(t, last, "overloaded")
		})
	}
}

// holdDatabase locks the database against writes, as a long write of another process would.
func (g *gate) holdDatabase() (release func()) {
	other, err := sql.Open("sqlite3", "file:"+g.db.Path()+"?_txlock=immediate")
	require.NoError(g.t, err)
	tx, err := other.BeginTx(context.Background(), nil)
	require.NoError(g.t, err)
	return func() {
		require.NoError(g.t, tx.Rollback())
		require.NoError(g.t, other.Close())
	}
}

// fillQueue holds the database and fills the queue until it refuses.
func (g *gate) fillQueue() (release func()) {
	release = g.holdDatabase()
	require.Eventually(g.t, func() bool {
		return errors.Is(g.log.Append(context.Background(), audit.Event{Type: audit.ConfigImported, Payload: []byte("{}")}), store.ErrBusy)
	}, generous, time.Millisecond)
	return release
}

func TestConcurrentExchangesKeepTheirOwn(t *testing.T) {
	up := newFake(t, func(c net.Conn, r sent) {
		tok := cardToken.FindString(r.body)
		if strings.Contains(r.body, `"stream":true`) {
			says(stream(roleEvent, textEvent(tok[:11]), textEvent(tok[11:]), stopEvent, doneEvent))(c, r)
			return
		}
		says(buildWhole(200, "application/json", completion(tok)))(c, r)
	})
	g := open(t, setup{url: up.url, chain: redacting(t, "")})
	cards := map[string]string{"dev": "4111 1111 1111 1111", "other": "5555 5555 5555 4444", "foreign": "4012 8888 8888 1881"}
	type got struct {
		answer
		number   string
		streamed bool
	}
	all := make(chan got, 120)
	var wg sync.WaitGroup
	for key, number := range cards {
		for range 2 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range 20 {
					streamed := i%2 == 0
					all <- got{g.post(key, chatBody(number, streamed)), number, streamed}
				}
			}()
		}
	}
	wg.Wait()
	close(all)
	for a := range all {
		content := ""
		if a.streamed {
			content = listen(t, a.body).content
		} else {
			content, _ = parseWhole(t, a.body)
		}
		assert.Equal(t, a.number, content)
	}
	require.Eventually(t, func() bool { return g.usage().Records == 120 }, generous, 10*time.Millisecond)
	assert.Len(t, g.records(), 360, "the request, what was redacted, and the answer")
}
