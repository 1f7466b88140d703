package anthropic

import (
	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// citations finds the offsets of citations, which count the characters of a text document of the request. In answers and
// events that document is named by its number. A request that holds an earlier answer has the document as well.
//
// Source: https://platform.claude.com/docs/en/build-with-claude/citations: document_index counts all documents of a request
// from 0, characters are counted from 0, and the end is exclusive.
type citations struct{}

// AppendOffsets implements [offset.Finder].
func (citations) AppendOffsets(dst []offset.Number, doc []byte) []offset.Number {
	c := citationScan{Offsets: scan.OpenOffsets(dst, doc), doc: doc}
	from := len(dst)
	c.VisitMembers(func(key string) bool {
		switch key {
		case "messages":
			c.VisitEach(func(int32) {
				c.VisitMembers(func(key string) bool { return key == "content" && c.VisitEach(c.readBlock) })
			})
		case "content":
			c.VisitEach(c.readBlock)
		case "content_block":
			c.readBlock(0)
		case "delta":
			c.VisitMembers(func(key string) bool {
				if key == "citation" {
					c.readCitation(0)
				}
				return key == "citation"
			})
		default:
			return false
		}
		return true
	})
	if len(c.texts) == 0 {
		return c.Numbers
	}
	for i := from; i < len(c.Numbers); i++ {
		n := &c.Numbers[i]
		if n.Document <= len(c.texts) {
			n.Text = c.texts[n.Document-1]
		}
		n.Document = 0
	}
	return c.Numbers
}

type citationScan struct {
	*scan.Offsets
	doc   []byte
	texts []splice.Span // the documents, in order; empty: the text is not in one string
}

// readBlock reads a content block, whose type can follow its content.
func (c *citationScan) readBlock(int32) {
	isDocument, text := false, splice.Span{}
	c.VisitMembers(func(key string) bool {
		switch {
		case key == "type" && c.S.Kind() == splice.String:
			isDocument = scan.ReadAlias(&c.S, c.doc) == "document"
		case key == "source":
			text = c.readSource()
		case key == "content": // of the result of a tool
			c.VisitEach(c.readBlock)
		case key == "citations":
			c.VisitEach(c.readCitation)
		default:
			return false
		}
		return true
	})
	if isDocument {
		c.texts = append(c.texts, text)
	}
}

// readSource returns the text of a document. Data that is not text has no segment to edit.
func (c *citationScan) readSource() (text splice.Span) {
	c.VisitMembers(func(key string) bool {
		if key != "data" || c.S.Kind() != splice.String {
			return false
		}
		text, _ = c.S.String()
		return true
	})
	return text
}

// readCitation reads a citation. Others than those of characters have no such members.
func (c *citationScan) readCitation(int32) {
	from, document := len(c.Numbers), 0
	c.VisitMembers(func(key string) bool {
		switch key {
		case "document_index":
			document = int(scan.ReadIndex(&c.S, c.doc))
		case "start_char_index":
			return c.Add(offset.Number{Unit: offset.Runes})
		case "end_char_index":
			return c.Add(offset.Number{Unit: offset.Runes, IsEnd: true})
		default:
			return false
		}
		return true
	})
	for i := from; i < len(c.Numbers); i++ {
		c.Numbers[i].Document = document + 1
	}
}
