package anthropic

import (
	"github.com/headgate-dev/headgate/core/llm"
)

// vendor is whose reasoning the blocks of this shape hold.
const vendor = "anthropic"

// part makes a part of a block. A block that cannot be translated is dropped and
// counted; a document, which a question is about, is refused. Instructions in the
// middle of a conversation give a part of no kind.
func (d *decoder) part(b *block) (p llm.Part, ok bool) {
	switch b.typ {
	case "text":
		p, ok = llm.Text(b.text), true
	case "image":
		if b.image.URL == "" && b.image.Data == "" {
			d.fail(unsupported("messages", "an image must be sent by url or as base64: the provider of this model cannot read files kept at Anthropic"))
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
	case "document":
		d.fail(unsupported("messages", "documents cannot be sent to the provider of this model; send their text, or route the model to a provider of the Messages shape"))
	}
	if !ok {
		d.r.Drop("content." + field([]byte(b.typ)))
		return p, false
	}
	for _, name := range b.unread {
		d.r.Drop("content." + name)
	}
	return p, true
}
