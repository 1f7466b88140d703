package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// sendTimeout is `server.send_timeout` in these trials: the default of 30 s would only make them take longer.
const sendTimeout = 2 * time.Second

const unread = 20 // clients that read nothing

var slowReaders = trial{
	name:  "slow readers",
	about: "one tenant does not read its 20 streams, and only 20 may run: another tenant must be served again within the send timeout",
	limit: time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		p, err := startProvider(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body)
			if !strings.Contains(string(body), `"stream":true`) {
				writeAnswer(w, buildAnswer("ok"))
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			event := buildAnswerChunk(strings.Repeat("x", 8<<10))
			for q.Context().Err() == nil { // an endless answer
				if _, err := io.WriteString(w, event); err != nil {
					return
				}
			}
		})
		if err != nil {
			return r, err
		}
		defer p.close()
		g, err := b.startGateway(ctx, "gateway", buildSampleConfig("127.0.0.1:0", p.url, ", send_timeout: "+sendTimeout.String(),
			"routing: {priority: {max_concurrent: 25}}\nchain: []\n")) // standard tenants get 80 % of it
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, g.stop()); r.peak = g.peak.Load() }()
		closeAll, err := openUnread(ctx, g, buildChat("x", true))
		defer closeAll()
		if err != nil {
			return r, err
		}
		var count counts
		began := time.Now()
		for time.Since(began) < 10*sendTimeout {
			count.add(sendChat(ctx, http.DefaultClient, g.url, keyB, buildChat("x", false)))
			count.fill(&r)
			if r.acknowledged >= 20 {
				return r, nil
			}
			time.Sleep(50 * time.Millisecond) // the pace of the other tenant
		}
		r.require(false, "the other tenant got %d answers in %v", r.acknowledged, time.Since(began).Round(time.Second))
		return r, nil
	},
}

var slowAnswers = trial{
	name:  "slow answers",
	about: "20 whole answers of 27 MiB whose clients read nothing: never more than 600 MiB are held, and less than 200 MiB when the send timeout is over",
	limit: time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		large := buildAnswer(strings.Repeat("x", 27<<20))
		p, err := startProvider(func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			writeAnswer(w, large)
		})
		if err != nil {
			return r, err
		}
		defer p.close()
		g, err := b.startGateway(ctx, "gateway", buildSampleConfig("127.0.0.1:0", p.url, ", send_timeout: "+sendTimeout.String(), "chain: []\n"))
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, g.stop()); r.peak = g.peak.Load() }()
		closeAll, err := openUnread(ctx, g, buildChat("x", false))
		defer closeAll()
		if err != nil {
			return r, err
		}
		const most = 200 << 20
		held, rose := int64(0), false
		// Memory has no event to wait for.
		for end := time.Now().Add(15 * sendTimeout); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			held = g.measureMemory()
			if rose = rose || held > most || g.peak.Load() > most; rose && held < most {
				break
			}
		}
		r.require(held < most, "%d MiB are held", held>>20)
		r.require(g.peak.Load() < 3*most, "%d MiB were held", g.peak.Load()>>20)
		return r, nil
	},
}

// openUnread opens connections whose clients do not read their answers.
func openUnread(ctx context.Context, g *gateway, body string) (closeAll func(), err error) {
	var open []net.Conn
	closeAll = func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
	for range unread {
		c, err := sendWithoutReading(ctx, g, keyA, body)
		if c != nil {
			open = append(open, c)
		}
		if err != nil {
			return closeAll, err
		}
	}
	return closeAll, nil
}
