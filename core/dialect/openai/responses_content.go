package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readTexts reads a string or an array of parts, and reports whether there was content.
// It collects the texts of other values, which items of unknown types can hold.
func (r *responsesRequest) readTexts(i int32, name string, kind core.SegmentKind) bool {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return false
	case splice.String:
		r.addSegment(i, -1, name, kind, false, false)
		return true
	case splice.Array:
	default:
		r.readUnknownItem(name, 0, kind, i, -1)
		return true
	}
	r.S.Enter()
	n, joined := int32(0), false
	for ; r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			joined = false
			r.readUnknownItem(name, 0, kind, i, n)
			continue
		}
		joined = r.readContentPart(i, n, name, kind, joined)
	}
	return n > 0
}

// readContentPart reads one part; joined says that the part before was text. It
// reports whether this one is.
func (r *responsesRequest) readContentPart(i, n int32, name string, kind core.SegmentKind, joined bool) (text bool) {
	picture, uploaded := false, false
	r.S.Enter()
	for r.S.Next() {
		key := r.S.Key()
		if r.S.Kind() != splice.String {
			r.readPartValue(i, n, name, string(key))
			continue
		}
		switch word := string(key); {
		case word == "text", r.live && word == "transcript":
			r.addSegment(i, n, name, kind, false, joined && !text)
			text = true
		case word == "refusal":
			r.addSegment(i, n, name, core.KindRefusal, false, false)
		case word == "type":
			switch t := r.readWord(i, name); t {
			case "input_audio", "input_video":
				if r.live {
					break
				}
				why := "parts of type " + t + " are not supported: they cannot be checked; send their text"
				r.Fail(scan.NewUnsupportedError(scan.FormatPath("input", i, name), why))
			case "input_image", "computer_screenshot":
				r.X.Head.Images, picture = true, true
			}
		case word == "file_data", word == "file_url":
			r.readFileMember(word, scan.FormatPath("input", i, name), i, n)
		case word == "file_id":
			uploaded = true
			r.readUnknownItem("file_id", 0, core.KindOther, i, n)
		default:
			r.readUnknownItem(word, 0, core.KindOther, i, n)
		}
	}
	if uploaded && !picture { // the type can follow the id
		r.RecordUnsupportedFile(scan.FormatPath("input", i, name), "uploaded")
	}
	return text
}

// readPartValue reads a value of a part that is not a string. Log probabilities repeat
// the text.
func (r *responsesRequest) readPartValue(i, n int32, name, key string) {
	switch {
	case key == "file_data" || key == "file_url" || key == "file_id":
		r.readFileMember(key, scan.FormatPath("input", i, name), i, n)
	case key == "type" || key == "text" || key == "refusal":
		r.RejectType(scan.FormatPath("input", i, key), "a string")
	case key == "logprobs" && r.S.Kind() == splice.Array:
		at := r.S.Skip()
		if r.S.Err() == nil && at.Len() > len("[]") {
			r.X.Request.Tied = append(r.X.Request.Tied, core.Repetition{Message: i, Span: at})
		}
	default:
		r.readUnknownItem(key, 0, core.KindOther, i, n)
	}
}

// readWord reads a name. It aliases the body unless it contains escapes.
func (r *responsesRequest) readWord(i int32, name string) string {
	return r.ReadIdentifier("input", i, name)
}
