package a2a

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// IDKind says what an identifier names.
type IDKind uint8

// Kinds of identifiers. The zero value is none of them.
const (
	_ IDKind = iota
	TaskID
	ContextID
)

// ReplaceIDs returns a message with the ids of tasks and contexts that replace returns, or doc itself if it has none. root is
// "params" for a request and "result" for a response; a notification has none. The message must be valid. replace stops at the first error.
func (c *Call) ReplaceIDs(
	x *core.Exchange, doc []byte, root string, replace func(kind IDKind, id string) (string, *core.Error),
) ([]byte, *core.Error) {
	s := &x.Scanner
	path := []string{root}
	if c.Notification {
		path = nil
	}
	if c.Op == GetCard || !jsonrpc.Seek(s, doc, path...) {
		return doc, nil
	}
	r := replacer{s: s, doc: doc, replace: replace, strict: root == "params"}
	switch isPush := c.Op == PushConfig; {
	case s.Kind() == splice.Array && isPush:
		r.readList()
	case s.Kind() != splice.Object:
		return doc, nil
	default:
		r.readObject(!isPush && (root == "result" || !c.Op.Sends()) || isPush && root == "params" && c.Version == Version03)
	}
	if r.err != nil || len(r.cuts) == 0 || s.Err() != nil {
		return doc, r.err
	}
	out, err := splice.Append(make([]byte, 0, len(doc)+64*len(r.cuts)), doc, r.cuts)
	if err != nil {
		return doc, core.ConvertError(err)
	}
	return out, nil
}

type replacer struct {
	s       *splice.Scanner
	doc     []byte
	replace func(kind IDKind, id string) (string, *core.Error)
	cuts    []splice.Cut
	err     *core.Error
	strict  bool // ids must be strings: an agent may read a number as a string
}

// skipOther skips a value that is not an id where an id is due.
func (r *replacer) skipOther(name string) {
	if kind := r.s.Kind(); r.strict && kind != splice.Null && r.err == nil {
		r.err = scan.NewInvalid(name, "must be a string")
	}
	r.s.Skip()
}

// readObject looks for identifiers in an object; isTask is true if its member id is a task's.
func (r *replacer) readObject(isTask bool) {
	for r.s.Enter(); r.s.Next(); {
		name, kind := string(r.s.Key()), r.s.Kind()
		switch {
		case kind == splice.String && (name == "taskId" || name == "id" && isTask):
			r.readID(TaskID)
		case kind == splice.String && name == "contextId":
			r.readID(ContextID)
		case kind == splice.Array && name == "referenceTaskIds":
			for r.s.Enter(); r.s.Next(); {
				if r.s.Kind() == splice.String {
					r.readID(TaskID)
				} else {
					r.skipOther(name)
				}
			}
		case name == "taskId" || name == "contextId" || name == "referenceTaskIds" || name == "id" && isTask:
			r.skipOther(name)
		case isStructure(name, kind) && kind == splice.Object:
			r.readObject(name == "task")
		case isStructure(name, kind), name == "configs" && kind == splice.Array:
			r.readList()
		default:
			r.s.Skip()
		}
	}
}

// readList looks for identifiers in the objects of a list.
func (r *replacer) readList() {
	for r.s.Enter(); r.s.Next(); {
		if r.s.Kind() == splice.Object {
			r.readObject(false)
		} else {
			r.s.Skip()
		}
	}
}

func (r *replacer) readID(kind IDKind) {
	at, _ := r.s.String()
	if r.s.Err() != nil || at.Len() == 0 || r.err != nil {
		return
	}
	id := string(splice.AppendText(nil, r.doc[at.Start:at.End]))
	now, e := r.replace(kind, id)
	if r.err = e; e == nil && now != id {
		r.cuts = append(r.cuts, splice.Cut{Span: at, With: string(splice.AppendEscaped(nil, now))})
	}
}
