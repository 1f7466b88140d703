package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/nested"
)

// FuzzScan compares what Scan accepts with what encoding/json reads of it: a server must not see
// another method, tool or id than the gateway, nor a string in arguments that no guard was shown.
func FuzzScan(f *testing.F) {
	for _, c := range refused {
		f.Add([]byte(c.body), c.header.Get(HeaderVersion), c.header.Get(HeaderMethod), c.header.Get(HeaderName))
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{"a":["b",{"c":"d\u0065"}]},`+meta+`}}`), ModernVersion, "tools/call", "f")
	f.Fuzz(func(t *testing.T, body []byte, version, method, name string) {
		h := http.Header{}
		for k, v := range map[string]string{HeaderVersion: version, HeaderMethod: method, HeaderName: name} {
			if v != "" {
				h.Set(k, v)
			}
		}
		c, x, e := scanRequest(string(body), h)
		if e != nil {
			if !json.Valid(c.AppendError(nil, e)) {
				t.Fatalf("the error for %q is not JSON", body)
			}
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		// encoding/json ignores case in names of members, which servers do not.
		if strings.Contains(strings.ToLower(string(body)), "ı") || json.Unmarshal(foldless(t, body), &m) != nil {
			return
		}
		if m.Method != c.Method || string(m.ID) != string(c.ID) {
			t.Fatalf("read %q %s as %q %s", m.Method, m.ID, c.Method, c.ID)
		}
		if c.Method != MethodCallTool {
			return
		}
		if m.Params.Name != c.Target || version == ModernVersion && name != c.Target && !strings.HasPrefix(name, encodedPrefix) {
			t.Fatalf("read the tool %q as %q, and the header as %q", m.Params.Name, c.Target, name)
		}
		shown := map[string]bool{}
		for i := range x.Request.Segments {
			if x.Request.Segments[i].Kind == core.KindToolArgs {
				shown[x.Request.ReadText(i)] = true
			}
		}
		for _, s := range stringsOf(m.Params.Arguments) {
			if s != "" && !shown[s] {
				t.Fatalf("the string %q of %q was not shown", s, body)
			}
		}
	})
}

// foldless encodes a message again with the members that are spelled exactly.
func foldless(t *testing.T, body []byte) []byte {
	t.Helper()
	var all, params map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		t.Fatalf("%q is not JSON", body)
	}
	out := map[string]json.RawMessage{}
	for _, k := range []string{"id", "method"} {
		if v, ok := all[k]; ok {
			out[k] = v
		}
	}
	if json.Unmarshal(all["params"], &params) == nil {
		kept := map[string]json.RawMessage{}
		for _, k := range []string{"name", "arguments"} {
			if v, ok := params[k]; ok {
				kept[k] = v
			}
		}
		out["params"], _ = json.Marshal(kept)
	}
	b, _ := json.Marshal(out)
	return b
}

// stringsOf lists the strings of a JSON value, names of members and long numbers included.
func stringsOf(raw json.RawMessage) (out []string) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return out
		}
		switch v := token.(type) {
		case string:
			out = append(out, v)
		case json.Number:
			if n := len(v); nested.MinNumber <= n && n <= nested.MaxNumber {
				out = append(out, v.String())
			}
		}
	}
}

// FuzzScanResponse looks for panics, and for answers that are accepted and are not JSON.
func FuzzScanResponse(f *testing.F) {
	f.Add([]byte(result(`"content":[{"type":"text","text":"x"},{"type":"resource","resource":{"blob":"aGFsbG8=","mimeType":"text/plain"}}],"structuredContent":{"a":1234567}`)), byte(0))
	f.Add([]byte(result(`"tools":[{"name":"a","inputSchema":{}}],"cacheScope":"public"`)), byte(1))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`), byte(2))
	methods := []string{MethodCallTool, MethodListTools, MethodReadResource, MethodGetPrompt, MethodInitialize, MethodListTemplates}
	f.Fuzz(func(t *testing.T, body []byte, which byte) {
		_, x, err := scanAnswer(t, methods[int(which)%len(methods)], `{"name":"f","uri":"file:///a"}`, string(body))
		if err != nil {
			return
		}
		if !json.Valid(body) {
			t.Fatalf("accepted %q", body)
		}
		var edits []core.Edit
		for i := range x.Response.Segments {
			if n := len(x.Response.ReadText(i)); n > 0 {
				edits = append(edits, core.Edit{Segment: i, End: n, With: "[X]"})
			}
		}
		x.Response.Apply(edits)
		if err := x.Response.Flush(); err != nil || !json.Valid(x.Response.Raw) {
			t.Fatalf("%q became %q: %v", body, x.Response.Raw, err)
		}
	})
}
