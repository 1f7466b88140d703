package llm

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnIDThatIsUsedAgainBecomesAnother(t *testing.T) {
	called := func(id string) Message { return Message{Role: Assistant, Parts: []Part{call(Call{ID: id, Name: "f"})}} }
	answered := func(id string) Message { return Message{Role: ToolRole, Parts: []Part{result(Result{CallID: id})}} }
	r := &Request{Messages: []Message{
		called(
			"c",
		),
		answered("c"),
		{Role: User, Parts: []Part{NewText("x")}},
		called("c_2"),
		answered("c_2"),
		called("c"),
		answered("c"),
		called("c"),
		answered("c"),
		called(""),
		answered(""),
		called(""),
		answered(""),
	}}
	var ids []string
	for _, m := range Lower(r, Target{DistinctIDs: true}).Request.Messages {
		switch p := m.Parts[0]; p.Kind {
		case CallPart:
			ids = append(ids, p.Call.ID)
		case ResultPart:
			ids = append(ids, p.Result.CallID)
		}
	}
	assert.Equal(t, []string{"c", "c", "c_2", "c_2", "c_3", "c_3", "c_4", "c_4", "", "", "", ""}, ids)
	assert.Equal(t, "c", r.Messages[5].Parts[0].Call.ID, "the request itself stays")
	assert.Same(t, r, Lower(r, Target{}).Request, "where ids may repeat they do")
	plain := &Request{Messages: []Message{called("a"), answered("a"), called("b"), answered("b")}}
	assert.Same(t, plain, Lower(plain, Target{DistinctIDs: true}).Request)
}
