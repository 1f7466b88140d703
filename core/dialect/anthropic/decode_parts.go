package anthropic

import (
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// vendor is the vendor of the reasoning in thinking blocks.
const vendor = "anthropic"

// decodePart converts a block. It drops and counts a block that cannot be translated.
// Instructions inside a conversation become a part without a kind.
func (d *decoder) decodePart(b *block) (p llm.Part, ok bool) {
	switch b.typ {
	case "text":
		p, ok = llm.NewText(b.text), true
	case "image":
		if b.image.URL == "" && b.image.Data == "" {
			d.fail(scan.NewUnsupportedError("messages",
				"an image must be sent by url or as base64: the provider of this model cannot read files kept at Anthropic"))
		}
		image := b.image
		p, ok = llm.Part{Kind: llm.ImagePart, Image: &image}, true
	case "tool_use":
		input := string(b.input)
		if input == "" {
			input = "{}"
		}
		p, ok = llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: b.id, Name: b.name, Input: input}}, true
	case "tool_result":
		p, ok = llm.Part{Kind: llm.ResultPart, Result: &llm.Result{CallID: b.toolUse, Parts: b.content, Failed: b.failed}}, true
	case "thinking":
		p, ok = llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Text: b.thinking, Signature: b.signature}}, true
	case "redacted_thinking":
		p, ok = llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Encrypted: b.data}}, true
	case "mid_conv_system":
		ok = true
	}
	if !ok {
		d.r.RecordDropped("content." + copyFieldName([]byte(b.typ)))
		return p, false
	}
	d.dropUnread(b)
	return p, true
}

func (d *decoder) dropUnread(b *block) {
	for _, name := range b.unread {
		d.r.RecordDropped("content." + name)
	}
}

// decodeDocumentParts returns the title, context and text of a document. It drops and counts a
// file, which other dialects cannot carry.
func (d *decoder) decodeDocumentParts(b *block) (parts []llm.Part) {
	inside := b.inside
	if b.sourceType == "text" && b.image.Data != "" {
		inside = []llm.Part{llm.NewText(b.image.Data)}
	}
	if b.sourceType != "text" && b.sourceType != "content" || len(inside) == 0 {
		d.r.RecordDropped("content.document")
		return nil
	}
	d.dropUnread(b)
	for _, about := range [...]string{b.title, b.context} {
		if about != "" {
			parts = append(parts, llm.NewText(about))
		}
	}
	return append(parts, inside...)
}
