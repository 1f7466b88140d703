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
	if !offset.MayName(doc, "startIndex", "endIndex", "start_index", "end_index") {
		return dst
	}
	o := offsetScan{Offsets: scan.OpenOffsets(dst, doc), doc: doc}
	o.VisitMembers(func(key string) bool {
		return key == "candidates" && o.VisitEach(func(int32) { o.readCandidate() })
	})
	return o.Numbers
}

// Members of a candidate that hold offsets, in camel case.
const (
	memberGrounding = "groundingMetadata"
	memberCitation  = "citationMetadata"
)

// isCiting reports whether a member of a candidate may hold offsets.
func isCiting(key string) bool {
	key = convertToCamel(key)
	return key == memberGrounding || key == memberCitation
}

type offsetScan struct {
	*scan.Offsets
	doc   []byte
	parts []splice.Span // the texts of the candidate's parts
	first int           // the first part with text that is not a thought, or -1
	said  []splice.Span // the texts that are no thoughts
}

func (o *offsetScan) readCandidate() {
	from, index := len(o.Numbers), int32(0)
	o.parts, o.first, o.said = o.parts[:0], -1, nil
	o.VisitMembers(func(key string) bool {
		switch convertToCamel(key) {
		case "index":
			index = int32(min(readCount(&o.S, o.doc), 1<<30))
		case "content":
			o.VisitMembers(func(key string) bool { return key == "parts" && o.VisitEach(o.readText) })
		case memberGrounding:
			o.VisitMembers(func(key string) bool {
				return convertToCamel(key) == "groundingSupports" && o.VisitEach(func(int32) {
					o.VisitMembers(func(key string) bool {
						if key == "segment" {
							o.readSegment()
						}
						return key == "segment"
					})
				})
			})
		case memberCitation:
			o.VisitMembers(func(key string) bool {
				key = convertToCamel(key)
				return (key == "citationSources" || key == "citations") && o.VisitEach(func(int32) {
					from := len(o.Numbers)
					o.readSegment()
					for i := from; i < len(o.Numbers); i++ {
						o.Numbers[i].Place.Joined = true // through all text of the candidate
					}
				})
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
		if n.Place.Joined && len(o.said) > 1 {
			n.Texts = o.said
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
	if thought || o.parts[n].Len() == 0 {
		return
	}
	if o.said = append(o.said, o.parts[n]); o.first < 0 {
		o.first = int(n)
	}
}

// readSegment reads the stretch of text that a source is for. Without a part it is in the first one with text.
func (o *offsetScan) readSegment() {
	from, part := len(o.Numbers), int32(-1)
	o.VisitMembers(func(key string) bool {
		switch convertToCamel(key) {
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
