package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are guests that load, and misbehave if the text starts with '!'.
var hostile = []struct {
	name  string
	fault string
	guest guest
}{
	{"loop", "timeout", guest{detect: onMark(endless(nil))}},
	{"calltree", "timeout", callTree()},
	{"leafbomb", "timeout", leafBomb(200, 200)},
	{"unrolled", "timeout", leafBomb(5000, 2000)},
	{
		"straight",
		"timeout",
		guest{locals: 1, detect: onMark(endless(bytes.Repeat(cat([]byte{0x20, 3}, i32c(3), divide, []byte{0x21, 3}), 9000)))},
	},
	{"fill", "timeout", guest{pages: 200, detect: onMark(endless(cat(i32c(2048), i32c(7), i32c(12<<20), []byte{0xfc, 0x0b, 0})))}},
	{
		"memory",
		"memory",
		guest{detect: onMark(cat([]byte{0x03, 0x40}, i32c(120), []byte{0x40, 0}, i32c(-1), []byte{0x47, 0x0d, 0, 0x0b}, unreachable))},
	},
	{"trap", "trap", guest{detect: onMark(unreachable)}},
	{"recursion", "depth", guest{funcs: [][]byte{call(firstFunc)}, detect: onMark(cat(call(firstFunc), nothing))}},
	{"garbage", "abi", guest{detect: onMark([]byte{0x42, 7})}}, // a result of seven bytes, which is not a whole number of records
}

// callTree has 40 functions, each of which calls the next one twice.
func callTree() guest {
	var funcs [][]byte
	for k := range uint32(40) {
		funcs = append(funcs, bytes.Repeat(call(firstFunc+k+1), 2))
	}
	return guest{funcs: append(funcs, nil), detect: onMark(cat(call(firstFunc), unreachable))}
}

// leafBomb loops over many calls of a long leaf function.
func leafBomb(calls, divisions int) guest {
	leaf := cat(i32c(7), bytes.Repeat(cat(i32c(3), divide), divisions), drop)
	return guest{funcs: [][]byte{leaf}, detect: onMark(endless(bytes.Repeat(call(firstFunc), calls)))}
}

func TestHostileModulesBlockWithAClearErrorAndOthersAreServed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	chain := "  - stage: pii\n"
	for _, h := range hostile {
		s.copy("plugins/"+h.name+".wasm", h.guest.bytes())
		timeout := "50ms"
		if h.fault != "timeout" {
			timeout = "20s"
		}
		chain += fmt.Sprintf(
			"  - {wasm: %s.wasm, timeout: %s, on_fault: block, for: {models: [mock-%s, mock-pass-%s]}}\n",
			h.name,
			timeout,
			h.name,
			h.name,
		)
	}
	s.configure("", chain)
	g := s.serve("--config", "gateway.yaml")
	tr := g.traffic(8, 20*time.Millisecond, "mock-echo")
	client := g.client(testKey)
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			require.NoError(t, client.checkEcho("mock-"+h.name, "calm"), "it serves other texts")
			began := time.Now()
			a := client.chat(t, "mock-"+h.name, "!"+canary)
			took := time.Since(began)
			assert.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
			assert.Equal(t, "guard_unavailable", a.code(), a.body)
			assert.Contains(t, a.body, h.name, "the error names the link")
			assert.NotContains(t, a.body, canary)
			assert.Less(t, took, 10*time.Second, "its deadline was 50 ms")
			t.Logf("blocked after %s", took.Round(time.Millisecond))
			require.NoError(t, client.checkEcho("mock-"+h.name, "calm"), "the next request is served")
			assert.Equal(t, 1, int(g.metric("headgate_wasm_faults_total", `file="`+h.name+`.wasm"`, `fault="`+h.fault+`"`)))
			tr.awaitMore(8)
		})
	}
	tr.endUnharmed()

	t.Run("a link that may fail lets the request through", func(t *testing.T) {
		s.configure("", strings.ReplaceAll(chain, "on_fault: block", "on_fault: pass"))
		eventually(t, "the new rule is in force", func() bool {
			a := client.chat(t, "mock-pass-trap", "!"+canary)
			return a.status == http.StatusOK && a.content() == "!"+canary
		})
	})
	assert.NotContains(t, g.errs.String(), "panic")
	s.verifyAudit("--config", "gateway.yaml")
}

func TestModulesThatMayNotServeAreRefusedAndTheRestServes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/employee-id.wasm", sample(t))
	s.configure("", everyPlugin)
	g := s.serve("--config", "gateway.yaml")
	tr := g.traffic(8, 20*time.Millisecond, "mock-echo")
	refused := map[string][]byte{
		"empty":     nil,
		"text":      []byte("hello, I am no module\n"),
		"cut":       sample(t)[:700],
		"table":     guest{table: 100_000_000}.bytes(),
		"memory":    guest{pages: 60_000}.bytes(),
		"version":   guest{version: "hg_abi_2"}.bytes(),
		"nohook":    bytes.Replace(guest{}.bytes(), []byte("hg_detect"), []byte("hg_detekt"), 1),
		"signature": bytes.Replace(guest{}.bytes(), []byte{0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e}, []byte{0x60, 3, 0x7f, 0x7f, 0x7e, 1, 0x7e}, 1),
		"invalid":   guest{detect: []byte{0x6a}}.bytes(),
		"traps":     guest{detect: unreachable}.bytes(),
		"starts":    guest{funcs: [][]byte{endless(nil)}, start: true}.bytes(),
	}
	for name, b := range refused {
		s.copy("plugins/"+name+".wasm", b)
	}
	for name := range refused {
		eventually(t, name+" is told of", func() bool { return g.status().warned("plugin " + name + ".wasm") })
	}
	assert.Equal(t, []string{"pii", "employee-id"}, g.status().links(), "none of them is a link")
	eventually(t, "the log reports them", func() bool {
		return g.findLogLine("the file of a plugin in the plugins folder is refused") != nil
	})
	assert.Zero(t, g.metric("headgate_config_refused"), "the configuration is not to blame")
	assert.Len(t, refused, int(g.metric("headgate_plugin_problems")))
	tr.awaitMore(16)
	for name := range refused {
		s.remove("plugins/" + name + ".wasm")
	}
	eventually(t, "a removed file is no longer a problem", func() bool { return g.status().Status == "ok" })
	assert.Zero(t, g.metric("headgate_plugin_problems"))
	tr.endUnharmed()
}

func TestAHostileModuleDroppedInIsRemovedAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", everyPlugin)
	g := s.serve("--config", "gateway.yaml")
	client := g.client(testKey)
	s.copy("plugins/loop.wasm", hostile[0].guest.bytes())
	eventually(t, "it is in force", func() bool { return len(g.status().links()) == 2 })
	tr := g.traffic(8, 20*time.Millisecond, "mock-echo")
	for range 3 { // fewer than take the guest out of service
		assert.Equal(t, "guard_unavailable", client.chat(t, "mock-echo", "!").code())
		tr.awaitMore(8)
	}
	s.remove("plugins/loop.wasm")
	eventually(t, "it is gone", func() bool { return len(g.status().links()) == 1 })
	require.NoError(t, client.checkEcho("mock-echo", "!"))
	tr.endUnharmed()
}
