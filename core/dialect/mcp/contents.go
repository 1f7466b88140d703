package mcp

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readContents reads the blocks of a tool's result, the contents of a resource, or the messages
// of a prompt.
func (r *response) readContents() {
	list := r.c.method.list
	r.S.Enter()
	for n := int32(0); r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			r.addLeaves([]byte(list), core.KindToolResult, n)
			r.fail(listError(list))
			continue
		}
		r.readBlock(list, n)
	}
}

// readBlock reads one block. Its resource, and the content of a message, are blocks too.
func (r *response) readBlock(field string, n int32) {
	file, media, before := splice.Span{}, "", 0
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); {
		case string(key) == "text" && r.S.Kind() == splice.String:
			r.addText(field, n)
		case (string(key) == "data" || string(key) == "blob") && r.S.Kind() == splice.String:
			r.flushFile(field, n, file, media, before) // a block has one; a second is judged too
			file, _ = r.S.String()
			before = len(r.X.Response.Segments)
		case string(key) == "mimeType" && r.S.Kind() == splice.String:
			from := r.S.Pos()
			media = scan.ReadAlias(r.S, r.Doc)
			r.addOddStrings(from, "mimeType")
		case (string(key) == "resource" || string(key) == "content") && r.S.Kind() == splice.Object:
			r.readBlock(field, n)
		default:
			r.addLeaves(key, core.KindToolResult, n)
		}
	}
	r.flushFile(field, n, file, media, before)
}

// flushFile adds the text of a file, whose type can follow its data, before the segment at place
// before. It notes a file that no link can judge.
func (r *response) flushFile(field string, n int32, file splice.Span, media string, before int) {
	if r.S.Err() != nil || file.Len() == 0 {
		return
	}
	typ, ok := r.InsertFile(before, field, media, newServerPlace(core.KindToolResult, n), file)
	if !ok && r.c.Answer.Opaque == "" {
		if r.c.Answer.Opaque = strings.Clone(scan.ShortenName(typ)); typ == "" {
			r.c.Answer.Opaque = "application/octet-stream"
		}
	}
}
