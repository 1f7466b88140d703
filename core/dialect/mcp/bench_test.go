package mcp

import (
	"net/http"
	"testing"

	"github.com/headgate-dev/headgate/core"
)

const benchCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_orders","arguments":{"customer":"jo@example.com",` +
	`"from":"2026-01-01","limit":20,"filters":[{"field":"state","value":"open"},{"field":"total","value":1200}]},` + meta + `}}`

const benchResult = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"Order 4711 of jo@example.com is open since ` +
	`last week; its total is 1,200.00 EUR, and it ships tomorrow to the address on file."}],"structuredContent":{"orders":[{"id":4711,"state":"open"}]},"isError":false}}`

// BenchmarkScan reads a call and its answer.
func BenchmarkScan(b *testing.B) {
	x, c, h := &core.Exchange{}, &Call{}, modern("tools/call", "search_orders")
	b.ReportAllocs()
	b.SetBytes(int64(len(benchCall) + len(benchResult)))
	for b.Loop() {
		x.Reset()
		x.Request.Raw, x.Request.Header = []byte(benchCall), h
		if e := c.Scan(x); e != nil {
			b.Fatal(e)
		}
		x.Response.Status, x.Response.Raw = http.StatusOK, []byte(benchResult)
		if err := c.ScanResponse(x); err != nil {
			b.Fatal(err)
		}
	}
}
