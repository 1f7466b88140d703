package main_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheCacheIsOffUntilItIsTurnedOn(t *testing.T) {
	s := newSite(t)
	s.configure("", "  - {stage: pii}\n")
	for _, c := range []struct {
		args          []string
		first, second string
	}{
		{nil, "", ""},
		{[]string{"--set", "headgate.llm-gateway.cache.in-memory.enabled=true"}, "MISS", "HIT"},
	} {
		g := s.serve(append([]string{"--config", "gateway.yaml"}, c.args...)...)
		cl := g.client(testKey)
		first := cl.chat(t, "mock-echo", "my card is "+card)
		second := cl.chat(t, "mock-echo", "my card is "+card)
		assert.Equal(t, c.first, first.header.Get("X-Cache"))
		assert.Equal(t, c.second, second.header.Get("X-Cache"))
		assert.Contains(t, second.content(), card)
		cl.http.CloseIdleConnections()
		g.stop()
	}
}

func TestCacheAndSchemaAreLinksWithSettings(t *testing.T) {
	s := newSite(t)
	s.configure("", `
  - {stage: pii}
  - stage: schema
    config:
      on_failure: block
      schemas:
        - modelPattern: "mock-*"
          maxRetries: 1
          correctionPrompt: Once more.
          enabled: true
          schema: {type: object, required: [age], properties: {age: {type: integer, maximum: 150}}}
  - stage: cache
    config: {ttl: 5m, max_bytes: 1000000, max_tenant_bytes: 500000, max_entry_bytes: 100000, wait: 2s, max_temperature: 1.5, single_only: true, generation: a}
`)
	require.Equal(t, 0, s.run("validate", "--config", "gateway.yaml").code)
	g := s.serve("--config", "gateway.yaml")
	cl := g.client(testKey)
	assert.JSONEq(t, `{"age":5}`, cl.chat(t, "mock-echo", `{"age":5}`).content())
	assert.Equal(t, "HIT", cl.chat(t, "mock-echo", `{"age":5}`).header.Get("X-Cache"))
	a, err := cl.try("mock-echo", "no")
	require.NoError(t, err)
	assert.Equal(t, 502, a.status)
	assert.Equal(t, "output_schema_mismatch", a.code())
}

func TestAWrongSettingOfCacheOrSchemaNamesItsPlace(t *testing.T) {
	s := newSite(t)
	for chain, says := range map[string]string{
		"  - {stage: cache, config: {ttl: -5m}}\n":                                "ttl",
		"  - {stage: cache, config: {size: 1}}\n":                                 "size",
		"  - stage: cache\n    config: {ttl: -5m}\n":                              `gateway.yaml:14:5: chain link "cache": ttl`,
		"  - {stage: cache, mode: shadow}\n":                                      "shadow",
		"  - {stage: cache}\n  - {stage: pii}\n":                                  "write the pii link above",
		"  - {stage: schema, config: {schemas: [{modelPattern: x}]}}\n":           "schemas[0]",
		"  - {stage: schema, config: {schemas: [{modelPattern: x, scheme: {}}]}}": "scheme",
	} {
		s.configure("", chain)
		f := s.run("validate", "--config", "gateway.yaml")
		assert.NotZero(t, f.code, chain)
		assert.Contains(t, f.out+f.err, says, chain)
	}
}
