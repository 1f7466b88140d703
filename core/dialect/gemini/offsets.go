package gemini

import (
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// offsets finds the offsets of grounding and citation metadata in answers and chunks. They count bytes: grounding in the
// part that it names, citations in the text of the candidate. A stream has no parts but those of its chunks, so that both
// count through all text of the candidate there.
type offsets struct{}

// AppendOffsets implements [offset.Finder].
func (offsets) AppendOffsets(dst []offset.Number, doc []byte) []offset.Number {
	o := offsetScan{Offsets: scan.OpenOffsets(dst, doc), doc: doc}
	o.VisitMembers(func(key string) bool {
		return key == "candidates" && o.VisitEach(func(int32) { o.readCandidate() })
	})
	return o.Numbers
}

type offsetScan struct {
	*scan.Offsets
	doc   []byte
	parts []splice.Span // the texts of the candidate's parts
	first int           // the first part with text that is no thought, or -1
}

func (o *offsetScan) readCandidate() {
	from, index := len(o.Numbers), int32(0)
	o.parts, o.first = o.parts[:0], -1
	o.VisitMembers(func(key string) bool {
		switch toCamel(key) {
		case "index":
			index = int32(min(readCount(&o.S, o.doc), 1<<30))
		case "content":
			o.VisitMembers(func(key string) bool { return key == "parts" && o.VisitEach(o.readText) })
		case "groundingMetadata":
			o.VisitMembers(func(key string) bool {
				return toCamel(key) == "groundingSupports" && o.VisitEach(func(int32) {
					o.VisitMembers(func(key string) bool {
						if key == "segment" {
							o.readSegment()
						}
						return key == "segment"
					})
				})
			})
		case "citationMetadata":
			o.VisitMembers(func(key string) bool {
				key = toCamel(key)
				return (key == "citationSources" || key == "citations") && o.VisitEach(func(int32) { o.readSegment() })
			})
		default:
			return false
		}
		return true
	})
	for i := from; i < len(o.Numbers); i++ {
		n := &o.Numbers[i]
		part := int(n.Place.Index)
		if part < 0 {
			part = o.first
		}
		if part >= 0 && part < len(o.parts) {
			n.Text = o.parts[part]
		}
		n.Place = offset.Place{Choice: index, Joined: true}
	}
}

// readText notes where the text of a part is.
func (o *offsetScan) readText(n int32) {
	for len(o.parts) <= int(n) {
		o.parts = append(o.parts, splice.Span{})
	}
	thought := false
	o.VisitMembers(func(key string) bool {
		switch {
		case key == "text" && o.S.Kind() == splice.String:
			o.parts[n], _ = o.S.String()
		case key == "thought":
			thought = readTrue(&o.S)
		default:
			return false
		}
		return true
	})
	if o.first < 0 && !thought && o.parts[n].Len() > 0 {
		o.first = int(n)
	}
}

// readSegment reads the stretch of text that a source is for. Without a part it is in the first one with text.
func (o *offsetScan) readSegment() {
	from, part := len(o.Numbers), int32(-1)
	o.VisitMembers(func(key string) bool {
		switch toCamel(key) {
		case "partIndex":
			part = int32(min(readCount(&o.S, o.doc), 1<<30))
		case "startIndex":
			return o.Add(offset.Number{Unit: offset.Bytes})
		case "endIndex":
			return o.Add(offset.Number{Unit: offset.Bytes, IsEnd: true})
		default:
			return false
		}
		return true
	})
	for i := from; i < len(o.Numbers); i++ {
		o.Numbers[i].Place.Index = part
	}
}
