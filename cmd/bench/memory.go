package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The limits of the gateway's anonymous memory, in MiB.
const (
	idleLimitMiB = 40  // before the first request
	openLimitMiB = 200 // with the streams open
)

// memoryOptions are the flags of "bench memory".
type memoryOptions struct {
	run     runOptions
	streams int
	size    string
	pace    int // requests that are on their way at the same time
}

// memoryReport is what the gateway holds, in MiB.
type memoryReport struct{ idle, peak, open, after float64 }

// holdFor is how long the mock stops in the middle of each answer: longer than it takes to open all streams and to measure.
const holdFor = 90 * time.Second

// openFor is how long all streams are open before the memory is read, so that the runtime has given back what it will.
const openFor = 10 * time.Second

func runMemory(ctx context.Context, args []string) error {
	var o memoryOptions
	fs := flag.NewFlagSet("memory", flag.ContinueOnError)
	root := findProjectRoot()
	fs.StringVar(&o.run.headgate, "headgate", root+"/bin/headgate", "the gateway's binary")
	fs.StringVar(&o.run.detector, "detector", root+"/sdk/samples/employee-id/employee-id.wasm", "the Wasm detector in the chain")
	fs.IntVar(&o.streams, "streams", 1000, "streams that are open at the same time")
	fs.StringVar(&o.size, "prompt", "agent_300k", "the request: agent_75k, agent_150k, agent_300k or agent_600k")
	fs.IntVar(&o.pace, "pace", 16, "requests on their way at the same time while the streams are opened")
	fs.StringVar(&o.run.profileDir, "profile", "", "folder for a heap profile with the streams open")
	gate := fs.Bool("gate", true, "end with an error when a limit is exceeded")
	if err := parseFlags(fs, args); err != nil {
		return err
	}
	if agentSizes[o.size] == 0 {
		return fmt.Errorf("-prompt %q: want a request of an agent", o.size)
	}
	o.run.systems, o.run.rounds, o.run.measure = []string{sysAgent}, 1, time.Second
	o.run.gatewayCore, o.run.loadCore = -1, -1
	if err := o.run.complete(); err != nil {
		return err
	}
	runtime.LockOSThread() // the children end with this thread
	defer runtime.UnlockOSThread()
	rep, err := measureMemory(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("\n| anonymous memory of the gateway, every stage on | MiB | limit |\n|---|---|---|\n| idle | %.1f | %d |\n"+
		"| %d streams open, %s each | %.1f | %d |\n| highest while they were opened, %d at a time | %.1f | |\n| %s after their end | %.1f | |\n",
		rep.idle, idleLimitMiB, o.streams, strings.ReplaceAll(o.size, "_", " of "), rep.open, openLimitMiB, o.pace, rep.peak, openFor, rep.after)
	if *gate && (rep.idle > idleLimitMiB || rep.open > openLimitMiB) {
		return errGate
	}
	return nil
}

// measureMemory opens the streams, reads the gateway's memory and lets them go.
func measureMemory(ctx context.Context, o memoryOptions) (rep memoryReport, err error) {
	parts := []part{{findAgentCell(o.size), sysAgent}}
	if err := o.run.checkFiles(parts); err != nil {
		return rep, err
	}
	s, err := newSession(ctx, o.run, parts, holdFor)
	if s != nil {
		defer s.end()
	}
	if err != nil {
		return rep, err
	}
	sys := s.systems[0]
	read := func() float64 { return convertToMiB(readProcess(sys.child.pid()).anon) }
	if err := pauseFor(ctx, openFor); err != nil {
		return rep, err
	}
	rep.idle = read()
	open, err := openStreams(ctx, o, strings.TrimPrefix(sys.base, "http://"), s.key, func() { rep.peak = max(rep.peak, read()) })
	defer func() {
		for _, c := range open {
			_ = c.Close() // the streams are cut off
		}
	}()
	if err != nil {
		return rep, err
	}
	log.Printf("%d streams are open", len(open))
	if err := pauseFor(ctx, openFor); err != nil {
		return rep, err
	}
	if rep.open = read(); !sys.child.isAlive() {
		return rep, fmt.Errorf("the gateway ended: %s", sys.child.lastLog())
	}
	if o.run.profileDir != "" {
		name, url := filepath.Join(o.run.profileDir, "heap.pprof"), strings.Replace(sys.profile, "/profile", "/heap", 1)
		if err := errors.Join(os.MkdirAll(o.run.profileDir, 0o750), fetchFile(ctx, url, name)); err != nil {
			return rep, err
		}
	}
	for _, c := range open {
		_ = c.Close() // as above
	}
	if err := pauseFor(ctx, openFor); err != nil {
		return rep, err
	}
	rep.after = read()
	return rep, nil
}

// openStreams opens the streams and reads of each what comes before the pause. look is called after each.
func openStreams(ctx context.Context, o memoryOptions, addr, key string, look func()) (open []net.Conn, err error) {
	body, err := buildPrompt(o.size, true, promptEmail)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("POST /v1/messages HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n",
		addr, key, len(body))
	var mu sync.Mutex
	var wg sync.WaitGroup
	room := make(chan struct{}, max(1, o.pace))
	for i := range o.streams {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			request := append([]byte(head), body...)
			writeSequence(request, findMarks(request, renumberFirst), chooseFirstNumber(time.Now())+uint64(i))
			c, e := openStream(ctx, addr, request)
			mu.Lock()
			defer mu.Unlock()
			if e != nil {
				err = errors.Join(err, fmt.Errorf("stream %d: %w", i, e))
				return
			}
			open = append(open, c)
			look()
		})
		if ctx.Err() != nil {
			break
		}
	}
	wg.Wait()
	return open, errors.Join(err, ctx.Err())
}

// openStream sends a request and reads its answer up to the first text.
func openStream(ctx context.Context, addr string, request []byte) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: time.Minute}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if err = c.SetDeadline(time.Now().Add(time.Minute)); err == nil {
		if _, err = c.Write(request); err == nil {
			err = readUntil(c, []byte("text_delta"))
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, c.SetDeadline(time.Time{})
}

// readUntil reads lines until one has the mark.
func readUntil(r io.Reader, mark []byte) error {
	lines := bufio.NewReader(r)
	for first := true; ; first = false {
		line, err := lines.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case first && !bytes.Contains(line, []byte(" 200 ")):
			return fmt.Errorf("answered with %q", bytes.TrimSpace(line))
		case bytes.Contains(line, mark):
			return nil
		}
	}
}
