package proxy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// hostileRequest is a request that no server must get: a body and the headers Mcp-Method, Mcp-Name and Mcp-Protocol-Version.
type hostileRequest struct{ body, method, name, version string }

// hostileRequests are requests by what is wrong with them.
func hostileRequests() map[string]hostileRequest {
	out := map[string]hostileRequest{}
	good := toolBody("echo", "x")
	add := func(name, body string) { out[name] = hostileRequest{body, "tools/call", "echo", "2026-07-28"} }
	change := func(name, old, with string) {
		add(name+": "+with[:min(len(with), 40)], strings.Replace(good, old, with, 1))
	}
	for i := 1; i < len(good); i++ {
		add(fmt.Sprintf("cut off after %d bytes", i), good[:i])
	}
	for i, b := range []byte(good) {
		if b == '"' {
			add(fmt.Sprintf("a control character at %d", i), good[:i+1]+"\x01"+good[i+1:])
			add(fmt.Sprintf("bytes that are no UTF-8 at %d", i), good[:i]+"\xff\xfe"+good[i:])
		}
	}
	for _, id := range []string{"null", "{}", "[]", "[7]", "true", "1.5", "7e0", `""`, `"a b"`, `"\u0000"`, `"` + strings.Repeat("i", 200) + `"`, strings.Repeat("9", 40), "-1.0", `"jane.doe@example.com "`} {
		change("an id that is none", `"id":7`, `"id":`+id)
	}
	for _, v := range []string{`"1.0"`, "2.0", "null", `"2.00"`, `["2.0"]`, `""`} {
		change("another protocol", `"jsonrpc":"2.0"`, `"jsonrpc":`+v)
	}
	change("no protocol", `"jsonrpc":"2.0",`, "")
	for _, m := range []string{"7", "null", "{}", `["tools/call"]`, `""`, `"tools/none"`, `"TOOLS/CALL"`, `"tools/call "`, `"tools/call\u0000"`} {
		change("a method that is none", `"method":"tools/call"`, `"method":`+m)
	}
	for _, n := range []string{"7", "null", "{}", `["echo"]`, `""`, `"../echo"`, `"ec ho"`, `"echo\u0000"`, `"other"`, `"ECHO"`, `"echo/../erase"`, `"%65cho"`} {
		change("a name that is none", `"name":"echo"`, `"name":`+n)
	}
	for _, a := range []string{"7", `"text"`, "[]", `[{"text":"x"}]`, "true"} {
		change("arguments that are none", `{"text":"x"}`, a)
	}
	for _, p := range []string{`"params":7`, `"params":[]`, `"params":"x"`, `"params":null`} {
		add("params that are none: "+p, `{"jsonrpc":"2.0","id":7,"method":"tools/call",`+p+`}`)
	}
	for _, twice := range []string{`"jsonrpc":"2.0"`, `"id":7`, `"method":"tools/call"`, `"name":"echo"`, `"text":"x"`} {
		change("a member twice", twice, twice+","+twice)
	}
	for _, body := range []string{"[]", "[" + good + "]", "[" + good + "," + good + "]", "", " ", "null", "7", `"x"`, good + good, good + "x", "{}", "\xef\xbb\xbf" + good + "x"} {
		add("no message: "+body[:min(len(body), 20)]+fmt.Sprint(len(body)), body)
	}
	for _, depth := range []int{513, 2000, 100_000} {
		change(fmt.Sprint("nesting of ", depth), `{"text":"x"}`, `{"text":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`)
	}
	add("more than the limit of a body", strings.Replace(good, `"x"`, `"`+strings.Repeat("x", 2<<20)+`"`, 1))
	for _, v := range []string{"2099-01-01", "", "1", "2026-07-28x", "null", "2025-11-25"} {
		out["a version in the header: "+v] = hostileRequest{good, "tools/call", "echo", v}
		change("a version in the body", `"2026-07-28"`, `"`+v+`x"`)
	}
	for _, h := range []string{"tools/list", "", "ping", "Tools/Call", "tools/call,tools/list"} {
		out["a header with another method: "+h] = hostileRequest{good, h, "echo", "2026-07-28"}
	}
	for _, h := range []string{"erase", "", "ECHO", "echo ,erase", "=?base64?ZXJhc2U=?=", "=?base64?!?="} {
		out["a header with another name: "+h] = hostileRequest{good, "tools/call", h, "2026-07-28"}
	}
	for _, uri := range []string{
		"file:///docs/../secret", "file:///docs/%2e%2e/secret", "file:///docs/%252e%252e/secret", "file:///docs/..%2fsecret", "file:///docs/.%2e/secret",
		`file:///docs\\..\\secret`, "file:///docs/..%5csecret", "file:///secret", "FILE:///docs/x", "http://127.0.0.1/docs", "file:///docs/./x", "file:///docs/%zz", "",
	} {
		out["a path that climbs: "+uri] = hostileRequest{
			`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{` + meta + `,"uri":"` + uri + `"}}`, "resources/read", strings.ReplaceAll(uri, `\\`, `\`), "2026-07-28",
		}
	}
	return out
}

func TestThreeHundredHostileRequestsAreErrorsThatReachNoServerAndAreRecorded(t *testing.T) {
	all := hostileRequests()
	require.GreaterOrEqual(t, len(all), 300)
	t.Logf("%d hostile requests", len(all))
	up := newFake(t, says(toolJSON(toolResult("done"))))
	g := openToolsWith(t, up.url, setup{chain: redacting(t, "")}, func(s *tools.Server) {
		modern(s)
		s.Tools, s.Resources = []string{"echo"}, []string{"file:///docs/*"}
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		h := all[name]
		header := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
		for key, value := range map[string]string{"Mcp-Method": h.method, "Mcp-Name": h.name, "Mcp-Protocol-Version": h.version} {
			if value != "" {
				header = append(header, key, value)
			}
		}
		a := g.postTo("/mcp/peer", "dev", h.body, header...)
		assert.True(t, a.status >= 400 && a.status < 500, "%s: %d %s", name, a.status, a.body)
		var doc struct {
			JSONRPC string
			Error   struct {
				Code    int
				Message string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(a.body), &doc), "%s: %s", name, a.body)
		assert.Equal(t, "2.0", doc.JSONRPC, name)
		assert.NotZero(t, doc.Error.Code, "%s: %s", name, a.body)
		assert.NotEmpty(t, doc.Error.Message, name)
		assert.NotContains(t, a.body, "secret", "%s: what was sent is not repeated", name)
		assert.NotContains(t, a.body, up.url, name)
		require.Empty(t, up.requests(), name)
	}
	require.Eventually(t, func() bool { return g.usage().Records == int64(len(all)) }, generous, 10*time.Millisecond, "each is recorded")
	assert.Zero(t, g.usage().Cost)
	assert.Equal(t, 200, g.callTool("dev", "echo", "x").status, "the next call of the key is served")
}
