package proxy_test

import (
	"testing"

	"github.com/headgate-dev/headgate/core"
)

// guards are the stages of the table.
var guards = []guard{
	{"pii", "ann.lee@example.com", func(t testing.TB) func(core.Tokens) []core.Link { return redacting(t, "response: redact") }},
	{"pii that blocks", "ann.lee@example.com", func(t testing.TB) func(core.Tokens) []core.Link {
		return redacting(t, "action: block\nresponse: redact")
	}},
}
