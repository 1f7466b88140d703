package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAServerPromisesNoSubscriptionsThroughTheGateway(t *testing.T) {
	const head, tail = `{"jsonrpc":"2.0","id":1,"result":{"capabilities":`, `,"instructions":"a \"listChanged\":true"}}`
	for name, c := range map[string]struct{ method, sent, want string }{
		"greeting":      {MethodInitialize, `{"tools":{"listChanged":true}}`, `{"tools":{"listChanged":false}}`},
		"discovery":     {MethodDiscover, `{"resources":{"subscribe": true,"listChanged":true},"x":1}`, `{"resources":{"subscribe": false,"listChanged":false},"x":1}`},
		"nothing":       {MethodDiscover, `{"tools":{}}`, `{"tools":{}}`},
		"another type":  {MethodDiscover, `{"tools":{"listChanged":"true"}}`, `{"tools":{"listChanged":"true"}}`},
		"other results": {MethodCallTool, `{"tools":{"listChanged":true}}`, `{"tools":{"listChanged":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			call := Call{Method: c.method}
			assert.Equal(t, head+c.want+tail, string(call.HideSubscriptions([]byte(head+c.sent+tail))))
		})
	}
}
