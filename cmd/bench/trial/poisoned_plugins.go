package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/process"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// poisonedRequests is how many requests of one tenant the guard fails on.
const poisonedRequests = 2000

// poison is the text on which the guards of these trials fail.
const poison = "poison"

// templateManifest lies beside the module that the C template of a stage compiles to.
const templateManifest = `name: template
version: 0.1.0
kind: stage
labels: [internal_mark]
phases: [request]
reads: {fields: [model], text: [system, user, tool_result]}
`

// For a module, the poison is a prompt that does not fit into the memory of its link: 16 MiB is the default, and 1 MiB
// makes the trial shorter.
var poisonedModule = trial{
	name:  "poisoned module",
	about: "2,000 prompts that do not fit into a guest's memory, beside another tenant: that one is always served",
	limit: 5 * time.Minute,
	run: func(ctx context.Context, b *bench) (row, error) {
		if err := b.addPlugin("gateway", "wasm/testdata/template.wasm"); err != nil {
			return row{}, err
		}
		if err := os.WriteFile(filepath.Join(b.dir, "gateway", "plugins", "template.wasm.yaml"), []byte(templateManifest), 0o600); err != nil {
			return row{}, err
		}
		link := "{name: guard, wasm: template.wasm, limits: {memory: 1MiB}}"
		return b.poisonGuard(ctx, link, strings.Repeat("x", 5<<18), "this is [confidential]")
	},
}

var poisonedProcess = trial{
	name:  "poisoned process",
	about: "2,000 prompts that end a plugin's process, beside another tenant: that one is always served",
	limit: 10 * time.Minute,
	run: func(ctx context.Context, b *bench) (row, error) {
		program, err := os.ReadFile(os.Args[0])
		if err != nil {
			return row{}, err
		}
		dir := filepath.Join(b.dir, "gateway", "plugins")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return row{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, "guard"), program, 0o700); err != nil { // executable
			return row{}, err
		}
		link := "{name: guard, process: guard, args: [guard], grant: {text: [user]}, start_timeout: 30s, timeout: 20s}"
		return b.poisonGuard(ctx, link, poison, "forbidden")
	},
}

var poisonedWebhook = trial{
	name:  "poisoned webhook",
	about: "2,000 prompts that a webhook's receiver answers with an error, beside another tenant: that one is always served",
	limit: 5 * time.Minute,
	run: func(ctx context.Context, b *bench) (row, error) {
		const secret = "the secret of a receiver in a trial, 0123456789"
		receiver := httptest.NewServer(webhook.Handler(&webhook.Verifier{Secrets: []string{secret}}, judgeRequest))
		defer receiver.Close()
		link := `{name: guard, webhook: "` + receiver.URL + `", secret: "` + secret + `", allow_private: true}`
		return b.poisonGuard(ctx, link, poison, "forbidden")
	},
}

// judgeRequest fails on the poison and blocks forbidden texts.
func judgeRequest(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
	for _, s := range r.Segments {
		switch s.Text {
		case poison:
			return nil, errors.New("fails on this text")
		case "forbidden":
			return &webhook.Verdict{Action: webhook.Block, Message: "No."}, nil
		}
	}
	return &webhook.Verdict{Action: webhook.Pass}, nil
}

// fragile is the stage of a process that exits on the poison and blocks forbidden texts.
type fragile struct{}

func (fragile) Manifest() process.Manifest {
	return process.Manifest{Name: "fragile", Version: "1.0.0", Texts: []string{"user"}}
}

func (fragile) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	for i := range x.Request.Segments {
		switch {
		case p != core.Request:
		case x.Request.ReadText(i) == poison:
			os.Exit(3)
		case x.Request.ReadText(i) == "forbidden":
			return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.ContentFiltered, Public: "No."}}, nil
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

// poisonGuard sends poisoned requests of one tenant through a guard, four at a time, and meanwhile requests of another
// tenant, which must be served, or blocked if they are forbidden.
func (b *bench) poisonGuard(ctx context.Context, link, poison, forbidden string) (r row, err error) {
	p, err := startProvider(func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		writeAnswer(w, buildAnswer("ok"))
	})
	if err != nil {
		return r, err
	}
	defer p.close()
	g, err := b.startGateway(ctx, "gateway", buildSampleConfig("127.0.0.1:0", p.url, "", "plugins: {trust: open}\nchain: ["+link+"]\n"))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, g.stop()); r.peak = g.peak.Load() }()
	poisoned := make(chan struct{})
	var passed, victim counts
	var attackers sync.WaitGroup
	for range 4 {
		attackers.Go(func() {
			for range poisonedRequests / 4 {
				passed.add(sendChat(ctx, http.DefaultClient, g.url, keyA, buildChat(poison, false)))
			}
		})
	}
	go func() {
		attackers.Wait()
		close(poisoned)
	}()
	missed := 0
	for attacked := true; attacked; {
		select {
		case <-poisoned:
			attacked = false // once more
		default:
		}
		victim.add(sendChat(ctx, http.DefaultClient, g.url, keyB, buildChat("calm", false)))
		if status, _, _ := sendChat(ctx, http.DefaultClient, g.url, keyB, buildChat(forbidden, false)); status == http.StatusOK {
			missed++
		}
	}
	victim.fill(&r)
	for what, n := range map[string]int64{
		"requests of the other tenant were refused":  victim.refused.Load(),
		"requests of the other tenant got no answer": victim.lost.Load(),
		"forbidden texts of the other tenant passed": int64(missed),
		"texts that the guard fails on passed it":    passed.acknowledged.Load(),
		"requests with poison got no answer":         passed.lost.Load(),
	} {
		r.require(n == 0, "%d %s", n, what)
	}
	if first := passed.first.Load(); first == nil || !strings.Contains(*first, core.CodeGuardUnavailable) {
		return r, errors.New("the guard did not fail on the poison")
	}
	return r, nil
}
