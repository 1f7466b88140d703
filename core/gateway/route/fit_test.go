package route

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestTargetsThatDoNotFitAreLeftOutWithTheirReason(t *testing.T) {
	plan := []core.TargetRef{{Provider: "a"}, {Provider: "b"}, {Provider: "c"}, {Provider: "d"}}
	without := func(names ...string) func(*core.TargetRef) *core.Error {
		return func(r *core.TargetRef) *core.Error {
			for _, n := range names {
				if r.Provider == n {
					return newLacksError("tools", n)
				}
			}
			return nil
		}
	}
	rest, skipped := RemoveUnfit(plan, without())
	assert.Equal(t, plan, rest)
	assert.Same(t, &plan[0], &rest[0], "not copied")
	assert.Empty(t, skipped)

	rest, skipped = RemoveUnfit(plan, without("a", "c"))
	assert.Equal(t, "bd", providersOf(rest))
	assert.Equal(t, "abcd", providersOf(plan), "the plan is unchanged")
	require.Len(t, skipped, 2)
	assert.Equal(
		t,
		[]string{"a", "a", "c", "c"},
		[]string{skipped[0].Target.Provider, skipped[0].Reason.Public, skipped[1].Target.Provider, skipped[1].Reason.Public},
	)

	rest, skipped = RemoveUnfit(plan, without("a", "b", "c", "d"))
	assert.Empty(t, rest)
	assert.Len(t, skipped, 4)
	rest, skipped = RemoveUnfit(nil, without("a"))
	assert.Empty(t, rest)
	assert.Empty(t, skipped)
}

func TestWhatAProviderLacksIsRefused(t *testing.T) {
	all := Capabilities{Streaming: true, Vision: true, ToolCalls: true, StructuredOutputs: true, JSONMode: true}
	head := core.Head{Tools: []string{"f"}, Images: true, Stream: true, Format: llm.FormatSchema}
	assert.Equal(t, Needs{Tools: true, Images: true, Schema: true, Stream: true}, DeriveNeeds(&head))
	assert.Nil(t, DeriveNeeds(&head).CheckCapabilities("X", all))
	assert.Nil(t, Needs{}.CheckCapabilities("X", Capabilities{}))
	for _, c := range []struct {
		name  string
		needs Needs
		has   Capabilities
		param string
	}{
		{"tools", Needs{Tools: true}, Capabilities{Vision: true}, "tools"},
		{"images", Needs{Images: true}, Capabilities{ToolCalls: true}, "messages"},
		{"a schema", Needs{Schema: true}, Capabilities{JSONMode: true}, "response_format"},
		{"a stream", Needs{Stream: true}, Capabilities{}, "stream"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := c.needs.CheckCapabilities("Cohere", c.has)
			require.NotNil(t, e)
			assert.Equal(t, 400, e.HTTPStatus())
			assert.Equal(t, core.CodeUnsupported, e.Code)
			assert.Equal(t, c.param, e.Param)
			assert.Contains(t, e.Public, "Cohere cannot")
			assert.Nil(t, c.needs.CheckCapabilities("Cohere", all))
		})
	}
}
