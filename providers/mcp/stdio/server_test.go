package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

const (
	timeToWait = time.Minute
	tick       = 10 * time.Millisecond
)

// lines are what was logged.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(server, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, server+": "+text)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "\n")
}

// start opens a server that runs this program as a peer.
func start(t *testing.T, change func(*Spec), env ...string) (*Lease, *lines) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	s := Spec{Name: "peer", Command: self, Env: append(env, "GOCOVERDIR="+t.TempDir()), MaxLine: 1 << 20, Timeouts: upstream.Timeouts{Total: timeToWait}}
	if change != nil {
		change(&s)
	}
	log := &lines{}
	l := NewHost(log.add).Open(s)
	t.Cleanup(func() { _ = l.Close() })
	return l, log
}

// message is a request of a client.
func message(t *testing.T, era dialect.Era, method, params string) (*core.Exchange, *tools.Message) {
	t.Helper()
	x, c := &core.Exchange{}, &dialect.Call{}
	x.Request.Header = http.Header{}
	if era == dialect.Modern {
		params += `"_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		x.Request.Header = http.Header{dialect.HeaderVersion: {dialect.ModernVersion}, dialect.HeaderMethod: {method}}
		if name, ok := strings.CutPrefix(params, `"name":"`); ok {
			name, _, _ = strings.Cut(name, `"`)
			x.Request.Header.Set(dialect.HeaderName, name)
		}
	}
	x.Request.Raw = []byte("{\"jsonrpc\":\"2.0\",\n\"id\":\"c-1\",\"method\":\"" + method + `","params":{` + strings.TrimSuffix(params, ",") + `}}`)
	if e := c.Scan(x); e != nil {
		panic(e) // also in goroutines of tests
	}
	return x, &tools.Message{Call: c, Body: x.Request.Raw}
}

// converse sends a request and returns all messages of the answer.
func converse(ctx context.Context, t *testing.T, l *Lease, era dialect.Era, method, params string) (messages []string, err error) {
	t.Helper()
	x, m := message(t, era, method, params)
	a, err := l.Send(ctx, m)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }()
	for {
		data, err := a.Next(ctx, func(data []byte) (bool, error) {
			form, err := m.Call.ReadForm(x, data)
			return form.IsResponse(), err
		})
		if errors.Is(err, io.EOF) {
			return messages, nil
		}
		if err != nil {
			return messages, err
		}
		messages = append(messages, string(data))
	}
}

func callTool(ctx context.Context, t *testing.T, l *Lease, tool, text string) (string, error) {
	t.Helper()
	got, err := converse(ctx, t, l, dialect.Modern, dialect.MethodCallTool, `"name":"`+tool+`","arguments":{"text":"`+text+`"},`)
	if err != nil {
		return "", err
	}
	_, after, _ := strings.Cut(got[len(got)-1], `"text":"`)
	text, _, _ = strings.Cut(after, `"`)
	return text, nil
}

func TestOneProcessServesManyCallersAndMixesNoAnswers(t *testing.T) {
	l, _ := start(t, nil, "PEER=sdk")
	era, err := l.Probe(t.Context())
	require.NoError(t, err)
	require.Equal(t, dialect.Modern, era)
	got, err := converse(t.Context(), t, l, dialect.Modern, dialect.MethodCallTool, `"name":"echo","arguments":{"text":"hi"},`)
	require.NoError(t, err)
	require.Len(t, got, 2, "progress comes before the result")
	assert.Contains(t, got[0], `"progressToken":7`)
	assert.Contains(t, got[1], `"id":"c-1"`)
	pids := map[string]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			text, err := callTool(t.Context(), t, l, "echo", fmt.Sprint(i))
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprintf("got %d", i), text)
			pid, err := callTool(t.Context(), t, l, "pid", "")
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			pids[pid] = true
		})
	}
	all.Wait()
	assert.Len(t, pids, 1)
	var names []string
	require.NoError(t, l.ListTools(t.Context(), dialect.Modern, func(_ []byte, list []dialect.Definition) error {
		for _, d := range list {
			names = append(names, d.Name)
		}
		return nil
	}))
	assert.True(t, slices.Contains(names, "echo"), "%v", names)
}

func TestAProcessGetsNothingButItsOwnEnvironment(t *testing.T) {
	t.Setenv("GATEWAY_SECRET", "hunter2-hunter2")
	l, _ := start(t, nil, "PEER=sdk", "PLAIN=value")
	text, err := callTool(t.Context(), t, l, "env", "")
	require.NoError(t, err)
	assert.Contains(t, text, "PLAIN=value")
	assert.NotContains(t, text, "hunter2")
	secret, _ := start(t, nil, "PEER=sdk", "API_TOKEN=t-0123456789abcdef")
	_, err = callTool(t.Context(), t, secret, "env", "")
	require.ErrorIs(t, err, mcp.ErrCredential, "a tool does not hand out the credential")
}

func TestACallInFlightFailsWhenTheProcessEndsAndTheNextOneStartsAnother(t *testing.T) {
	l, log := start(t, nil, "PEER=sdk", "API_TOKEN=t-0123456789abcdef")
	before, err := callTool(t.Context(), t, l, "pid", "")
	require.NoError(t, err)
	waits := make(chan error)
	go func() {
		_, err := callTool(t.Context(), t, l, "wait", "")
		waits <- err
	}()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "waiting with [hidden]") }, timeToWait, tick)
	_, err = callTool(t.Context(), t, l, "exit", "")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorIs(t, <-waits, io.ErrUnexpectedEOF)
	var after string
	require.Eventually(t, func() bool { after, err = callTool(t.Context(), t, l, "pid", ""); return err == nil }, timeToWait, tick)
	assert.NotEqual(t, before, after)
	assert.NotContains(t, log.String(), "t-0123456789abcdef")
	assert.Contains(t, log.String(), "peer: the process of the server has ended; the next call after 100ms starts it again")
}

func TestACallerThatHangsUpCancelsItsCallAlone(t *testing.T) {
	l, log := start(t, nil, "PEER=sdk")
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := callTool(ctx, t, l, "wait", "")
		left <- err
	}()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "waiting") }, timeToWait, tick)
	cancel()
	require.ErrorIs(t, <-left, context.Canceled)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "the call was cancelled") }, timeToWait, tick)
	_, err := callTool(t.Context(), t, l, "echo", "x")
	require.NoError(t, err)
}

func TestAnAnswerThatIsTooLargeFailsItsCallAlone(t *testing.T) {
	l, _ := start(t, func(s *Spec) { s.MaxLine = 64 << 10 }, "PEER=sdk")
	pid, err := callTool(t.Context(), t, l, "pid", "")
	require.NoError(t, err)
	_, err = callTool(t.Context(), t, l, "large", "5000000")
	require.ErrorIs(t, err, mcp.ErrTooLarge)
	again, err := callTool(t.Context(), t, l, "pid", "")
	require.NoError(t, err)
	assert.Equal(t, pid, again, "the process goes on")
}

func TestRemovalEndsTheProcessAndAllThatItHasStarted(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	h := NewHost(nil)
	s := Spec{Name: "peer", Command: self, Env: []string{"PEER=sdk"}, MaxLine: 1 << 20}
	first, second := h.Open(s), h.Open(s)
	child, err := callTool(t.Context(), t, first, "spawn", "")
	require.NoError(t, err)
	pid, err := callTool(t.Context(), t, second, "pid", "")
	require.NoError(t, err)
	require.NoError(t, first.Close())
	require.NoError(t, first.Close(), "once more does nothing")
	again, err := callTool(t.Context(), t, second, "pid", "")
	require.NoError(t, err)
	assert.Equal(t, pid, again, "a reload keeps it")
	require.NoError(t, second.Close())
	for _, text := range []string{pid, child} {
		var n int
		_, err := fmt.Sscan(text, &n)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return isGone(n) }, timeToWait, tick, "process %d", n)
	}
	_, err = callTool(t.Context(), t, second, "pid", "")
	require.ErrorIs(t, err, errClosed)
}

// isGone reports whether a process has ended; a zombie counts as ended.
func isGone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestAProcessOfTheLegacyEraIsUnderstood(t *testing.T) {
	for name, dies := range map[string]string{"it says what it does not know": "", "it ends over what it does not know": "DIES=1"} {
		t.Run(name, func(t *testing.T) {
			l, _ := start(t, nil, "PEER=script", `SCRIPT={"id":%s,"jsonrpc":"2.0","result":{"tools":[{"name":"a","inputSchema":{}}]}}`, dies)
			era, err := l.Probe(t.Context())
			require.NoError(t, err)
			require.Equal(t, dialect.Legacy, era)
			got, err := converse(t.Context(), t, l, dialect.Legacy, dialect.MethodInitialize, `"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{}`)
			require.NoError(t, err)
			assert.Contains(t, got[0], `"protocolVersion":"2025-03-26"`)
			got, err = converse(t.Context(), t, l, dialect.Legacy, dialect.MethodListTools, "")
			require.NoError(t, err)
			assert.JSONEq(t, `{"id":"c-1","jsonrpc":"2.0","result":{"tools":[{"name":"a","inputSchema":{}}]}}`, got[0])
			got, err = converse(t.Context(), t, l, dialect.Legacy, dialect.MethodSetLevel, `"level":"debug"`)
			require.NoError(t, err)
			assert.Contains(t, got[0], "-32601")
		})
	}
}

func TestAHostileProcessCostsItsCallsAlone(t *testing.T) {
	short := func(s *Spec) {
		s.Timeouts.FirstByte, s.Timeouts.Total, s.Era, s.MaxLine = time.Second, time.Second, dialect.Modern, 64<<10
	}
	for name, c := range map[string]struct {
		script string
		is     func(error) bool
	}{
		"it never answers":                   {"deaf", isTimeout},
		"it answers an unknown request":      {`{"jsonrpc":"2.0","id":"headgate-1","result":{}}`, isTimeout},
		"it writes no JSON":                  {"Listening on stdio …", isTimeout},
		"it asks instead":                    {`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`, isTimeout},
		"it writes a line without end or id": {strings.Repeat("x", 100<<10), func(err error) bool { return err != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := start(t, short, "PEER=script", "SCRIPT="+c.script)
			_, err := callTool(t.Context(), t, l, "a", "")
			require.Error(t, err)
			assert.True(t, c.is(err), "%v", err)
		})
	}
	l, _ := start(t, nil, "PEER=script", `SCRIPT={"jsonrpc":"2.0","id":%s,"result":{"n":1}}`+"\n"+`{"jsonrpc":"2.0","id":%s,"result":{"n":2}}`)
	for range 3 {
		got, err := converse(t.Context(), t, l, dialect.Legacy, dialect.MethodCallTool, `"name":"a"`)
		require.NoError(t, err)
		assert.Equal(t, []string{`{"jsonrpc":"2.0","id":"c-1","result":{"n":1}}`}, got, "the second answer is dropped")
	}
}

func isTimeout(err error) bool {
	var e *upstream.Error
	return errors.As(err, &e) && e.Timeout
}

func TestACommandThatCannotBeStartedIsTriedAgainAfterAPause(t *testing.T) {
	l, log := start(t, func(s *Spec) { s.Command = "/nowhere/mcp-server" })
	for range 3 {
		_, err := l.Probe(t.Context())
		var e *upstream.Error
		require.ErrorAs(t, err, &e)
		assert.True(t, e.Unsent)
		assert.NotContains(t, err.Error(), "/nowhere")
		l.mu.Lock()
		l.rest = time.Now().Add(time.Hour)
		l.mu.Unlock()
	}
	assert.Equal(t, 1, strings.Count(log.String(), "cannot be started: no such file"), "the pause was not over: %s", log)
	refused := NewRefusingHost().Open(Spec{Command: "/bin/true"})
	_, err := refused.Probe(t.Context())
	require.ErrorIs(t, err, errRefused)
}
