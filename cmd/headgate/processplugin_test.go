package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/sdk/project/guests"
)

// wordguard puts the sample plugin into the site's plugins folder.
func (s *site) wordguard() {
	s.t.Helper()
	s.bring("plugins/wordguard", filepath.Join(guests.Processes(s.t), "wordguard"))
}

// listChildren returns the processes that the gateway has started.
func (g *gate) listChildren() (out []int) {
	g.t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", g.cmd.Process.Pid))
	require.NoError(g.t, err)
	if len(files) == 0 {
		g.t.Skip("the kernel does not list the children of a process")
	}
	for _, f := range files {
		b, _ := os.ReadFile(f) // its thread may have ended
		for _, n := range strings.Fields(string(b)) {
			pid, err := strconv.Atoi(n)
			require.NoError(g.t, err)
			out = append(out, pid)
		}
	}
	return out
}

// only returns the single child. The kernel may list one that has just started or ended twice, or not at all.
func (g *gate) only() (pid int) {
	g.t.Helper()
	eventually(g.t, "the gateway has one child", func() bool {
		all := g.listChildren()
		if len(all) == 1 {
			pid = all[0]
		}
		return len(all) == 1
	})
	return pid
}

func watchEnd(pid int) func() bool { return func() bool { return syscall.Kill(pid, 0) != nil } }

// processes returns the processes in the status.
func (g *gate) processes() (out []struct {
	Name    string
	Digest  string
	Process struct {
		Link, Version, State string
		Restarts, Calls      int
		Faults               map[string]int
	}
},
) {
	g.t.Helper()
	c := g.client(testKey)
	defer c.http.CloseIdleConnections()
	a, err := c.do("GET", "/status", nil)
	require.NoError(g.t, err)
	s := struct{ Plugins any }{&out}
	require.NoError(g.t, json.Unmarshal([]byte(a.body), &s))
	return out
}

func TestAProcessGuardsIsRestartedReplacedAndEndsWithTheGateway(t *testing.T) {
	t.Parallel()
	s, up := newSite(t), newUpstream(t)
	s.wordguard()
	const link = "  - stage: pii\n  - {process: wordguard, name: words, grant: {text: [user, assistant]}, start_timeout: 1m, timeout: 20s, config: {redact: [%s], block: [FORBIDDEN]}}\n"
	s.configure(up.URL, fmt.Sprintf(link, "PROJECT-APOLLO"))
	f := s.run("validate", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)

	a := c.chat(t, "gpt-4o", "card "+card+" of PROJECT-APOLLO")
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "card "+card+" of PROJECT-APOLLO", a.content(), "the caller's own values come back, whoever took them out")
	assert.NotContains(t, up.last(), "APOLLO")
	assert.Contains(t, up.last(), "{{PII_WORD_")
	assert.Contains(t, a.header.Get("Server-Timing"), `words;desc="request rewrite"`)
	a = c.chat(t, "gpt-4o", "FORBIDDEN")
	assert.Equal(t, 400, a.status)
	assert.Equal(t, "content_filter", a.code())
	close(up.goOn) // lets streams finish
	body, err := json.Marshal(
		map[string]any{"model": "gpt-4o", "stream": true, "messages": []any{map[string]any{"role": "user", "content": "tell me"}}},
	)
	require.NoError(t, err)
	a, err = c.do("POST", "/v1/chat/completions", body)
	require.NoError(t, err)
	assert.Contains(t, a.body, "second half")
	p := g.processes()
	require.Len(t, p, 1)
	assert.Equal(t, "wordguard", p[0].Name)
	assert.Equal(t, "words", p[0].Process.Link)
	assert.Equal(t, "1.0.0", p[0].Process.Version)
	assert.Equal(t, "running", p[0].Process.State)
	assert.Positive(t, p[0].Process.Calls)
	assert.Positive(t, g.metric("headgate_process_calls_total", `link="words"`))

	// It crashes: calls fail with a fault until it runs again.
	pid := g.only()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	eventually(t, "the process is gone", watchEnd(pid))
	eventually(t, "a call meanwhile is refused, or it runs again", func() bool {
		a := c.chat(t, "gpt-4o", "hello")
		return a.status == 503 && a.code() == "guard_unavailable" || a.status == 200 && g.processes()[0].Process.Restarts > 0
	})
	eventually(t, "it runs again", func() bool { a := c.chat(t, "gpt-4o", "hello"); return a.status == 200 })
	p = g.processes()
	assert.Equal(t, 1, p[0].Process.Restarts)
	assert.Positive(t, p[0].Process.Faults["crash"], "the process itself, and calls in progress")
	assert.InDelta(t, 1, g.metric("headgate_process_restarts_total", `link="words"`), 0)
	pid = g.only()

	// Reloads under load: the process is kept if its settings are unchanged, and replaced otherwise.
	var failed atomic.Value
	var load sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a, err := c.try("mock-1", "hello"); err != nil || a.status != 200 {
					failed.Store(fmt.Sprint(a.status, a.body, err))
				}
			}
		})
	}
	s.configure(up.URL, strings.Replace(fmt.Sprintf(link, "PROJECT-APOLLO"), "{process", "{mode: enforce, process", 1)+"  - {stage: cache}\n")
	eventually(t, "the new chain is in force", func() bool { return len(g.status().links()) == 3 })
	assert.Equal(t, pid, g.only(), "nothing of it has changed")
	s.configure(up.URL, fmt.Sprintf(link, "PROJECT-GEMINI"))
	eventually(t, "the new settings are in force", func() bool {
		a := c.chat(t, "gpt-4o", "PROJECT-APOLLO, PROJECT-GEMINI")
		return a.status == 200 && strings.Contains(up.last(), "APOLLO") && !strings.Contains(up.last(), "GEMINI")
	})
	eventually(t, "the old process has ended", watchEnd(pid))
	pid = g.only()

	// A wrong pin keeps the chain in force.
	s.configure(
		up.URL,
		strings.Replace(fmt.Sprintf(link, "PROJECT-GEMINI"), "name: words", "name: words, sha256: "+strings.Repeat("0", 64), 1),
	)
	eventually(t, "the file is refused", func() bool { return g.status().warned("refused", "`sha256` pins; its digest is") })
	assert.Equal(t, 200, c.chat(t, "gpt-4o", "hello").status)
	close(stop)
	load.Wait()
	assert.Nil(t, failed.Load(), "a call failed during a reload")
	assert.Equal(t, pid, g.only())

	g.stop()
	eventually(t, "the process has ended with the gateway", watchEnd(pid))

	// A gateway that is killed takes the process along.
	s.configure(up.URL, fmt.Sprintf(link, "PROJECT-APOLLO"))
	g = s.serve("--config", "gateway.yaml")
	pid = g.only()
	g.kill()
	eventually(t, "the process has ended with the gateway", watchEnd(pid))
}

func TestTheConfigurationKnowsTheWordsOfTheProtocol(t *testing.T) {
	t.Parallel()
	assert.Subset(t, config.GrantField("").Values(), pb.Fields)
	var fields, capabilities []string
	for _, f := range config.ListProcessFields() {
		fields = append(fields, string(f))
	}
	for _, c := range config.ListProcessCapabilities() {
		capabilities = append(capabilities, string(c))
	}
	assert.Equal(t, pb.Fields, fields)
	assert.Equal(t, pb.Capabilities, capabilities)
	assert.Equal(t, pb.Texts, config.GrantText("").Values())
	assert.Subset(t, config.GrantCapability("").Values(), pb.Capabilities)
}

// A program that calls methods by a computed name makes the linker keep all methods.
func TestTheProgramThatIsShippedLinksNoTemplatesOfGRPC(t *testing.T) {
	t.Parallel()
	require.Contains(t, string(fromRoot(t, "Makefile")), "TAGS    := nomsgpack,grpcnotrace\n")
	out, err := exec.Command("go", "list", "-deps", "-tags", "nomsgpack,grpcnotrace", ".").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(out), "golang.org/x/net/trace\n")
}
