package anthropic

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// applyType applies the type of a block to its segments.
func (r *request) applyType(typ string, from int) {
	found := r.X.Request.Segments[from:]
	switch typ {
	case "image":
		r.X.Head.Images = true
	case "tool_result":
		for i := range found {
			found[i].Role = core.RoleTool
			if found[i].Kind == core.KindText {
				found[i].Kind = core.KindToolResult
			}
		}
	case "mid_conv_system":
		for i := range found {
			found[i].Role = core.RoleSystem
		}
	case "container_upload":
		r.Fail(scan.NewUnsupportedError("messages",
			"content blocks of the type \"container_upload\" are not supported: the container runs at the provider, out of the gateway's sight"))
	}
}

// readThinking reads the text of a thought, and returns which segments it is: one, or none.
func (r *request) readThinking(name string) (segments splice.Span) {
	if r.S.Kind() != splice.String {
		r.readUnknown([]byte("thinking"))
		return segments
	}
	segments.Start = len(r.X.Request.Segments)
	if at, _ := r.S.String(); r.S.Err() == nil && at.Len() > 0 {
		r.add(name, at, false)
	}
	segments.End = len(r.X.Request.Segments)
	return segments
}

// readSignature reads the signature of a thought, and reports whether there is one. Anthropic refuses thoughts without a
// signature, or with another's; servers that copy its API take any text for the model's own. Only the server can verify a signature.
func (r *request) readSignature() bool {
	isText := r.S.Kind() == splice.String
	from := r.S.Pos()
	r.readUnknown([]byte("signature"))
	return isText && r.S.Pos()-from > len(`""`)
}

// readInput reads the input of a tool call, which is a JSON object and not a string.
func (r *request) readInput(name string) {
	if r.S.Kind() != splice.Object {
		r.RejectType(name+".input", "an object")
		return
	}
	at := r.S.Skip()
	if r.S.Err() == nil {
		r.X.Request.AddJSON(core.Segment{
			Role: r.at.Role, Kind: core.KindToolArgs, Message: r.at.Message, Part: r.at.Part, Field: "input", Span: at,
		})
	}
}

// readSource reads the source of an image or a document, and reports whether it only says
// where its bytes lie. Its data is text in a text document, and base64 in all others.
// text is the segment of a text document, or -1.
func (r *request) readSource(name string, kind core.SegmentKind) (elsewhere bool, text int) {
	if r.S.Kind() != splice.Object {
		r.readUnknown([]byte("source"))
		return false, -1
	}
	typ, media, data := "", "", -1
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); {
		case string(key) == "type":
			typ = r.ReadText("content.source.type")
		case string(key) == "media_type":
			media = r.ReadText("content.source.media_type")
		case string(key) == "data" && r.S.Kind() == splice.String:
			at, _ := r.S.String()
			if r.S.Err() == nil && at.Len() > 0 {
				data = len(r.X.Request.Segments)
				r.at.Kind = kind
				r.add(name, at, false)
				r.at.Kind = core.KindOther
			}
		case string(key) == "content" && (r.S.Kind() == splice.String || r.S.Kind() == splice.Array):
			r.at.Kind = kind
			r.readContent(name)
			r.at.Kind = core.KindOther
		default:
			r.readUnknown(key)
		}
	}
	if data >= 0 && typ != "text" {
		file := r.X.Request.Segments[data]
		r.X.Request.Segments = slices.Delete(r.X.Request.Segments, data, data+1)
		place := scan.Place{Role: file.Role, Message: file.Message, Part: file.Part}
		r.InsertFile(data, "messages", name, media, place, file.Span)
		data = -1
	}
	return typ == "url" || typ == "file", data
}
