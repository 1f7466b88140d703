package scan

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// MaxName limits names in records, in bytes.
const MaxName = 512

// Request scans the body of a client's request. Its methods read the value of
// one member each. They keep the first error and skip a value of the wrong type,
// so that the rest of the body is checked too.
type Request struct {
	X   *core.Exchange
	S   *splice.Scanner
	Doc []byte
	Err *core.Error
	// Place is where the identifiers stand that are being read.
	Place Place

	fileText int // bytes of the files read so far
}

// NewRequest prepares the scan of x's body with room for marks.
func NewRequest(x *core.Exchange, marks int) Request {
	x.Request.Marks = append(x.Request.Marks[:0], make([]splice.Span, marks)...)
	x.Request.ForgetDocuments()
	r := Request{X: x, S: &x.Scanner, Doc: x.Request.Raw, Place: Outside}
	r.S.Reset(r.Doc)
	return r
}

// Outside is the place of what belongs to no message.
var Outside = Place{Role: core.RoleSystem, Kind: core.KindOther, Message: -1, Part: -1}

// Enter opens the object that a body must be.
func (r *Request) Enter() *core.Error {
	if r.S.Kind() != splice.Object {
		r.S.Skip()
		return NewInvalid("", "the body must be a JSON object")
	}
	r.S.Enter()
	return nil
}

// ChooseError returns the error of a scan: that of the JSON before e.
func (r *Request) ChooseError(e *core.Error) *core.Error {
	if err := r.S.Err(); err != nil {
		return NewSyntaxError(err)
	}
	return e
}

// Mark keeps where a member lies.
func (r *Request) Mark(i int, at splice.Span) { r.X.Request.Marks[i] = at }

// MarkFrom keeps where a member lies that starts at start and has just been read.
func (r *Request) MarkFrom(i, start int) { r.Mark(i, splice.Span{Start: start, End: r.S.Pos()}) }

// Fail keeps e unless an earlier error is kept.
func (r *Request) Fail(e *core.Error) {
	if r.Err == nil {
		r.Err = e
	}
}

// RejectType skips a value of the wrong type.
func (r *Request) RejectType(param, want string) {
	r.Fail(NewInvalid(param, "invalid type for "+strconv.Quote(param)+": expected "+want))
	r.S.Skip()
}

// ReadModel reads the model into the head and marks the content of its string.
func (r *Request) ReadModel(mark int) {
	if r.S.Kind() != splice.String {
		r.RejectType("model", "a string")
		return
	}
	at, escaped := r.S.String()
	if r.S.Err() != nil {
		return
	}
	if at.Len() == 0 {
		r.Fail(NewInvalid("model", `"model" must not be empty`))
	}
	if at.Len() > MaxName {
		r.Fail(NewInvalid("model", `"model" is too long for a name`))
		return
	}
	r.Mark(mark, at)
	raw := r.Doc[at.Start:at.End]
	if escaped {
		raw = splice.AppendText(nil, raw)
	}
	r.X.Head.Model = zerocopy.String(raw)
}

// ReadMessages reads the array of messages and counts them. read consumes the
// i-th message, which is an object.
func (r *Request) ReadMessages(read func(i int32)) {
	if r.S.Kind() != splice.Array {
		r.RejectType("messages", "an array of messages")
		return
	}
	r.S.Enter()
	l, i := r.beginList(&messageList)
	for ; r.S.Next(); i++ {
		if r.S.Kind() != splice.Object {
			r.RejectType(FormatPath("messages", i, ""), "an object")
			continue
		}
		read(i)
		r.X.Head.Messages++
		r.noteElement(&l)
	}
	r.endList(&l)
	if r.X.Head.Messages == 0 {
		r.Fail(NewInvalid("messages", `"messages" must hold at least one message`))
	}
}

// FormatPath names a field of the i-th element of a list.
func FormatPath(list string, i int32, field string) string {
	p := list + "[" + strconv.Itoa(int(i)) + "]"
	if field != "" {
		p += "." + field
	}
	return p
}
