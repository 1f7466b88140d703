package proxy_test

import (
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// guards are the stages of the table.
var guards = []guard{
	{"pii", "ann.lee@example.com", func(t testing.TB) func(core.Tokens) []core.Link { return redacting(t, "response: redact") }},
	{"pii that blocks", "ann.lee@example.com", func(t testing.TB) func(core.Tokens) []core.Link {
		return redacting(t, "action: block\nresponse: redact")
	}},
	{"webhook", "ann.lee@example.com", hooked(webhook.Redact, "ann.lee@example.com")},
	{"webhook that blocks", "ann.lee@example.com", hooked(webhook.Block, "ann.lee@example.com")},
	{"wasm detector", "EMP-123456", detecting("redact")},
	{"wasm detector that blocks", "EMP-123456", detecting("block")},
}
