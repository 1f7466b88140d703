package proxy_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/a2a"
)

// pushed is an agent that stores the configurations it gets, a client's own server, and the gateway between them.
type pushed struct {
	*gate
	agent, client *fake
}

// openPushed starts a gateway whose agent may notify clients below /hook of the client's server.
func openPushed(t *testing.T, s setup, status int) *pushed {
	t.Helper()
	p := &pushed{client: newFake(t, says(buildWhole(status, "text/plain", "internal-host.example")))}
	var mu sync.Mutex
	var stored json.RawMessage
	p.agent = newFake(t, func(c net.Conn, r sent) {
		var m struct {
			Method string
			Params json.RawMessage
		}
		_ = json.Unmarshal([]byte(r.body), &m)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.HasSuffix(m.Method, "/set"), strings.HasPrefix(m.Method, "Create"):
			stored = m.Params
		case strings.HasSuffix(m.Method, "/list"):
			_, _ = io.WriteString(c, toolJSON(agentResult("["+string(stored)+"]")))
			return
		case strings.HasPrefix(m.Method, "List"):
			_, _ = io.WriteString(c, toolJSON(agentResult(`{"configs":[`+string(stored)+`]}`)))
			return
		case strings.Contains(strings.ToLower(m.Method), "delete"):
			_, _ = io.WriteString(c, toolJSON(`{"jsonrpc":"2.0","id":7}`)) // as the official SDK for Python writes a null
			return
		case m.Method == send10:
			_, _ = io.WriteString(c, toolJSON(agentResult(`{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_WORKING"}}}`)))
			return
		case !strings.Contains(m.Method, "ush"):
			_, _ = io.WriteString(c, toolJSON(agentResult(`{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"working"}}`)))
			return
		}
		_, _ = io.WriteString(c, toolJSON(agentResult(string(stored))))
	})
	dial := upstream.PublicDialer{AllowPrivate: true}
	client := upstream.NewLean(upstream.LeanOptions{Dial: dial.Dial})
	t.Cleanup(func() { _ = client.Close() })
	notifier, err := a2a.NewNotifier(a2a.NotifierSettings{URLs: []string{p.client.url + "/hook"}, AllowPrivate: true, Client: client})
	require.NoError(t, err)
	p.gate = openAgent(t, p.agent.url, s, func(a *agents.Agent) { a.Notifier = notifier })
	return p
}

// task creates a task and returns its id.
func (p *pushed) task(key string) string {
	p.t.Helper()
	var m struct{ Result struct{ ID string } }
	require.NoError(p.t, json.Unmarshal([]byte(p.toAgent(key, agentBody(send03, "plan")).body), &m))
	return m.Result.ID
}

// config is what a client registers.
func (p *pushed) config(path string) string {
	return `"url":"` + p.client.url + path + `","token":"tok-of-the-client","authentication":{"scheme":"Bearer","schemes":["Bearer"],"credentials":"credentials-of-the-client"}`
}

// pushPath returns the path at which the agent was told to notify, from the last message that it got.
func (p *pushed) pushPath() string {
	p.t.Helper()
	_, rest, ok := strings.Cut(p.agent.last(p.t).body, `"url":"https://gateway.example.com`)
	require.True(p.t, ok, p.agent.last(p.t).body)
	return rest[:strings.Index(rest, `"`)]
}

// pushes has the agent send a notification.
func (p *pushed) pushes(path, body string) answer {
	p.t.Helper()
	r := p.request("", strings.NewReader(body))
	r.URL.Path = path
	return p.do(r)
}

func TestNotificationsReachTheClientJudgedAndUnderItsOwnNames(t *testing.T) {
	for version, x := range map[string]struct{ set, message, get, list, remove, notice string }{
		"0.3": {
			`{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"TASK","pushNotificationConfig":{"id":"p-1",CONFIG}}}`,
			`{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"configuration":{"pushNotificationConfig":{CONFIG}},"message":{"role":"user","messageId":"m","parts":[{"kind":"text","text":"x"}]}}}`,
			`{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotificationConfig/get","params":{"id":"TASK","pushNotificationConfigId":"p-1"}}`,
			`{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotificationConfig/list","params":{"id":"TASK"}}`,
			`{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotificationConfig/delete","params":{"id":"TASK","pushNotificationConfigId":"p-1"}}`,
			`{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"completed","message":{"parts":[{"kind":"text","text":"TEXT"}]}}}`,
		},
		"1.0": {
			`{"jsonrpc":"2.0","id":7,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"TASK","id":"p-1",CONFIG}}`,
			`{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"configuration":{"taskPushNotificationConfig":{CONFIG}},"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}]}}}`,
			`{"jsonrpc":"2.0","id":7,"method":"GetTaskPushNotificationConfig","params":{"taskId":"TASK","id":"p-1"}}`,
			`{"jsonrpc":"2.0","id":7,"method":"ListTaskPushNotificationConfigs","params":{"taskId":"TASK"}}`,
			`{"jsonrpc":"2.0","id":7,"method":"DeleteTaskPushNotificationConfig","params":{"taskId":"TASK","id":"p-1"}}`,
			`{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED","message":{"parts":[{"text":"TEXT"}]}}}}`,
		},
	} {
		t.Run(version, func(t *testing.T) {
			const address = "jane.doe@example.com"
			p := openPushed(t, setup{chain: redacting(t, "response: redact")}, 200)
			id := p.task("dev")
			fill := strings.NewReplacer("TASK", id, "CONFIG", p.config("/hook/a")).Replace
			a := p.toAgent("dev", fill(x.set))
			require.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.body, p.client.url+"/hook/a", "the client reads its own address")
			assert.Contains(t, a.body, id)
			told := p.agent.last(t).body
			assert.Contains(t, told, `"taskId":"t-1"`)
			for _, hidden := range []string{"of-the-client", p.client.url, "authentication"} {
				assert.NotContains(t, told, hidden, "the agent does not learn it")
			}
			path := p.pushPath()
			for name, body := range map[string]string{"get": x.get, "list": x.list} {
				a := p.toAgent("dev", fill(body))
				require.Equal(t, 200, a.status, a.body)
				assert.Contains(t, a.body, p.client.url+"/hook/a", name)
				assert.Contains(t, a.body, `"taskId":"`+id+`"`, name)
				assert.Contains(t, p.agent.last(t).body, `"t-1"`, name)
			}
			a = p.toAgent("dev", fill(x.remove))
			assert.Equal(t, 200, a.status, a.body)
			for _, body := range []string{x.set, x.get, x.list, x.remove} {
				assert.Contains(t, p.toAgent("foreign", fill(body)).body, `-32001`, "the task of another key")
			}

			assert.Equal(t, 204, p.pushes(path, strings.Replace(x.notice, "TEXT", "write to "+address, 1)).status)
			got := p.client.last(t)
			assert.Equal(t, "/hook/a", got.path)
			assert.Contains(t, got.body, id, "the task's id is the client's")
			assert.NotContains(t, got.body, `"t-1"`)
			assert.NotContains(t, got.body, address, "the guards see the notification")
			assert.Equal(t, "tok-of-the-client", got.header.Get("X-A2A-Notification-Token"))
			assert.Equal(t, "Bearer credentials-of-the-client", got.header.Get("Authorization"))

			a = p.toAgent("dev", fill(x.message))
			require.Equal(t, 200, a.status, a.body)
			assert.NotContains(t, p.agent.last(t).body, "of-the-client")
			assert.Equal(t, 204, p.pushes(p.pushPath(), x.notice).status)
		})
	}
}

func TestNotificationsThatNobodyAskedForGoNowhere(t *testing.T) {
	const notice = `{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"completed"}}`
	p := openPushed(t, setup{chain: keyword("block", "zanzibar77")(t)}, 200)
	set := strings.NewReplacer("TASK", p.task("dev"), "CONFIG", p.config("/hook/a")).Replace(
		`{"jsonrpc":"2.0","id":7,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"TASK","pushNotificationConfig":{CONFIG}}}`)
	before := len(p.agent.requests())
	for name, change := range map[string][2]string{
		"another host":                   {p.client.url, "https://evil.example.com"},
		"a host that begins alike":       {p.client.url, p.client.url + ".evil.example.com"},
		"another path":                   {"/hook/a", "/other"},
		"a path that climbs":             {"/hook/a", "/hook/%2e%2e/other"},
		"a user":                         {"http://", "http://a@"},
		"no address":                     {`"url"`, `"id"`},
		"an address of another spelling": {`"url"`, `"URL":"http://169.254.169.254/","url"`},
		"an address that is a number":    {`"url":"`, `"url":5,"id":"`},
		"long credentials":               {"credentials-of-the-client", strings.Repeat("a", 2000)},
	} {
		a := p.toAgent("dev", strings.Replace(set, change[0], change[1], 1))
		assert.Contains(t, a.body, `"code":-32602`, "%s: %s", name, a.body)
	}
	inside := `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"configuration":{"taskPushNotificationConfig":{"taskId":"t-2",` + p.config("/hook/a") +
		`}},"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}]}}}`
	assert.Contains(t, p.toAgent("dev", inside).body, `"code":-32602`, "a task of somebody else")
	assert.Len(t, p.agent.requests(), before, "nothing of these reaches the agent")

	require.Equal(t, 200, p.toAgent("dev", set).status)
	path := p.pushPath()
	for name, c := range map[string]struct {
		path, body string
		status     int
	}{
		"another target":              {path[:len(path)-4] + "AAAA", notice, 404},
		"no target":                   {"/a2a/planner/push/x", notice, 404},
		"another agent":               {strings.Replace(path, "planner", "other", 1), notice, 404},
		"no JSON":                     {path, "{", 400},
		"something else":              {path, `{"hello":"world"}`, 400},
		"a list":                      {path, "[" + notice + "]", 400},
		"a text that a guard refuses": {path, strings.Replace(notice, "}}", `,"message":{"parts":[{"kind":"text","text":"zanzibar77"}]}}}`, 1), 400},
	} {
		a := p.pushes(c.path, c.body)
		assert.Equal(t, c.status, a.status, "%s: %s", name, a.body)
	}
	assert.Empty(t, p.client.requests())
	assert.Equal(t, 204, p.pushes(path, notice).status)

	r := p.request("", http.NoBody)
	r.Method, r.URL.Path = http.MethodGet, path
	assert.Equal(t, 404, p.do(r).status)
}

func TestAReceiverThatFailsIsTheAgentsToRepeat(t *testing.T) {
	p := openPushed(t, setup{}, 500)
	set := strings.NewReplacer("TASK", p.task("dev"), "CONFIG", p.config("/hook")).Replace(
		`{"jsonrpc":"2.0","id":7,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"TASK",CONFIG}}`)
	require.Equal(t, 200, p.toAgent("dev", set).status)
	a := p.pushes(p.pushPath(), `{"task":{"id":"t-1","status":{"state":"TASK_STATE_WORKING"}}}`)
	assert.Equal(t, 502, a.status)
	assert.NotContains(t, a.body, "internal-host")
}
