package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// texts reads a string or an array of parts, and reports whether there was any.
// Other values, which items of unknown types may hold, are looked through.
func (r *responsesRequest) texts(i int32, name string, kind core.SegmentKind) bool {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return false
	case splice.String:
		r.segment(i, -1, name, kind, false, false)
		return true
	case splice.Array:
	default:
		r.other(name, 0, kind, i, -1)
		return true
	}
	r.s.Enter()
	n, joined := int32(0), false
	for ; r.s.Next(); n++ {
		if r.s.Kind() != splice.Object {
			joined = false
			r.other(name, 0, kind, i, n)
			continue
		}
		joined = r.contentPart(i, n, name, kind, joined)
	}
	return n > 0
}

// contentPart reads one part; joined says that the part before was text. It
// reports whether this one is.
func (r *responsesRequest) contentPart(i, n int32, name string, kind core.SegmentKind, joined bool) (text bool) {
	r.s.Enter()
	for r.s.Next() {
		key := r.s.Key()
		if r.s.Kind() != splice.String {
			r.inPart(i, n, string(key))
			continue
		}
		switch string(key) {
		case "text":
			r.segment(i, n, name, kind, false, joined && !text)
			text = true
		case "refusal":
			r.segment(i, n, name, core.KindRefusal, false, false)
		case "type":
			switch t := r.word(i, name); {
			case filePart(t):
				r.fail(unsupported(itemPath(i, name), "parts of type "+t+" are not supported: files cannot be checked; send their text"))
			case t == "input_image", t == "computer_screenshot":
				r.x.Head.Images = true
			}
		default:
			r.other(string(key), 0, core.KindOther, i, n)
		}
	}
	return text
}

// inPart reads what is no string in a part. Log probabilities spell the text
// once more.
func (r *responsesRequest) inPart(i, n int32, key string) {
	switch {
	case key == "type" || key == "text" || key == "refusal":
		r.wrongType(itemPath(i, key), "a string")
	case key == "logprobs" && r.s.Kind() == splice.Array:
		at := r.s.Skip()
		if r.s.Err() == nil && at.Len() > len("[]") {
			r.x.Request.Tied = append(r.x.Request.Tied, core.Tied{Message: i, Span: at})
		}
	default:
		r.other(key, 0, core.KindOther, i, n)
	}
}

// word reads a string that is a name, without a copy where it has no escapes.
func (r *responsesRequest) word(i int32, name string) string {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return ""
	case splice.String:
	default:
		r.wrongType(itemPath(i, name), "a string")
		return ""
	}
	at, escaped := r.s.String()
	if r.s.Err() != nil {
		return ""
	}
	if escaped {
		return string(splice.AppendText(nil, r.doc[at.Start:at.End]))
	}
	return view(r.doc[at.Start:at.End])
}
