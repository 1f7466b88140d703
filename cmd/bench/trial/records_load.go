package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load sends requests to one gateway and remembers which were answered.
type load struct {
	gateway  *gateway
	provider *provider
	pg       *postgres
	client   *http.Client
	config   string
	peak     int64
	refused  atomic.Int64
	note     atomic.Pointer[string]

	mu       sync.Mutex
	answered map[string]time.Time // by request id
	killed   []time.Time
}

func (b *bench) newLoad(ctx context.Context, onPostgres bool, rest string) (l *load, err error) {
	l = &load{answered: map[string]time.Time{}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.provider, err = startProvider(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body) // a truncated body does not count as answered
		if !bytes.Contains(body, []byte(`"stream":true`)) {
			writeAnswer(w, buildAnswer("ok"))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, buildAnswerChunk("ok")+strings.Replace(buildAnswerChunk(""), "null", `"stop"`, 1)+"data: [DONE]\n\n")
	}); err != nil {
		return l, err
	}
	l.config = buildSampleConfig("127.0.0.1:0", l.provider.url, "", rest)
	if onPostgres {
		if l.pg, err = newPostgres(ctx, b.dir); err != nil {
			return l, err
		}
		l.config = strings.Replace(l.config, "sqlite:trial.db", l.pg.url(), 1)
	}
	l.gateway, err = b.startGateway(ctx, "gateway", l.config)
	return l, err
}

func (l *load) close() {
	if l.gateway != nil {
		_ = l.gateway.kill() // it may have ended
	}
	if l.provider != nil {
		l.provider.close()
	}
	if l.pg != nil {
		_ = l.pg.stop() // likewise
	}
}

// run sends some 300 requests per second for a time, then calls do, and stops sending when that is done.
func (l *load) run(ctx context.Context, _ time.Duration, do func() error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				l.sendChat(ctx, (i+n)%2 == 0)
				time.Sleep(30 * time.Millisecond) // the pace of the load
			}
		})
	}
	time.Sleep(time.Duration(200+rand.IntN(600)) * time.Millisecond) // any moment will do
	if err := do(); err != nil {
		text := err.Error()
		l.note.Store(&text)
	}
	cancel()
	wg.Wait()
}

func (l *load) sendChat(ctx context.Context, streamed bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.gateway.url+"/v1/chat/completions", strings.NewReader(buildChat("x",
		streamed)))
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+keyA)
	req.Header.Set("Content-Type", "application/json")
	res, err := l.client.Do(req)
	if err != nil {
		return // the gateway was killed
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	switch {
	case err != nil, streamed && res.StatusCode == http.StatusOK && !bytes.Contains(body, []byte("[DONE]")):
	case res.StatusCode == http.StatusOK:
		l.mu.Lock()
		l.answered[res.Header.Get("X-Trace-Id")] = time.Now()
		l.mu.Unlock()
	default:
		l.refused.Add(1)
	}
}

func (l *load) restart(ctx context.Context, b *bench) (err error) {
	l.peak = max(l.peak, l.gateway.peak.Load())
	l.gateway, err = b.startGateway(ctx, "gateway", l.config)
	return err
}

func (l *load) isJustBeforeKill(at time.Time) bool {
	for _, kill := range l.killed {
		if d := kill.Sub(at); d >= 0 && d < atRisk {
			return true
		}
	}
	return false
}

// check fills the row and requires that no answer is without its records.
func (l *load) check(ctx context.Context, b *bench, r *row) error {
	lost, err := l.compareRecords(ctx, b, r)
	r.require(len(lost) == 0, "%d answers are without records", len(lost))
	r.require(r.doubled == 0, "%d answers have two records", r.doubled)
	return err
}

// compareRecords shuts the gateway down, compares its records with the answers, and returns the times of the answers
// without records.
func (l *load) compareRecords(ctx context.Context, b *bench, r *row) (lost []time.Time, err error) {
	if err := l.gateway.stop(); err != nil {
		return nil, err
	}
	r.acknowledged, r.refused, r.peak = len(l.answered), int(l.refused.Load()), max(l.peak, l.gateway.peak.Load())
	if note := l.note.Load(); note != nil {
		r.note = *note
		r.require(false, "%s", *note)
	}
	verified, err := b.runVerb(ctx, "audit", "verify", "--accept-gaps", "--config", "gateway.yaml")
	r.require(err == nil, "audit verify: %v: %.300s", err, verified)
	exported, err := b.runVerb(ctx, "audit", "export", "--type", "GATEWAY_RESPONSE", "--config", "gateway.yaml")
	if err != nil {
		return nil, err
	}
	var events []struct {
		Payload struct {
			ID string `json:"request_id"`
		} `json:"payload"`
	}
	if err := json.Unmarshal(exported, &events); err != nil {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	records := map[string]int{}
	for i := range events {
		records[events[i].Payload.ID]++
	}
	for id, at := range l.answered {
		switch n := records[id]; {
		case n == 0:
			lost = append(lost, at)
		case n > 1:
			r.doubled++
		}
	}
	r.lost = len(lost)
	return lost, nil
}
