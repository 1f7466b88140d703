package core_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestTheRefusalOfExtendedThinkingNamesTheProvider(t *testing.T) {
	traits := core.Traits{Label: "Cohere"}
	assert.Nil(t, wire.RefuseThinking(&llm.Request{}, traits))
	e := wire.RefuseThinking(&llm.Request{Thinking: json.RawMessage(`{"type":"enabled"}`)}, traits)
	require.NotNil(t, e)
	assert.Equal(t, core.CodeUnsupported, e.Code)
	assert.Equal(t, "thinking", e.Param)
	assert.Contains(t, e.Public, "Cohere")

	asked := llm.Request{Thinking: json.RawMessage(`{"type":"enabled"}`)}
	assert.Nil(t, wire.RefuseThinking(&asked, core.Traits{NoThoughts: true}))
	assert.Equal(t, []string{"thinking"}, asked.Dropped, "the client is told that there are no thoughts")
}
