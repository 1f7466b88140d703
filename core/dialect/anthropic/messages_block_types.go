package anthropic

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// typed settles what only the type of a block tells.
func (r *request) typed(typ string, from int) {
	found := r.x.Request.Segments[from:]
	switch typ {
	case "thinking", "redacted_thinking": // signed: an edit would break the call
		r.x.Request.Segments = r.x.Request.Segments[:from]
	case "image":
		r.x.Head.Images = true
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
		r.fail(unsupported("messages", "content blocks of the type \"container_upload\" are not supported: the container runs at the provider, out of the gateway's sight"))
	}
}

// input reads what a model calls a tool with: JSON that stands in the document
// itself, not in a string.
func (r *request) input(name string) {
	if r.s.Kind() != splice.Object {
		r.wrongType(name+".input", "an object")
		return
	}
	at := r.s.Skip()
	if r.s.Err() == nil {
		r.x.Request.AddJSON(core.Segment{
			Role: r.at.role, Kind: core.KindToolArgs, Message: r.at.message, Part: r.at.part, Field: "input", Span: at,
		})
	}
}

// source reads where an image or a document comes from. Its data is text in a
// text document, and sealed in all others.
func (r *request) source(name string, kind core.SegmentKind) {
	if r.s.Kind() != splice.Object {
		leaves(r.s, r.doc, []byte("source"), r)
		return
	}
	typ, data := "", -1
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); {
		case string(key) == "type":
			typ = r.text("content.source.type")
		case string(key) == "data" && r.s.Kind() == splice.String:
			at, _ := r.s.String()
			if r.s.Err() == nil && at.Len() > 0 {
				data = len(r.x.Request.Segments)
				r.at.kind = kind
				r.add(name, at, false)
				r.at.kind = core.KindOther
			}
		case string(key) == "content" && (r.s.Kind() == splice.String || r.s.Kind() == splice.Array):
			r.at.kind = kind
			r.content(name)
			r.at.kind = core.KindOther
		default:
			leaves(r.s, r.doc, key, r)
		}
	}
	if data >= 0 && typ != "text" {
		r.x.Request.Segments = slices.Delete(r.x.Request.Segments, data, data+1)
	}
}
