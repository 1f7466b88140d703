package console

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// texts describes events to a reader who has no permission to read names.
func texts() auditTexts {
	return auditTexts{People: (&admin.Service{}).OpenPeople(context.Background(), &auth.Actor{Roles: []auth.Role{auth.RoleViewer}})}
}

func TestEachEventIsSaidInOneLine(t *testing.T) {
	for _, c := range []struct{ kind, payload, says string }{
		{
			audit.GatewayRequest, `{"request_id":"r","shape":"openai.chat","api_key":"gw_ab","model":"gpt-4o"}`,
			"gpt-4o as openai.chat with key gw_ab",
		},
		{audit.GatewayResponse, `{"status":403,"outcome":"blocked","by":"pii"}`, "403 blocked by pii"},
		{
			audit.GatewayResponse, `{"status":200,"outcome":"served","provider":"openai","model":"gpt-4o","tokens_total":12,"latency_ms":5}`,
			"200 served from openai gpt-4o, 12 tokens, 5 ms",
		},
		{
			audit.PolicyDecision, `{"decision":"DENIED","rules":[{"rule":"p/a","phase":"request"},{"rule":"p/a","phase":"response"},{"rule":"p/b"}]}`,
			"DENIED by p/a, p/b",
		},
		{audit.PIIRedacted, `{"total":3,"types":{"PHONE":1,"EMAIL":2}}`, "3 values: 1 PHONE, 2 EMAIL"},
		{audit.AuthSuccess, `{"actor":"user:u","via":"pat"}`, "user:u signed in by pat"},
		{audit.AuthFailure, `{}`, "no valid key"},
		{audit.ConfigChanged, `{"actor":"cli","action":"update","resource":"route","id":"x"}`, "cli: update route x"},
		{audit.LicenseTransition, `{"from":"NONE","to":"VALID"}`, "NONE to VALID"},
		{"SOMETHING_ELSE", `{"b":true,"a":1,"c":{"x":1},"d":"text"}`, "a 1, b true, d text"},
	} {
		assert.Equal(t, c.says, texts().Say(c.kind, json.RawMessage(c.payload)), c.kind)
	}
}

// Users write the contents of events, and an attacker may have changed them arbitrarily.
func FuzzNoPayloadIsTooOddToBeSaid(f *testing.F) {
	f.Add(`{"actor":1,"types":[],"rules":{"a":1}}`)
	f.Add(`[1]`)
	f.Add(`{"id":"\u0000"`)
	f.Fuzz(func(t *testing.T, payload string) {
		for _, kind := range append(audit.ListTypes(), audit.Type{Name: "OTHER"}) {
			texts().Say(kind.Name, json.RawMessage(payload))
			texts().explain(kind.Name, json.RawMessage(payload))
		}
	})
}

func TestAFieldThatTheDocumentationDoesNotKnowIsShownToo(t *testing.T) {
	meaning, fields := texts().explain(audit.BudgetExceeded, json.RawMessage(`{"zz":{"a": 1},"budget":"b","aa":"x"}`))
	assert.NotEmpty(t, meaning)
	assert.Equal(t, []eventField{{"budget", "the budget", "b"}, {"aa", "", "x"}, {"zz", "", `{"a":1}`}}, fields)
}
