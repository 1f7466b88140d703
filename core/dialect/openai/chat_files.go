package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readFile reads the file of a content part.
func (r *request) readFile(i, n int32) {
	if r.S.Kind() != splice.Object {
		r.readUnknownMember("file", 0, core.KindOther, i, n)
		return
	}
	r.S.Enter()
	for r.S.Next() {
		switch key := zerocopy.String(r.S.Key()); key {
		case "file_data", "file_id", "file_url", "url":
			r.readFileMember(key, scan.FormatPath("messages", i, "content"), i, n)
		default:
			r.readUnknownMember(key, 0, core.KindOther, i, n)
		}
	}
}

// readFileMember reads a member that holds a file, or says where it lies. param names the content for an error.
func (r *request) readFileMember(key, param string, i, n int32) {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return
	case splice.String:
	default:
		r.RecordUnsupportedFile(param, "")
		r.readUnknownMember(key, 0, core.KindOther, i, n)
		return
	}
	if key == "file_id" {
		r.RecordUnsupportedFile(param, "uploaded")
		r.readUnknownMember(key, 0, core.KindOther, i, n)
		return
	}
	at, _ := r.S.String()
	if r.S.Err() != nil || at.Len() == 0 {
		return
	}
	media, isURL := r.FindDataType(at)
	switch {
	case key != "file_data" && !isURL:
		r.RecordUnsupportedFile(param, "at an address")
		if !scan.IsPlain(r.Doc[at.Start:at.End]) {
			r.X.Request.Segments = append(r.X.Request.Segments, core.Segment{
				Kind: core.KindOther, Depth: 1, Message: i, Part: n, Field: key, Span: at,
			})
		}
	case scan.IsPicture(media): // a picture has its own part; here anything could be called one
		r.RecordUnsupportedFile(param, media)
	default:
		r.ReadFile(param, key, "", scan.Place{Message: i, Part: n}, at)
	}
}
