package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestARequestOfABrowserIsForTheSiteThatSentIt(t *testing.T) {
	up := newFake(t, says(toolJSON(toolResult("x"))))
	g := openTools(t, up.url, modern)
	for name, c := range map[string]struct {
		host, origin string
		status       int
	}{
		"no browser":                       {"gateway.example.com", "", 200},
		"a page of this machine":           {"localhost:80", "http://localhost:80", 200},
		"a page of another site":           {"localhost:80", "http://evil.example.com", 403},
		"a site that rebinds its own name": {"evil.example.com", "http://evil.example.com", 403},
		"a site in a sandbox":              {"localhost:80", "null", 403},
	} {
		t.Run(name, func(t *testing.T) {
			header := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo"}
			if c.origin != "" {
				header = append(header, "Origin", c.origin)
			}
			r := g.request("dev", strings.NewReader(toolBody("echo", "x")), header...)
			r.Host, r.URL.Path = c.host, "/mcp/peer"
			a := g.do(r)
			assert.Equal(t, c.status, a.status, a.body)
		})
	}
}
