package offered_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/tools/offered"
)

var (
	now  = time.Unix(1_800_000_000, 0)
	jane = &core.Principal{Tenant: "a", KeyID: "k1"}
)

func TestCallsAreFoundInTheAnswersOfEveryShape(t *testing.T) {
	m := offered.New()
	args := m.SumArgs([]byte(`{"b": 1, "a": [2]}`))
	for name, c := range map[string]struct {
		doc  string
		want []offered.Call
	}{
		"a chat completion": {
			`{"choices":[{"message":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"a\":[2],\"b\":1.0}"}}]}}]}`,
			[]offered.Call{{ID: "c1", Name: "find", Args: args}},
		},
		"its first event": {
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"find","arguments":""},"id":"c1"}]}}]}`,
			[]offered.Call{{ID: "c1", Name: "find"}},
		},
		"a message":                       {`{"content":[{"type":"tool_use","id":"t1","name":"find","input":{"a":[2],"b":1}}]}`, []offered.Call{{ID: "t1", Name: "find", Args: args}}},
		"its first block":                 {`{"type":"content_block_start","content_block":{"type":"tool_use","id":"t1","name":"find","input":{}}}`, []offered.Call{{ID: "t1", Name: "find"}}},
		"a response's item":               {`{"output":[{"id":"fc","call_id":"c1","type":"function_call","name":"find","arguments":"{\"a\":[2],\"b\":1}"}]}`, []offered.Call{{ID: "c1", Name: "find", Args: args}}},
		"a candidate":                     {`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"find"}}]}}]}`, []offered.Call{{Name: "find"}}},
		"a tool that the answer repeats":  {`{"tools":[{"type":"function","name":"find","arguments":{}}],"tool_choice":{"name":"find","input":1}}`, nil},
		"what arguments hold":             {`{"content":[{"type":"tool_use","id":"t1","name":"other","input":{"x":{"name":"find","input":{}}}}]}`, nil},
		"a tool that was not offered":     {`{"content":[{"type":"tool_use","id":"t1","name":"erase","input":{}}]}`, nil},
		"text that looks like one":        {`{"content":[{"type":"text","text":"{\"name\":\"find\",\"input\":{}}"}]}`, nil},
		"what is not JSON after all":      {`{"content":[{"name":"find","input":`, nil},
		"a call below the depth of calls": {strings.Repeat(`{"x":`, 60) + `{"name":"find","input":{}}` + strings.Repeat("}", 60), nil},
	} {
		assert.Equal(t, c.want, m.FindCalls([]byte(c.doc), []string{"find"}), name)
	}
}

func TestAToolIsKnownByItsNameBehindAPrefixOfTheClient(t *testing.T) {
	for name, want := range map[string]bool{
		"find": true, "mcp__search__find": true, "search.find": true, "search/find": true, "x:find": true,
		"unfind": false, "search_find": false, "search-find": false, "__find": false, "findx": false, "": false,
	} {
		m := offered.New()
		m.AddOffer(jane, []string{"other", name}, now)
		got, called := m.FindUse(jane, "find", now)
		assert.Equal(t, want, got, name)
		assert.False(t, called, name)
	}
}

func TestOffersAndCallsBelongToALineOfKeysForAnHour(t *testing.T) {
	m := offered.New()
	rotated := &core.Principal{Tenant: "a", KeyID: "k2", Lineage: "k1"}
	m.AddOffer(jane, []string{"find"}, now)
	m.AddCalls(jane, []offered.Call{{ID: "c", Name: "find"}}, offered.Trace{ID: "t"}, now)
	for name, c := range map[string]struct {
		who  *core.Principal
		at   time.Time
		want bool
	}{
		"the key itself":             {jane, now, true},
		"its successor":              {rotated, now, true},
		"at the end of the hour":     {jane, now.Add(time.Hour), true},
		"after the hour":             {jane, now.Add(time.Hour + 1), false},
		"another tenant's key":       {&core.Principal{Tenant: "b", KeyID: "k1"}, now, false},
		"another key":                {&core.Principal{Tenant: "a", KeyID: "k3"}, now, false},
		"a caller that is not known": {nil, now, false},
	} {
		was, called := m.FindUse(c.who, "find", c.at)
		assert.Equal(t, c.want, was, name)
		assert.Equal(t, c.want, called, name)
		_, ok := m.FindResult(c.who, "c", c.at)
		assert.Equal(t, c.want, ok, name)
	}
}

func TestCallsWithTheSameArgumentsAreCarriedOutInTheirOrder(t *testing.T) {
	m := offered.New()
	x, y := m.SumArgs([]byte(`{"x":1}`)), m.SumArgs([]byte(`{"x":2}`))
	for i, args := range []uint64{x, y, x, 0} {
		m.AddCalls(jane, []offered.Call{{ID: fmt.Sprint(i), Name: "find", Args: args}}, offered.Trace{ID: fmt.Sprint(i)}, now)
	}
	take := func(args uint64) string {
		trace, ok := m.ClaimCall(jane, "find", args, now)
		assert.True(t, ok)
		return trace.ID
	}
	assert.Equal(t, "0", take(x))
	assert.Equal(t, "2", take(x))
	assert.Equal(t, "3", take(x), "one whose arguments are not known")
	assert.Equal(t, "2", take(x), "a call that is repeated")
	assert.Equal(t, "1", take(y))
	_, ok := m.ClaimCall(jane, "other", x, now)
	assert.False(t, ok)
}

func TestMemoryIsBounded(t *testing.T) {
	m := offered.New()
	long := strings.Repeat("n", 200)
	for i := range 20_000 {
		p := &core.Principal{Tenant: "a", KeyID: fmt.Sprint(i)}
		names := make([]string, 50)
		for k := range names {
			names[k] = fmt.Sprint(long, k)
		}
		m.AddOffer(p, names, now.Add(time.Duration(i)))
	}
	assert.LessOrEqual(t, m.Bytes(), 33<<20)
	assert.Greater(t, m.Bytes(), 16<<20, "it forgets no more than it must")
	was, _ := m.FindUse(&core.Principal{Tenant: "a", KeyID: "19999"}, fmt.Sprint(long, 1), now)
	assert.True(t, was, "the newest is known")
	for i := range 1000 {
		m.AddOffer(jane, []string{fmt.Sprint("t", i)}, now.Add(time.Duration(i)))
		m.AddCalls(jane, []offered.Call{{ID: fmt.Sprint(i), Name: fmt.Sprint("t", i)}}, offered.Trace{ID: "t"}, now)
	}
	_, old := m.FindUse(jane, "t1", now)
	_, fresh := m.FindUse(jane, "t999", now)
	assert.False(t, old)
	assert.True(t, fresh)
	assert.LessOrEqual(t, m.Bytes(), 33<<20)
}

func TestACallThatIsMadeAgainBelongsToTheNewerTrace(t *testing.T) {
	for name, c := range map[string]struct {
		trace string
		after time.Duration
		look  time.Duration
		want  string // the trace of a call of the tool then; "" for none
	}{
		"an answer of a cache in another session": {"new", time.Minute, time.Minute, "new"},
		"long after the first":                    {"new", 59 * time.Minute, 90 * time.Minute, "new"},
		"after the first has expired":             {"old", 61 * time.Minute, 61 * time.Minute, "old"},
		"a stream that tells of it twice":         {"old", time.Minute, time.Minute, "old"},
		"which does not prolong it":               {"old", 59 * time.Minute, 61 * time.Minute, ""},
	} {
		m := offered.New()
		call := []offered.Call{{ID: "c", Name: "find"}}
		m.AddCalls(jane, call, offered.Trace{ID: "old"}, now)
		_, _ = m.ClaimCall(jane, "find", 0, now)
		m.AddCalls(jane, call, offered.Trace{ID: c.trace}, now.Add(c.after))
		_, requested := m.FindUse(jane, "find", now.Add(c.look))
		assert.Equal(t, c.want != "", requested, name)
		trace, _ := m.ClaimCall(jane, "find", 0, now.Add(c.look))
		assert.Equal(t, c.want, trace.ID, name)
		trace, _ = m.FindResult(jane, "c", now.Add(c.look))
		assert.Equal(t, c.want, trace.ID, name)
	}
}

func TestATenantThatTakesMuchMakesNobodyElseForgotten(t *testing.T) {
	m := offered.New()
	for i := range 100 {
		m.AddOffer(&core.Principal{Tenant: fmt.Sprint("small_", i), KeyID: "k"}, []string{"find"}, now)
	}
	names := make([]string, 300)
	for i := range names {
		names[i] = fmt.Sprint(strings.Repeat("n", 90), i)
	}
	for i := range 5000 { // 150 MB
		m.AddOffer(&core.Principal{Tenant: "large", KeyID: fmt.Sprint(i)}, names, now.Add(time.Minute))
	}
	assert.LessOrEqual(t, m.Bytes(), 33<<20)
	for i := range 100 {
		was, _ := m.FindUse(&core.Principal{Tenant: fmt.Sprint("small_", i), KeyID: "k"}, "find", now)
		assert.True(t, was, i)
	}
}

func TestAListOfNamesIsBoundedInBytes(t *testing.T) {
	m := offered.New()
	names := make([]string, 500)
	for i := range names {
		names[i] = fmt.Sprint(strings.Repeat("n", 200), i)
	}
	m.AddOffer(jane, names, now)
	first, _ := m.FindUse(jane, names[0], now)
	last, _ := m.FindUse(jane, names[499], now)
	assert.True(t, first)
	assert.False(t, last, "what was not kept does not count as offered")
	assert.LessOrEqual(t, m.Bytes(), 48<<10)
}
