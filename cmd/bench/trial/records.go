package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A trial of the records sends requests, disturbs the gateway or its servers, and then compares the answers that
// clients got with the output of `headgate audit export`. The X-Trace-Id of an answer identifies its exchange.

var (
	killSQLiteBatch   = newKillTrial("kill sqlite", "batch", false)
	killSQLiteRequest = newKillTrial("kill sqlite sync", "request", false)
	killPostgresBatch = newKillTrial("kill pg", "batch", true)
	killPostgresSync  = newKillTrial("kill pg sync", "request", true)
)

// atRisk is the time before a kill in which `audit.sync: batch` may lose the records of an answer: 40 ms of gathering,
// and the time of a commit on a busy machine.
const atRisk = 400 * time.Millisecond

const kills = 20

func newKillTrial(name, sync string, postgres bool) trial {
	demand := "no answer"
	if sync == "batch" {
		demand = "no answer older than the batch"
	}
	return trial{
		name:  name,
		about: fmt.Sprintf("kill -9 at %d random moments with audit.sync: %s: %s is without records, and none has two", kills, sync, demand),
		limit: 6 * time.Minute,
		run: func(ctx context.Context, b *bench) (r row, err error) {
			l, err := b.newLoad(ctx, postgres, "audit: {sync: "+sync+"}\nchain: []\n")
			if err != nil {
				return r, err
			}
			defer l.close()
			early := 0
			for range kills {
				l.run(ctx, time.Duration(200+rand.IntN(600))*time.Millisecond, l.gateway.kill) // any moment will do
				l.killed = append(l.killed, time.Now())
				if err := l.restart(ctx, b); err != nil {
					return r, err
				}
			}
			lost, err := l.compareRecords(ctx, b, &r)
			for _, at := range lost {
				if sync == "request" || !l.isJustBeforeKill(at) {
					early++
				}
			}
			r.require(early == 0, "%d answers are without records that were given in time", early)
			r.require(r.doubled == 0, "%d answers have two records", r.doubled)
			return r, err
		},
	}
}

var databaseAway = trial{
	name:  "database away",
	about: "PostgreSQL is away for 15 s under load, longer than the queue lasts: exchanges are refused, and none that was answered is without records",
	limit: 3 * time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		l, err := b.newLoad(ctx, true, "audit: {queue: 1MiB}\nchain: []\n")
		if err != nil {
			return r, err
		}
		defer l.close()
		l.run(ctx, 16*time.Second, func() error {
			if err := l.pg.stop(); err != nil {
				return err
			}
			time.Sleep(15 * time.Second) // the outage under test
			return l.pg.start(ctx)
		})
		return r, errors.Join(l.check(ctx, b, &r), requireRefusals(&r))
	},
}

var diskFull = trial{
	name:  "disk full",
	about: "no file of the gateway may grow for 10 s under load: exchanges are refused, and none that was answered is without records",
	limit: 3 * time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		l, err := b.newLoad(ctx, false, "audit: {queue: 1MiB}\nchain: []\n")
		if err != nil {
			return r, err
		}
		defer l.close()
		l.run(ctx, 11*time.Second, func() error {
			if err := l.gateway.limitFiles(ctx, "1000000"); err != nil {
				return err
			}
			time.Sleep(10 * time.Second) // as long as the disk is full
			return l.gateway.limitFiles(ctx, "unlimited")
		})
		return r, errors.Join(l.check(ctx, b, &r), requireRefusals(&r))
	},
}

var redisAway = trial{
	name:  "redis away",
	about: "Redis is away for 5 s under load: rate-limited exchanges are refused, and served again within 5 s of its return",
	limit: 2 * time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		redis, err := startRedis(ctx)
		if err != nil {
			return r, err
		}
		defer func() { redis.stop() }()
		l, err := b.newLoad(ctx, false, "state: {url: \""+redis.url()+"\"}\nchain: [{stage: ratelimit, config: {global_requests_per_second: 100000}}]\n")
		if err != nil {
			return r, err
		}
		defer l.close()
		l.run(ctx, 6*time.Second, func() error {
			redis.stop()
			time.Sleep(5 * time.Second) // the outage under test
			return redis.start(ctx)
		})
		served := false
		for began := time.Now(); !served && time.Since(began) < 5*time.Second; {
			status, _, err := sendChat(ctx, l.client, l.gateway.url, keyA, buildChat("again", false))
			served = err == nil && status == http.StatusOK
		}
		r.require(served, "nothing was served within 5 s of the return of Redis")
		return r, errors.Join(l.check(ctx, b, &r), requireRefusals(&r))
	},
}

var lastCent = trial{
	name:  "last cent",
	about: "1,000 clients of two nodes spend what is left of a budget: it is never exceeded",
	limit: 3 * time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		redis, err := startRedis(ctx)
		if err != nil {
			return r, err
		}
		defer func() { redis.stop() }()
		const limit = 300 * 0.001 // an answer is 1,000 tokens at 1 USD for a million
		var served atomic.Int64
		p, err := startProvider(func(w http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			time.Sleep(20 * time.Millisecond) // the model's response time
			served.Add(1)
			writeAnswer(w, strings.Replace(buildAnswer("ok"), `"completion_tokens":1`, `"completion_tokens":1000`, 1))
		})
		if err != nil {
			return r, err
		}
		defer p.close()
		rest := fmt.Sprintf("state: {url: %q}\npricing: [{model: \"*\", provider: there, inputPricePerMillion: 0, outputPricePerMillion: 1}]\n"+
			"budgets: [{name: last, tenantId: a, period: DAILY, limitUsd: %g}]\nchain: []\n", redis.url(), limit)
		var nodes [2]*gateway
		for i := range nodes {
			if nodes[i], err = b.startGateway(ctx, fmt.Sprint("node", i), buildSampleConfig("127.0.0.1:0", p.url, "", rest)); err != nil {
				return r, err
			}
		}
		var count counts
		var wg sync.WaitGroup
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
		body := strings.Replace(buildChat("spend", false), "{", `{"max_tokens":1000,`, 1)
		for i := range 1000 {
			wg.Go(func() { count.add(sendChat(ctx, client, nodes[i%2].url, keyA, body)) })
		}
		wg.Wait()
		count.fill(&r)
		for _, g := range nodes {
			r.peak += g.peak.Load()
			err = errors.Join(err, g.stop())
		}
		spent := float64(served.Load()) * 0.001
		r.require(spent <= limit, "%g USD were spent of %g", spent, limit)
		r.require(served.Load() >= 250, "only %d of 300 answers that there was money for were given", served.Load())
		return r, err
	},
}

func requireRefusals(r *row) error {
	r.require(r.refused > 0, "nothing was refused: the trial did not get as far as it should")
	return nil
}

// runVerb runs a command of the gateway's program in the gateway's folder.
func (b *bench) runVerb(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Dir = filepath.Join(b.dir, "gateway")
	cmd.Env = append(cmd.Environ(), "HEADGATE_ENCRYPTION_MASTER_PASSWORD=the password of a trial")
	return cmd.Output()
}

// limitFiles bounds the size, in bytes, of files that the process writes.
func (g *gateway) limitFiles(ctx context.Context, size string) error {
	return exec.CommandContext(ctx, "prlimit", "--pid", fmt.Sprint(g.cmd.Process.Pid), "--fsize="+size+":unlimited").Run()
}
