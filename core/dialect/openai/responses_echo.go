package openai

import (
	"bytes"
	"hash/maphash"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readInstructions reads the instructions of an answer, which are text unless they repeat those of the request.
func (o *outputScan) readInstructions() {
	at, _ := o.s.String()
	if o.s.Err() != nil || at.Len() == 0 || scan.FindNotes[responsesNotes](o.x).asked.repeats(o.x, o.doc[at.Start:at.End]) {
		return
	}
	p := core.Part{Kind: core.KindOther, Index: -1}
	if o.ev != nil {
		p = o.newOncePart(core.KindOther)
	}
	o.add(p, "instructions", -1, at, 1, false)
}

// instructions are those of a request. The request is read once, however often its answer repeats them.
type instructions struct {
	s        splice.Scanner
	known    bool
	exchange string // id
	hash     uint64
}

var instructionsSeed = maphash.MakeSeed()

// ReadAnswerContext takes from a request what its answer is compared with, so that the request can be released.
func (Responses) ReadAnswerContext(x *core.Exchange) { scan.FindNotes[responsesNotes](x).asked.read(x) }

// repeats reports whether the content of a string in an answer says what the request says, as it was sent.
func (i *instructions) repeats(x *core.Exchange, content []byte) bool {
	i.read(x)
	return hashText(content) == i.hash
}

// read reads the instructions of the request, unless it has.
func (i *instructions) read(x *core.Exchange) {
	if i.known && i.exchange == x.ID {
		return
	}
	i.known, i.exchange, i.hash = true, x.ID, 0
	i.s.Reset(x.Request.Raw)
	i.s.Enter()
	for i.s.Next() {
		if string(i.s.Key()) == "instructions" && i.s.Kind() == splice.String {
			at, _ := i.s.String()
			i.hash = hashText(x.Request.Raw[at.Start:at.End])
			continue
		}
		i.s.Skip()
	}
	i.s.Reset(nil)
}

// hashText hashes the text of a string, however it is escaped.
func hashText(content []byte) uint64 {
	if bytes.IndexByte(content, '\\') >= 0 {
		content = splice.AppendText(make([]byte, 0, len(content)), content)
	}
	return maphash.Bytes(instructionsSeed, content)
}
