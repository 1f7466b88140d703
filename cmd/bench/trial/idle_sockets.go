package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	idleSockets       = 10_000
	idleSocketsMemory = 1 << 30
	filesBesides      = 500 // open files that a process needs for other things
)

var idleWebSockets = trial{
	name:  "idle sockets",
	about: "10,000 WebSockets that have had a turn each and then idle: the gateway needs at most 1 GiB and serves another tenant",
	limit: 3 * time.Minute,
	run: func(ctx context.Context, b *bench) (r row, err error) {
		var files syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
			return r, err
		}
		if files.Max < idleSockets+filesBesides { // the Go runtime raises the soft limit to this one
			fmt.Fprintf(os.Stderr, "trial: idle sockets: SKIPPED, nothing was measured: a process may open %d files, and %d are needed (ulimit -Hn)\n",
				files.Max, idleSockets+filesBesides)
			return r, nil
		}
		p, err := startProvider(func(w http.ResponseWriter, q *http.Request) {
			if !strings.HasSuffix(q.URL.Path, "/responses") {
				writeAnswer(w, buildAnswer("ok"))
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, socketAnswer) // the gateway may have hung up
		})
		if err != nil {
			return r, err
		}
		defer p.close()
		server := fmt.Sprintf(", sockets_per_key: %d", idleSockets)
		g, err := b.startGateway(ctx, "gateway", buildSampleConfig("127.0.0.1:0", p.url, server, "chain: []\n"))
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, g.stop()); r.peak = g.peak.Load() }()
		before := g.measureMemory()
		sockets := make([]net.Conn, idleSockets)
		defer func() {
			for _, c := range sockets {
				if c != nil {
					_ = c.Close()
				}
			}
		}()
		if err := openIdleSockets(ctx, g, sockets); err != nil {
			r.require(false, "a socket could not be opened: %v", err)
			return r, nil
		}
		r.acknowledged = idleSockets
		held := g.measureMemory()
		fmt.Printf("%16s %d idle sockets: %d MiB, %d KiB each\n", "", idleSockets, held>>20, (held-before)/idleSockets>>10)
		r.require(g.peak.Load() <= idleSocketsMemory, "%d MiB were held", g.peak.Load()>>20)
		status, _, err := sendChat(ctx, http.DefaultClient, g.url, keyB, buildChat("x", false))
		r.require(err == nil && status == http.StatusOK, "another tenant was answered %d, %v", status, err)
		return r, nil
	},
}

// socketAnswer is a short streamed answer of the Responses API.
const socketAnswer = `data: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","output":[]}}` + "\n\n" +
	`data: {"type":"response.completed","sequence_number":1,"response":{"id":"r","object":"response","status":"completed",` +
	`"output":[{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"ok","annotations":[]}]}],` +
	`"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}` + "\n\n"

// openIdleSockets opens a socket for each place of a list, some at the same time. It returns what went wrong.
func openIdleSockets(ctx context.Context, g *gateway, sockets []net.Conn) error {
	const together = 64
	errs := make([]error, together)
	var all sync.WaitGroup
	for k := range together {
		all.Go(func() {
			for i := k; i < len(sockets) && errs[k] == nil; i += together {
				sockets[i], errs[k] = openIdle(ctx, g)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// openIdle opens a socket, runs one turn on it and leaves it open. It speaks the protocol itself, so that the sockets of this
// process stay small.
func openIdle(ctx context.Context, g *gateway) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", g.addr())
	if err != nil {
		return nil, err
	}
	end, _ := ctx.Deadline()
	_ = c.SetDeadline(end) // a dead connection fails below
	_, err = fmt.Fprintf(c, "GET /v1/responses HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer %s\r\n\r\n", g.addr(), keyA)
	if err != nil {
		return c, err
	}
	in := bufio.NewReaderSize(c, 1<<10)
	status, err := in.ReadString('\n')
	if err != nil || !strings.Contains(status, " 101 ") {
		return c, fmt.Errorf("the handshake was answered %q: %w", status, err)
	}
	for line := ""; line != "\r\n"; {
		if line, err = in.ReadString('\n'); err != nil {
			return c, err
		}
	}
	const turn = `{"type":"response.create","model":"m","input":"hello"}`
	frame := append([]byte{0x81, 0x80 | byte(len(turn)), 0, 0, 0, 0}, turn...) // a text frame, masked with zeros
	if _, err = c.Write(frame); err != nil {
		return c, err
	}
	var said strings.Builder
	for !strings.Contains(said.String(), "response.completed") {
		b, err := in.ReadByte()
		if err != nil {
			return c, fmt.Errorf("the turn ended with %q: %w", said.String(), err)
		}
		said.WriteByte(b)
	}
	return c, nil
}
