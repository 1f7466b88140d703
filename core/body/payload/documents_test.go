package payload

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// An answer may arrive when the request's body is gone, and after links have edited a document in two phases.
func TestPlacesInADocumentAreFoundAgainAfterItsBodyIsGone(t *testing.T) {
	p := &Payload{Raw: []byte(`["ab CARD, then CARD. end"]`), Segments: []Segment{{Span: splice.Span{Start: 2, End: 25}, Depth: 1}}}
	p.AddDocument(-1)
	p.AddDocument(0)
	assert.False(t, p.HasEditedDocuments())
	p.Apply([]Edit{{Segment: 0, Start: 3, End: 7, With: "{{token}}"}, {Segment: 0, Start: 14, End: 18, With: ""}})
	require.NoError(t, p.Flush())
	p.Apply([]Edit{{Segment: 0, Start: 0, End: 2, With: "x"}})
	require.NoError(t, p.Flush())
	require.Equal(t, `["x {{token}}, then . end"]`, string(p.Raw))
	p.Release()
	assert.True(t, p.HasEditedDocuments())
	find := func(document, at int, isEnd bool) int {
		return p.FindInDocument(&offset.Number{Document: document, IsEnd: isEnd}, at)
	}
	assert.Equal(t, [2]int{3, 7}, [2]int{find(2, 2, false), find(2, 11, true)}, "the card")
	assert.Equal(t, [2]int{20, 23}, [2]int{find(2, 20, false), find(2, 23, true)}, "the end")
	assert.Equal(t, 9, find(1, 9, false), "a document without text")
	assert.Equal(t, 9, find(3, 9, false), "none")
	p.Reset()
	assert.False(t, p.HasEditedDocuments())
}

func TestADocumentKeepsABoundedNumberOfEdits(t *testing.T) {
	const edits = maxDocumentEdits + 1
	text := strings.Repeat("ab", edits) + "end"
	p := &Payload{Raw: []byte(`"` + text + `"`), Segments: []Segment{{Span: splice.Span{Start: 1, End: 1 + len(text)}, Depth: 1}}}
	p.AddDocument(0)
	var list []Edit
	for i := range edits {
		list = append(list, Edit{Start: 2 * i, End: 2*i + 1, With: "xyz"})
	}
	p.Apply(list)
	require.NoError(t, p.Flush())
	assert.Equal(t, 1, p.documents.list[0].undo[0].Len())
	n := &offset.Number{Document: 1}
	assert.Equal(t, 2*edits, p.FindInDocument(n, 4*edits), "what is behind all edits stays right")
}

func TestAListOfManyDocumentsIsLetGo(t *testing.T) {
	var p Payload
	p.AddDocument(0)
	p.Reset()
	assert.NotZero(t, cap(p.documents.list), "a short list is kept")
	for range scratch.MaxKept {
		p.AddDocument(0)
	}
	p.Reset()
	assert.Zero(t, cap(p.documents.list))
}
