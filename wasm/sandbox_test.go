package wasm_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// goodFile is a module that is always served.
const goodFile = "employee-id.wasm"

// house is a plugins folder with its modules.
type house struct {
	t    *testing.T
	at   string
	dir  *plugins.Dir
	good *chain.Chain
	log  func(text string) // receives the hostile guest's log lines
	file string            // the hostile guest
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, at: t.TempDir()}
	at := h.at
	source, err := os.ReadFile(filepath.Join("..", "sdk", "samples", "employee-id", goodFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(at, goodFile), source, 0o600))
	h.dir, err = plugins.Open(plugins.Options{Dir: at, Trust: plugins.TrustOpen, Log: func(_ string, _ abi.Level, text string, _ int) {
		if h.log != nil {
			h.log(text)
		}
	}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.dir.Close()) })
	h.good, err = h.chain(goodFile, wasm.Limits{Timeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.good.Close(context.Background())) })
	return h
}

// drop puts a hostile module into the folder under a new name: if a module is refused, the previous one under its name continues to
// serve.
func (h *house) drop(source []byte) {
	h.file = fmt.Sprintf("hostile-%d.wasm", len(h.dir.Names()))
	require.NoError(h.t, os.WriteFile(filepath.Join(h.at, h.file), source, 0o600))
}

// chain creates a chain of one module.
func (h *house) chain(file string, l wasm.Limits) (*chain.Chain, error) {
	st, err := h.dir.OpenStage(context.Background(), file, nil, l, plugins.Deps{Name: file})
	if err != nil {
		return nil, err
	}
	c, err := chain.New([]chain.Link{{
		Name: "link", Stage: st, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce, OnFault: chain.FaultBlocks,
	}}, nil)
	require.NoError(h.t, err)
	return c, nil
}

// ask sends a request through a chain.
func ask(c *chain.Chain, text string) (chain.Decision, *core.Exchange) {
	x := &core.Exchange{Principal: &core.Principal{Tenant: "a"}}
	x.Request.Raw = []byte(text)
	x.Request.Segments = []core.Segment{{Role: core.RoleUser, Kind: core.KindText, Span: splice.Span{End: len(text)}}}
	return c.RunRequest(context.Background(), x), x
}

// peak samples the memory of this process; the returned function stops it and returns the growth in bytes. On systems other than Linux it
// returns 0.
func peak() func() int64 {
	debug.FreeOSMemory()
	before, most := resident(), atomic.Int64{}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most.Store(max(most.Load(), resident()))
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return max(most.Load()-before, 0)
	}
}

// resident returns the resident memory of this process, in bytes.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// seen is the observed behaviour of a guest in a run.
type seen struct {
	fault   string // the outcome, or why the module was refused
	time    time.Duration
	late    time.Duration
	memory  int64
	stopped bool
}

// runCase applies the limits to a guest and triggers it.
func (h *house) runCase(c *wasm.SandboxCase, l wasm.Limits) (s seen) {
	most := peak()
	began := time.Now()
	defer func() { s.memory, s.time = most(), time.Since(began) }()
	links, err := h.chain(h.file, l)
	if err != nil {
		s.fault, s.stopped = err.Error(), true
		return s
	}
	defer func() { assert.NoError(h.t, links.Close(context.Background())) }()
	began = time.Now()
	switch {
	case c.Lines > 0:
		s = h.flood(c, links)
	case c.Waits:
		s = h.busy(links)
	case c.Opens:
		s = h.open(links)
	case c.Streamed:
		s = h.flow(links, "!")
		assert.Empty(h.t, h.flow(links, wasm.CalmText), "the next answer is served")
	default:
		d, x := ask(links, "!")
		s = verdict(h.t, d, x)
	}
	// The next call of the same module, and another module, must be served.
	d, x := ask(links, wasm.CalmText)
	assert.Equal(h.t, core.Pass, d.Action, "the next call is served")
	assert.Zero(h.t, x.Visits[0].Fault)
	return s
}

func verdict(t *testing.T, d chain.Decision, x *core.Exchange) (s seen) {
	f := x.Visits[0].Fault
	s.stopped = d.Action == core.Block
	assert.Equal(t, s.stopped, f != 0)
	if s.fault = f.String(); d.Err != nil {
		if late, gap, ok := wasm.Lateness(d.Err); ok {
			s.late = late
			assert.Positive(t, late)
			assert.LessOrEqual(t, late, 2*gap, "it is cut within two ticks of its deadline")
		}
	}
	return s
}

// flow sends a streamed answer through a chain.
func (h *house) flow(links *chain.Chain, text string) seen {
	ctx := context.Background()
	_, x := ask(links, wasm.CalmText)
	stream, e := links.Stream(ctx, x, openai.Chat{})
	require.Nil(h.t, e)
	var ev core.Event
	ev.Reset([]byte(`data: {"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":"stop"}]}` + "\n\n"))
	require.NoError(h.t, openai.Chat{}.ScanEvent(x, &ev))
	_, e = stream.RunEvent(ctx, &ev, nil)
	stream.Close(ctx)
	last := x.Visits[len(x.Visits)-1]
	d := chain.Decision{Action: core.Pass, Err: e}
	if e != nil {
		d.Action = core.Block
	}
	x.Visits = []core.Visit{last}
	return verdict(h.t, d, x)
}

// flood counts the log lines that get through.
func (h *house) flood(c *wasm.SandboxCase, links *chain.Chain) seen {
	lines := 0
	h.log = func(string) { lines++ }
	defer func() { h.log = nil }()
	began := time.Now()
	d, _ := ask(links, "!")
	assert.Equal(h.t, core.Pass, d.Action)
	if lines == c.Lines {
		return seen{}
	}
	assert.LessOrEqual(h.t, lines, 10*(2+int(time.Since(began)/time.Second)), "ten lines a second")
	return seen{fault: "lines dropped", stopped: true}
}

// busy lets one caller block in the log while another arrives.
func (h *house) busy(links *chain.Chain) seen {
	waiting, leave := make(chan struct{}), make(chan struct{})
	h.log = func(string) { close(waiting); <-leave }
	first := make(chan chain.Decision)
	go func() {
		d, _ := ask(links, "!")
		first <- d
	}()
	<-waiting
	d, x := ask(links, wasm.CalmText)
	close(leave)
	assert.Equal(h.t, core.Pass, (<-first).Action)
	h.log = nil
	return verdict(h.t, d, x)
}

// open streams two answers at the same time.
func (h *house) open(links *chain.Chain) (s seen) {
	ctx := context.Background()
	for range 2 {
		_, x := ask(links, wasm.CalmText)
		stream, e := links.Stream(ctx, x, nil)
		defer func() {
			stream.Close(ctx)
			if f := x.Visits[len(x.Visits)-1].Fault; f != 0 {
				s.fault = f.String()
			}
		}()
		s.stopped = s.stopped || e != nil
	}
	return s
}

// Not parallel: it measures memory.
func TestEachHostileGuestIsStoppedByTheLimitMeantForItAndByNoOther(t *testing.T) {
	cases := wasm.SandboxCases()
	require.GreaterOrEqual(t, len(cases), 25)
	h := newHouse(t)
	var rows []row
	for i := range cases {
		c := &cases[i]
		ok := t.Run(c.Guest, func(t *testing.T) {
			h.t = t
			h.drop(c.Source)
			tight := h.runCase(c, c.Tight)
			require.True(t, tight.stopped, "it is stopped")
			outcome := c.Outcome.String()
			switch {
			case c.Refused != "":
				require.Contains(t, tight.fault, c.Refused)
				outcome = "refused when it is loaded"
			case c.Lines > 0:
				outcome = tight.fault
			default:
				require.Equal(t, outcome, tight.fault)
			}
			limit := c.Tight.Memory
			if limit == 0 {
				limit = 16 << 20
			}
			if !wasm.Racing { // the race detector takes several times what it watches
				assert.LessOrEqual(t, tight.memory, limit+32<<20, "bytes of memory that it took")
			}
			d, x := ask(h.good, "it is EMP-123456")
			assert.Equal(t, core.Pass, d.Action)
			assert.Len(t, x.Findings, 1, "another module is served")

			loose := h.runCase(c, c.Loose)
			require.Equal(t, c.Broken, loose.stopped, "without the limit it finishes: %s", loose.fault)
			t.Logf("%.1f ms (%.1f MB), without the limit %.1f ms; late by %s", ms(tight.time), mb(tight.memory), ms(loose.time), tight.late)
			rows = append(rows, row{c.Guest, c.Limit, outcome, tight, loose, c.Broken})
		})
		if !ok {
			return
		}
	}
	checkTable(t, rows)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
func mb(n int64) float64         { return float64(n) / (1 << 20) }

func TestNoHostileGuestIsLeftBehind(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	t.Run("two of them", func(t *testing.T) {
		h := newHouse(t)
		for _, c := range wasm.SandboxCases()[:2] {
			h.drop(c.Source)
			h.runCase(&c, c.Tight)
		}
	})
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+1 }, 10*time.Second, 10*time.Millisecond,
		"goroutines are left over; one more runs this check")
}
