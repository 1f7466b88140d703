package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const echoDenied = `version: 1
rules:
  - {id: no-echo, conditions: {model.denylist: ["mock-echo"]}, action: DENY, deny_message: "Echoes are over."}
`

// policy runs a command on policies that must succeed.
func (s *site) policy(args ...string) string {
	s.t.Helper()
	f := s.run(append([]string{"policy", args[0], "--config", "gateway.yaml"}, args[1:]...)...)
	require.Zero(s.t, f.code, f.err)
	return strings.TrimSpace(f.out)
}

// A policy's life: draft, dry run, shadow mode with divergence, promoted, conflict reported, rolled back; each change
// is in force in the running gateway.
func TestThePolicysLifeFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: policy\n  - stage: pii\n")+
		"policies:\n  - {id: kept-here, dsl: \"rules: [{id: warn, conditions: {model.in: [mock-json]}, action: WARN_AGENT, params: {message: careful}}]\"}\n"))
	s.write("no-echo.yaml", []byte(echoDenied))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	status := func() int { return c.chat(t, "mock-echo", "hello").status }

	a := c.chat(t, "mock-json", "hello")
	assert.Equal(t, "true", a.header.Get("X-Budget-Warning"), "a policy of the file is in force from the start: %s", a.body)
	assert.Equal(t, "careful", a.header.Get("X-Budget-Warning-Message"))

	var dry struct {
		Status, Reason string
		RuleID         string   `json:"rule_id"`
		Unknown        []string `json:"unknown_inputs"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.policy("dry-run", "no-echo.yaml", "--tenant", "default", "--model", "mock-echo")), &dry))
	assert.Equal(t, "DENIED", dry.Status)
	assert.Equal(t, "no-echo", dry.RuleID)
	assert.Equal(t, "Echoes are over.", dry.Reason)
	assert.Empty(t, dry.Unknown)

	id := s.policy("create", "no-echo.yaml")
	assert.Regexp(t, `(?m)^`+id+`  DRAFT +1  +no-echo  +platform  +cli$`, s.policy("list"))
	f := s.run("policy", "promote", "--config", "gateway.yaml", id)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "only a policy in SHADOW can be promoted; this one is DRAFT")
	assert.Equal(t, 200, status())

	s.policy("shadow", id)
	var stats struct {
		Stats struct {
			Divergent int64 `json:"divergent_count"`
			ByRule    []struct {
				RuleID string `json:"rule_id"`
				Type   string `json:"divergence_type"`
			} `json:"by_rule"`
		}
		Events []struct {
			Active string `json:"active_decision"`
			Shadow string `json:"shadow_decision"`
			Model  string
		}
	}
	eventually(t, "the shadow diverges", func() bool {
		assert.Equal(t, 200, status(), "a shadow changes nothing")
		return json.Unmarshal([]byte(s.policy("stats", id, "--events", "1")), &stats) == nil && stats.Stats.Divergent > 0
	})
	assert.Equal(t, "shadow_deny_active_allow", stats.Stats.ByRule[0].Type)
	assert.Equal(t, "no-echo", stats.Stats.ByRule[0].RuleID)
	require.Len(t, stats.Events, 1)
	assert.Equal(t, "ALLOWED", stats.Events[0].Active)
	assert.Equal(t, "DENIED", stats.Events[0].Shadow)

	assert.Contains(t, s.policy("promote", id), "ACTIVE version 2")
	var denied answer
	eventually(t, "the policy is enforced", func() bool {
		denied = c.chat(t, "mock-echo", "hello")
		return denied.status == http.StatusForbidden
	})
	assert.Equal(t, "POLICY_DENIED", denied.code())
	assert.Contains(t, denied.body, "Echoes are over.")
	assert.Contains(t, s.policy("stats", id), `"total_evaluations": 0`, "the events of a shadow are gone")

	s.write("wider.yaml", []byte("name: wide-mocks\nrules:\n  - {id: no-mocks, conditions: {model.denylist: [\"mock-*\"]}, action: DENY}\n"))
	wide := s.policy("create", "wider.yaml")
	assert.Regexp(t, `(?m)^`+wide+` .* wide-mocks +platform `, s.policy("list"), "the name is that of the text")
	warned := s.policy("activate", wide)
	assert.Contains(t, warned, "warning SHADOWED_RULE")
	assert.Contains(t, s.policy("conflicts"), "SHADOWED_RULE")
	s.policy("delete", wide)

	s.write("other.yaml", []byte(strings.ReplaceAll(echoDenied, "mock-echo", "mock-nothing")))
	assert.Contains(t, s.policy("update", id, "other.yaml"), "ACTIVE version 3")
	eventually(t, "the update is in force", func() bool { return status() == 200 })
	assert.Contains(t, s.policy("rollback", id, "1"), "ACTIVE version 4")
	eventually(t, "the old text is in force again", func() bool { return status() == http.StatusForbidden })
	assert.Regexp(t, `^VERSION .*\n4 .*\n3 .*\n2 .*\n1 `, s.policy("versions", id))

	upload := c.upload(
		t,
		`{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"mock-echo","messages":[{"role":"user","content":"x"}]}}`,
	)
	assert.Equal(t, http.StatusForbidden, upload.status)
	assert.Contains(t, upload.body, "line 1: Echoes are over.")

	f = s.run("policy", "update", "--config", "gateway.yaml", "kept-here", "other.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "configuration file")
	s.policy("delete", id)
	eventually(t, "it is out of force", func() bool { return status() == 200 })
	g.stop()
	g.clean()
	f = s.run("audit", "verify", "--config", "gateway.yaml", "--json")
	assert.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, `"POLICY_DECISION"`, "the decisions of rules are in the audit log")
}

func TestPoliciesAreCheckedTestedAndEvaluatedWithoutAGateway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("p.yaml", []byte("name: p\n"+echoDenied))
	s.write(
		"bad.yaml",
		[]byte("version: 1\nrules:\n  - {id: a, conditions: {model.denylits: [x]}, action: DENY}\n  - {id: a, action: DENY}\n"),
	)
	f := s.run("policy", "check", "p.yaml")
	assert.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "1 policies with 1 rules: 0 issues")
	f = s.run("policy", "check", "bad.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(
		t,
		f.out,
		`error   UNKNOWN_CONDITION: bad.yaml:3: rule "a": unknown condition "model.denylits"; did you mean "model.denylist"?`,
	)
	assert.Contains(t, f.out, "DUPLICATE_RULE_ID: bad.yaml:4:")

	s.write("ctx.json", []byte(`{"model": "mock-echo"}`))
	f = s.run("policy", "eval", "p.yaml", "--context", "ctx.json")
	assert.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, `"decision": "DENIED"`)
	s.write("ctx.json", []byte(`{"modle": "mock-echo"}`))
	f = s.run("policy", "eval", "p.yaml", "--context", "ctx.json")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, `did you mean "model"?`)

	s.write(
		"tests.yaml",
		[]byte(
			"policies: [p.yaml]\ncases:\n  - {id: echo, context: {model: mock-echo}, expected: {decision: DENIED, rule_id: no-echo}}\n  - {id: other, context: {model: gpt-5}, expected: {decision: DENIED}}\n",
		),
	)
	f = s.run("policy", "test", "tests.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.out, "ok     echo")
	assert.Contains(t, f.out, "FAILED other\n       decision: expected DENIED, got ALLOWED\n1 passed, 1 failed")
}

func TestAPolicyOfTheFileThatIsWrongStopsTheStart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: policy\n")+"policies:\n  - {id: p, file: p.yaml}\n"))
	s.write("p.yaml", []byte("version: 1\nrules:\n  - {id: a, action: DENNY}\n"))
	for _, verb := range []string{"validate", "serve"} {
		f := s.run(verb, "--config", "gateway.yaml")
		assert.Equal(t, 1, f.code)
		assert.Contains(t, f.err, `p.yaml:3: rule "a": unknown action "DENNY"; did you mean DENY?`)
	}
	s.remove("p.yaml")
	f := s.run("validate", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "policies[0].file")
}

// Several policy links share the work: no link relies on another for a request that the other one does not handle.
func TestAPolicyLinkDoesNotRelyOnOneThatIsNotAsked(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{
		"in shadow":     "{stage: policy, name: trial, mode: shadow}",
		"of others":     "{stage: policy, name: theirs, for: {tenants: [other]}}",
		"of the answer": "{stage: policy, name: answers, phases: [response]}",
	} {
		for _, chain := range []string{first + ", {stage: policy}", "{stage: policy}, {stage: pii}, " + first} {
			s := newSite(t)
			s.write("gateway.yaml", []byte(strings.Replace(configText("", ""), "chain:\n", "chain: ["+chain+"]\n", 1)+
				"policies:\n  - {id: here, dsl: \"rules: [{id: a, conditions: {model.denylist: [mock-echo]}, action: DENY}, {id: b, conditions: {model.in: [mock-json], provider.in: [mock]}, action: DENY}]\"}\n"))
			g := s.serve("--config", "gateway.yaml")
			assert.Equal(t, 403, g.client(testKey).chat(t, "mock-echo", "hello").status, "%s: %s", name, chain)
			assert.Equal(t, 403, g.client(testKey).chat(t, "mock-json", "hello").status, "%s: %s", name, chain)
			g.stop()
		}
	}
}
