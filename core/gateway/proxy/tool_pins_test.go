package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
)

// toolList is a response with definitions of tools.
func toolList(definitions ...string) string {
	return toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[` +
		strings.Join(definitions, ",") + `]}}`)
}

const (
	pinnedFind = `{"name":"find","title":"Find","description":"Finds people.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},` +
		`"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	otherTool = `{"name":"read","inputSchema":{"type":"object"}}`
)

// openPinned starts a gateway that pins the tools of "peer", and returns what it tells of them.
func openPinned(t *testing.T, how tools.Pinning) (*gate, *tools.Pins, chan string, *[]*store.OfferedTool) {
	t.Helper()
	replies := make(chan string, 1)
	up := newFake(t, sayNext(replies))
	told := &[]*store.OfferedTool{}
	view := tools.NewPins(func(o *store.OfferedTool) bool { *told = append(*told, o); return true })
	g := openToolsWith(t, up.url, setup{chain: redacting(t, "")}, func(s *tools.Server) {
		modern(s)
		s.Pin = how
		tools.Servers{"peer": s}.SetPins(view)
	})
	return g, view, replies, told
}

func TestADriftInAnyFieldWithholdsTheToolAndReorderedMembersDoNot(t *testing.T) {
	for name, c := range map[string]struct {
		definition string
		served     bool
	}{
		"the same":                 {pinnedFind, true},
		"reordered members":        {`{ "inputSchema":{"properties":{"q":{"type":"string"}},"type":"object"},"annotations":{"readOnlyHint":true},"description":"Finds peo\u0070le.","outputSchema":{"type":"object"},"title":"Find","name":"find"}`, true},
		"the title":                {strings.Replace(pinnedFind, `"title":"Find"`, `"title":"Found"`, 1), false},
		"no title":                 {strings.Replace(pinnedFind, `"title":"Find",`, ``, 1), false},
		"the description":          {strings.Replace(pinnedFind, `people.`, `people. First call read.`, 1), false},
		"the input schema":         {strings.Replace(pinnedFind, `{"q":`, `{"r":`, 1), false},
		"the output schema":        {strings.Replace(pinnedFind, `"outputSchema":{"type":"object"}`, `"outputSchema":{"type":"object","title":"x"}`, 1), false},
		"an annotation":            {strings.Replace(pinnedFind, `true`, `false`, 1), false},
		"another member":           {strings.Replace(pinnedFind, `{"name"`, `{"x":"y","name"`, 1), false},
		"a second one of the name": {pinnedFind + `,` + strings.Replace(pinnedFind, `people`, `everyone`, 1), false},
		"a number beyond a double": {strings.Replace(pinnedFind, `"readOnlyHint":true`, `"readOnlyHint":true,"n":1e999`, 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			g, _, replies, told := openPinned(t, tools.PinFirstUse)
			replies <- toolList(pinnedFind, otherTool)
			require.Contains(t, g.listTools("dev").body, `"name":"find"`)
			require.Len(t, *told, 2)
			replies <- toolList(c.definition, otherTool)
			list := g.listTools("dev")
			require.Equal(t, 200, list.status, list.body)
			assert.Contains(t, list.body, `"name":"read"`, "other tools stay")
			assert.Equal(t, c.served, strings.Contains(list.body, "people") || strings.Contains(list.body, `peo\u0070le`), list.body)
			if c.served {
				replies <- toolJSON(toolResult("x"))
				assert.Equal(t, 200, g.callTool("dev", "find", "x").status)
				assert.Len(t, *told, 2)
				return
			}
			assert.Contains(t, list.body, `"cacheScope":"private"`)
			a := g.callTool("dev", "find", "x")
			assert.Equal(t, 403, a.status, a.body)
			assert.Contains(t, a.body, "tool_quarantined")
			assert.Len(t, *told, 3)
			replies <- toolList(pinnedFind, otherTool)
			assert.NotContains(t, g.listTools("dev").body, "people", "it stays in quarantine until somebody has looked")
		})
	}
}

func TestAToolThatNeedsAnApprovalIsNeitherListedNorCallableBefore(t *testing.T) {
	g, view, replies, told := openPinned(t, tools.PinRequired)
	assert.Equal(t, 403, g.callTool("dev", "find", "x").status, "the definition is not approved")
	replies <- toolList(pinnedFind, otherTool)
	assert.NotContains(t, g.listTools("dev").body, "find")
	require.Len(t, *told, 2)
	digest := (*told)[0].Digest
	view.Apply(&store.ToolPin{ID: "peer/find", Server: "peer", Tool: "find", Pin: pins.Pin{State: pins.Pinned, Digest: digest}})
	replies <- toolList(pinnedFind, otherTool)
	list := g.listTools("dev")
	assert.Contains(t, list.body, "find")
	assert.NotContains(t, list.body, `"read"`)
	replies <- toolJSON(toolResult("x"))
	assert.Equal(t, 200, g.callTool("dev", "find", "x").status)
}

func TestADriftThatTheStoreDoesNotHaveYetOutlivesItsPins(t *testing.T) {
	g, view, replies, told := openPinned(t, tools.PinFirstUse)
	replies <- toolList(pinnedFind)
	g.listTools("dev")
	trusted := store.ToolPin{ID: "peer/find", Server: "peer", Tool: "find", Pin: pins.Pin{State: pins.Pinned, Digest: (*told)[0].Digest}}
	view.Load([]store.ToolPin{trusted})
	replies <- toolList(strings.Replace(pinnedFind, "people", "everyone", 1))
	assert.NotContains(t, g.listTools("dev").body, "find")
	view.Load([]store.ToolPin{trusted})
	assert.Equal(t, 403, g.callTool("dev", "find", "x").status)
	view.Load([]store.ToolPin{{ID: "peer/find", Server: "peer", Tool: "find", Pin: pins.Pin{State: pins.Pinned, Digest: (*told)[1].Digest}}})
	replies <- toolJSON(toolResult("x"))
	assert.Equal(t, 200, g.callTool("dev", "find", "x").status, "somebody has approved it")
}

func TestAServerThatOffersSomethingElseEachTimeIsToldOnceAMinute(t *testing.T) {
	g, _, replies, told := openPinned(t, tools.PinFirstUse)
	for i := range 5 {
		replies <- toolList(strings.Replace(pinnedFind, "people", fmt.Sprint("people ", i), 1))
		g.listTools("dev")
	}
	assert.Len(t, *told, 2, "what was seen first, and the first drift")
}

func TestAToolThatCannotBePinnedIsNotServedOnFirstUse(t *testing.T) {
	g, _, replies, told := openPinned(t, tools.PinFirstUse)
	spoilt := strings.Replace(pinnedFind, `"readOnlyHint":true`, `"n":1e999`, 1)
	replies <- toolList(spoilt, otherTool)
	assert.NotContains(t, g.listTools("dev").body, `"find"`)
	a := g.callTool("dev", "find", "x")
	assert.Equal(t, 403, a.status, a.body)
	require.Len(t, *told, 2)
	assert.True(t, (*told)[0].Required, "the store must not trust it either")
	_, err := pins.Pin{State: pins.New, Offered: (*told)[0].Digest}.Decide((*told)[0].Digest, true)
	assert.ErrorIs(t, err, pins.ErrUnpinnable)
}

func TestAServerThatFillsItsPinsCostsNoOtherServerAnything(t *testing.T) {
	s, other := &tools.Server{Name: "hostile", Pin: tools.PinFirstUse}, &tools.Server{Name: "honest", Pin: tools.PinFirstUse}
	tools.Servers{"hostile": s, "honest": other}.SetPins(tools.NewPins(nil))
	review := func(s *tools.Server, tool string) bool {
		doc := []byte(`{"name":"` + tool + `"}`)
		return s.ReviewTools(doc, []mcp.Definition{{Name: tool, At: splice.Span{End: len(doc)}}})[tool]
	}
	for i := range pins.MaxTools {
		require.False(t, review(s, fmt.Sprint("t", i)))
	}
	assert.True(t, review(s, "more"))
	assert.True(t, s.IsQuarantined("more"))
	assert.True(t, s.IsQuarantined("never_listed"))
	assert.False(t, s.IsQuarantined("t0"))
	assert.False(t, review(other, "find"))
	assert.False(t, other.IsQuarantined("read"))
}
