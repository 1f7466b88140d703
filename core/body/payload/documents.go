package payload

import (
	"sort"

	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/scratch"
)

// document is a text of a request that its answer can point into by offsets.
type document struct {
	segment int            // that holds its text; -1: its text is not in the request, or in several
	undo    []offset.Table // the edits that undo those of each flush
}

// documents are the documents of a request in order, as their answer counts them.
type documents struct {
	list   []document
	edited bool // the text of one is no longer what the client sent
}

// maxDocumentEdits bounds the edits of a document that are kept until the answer has ended: 80 KiB. More become one, so that
// only offsets between them are less exact.
const maxDocumentEdits = 1 << 10

// AddDocument notes the next document of a request: the segment that holds its text, or -1 if an answer cannot point into it
// by offsets.
func (p *Payload) AddDocument(segment int) {
	p.documents.list = append(p.documents.list, document{segment: segment})
}

// ForgetDocuments forgets the documents before a request is scanned again. It keeps a list of ordinary size for the next ones.
func (p *Payload) ForgetDocuments() { p.documents = documents{list: scratch.Reuse(p.documents.list)} }

// HasEditedDocuments reports whether the text of a document is no longer what the client sent.
func (p *Payload) HasEditedDocuments() bool { return p.documents.edited }

// FindInDocument returns the place in a document as the client sent it of an offset into the document as it is now.
func (p *Payload) FindInDocument(n *offset.Number, at int) int {
	if n.Document > len(p.documents.list) {
		return at
	}
	undo := p.documents.list[n.Document-1].undo
	for i := len(undo) - 1; i >= 0; i-- {
		at = undo[i].Shift(at, n.Unit, n.IsEnd)
	}
	return at
}

// FollowDocuments has the next flush of an answer move the offsets that point into documents of a request, which were changed.
func (p *Payload) FollowDocuments(request *Payload) {
	p.origin, p.cutsMade = request, false
}

// noteDocuments keeps how the edits of this flush are undone in the texts of documents.
func (p *Payload) noteDocuments() {
	list := p.edits.segments
	for k := range p.documents.list {
		d := &p.documents.list[k]
		i := sort.Search(len(list), func(i int) bool { return list[i].segment >= d.segment })
		if d.segment < 0 || i == len(list) || list[i].segment != d.segment {
			continue
		}
		table := p.buildTable(list[i])
		if table.Len() > maxDocumentEdits {
			table.Merge()
		}
		d.undo, p.documents.edited = append(d.undo, table.Invert()), true
	}
}
