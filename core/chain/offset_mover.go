package chain

import (
	"sort"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/offset"
)

// offsetMover moves the offsets of one event. An event may hold many offsets and a stream many texts, so what an offset needs
// is looked up, and is prepared once for the event.
type offsetMover struct {
	texts   []*movedParts
	textOf  map[core.Part]*movedParts // the same by part
	joins   [2]map[int32]*joinedTexts // the texts of each choice, by unit; nil until an offset needs it
	request *core.Payload             // whose documents offsets point into; nil if the provider received what the client sent
}

// joinedTexts are the texts of a choice, as if they were one.
type joinedTexts struct {
	texts  []*movedParts
	starts []int // of each text as the provider sent it, and the end of the last
	sent   []int // where each begins for the client, and where the last ends
}

// move returns the place of one offset in what the client was sent.
func (m *offsetMover) move(n *offset.Number, at int) int {
	if n.Document > 0 {
		if m.request == nil {
			return at
		}
		return m.request.FindInDocument(n, at)
	}
	if n.Place.Joined {
		if j := m.joinTexts(n.Unit)[n.Place.Choice]; j != nil {
			return j.move(at, n.Unit, n.IsEnd)
		}
		return at
	}
	t := m.textOf[core.Part{Kind: core.KindText, Choice: n.Place.Choice, Index: n.Place.Index, Form: n.Place.Form}]
	if t == nil {
		return at
	}
	return t.shift(at, n.Unit, n.IsEnd)
}

// joinTexts returns the texts of all choices, each as if they were one.
func (m *offsetMover) joinTexts(u offset.Unit) map[int32]*joinedTexts {
	if m.joins[u] != nil {
		return m.joins[u]
	}
	m.joins[u] = map[int32]*joinedTexts{}
	for _, t := range m.texts {
		j := m.joins[u][t.Choice]
		if j == nil {
			j = &joinedTexts{starts: []int{0}, sent: []int{0}}
			m.joins[u][t.Choice] = j
		}
		length, k := t.received.Count(u), len(j.texts)
		j.texts = append(j.texts, t)
		j.starts = append(j.starts, j.starts[k]+length)
		j.sent = append(j.sent, j.sent[k]+t.shift(length, u, false))
	}
	return m.joins[u]
}

// move returns the place of an offset that counts through all texts of the choice.
func (j *joinedTexts) move(at int, u offset.Unit, isEnd bool) int {
	k := sort.Search(len(j.texts), func(i int) bool {
		return at < j.starts[i+1] || isEnd && at == j.starts[i+1]
	})
	if k == len(j.texts) {
		return j.sent[k] + at - j.starts[k]
	}
	return j.sent[k] + j.texts[k].shift(at-j.starts[k], u, isEnd)
}
