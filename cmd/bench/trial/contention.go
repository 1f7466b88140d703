package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var contention = trial{
	name:  "contention",
	about: "twelve spinning programs beside a gateway with a Wasm detector of standard Go and prompts of 100 KB: nothing is refused",
	limit: 3 * time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		p, err := startProvider(func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			writeAnswer(w, buildAnswer("ok"))
		})
		if err != nil {
			return r, err
		}
		defer p.close()
		if err := b.buildPlugin(ctx, "gateway", "sdk/samples/internal-host"); err != nil {
			return r, err
		}
		config := "plugins: {trust: open}\nchain: [{name: detector, wasm: internal-host.wasm}]\n"
		g, err := b.startGateway(ctx, "gateway", buildSampleConfig("127.0.0.1:0", p.url, "", config))
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, g.stop()); r.peak = g.peak.Load() }()
		spinning, stop := context.WithCancel(ctx)
		var spinners sync.WaitGroup
		defer spinners.Wait()
		defer stop()
		for range 12 {
			spinners.Go(func() { _ = exec.CommandContext(spinning, os.Args[0], "spin").Run() }) // killed
		}
		body := buildChat(strings.Repeat("some words of a long prompt ", 3600), false)
		var next atomic.Int64
		var count counts
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for next.Add(1) <= 200 {
					count.add(sendChat(ctx, http.DefaultClient, g.url, keyA, body))
				}
			})
		}
		wg.Wait()
		count.fill(&r)
		r.require(r.refused == 0, "%d requests were refused", r.refused)
		r.require(r.lost == 0, "%d requests got no answer", r.lost)
		return r, nil
	},
}

// spinProcessor uses a processor, at most as long as any trial.
func spinProcessor() {
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); {
		for range 1 << 20 { // busy loop
		}
	}
	os.Exit(0)
}
