package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// mock is a lean stand-in for a provider of OpenAI chat and of streamed Messages. It implements HTTP/1.1 on TCP itself
// and answers with prepared bytes: a net/http server would cost about as much CPU as a good gateway and mask its cost
// on a small machine.
type mock struct {
	script     *script
	latency    time.Duration // before the first byte of an answer
	chunkDelay time.Duration // before each streamed event
	hold       time.Duration // in the middle of a streamed Messages answer

	requests, streams, placeholders, echoes, bytesIn, bytesOut, unknown atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// mockStats is the answer of GET /stats; all fields are counts since the start. Only chat completions and streamed
// Messages count as requests.
type mockStats struct {
	Requests     int64 `json:"requests"`
	Streams      int64 `json:"streams"`
	Placeholders int64 `json:"placeholders"` // requests with at least one placeholder
	Echoes       int64 `json:"echoes"`       // complete answers that repeated one
	BytesIn      int64 `json:"bytes_in"`     // of request bodies
	BytesOut     int64 `json:"bytes_out"`    // of answers, with their heads
	Unknown      int64 `json:"unknown"`      // requests for other paths
}

// subtract returns the difference from o.
func (s mockStats) subtract(o mockStats) mockStats {
	return mockStats{
		Requests:     s.Requests - o.Requests,
		Streams:      s.Streams - o.Streams,
		Placeholders: s.Placeholders - o.Placeholders,
		Echoes:       s.Echoes - o.Echoes,
		BytesIn:      s.BytesIn - o.BytesIn,
		BytesOut:     s.BytesOut - o.BytesOut,
		Unknown:      s.Unknown - o.Unknown,
	}
}

func newMock(chunks, wordsPerChunk int) *mock {
	return &mock{script: newScript(chunks, wordsPerChunk), conns: map[net.Conn]struct{}{}}
}

func (m *mock) readStats() mockStats {
	return mockStats{
		Requests: m.requests.Load(), Streams: m.streams.Load(), Placeholders: m.placeholders.Load(), Echoes: m.echoes.Load(),
		BytesIn: m.bytesIn.Load(), BytesOut: m.bytesOut.Load(), Unknown: m.unknown.Load(),
	}
}

// serve accepts until ctx ends, then closes every connection and returns when
// their goroutines have ended.
func (m *mock) serve(ctx context.Context, l net.Listener) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := context.AfterFunc(ctx, func() {
		_ = l.Close()
		m.mu.Lock()
		defer m.mu.Unlock()
		for c := range m.conns {
			_ = c.Close()
		}
	})
	defer stop()
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("accept: %w", err)
		}
		m.mu.Lock()
		m.conns[c] = struct{}{}
		m.mu.Unlock()
		if ctx.Err() != nil { // the sweep above may have run before this one was recorded
			_ = c.Close()
		}
		wg.Go(func() {
			m.converse(c)
			_ = c.Close()
			m.mu.Lock()
			delete(m.conns, c)
			m.mu.Unlock()
		})
	}
}

// serveBoth serves on a plain listener and, if there is a folder with a certificate, on another with TLS.
func (m *mock) serveBoth(ctx context.Context, plain net.Listener, secureAddr, dir string) error {
	if dir == "" {
		return m.serve(ctx, plain)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", secureAddr)
	if err != nil {
		return fmt.Errorf("listen for TLS: %w", err)
	}
	if l, err = wrapListener(l, dir, "http/1.1"); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- m.serve(ctx, l) }()
	return errors.Join(m.serve(ctx, plain), <-failed)
}

func runMock(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("mock", flag.ContinueOnError)
	addr := fs.String("addr", "127.0.0.1:9100", "listen address")
	chunks := fs.Int("chunks", streamChunks, "content chunks of a streamed answer")
	words := fs.Int("words", 20, "words in a streamed chunk")
	latency := fs.Duration("latency", 0, "time before the first byte of an answer")
	secure := fs.String("tls", "", "folder of the certificate to serve on -tls-addr too; empty: plain HTTP only")
	secureAddr := fs.String("tls-addr", "127.0.0.1:9143", "listen address of TLS")
	hold := fs.Duration("hold", 0, "pause in the middle of a streamed Messages answer")
	delay := fs.Duration("chunk-delay", 0, "time before each streamed event")
	if err := parseFlags(fs, args); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	m := newMock(*chunks, *words)
	m.latency, m.chunkDelay, m.hold = *latency, *delay, *hold
	log.Printf("mock upstream on %s", l.Addr())
	err = m.serveBoth(ctx, l, *secureAddr, *secure)
	log.Printf("mock upstream ends: %+v", m.readStats())
	return err
}
