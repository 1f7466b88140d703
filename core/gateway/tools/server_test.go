package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

func TestAToolIsServedToThoseWhomOneAccessEntryNames(t *testing.T) {
	s := &tools.Server{Name: "s", Tools: []string{"find_*", "erase", "Ping"}, Access: []tools.Access{
		{Tenants: []string{"a"}, Tools: []string{"find_*"}},
		{Tenants: []string{"a"}, Keys: []string{"k1", "first"}},
		{Tenants: []string{"b*"}, Tools: []string{"erase", "secret"}},
	}}
	callers := map[string]*core.Principal{
		"a":       {Tenant: "a", KeyID: "k0"},
		"k1":      {Tenant: "a", KeyID: "k1"},
		"rotated": {Tenant: "a", KeyID: "k9", Lineage: "first"},
		"b":       {Tenant: "bb", KeyID: "k1"},
		"c":       {Tenant: "c", KeyID: "k1"},
	}
	allowed := map[string]string{
		"a": "find_all find_", "k1": "find_all find_ erase Ping", "rotated": "find_all find_ erase Ping", "b": "erase", "c": "",
	}
	for name, p := range callers {
		var got []string
		for _, tool := range []string{"find_all", "find_", "erase", "Ping", "ping", "secret", "Find_all", ""} {
			if s.Allows(p, tool) {
				got = append(got, tool)
			}
		}
		assert.Equal(t, allowed[name], strings.Join(got, " "), name)
		assert.Equal(t, allowed[name] != "", s.Admits(p), name)
	}
	assert.True(t, (&tools.Server{}).Allows(callers["c"], "x"), "without lists everyone may call everything")
}

func TestNamesOfToolsAreRecordedOnceTheServerIsKnownToHaveThem(t *testing.T) {
	build := func(before tools.Servers) tools.Servers {
		all := tools.Servers{"s": {Name: "s", Tools: []string{"*", "named"}, Prices: map[string]int64{"dear": 9}}}
		all.Adopt(before)
		return all
	}
	first := build(nil)
	s := first["s"]
	assert.Equal(t, "named", s.FormatRecordName("named"))
	assert.Equal(t, "dear", s.FormatRecordName("dear"))
	assert.Regexp(t, "^unknown:[0-9a-f]{12}$", s.FormatRecordName("listed"))
	assert.NotEqual(t, s.FormatRecordName("x"), s.FormatRecordName("y"))
	s.RecordTools("listed")
	assert.Equal(t, "listed", s.FormatRecordName("listed"))
	assert.Equal(t, "listed", build(first)["s"].FormatRecordName("listed"), "a reload forgets nothing")

	long := strings.Repeat("n", 200)
	s.RecordTools(long)
	assert.NotEqual(t, long, s.FormatRecordName(long))
	for i := range 5000 {
		s.RecordTools(fmt.Sprint("t", i))
	}
	assert.Equal(t, "t100", s.FormatRecordName("t100"))
	assert.NotEqual(t, "t4999", s.FormatRecordName("t4999"), "what is remembered of a server is bounded")
}

func TestACallOfAToolHasAPrice(t *testing.T) {
	all := tools.Servers{"s": {Name: "s", Price: 2, Prices: map[string]int64{"dear": 9}}}
	assert.EqualValues(t, 2, all.PriceCall("mcp/s", "mcp/s/any"))
	assert.EqualValues(t, 9, all.PriceCall("mcp/s", "mcp/s/dear"))
	assert.Zero(t, all.PriceCall("mcp/s", "mcp/s"), "a list costs nothing")
	assert.Zero(t, all.PriceCall("mcp/other", "mcp/other/dear"))
}
