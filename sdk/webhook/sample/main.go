// Command sample is a receiver for Headgate's webhook guardrails: it redacts
// some words and refuses what holds others. At /events it prints the events that it
// has subscribed to.
//
//	GUARD_SECRET=… go run ./sdk/webhook/sample -redact PROJECT-APOLLO -block FORBIDDEN
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

func main() {
	if err := runServer(); err != nil {
		fmt.Fprintln(os.Stderr, "sample:", err)
		os.Exit(1)
	}
}

// words is a flag that may be repeated.
type words []string

func (w *words) String() string { return strings.Join(*w, ",") }

func (w *words) Set(text string) error {
	if text == "" {
		return errors.New("is empty")
	}
	*w = append(*w, text)
	return nil
}

func runServer() error {
	var g guard
	listen := flag.String("listen", "127.0.0.1:8090", "address to listen on")
	flag.Var(&g.redact, "redact", "a `word` to take out; may be repeated")
	flag.Var(&g.block, "block", "a `word` to refuse; may be repeated")
	flag.Parse()
	v := &webhook.Verifier{}
	for _, name := range []string{"GUARD_SECRET", "GUARD_SECRET_PREVIOUS"} {
		if secret := os.Getenv(name); secret != "" {
			v.Secrets = append(v.Secrets, secret)
		}
	}
	if len(v.Secrets) == 0 {
		return errors.New("GUARD_SECRET is not set")
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Println("listening on", l.Addr())
	// Events are signed otherwise than calls, so that one cannot be sent as the other.
	mux := http.NewServeMux()
	mux.Handle("/", webhook.Handler(v, g.judge))
	mux.Handle("/events", webhook.EventHandler(v, new(hearer).handleEvent))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		_ = srv.Close() // Serve says what there is to say
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// maxHeard bounds what a hearer remembers.
const maxHeard = 100_000

// hearer prints each event once.
type hearer struct {
	mu    sync.Mutex
	heard map[string]bool // deliveries
}

func (h *hearer) handleEvent(_ context.Context, e *webhook.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.heard[e.Delivery] {
		return nil // it came before, and the answer to it did not arrive
	}
	if h.heard == nil || len(h.heard) >= maxHeard {
		h.heard = map[string]bool{}
	}
	h.heard[e.Delivery] = true
	_, err := fmt.Printf("event %s %s %s\n", e.Type, e.Tenant, e.Data)
	return err
}

// guard decides by words.
type guard struct{ redact, block words }

func (g *guard) judge(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
	v := &webhook.Verdict{Action: webhook.Pass}
	for i, s := range r.Segments {
		for _, word := range g.block {
			if at := strings.Index(s.Text, word); at >= 0 {
				return &webhook.Verdict{
					Action: webhook.Block, Message: "This topic is not allowed.",
					Findings: []webhook.Finding{{Segment: i, Start: at, End: at + len(word), Label: "forbidden"}},
				}, nil
			}
		}
		for _, word := range g.redact {
			for from := 0; ; {
				at := strings.Index(s.Text[from:], word)
				if at < 0 {
					break
				}
				from += at + len(word)
				v.Action = webhook.Redact
				v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: from - len(word), End: from, Label: "word"})
			}
		}
	}
	return v, nil
}
