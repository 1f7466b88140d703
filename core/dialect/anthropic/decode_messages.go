package anthropic

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// cacheControl is dropped on every translation, in any object.
const cacheControl = "cache_control"

func (d *decoder) readMessages() {
	if !d.enter(splice.Array) {
		return
	}
	for d.s.Next() {
		if d.enter(splice.Object) {
			d.readMessage()
		}
	}
}

// readMessage reads one message. The role can follow the content.
func (d *decoder) readMessage() {
	role := llm.User
	var parts []llm.Part
	var apart []llm.Message
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "role":
			switch d.readText() {
			case "assistant":
				role = llm.Assistant
			case "system":
				role = llm.System
			}
		case "content":
			parts = d.readBlocks(&apart)
		default:
			d.drop("messages." + copyFieldName(key))
		}
	}
	if role == llm.User {
		d.r.Messages = append(d.r.Messages, apart...)
	} else if len(apart) > 0 {
		d.r.RecordDropped("content.tool_result")
	}
	parts = d.filterParts(parts, role)
	if len(parts) > 0 || len(apart) == 0 {
		d.r.Messages = append(d.r.Messages, llm.Message{Role: role, Parts: parts})
	}
}

// filterParts drops the parts that a role cannot have, which Anthropic rejects.
func (d *decoder) filterParts(parts []llm.Part, role llm.Role) []llm.Part {
	keep := parts[:0]
	for _, p := range parts {
		switch {
		case p.Kind == llm.TextPart, role == llm.Assistant && p.Kind != llm.ImagePart, role == llm.User && p.Kind == llm.ImagePart:
			keep = append(keep, p)
		case p.Kind == llm.ImagePart:
			d.r.RecordDropped("content.image")
		case p.Kind == llm.CallPart:
			d.r.RecordDropped("content.tool_use")
		default:
			d.r.RecordDropped("content.thinking")
		}
	}
	return keep
}

// readBlocks reads the content of a message. Tool results and instructions, which belong
// to other roles, go to apart. If apart is nil they are dropped.
func (d *decoder) readBlocks(apart *[]llm.Message) (parts []llm.Part) {
	if d.s.Kind() == splice.String {
		return []llm.Part{llm.NewText(scan.ReadAlias(d.s, d.doc))}
	}
	if !d.enter(splice.Array) {
		return nil
	}
	for d.s.Next() {
		if !d.enter(splice.Object) {
			continue
		}
		var b block
		d.readBlock(&b)
		if b.typ == "document" {
			parts = append(parts, d.decodeDocumentParts(&b)...)
			continue
		}
		p, ok := d.decodePart(&b)
		switch {
		case !ok:
		case p.Kind == llm.TextPart || p.Kind == llm.ImagePart:
			parts = append(parts, p)
		case apart == nil:
			d.r.RecordDropped("content." + b.typ)
		case p.Kind == llm.ResultPart:
			appendParts(apart, llm.ToolRole, p)
		case p.Kind == 0:
			appendParts(apart, llm.System, b.content...)
		default:
			parts = append(parts, p)
		}
	}
	return parts
}

func appendParts(to *[]llm.Message, role llm.Role, parts ...llm.Part) {
	if n := len(*to); n > 0 && (*to)[n-1].Role == role {
		(*to)[n-1].Parts = append((*to)[n-1].Parts, parts...)
		return
	}
	*to = append(*to, llm.Message{Role: role, Parts: parts})
}

// block holds the fields of content blocks of any type.
type block struct {
	typ, text, id, name, toolUse, thinking, signature, data string
	title, context, sourceType                              string // of a document
	input                                                   []byte
	content                                                 []llm.Part
	image                                                   llm.Image
	inside                                                  []llm.Part // the content of a document's source
	failed                                                  bool
	unread                                                  []string // ignored fields
}

func (d *decoder) readBlock(b *block) {
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "type":
			b.typ = d.readText()
		case "text":
			b.text = d.readText()
		case "id":
			b.id = d.readText()
		case "name":
			b.name = d.readText()
		case "input":
			b.input = d.readRaw()
		case "tool_use_id":
			b.toolUse = d.readText()
		case "is_error":
			v := d.readFlag()
			b.failed = v != nil && *v
		case "content":
			b.content = d.readBlocks(nil)
		case "source":
			d.readSource(b)
		case "title":
			b.title = d.readText()
		case "context":
			b.context = d.readText()
		case "thinking":
			b.thinking = d.readText()
		case "signature":
			b.signature = d.readText()
		case "data":
			b.data = d.readText()
		case cacheControl:
			d.drop(cacheControl)
		case "caller": // by whom a tool was called; it is the model where we can be
			d.s.Skip()
		default:
			if d.s.Kind() != splice.Null {
				b.unread = append(b.unread, copyFieldName(key))
			}
			d.s.Skip()
		}
	}
}

// readSource reads the source of an image or a document.
func (d *decoder) readSource(b *block) {
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		switch string(d.s.Key()) {
		case "type":
			b.sourceType = d.readText()
		case "url":
			b.image.URL = d.readText()
		case "media_type":
			b.image.MediaType = d.readText()
		case "data":
			b.image.Data = d.readText()
		case "content":
			b.inside = d.readBlocks(nil)
		default:
			d.s.Skip()
		}
	}
}
