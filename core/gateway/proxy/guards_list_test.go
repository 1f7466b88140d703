package proxy_test

import (
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// guards are the stages of the table.
var guards = append([]guard{
	{
		name:  "pii",
		value: "ann.lee@example.com",
		chain: func(t testing.TB) func(core.Tokens) []chain.Link { return redacting(t, "response: redact") },
	},
	{name: "pii that blocks", value: "ann.lee@example.com", chain: func(t testing.TB) func(core.Tokens) []chain.Link {
		return redacting(t, "action: block\nresponse: redact")
	}},
	{name: "webhook", value: "ann.lee@example.com", chain: linkWebhook(webhook.Redact, "ann.lee@example.com")},
	{name: "webhook that blocks", value: "ann.lee@example.com", chain: linkWebhook(webhook.Block, "ann.lee@example.com")},
	{name: "wasm detector", value: "EMP-123456", chain: detecting("redact")},
	{name: "wasm detector that blocks", value: "EMP-123456", chain: detecting("block")},
	{name: "guardrail", value: "zanzibar77", chain: keyword("redact", "zanzibar77")},
	{name: "guardrail that blocks", value: "zanzibar77", chain: keyword("block", "zanzibar77")},
	{name: "policy", value: "ann.lee@example.com", chain: linkPolicy("  - {id: in, conditions: {pii.types_any: [EMAIL]}, action: REDACT}\n" +
		"  - {id: out, phase: response, conditions: {response.pii_types_any: [EMAIL]}, action: REDACT}\n")},
	{
		name:  "policy that blocks",
		value: "ann.lee@example.com",
		chain: linkPolicy("  - {id: in, conditions: {pii.types_any: [EMAIL]}, action: DENY}\n" +
			"  - {id: out, phase: response, conditions: {response.pii_types_any: [EMAIL]}, action: DENY}\n"),
	},
}, vendorRows()...)
