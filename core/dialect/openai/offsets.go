package openai

import (
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// chatOffsets finds the offsets of annotations in answers and chunks of chat.
type chatOffsets struct{}

// AppendOffsets implements [offset.Finder].
func (chatOffsets) AppendOffsets(dst []offset.Number, doc []byte) []offset.Number {
	if !offset.MayName(doc, "start_index", "end_index") {
		return dst
	}
	o := scan.OpenOffsets(dst, doc)
	o.VisitMembers(func(key string) bool {
		return key == "choices" && o.VisitEach(func(int32) {
			from, index := len(o.Numbers), int32(0)
			o.VisitMembers(func(key string) bool {
				switch key {
				case "index":
					index = scan.ReadIndex(&o.S, doc)
				case "message", "delta":
					readAnnotated(o, "content")
				default:
					return false
				}
				return true
			})
			for i := from; i < len(o.Numbers); i++ {
				o.Numbers[i].Place.Choice = index
			}
		})
	})
	return o.Numbers
}

// responsesOffsets finds the offsets of annotations in answers and events of Responses.
type responsesOffsets struct{}

// AppendOffsets implements [offset.Finder].
func (responsesOffsets) AppendOffsets(dst []offset.Number, doc []byte) []offset.Number {
	if !offset.MayName(doc, "start_index", "end_index") {
		return dst
	}
	o := scan.OpenOffsets(dst, doc)
	var output, content int32
	inItem, inPart := false, false // the event's own indexes say which item, or which part, its offsets are of
	from := len(dst)
	o.VisitMembers(func(key string) bool {
		switch key {
		case "output":
			return readOutput(o)
		case "response":
			o.VisitMembers(func(key string) bool { return key == "output" && readOutput(o) })
		case "output_index":
			output = scan.ReadIndex(&o.S, doc)
		case "content_index":
			content = scan.ReadIndex(&o.S, doc)
		case "annotation":
			inItem, inPart = true, true
			readAnnotation(o)
		case "part":
			inItem, inPart = true, true
			readAnnotated(o, "text")
		case "item":
			inItem = true
			readItemOffsets(o, 0)
		default:
			return false
		}
		return true
	})
	for i := from; i < len(o.Numbers); i++ {
		p := &o.Numbers[i].Place
		if inItem {
			p.Index = output
		}
		if inPart {
			p.Form = chooseForm(content)
		}
	}
	return o.Numbers
}

// readOutput reads the output items of an answer.
func readOutput(o *scan.Offsets) bool {
	return o.VisitEach(func(i int32) { readItemOffsets(o, i) })
}

// readItemOffsets reads an output item.
func readItemOffsets(o *scan.Offsets, i int32) {
	o.VisitMembers(func(key string) bool {
		return key == "content" && o.VisitEach(func(n int32) {
			from := len(o.Numbers)
			readAnnotated(o, "text")
			for k := from; k < len(o.Numbers); k++ {
				o.Numbers[k].Place.Index, o.Numbers[k].Place.Form = i, chooseForm(n)
			}
		})
	})
}

// readAnnotated reads an object that has a text and annotations of it.
func readAnnotated(o *scan.Offsets, text string) {
	from := len(o.Numbers)
	var at splice.Span
	o.VisitMembers(func(key string) bool {
		switch {
		case key == text && o.S.Kind() == splice.String:
			at, _ = o.S.String()
		case key == "annotations":
			return o.VisitEach(func(int32) { readAnnotation(o) })
		default:
			return false
		}
		return true
	})
	for i := from; i < len(o.Numbers); i++ {
		o.Numbers[i].Text = at
	}
}

// readAnnotation reads an annotation. Chat has its members in another object.
func readAnnotation(o *scan.Offsets) {
	o.VisitMembers(func(key string) bool {
		switch key {
		case "url_citation":
			readAnnotation(o)
		case "start_index":
			return o.Add(offset.Number{Unit: offset.Runes})
		case "end_index":
			return o.Add(offset.Number{Unit: offset.Runes, IsEnd: true})
		default:
			return false
		}
		return true
	})
}
