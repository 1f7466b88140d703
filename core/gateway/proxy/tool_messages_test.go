package proxy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// hostile is a message that no server must get.
type hostile struct{ name, body, tool string }

// head returns headers that agree with a readable body, so that a refusal is not due to them.
func (h hostile) head() (method, name string) {
	var m struct {
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal([]byte(h.body), &m) // what cannot be read keeps the headers of a call
	if method = m.Method; method == "" || method != strings.TrimSpace(method) || method == "tools/list" {
		method = "tools/call"
	}
	if name = m.Params.Name; name == "" {
		name = h.tool
	}
	return method, dialect.EncodeHeader(name)
}

// hostileMessages returns messages for a tool that may be called, by the name that a server has for it.
func hostileMessages(tool string) (all []hostile) {
	add := func(name, body string) { all = append(all, hostile{name, body, tool}) }
	call := func(members string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{` + meta + `,` + members + `}}`
	}
	good := call(`"name":"` + tool + `","arguments":{"text":"x"}`)
	for _, cut := range []int{1, 2, 9, 17, 30, 50, 80, 120, len(good) - 1} {
		add(fmt.Sprintf("a message of %d bytes that is cut off", cut), good[:cut])
	}
	for _, tail := range []string{"}", "x", good, ",", "\x00"} {
		add("something behind the message", good+tail)
	}
	for _, id := range []string{
		"null", "1.5", "1e3", "true", "[]", "{}", `""`, `"a b"`, `"é"`, `"\u0000"`, `"` + strings.Repeat("x", 129) + `"`, "123456789012345678901",
	} {
		add("the id "+id[:min(len(id), 12)], strings.Replace(good, `"id":7`, `"id":`+id, 1))
	}
	for _, version := range []string{`"1.0"`, `2.0`, `null`, `"2.0 "`, `["2.0"]`} {
		add("the version "+version, strings.Replace(good, `"2.0"`, version, 1))
	}
	for _, method := range []string{
		`""`, `null`, `7`, `"tools/Call"`, `"TOOLS/CALL"`, `"tools/call "`, `"tools//call"`, `"admin/erase"`, `"rpc.discover"`,
		`"../tools/call"`, `"initialize"`,
		`"resources/subscribe"`, `"subscriptions/listen"`, `"notifications/progress"`, `"sampling/createMessage"`,
	} {
		add("the method "+method, strings.Replace(good, `"tools/call"`, method, 1))
	}
	for _, params := range []string{`null`, `[]`, `7`, `"x"`, `{}`, `[{"name":"` + tool + `"}]`} {
		add("the params "+params, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`+params+`}`)
	}
	for _, name := range []string{
		`""`, `null`, `7`, `["` + tool + `"]`, `"erase"`, `"a__erase"`, `"*"`, `"` + tool + `*"`, `"` + tool + ` "`, `" ` + tool + `"`,
		`"../` + tool + `"`, `"mcp/` + tool + `"`, `"` + strings.ToUpper(tool) + `"`, `"` + tool + `\u0000"`, `"` + tool + `\u200b"`,
		`"` + strings.ReplaceAll(tool, "e", "\u0435") + `"`, `"b__echo"`, `"a__a__echo"`, `"__echo"`,
		`"a__"`, `"` + strings.Repeat("e", 257) + `"`,
	} {
		add("the name "+name[:min(len(name), 20)], call(`"name":`+name+`,"arguments":{"text":"x"}`))
	}
	for _, arguments := range []string{`null`, `[]`, `7`, `"x"`, `true`} {
		add("the arguments "+arguments, call(`"name":"`+tool+`","arguments":`+arguments))
	}
	for name, body := range map[string]string{
		"a batch":                    "[" + good + "]",
		"an empty batch":             "[]",
		"nothing":                    "",
		"a text":                     `"x"`,
		"two methods":                strings.Replace(good, `"method"`, `"method":"tools/list","method"`, 1),
		"two ids":                    strings.Replace(good, `"id":7`, `"id":7,"id":8`, 1),
		"two params":                 strings.Replace(good, `"params":`, `"params":{},"params":`, 1),
		"two names":                  call(`"name":"erase","name":"` + tool + `"`),
		"two names, one escaped":     call(`"n\u0061me":"erase","name":"` + tool + `"`),
		"two arguments":              call(`"name":"` + tool + `","arguments":{},"arguments":{"text":"x"}`),
		"an argument twice":          call(`"name":"` + tool + `","arguments":{"text":"x","text":"y"}`),
		"a result beside the method": strings.Replace(good, `"id":7`, `"id":7,"result":{}`, 1),
		"an error beside the method": strings.Replace(good, `"id":7`, `"id":7,"error":{}`, 1),
		"an unexpected answer":       `{"jsonrpc":"2.0","id":7,"result":{}}`,
		"an unexpected refusal":      `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}`,
		"no id":                      strings.Replace(good, `"id":7,`, "", 1),
		"no method":                  strings.Replace(good, `"method":"tools/call",`, "", 1),
		"no version":                 strings.Replace(good, `"jsonrpc":"2.0",`, "", 1),
		"no params":                  `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`,
		"a nest of lists":            call(`"name":"` + tool + `","arguments":{"text":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`),
		"a nest of objects": call(
			`"name":"` + tool + `","arguments":` + strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat("}", 500),
		),
		"bytes that are no UTF-8":     call(`"name":"` + tool + `","arguments":{"text":"` + "\xff\xfe" + `"}`),
		"half a surrogate":            call(`"name":"` + tool + `","arguments":{"text":"\ud800"}`),
		"a control character":         call(`"name":"` + tool + `","arguments":{"text":"` + "\x01" + `"}`),
		"a number that is none":       call(`"name":"` + tool + `","arguments":{"n":01}`),
		"a comment":                   call(`"name":"` + tool + `" /* x */`),
		"single quotes":               strings.ReplaceAll(good, `"`, `'`),
		"a byte order mark":           "\ufeff" + good,
		"UTF-16":                      "{\x00\"\x00j\x00",
		"form fields":                 "jsonrpc=2.0&method=tools/call",
		"another version":             strings.Replace(good, "2026-07-28", "2031-01-01", 1),
		"no capabilities":             strings.Replace(good, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1),
		"a version that is a list":    strings.Replace(good, `"2026-07-28"`, `["2026-07-28"]`, 1),
		"meta that is a list":         `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":[],"name":"` + tool + `"}}`,
		"a list where a call is told": strings.Replace(good, "tools/call", "tools/list", 1),
	} {
		add(name, body)
	}
	return all
}

func TestNoHostileMessageReachesAServerWhicheverWayItTakes(t *testing.T) {
	up := newFake(t, says(toolJSON(toolResult("x"))))
	server, err := mcp.New(mcp.Settings{URL: up.url, AllowPrivate: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	a := &tools.Server{Name: "a", Upstream: server.Upstream(), Era: dialect.Modern, Tools: []string{"echo"}}
	b := &tools.Server{Name: "b", Upstream: server.Upstream(), Era: dialect.Modern}
	b.Access = []tools.Access{{Tenants: []string{"elsewhere"}}}
	servers, memory := tools.Servers{"a": a, "b": b}, bridge.NewMemory()
	bridge.Attach(a, memory)
	bridge.Attach(b, memory)
	for _, name := range []string{"all", tools.All} {
		v := &tools.Server{Name: name}
		bridge.ConvertToVirtual(v, []tools.Member{{Server: a}, {Server: b}}, generous, memory)
		servers[name] = v
	}
	servers.Adopt(nil)
	servers.SetSealer(sessionBox(t))
	g := open(t, setup{chain: redacting(t, ""), runtime: func(rt *snapshot.Runtime) { rt.Servers = tools.NewSet(servers) }})
	send := func(path string, h hostile) answer {
		method, name := h.head()
		return g.postTo(path, "dev", h.body, "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name)
	}
	count := 0
	ways := map[string]string{"/mcp/a": "echo", "/mcp/all": "a__echo", "/mcp": "a__echo"}
	for path, tool := range ways {
		for _, h := range hostileMessages(tool) {
			count++
			got := send(path, h)
			assert.GreaterOrEqual(t, got.status, 400, "%s: %s: %s", path, h.name, got.body)
			assert.Less(t, got.status, 500, "%s: %s: %s", path, h.name, got.body)
			var e struct {
				Version string `json:"jsonrpc"`
				Error   struct {
					Code    int
					Message string
					Data    struct{ Code string }
				}
			}
			if assert.NoError(t, json.Unmarshal([]byte(got.body), &e), "%s: %s: %s", path, h.name, got.body) {
				assert.Equal(t, "2.0", e.Version, h.name)
				assert.NotZero(t, e.Error.Code, h.name)
				assert.NotEmpty(t, e.Error.Data.Code, h.name)
			}
		}
	}
	assert.Empty(t, up.requests())
	for path, tool := range ways {
		assert.Equal(t, 200, send(path, hostile{body: toolBody(tool, "x"), tool: tool}).status, "%s: what is in order is served", path)
	}
	assert.GreaterOrEqual(t, count, 300)
}
