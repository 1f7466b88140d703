package openai

import (
	"cmp"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// CountPrompts returns the number of prompts that Scan found.
func (Completions) CountPrompts(x *core.Exchange) int { return max(x.Head.Messages, 1) }

// Decode reads the request with its first prompt.
func (c Completions) Decode(x *core.Exchange) (*llm.Request, *core.Error) {
	return c.DecodePrompt(x, 0)
}

// DecodePrompt reads the request with its i-th prompt as a user message.
func (Completions) DecodePrompt(x *core.Exchange, i int) (*llm.Request, *core.Error) {
	d := chatDecoder{
		s: &x.Scanner, doc: x.Request.Raw,
		out: &llm.Request{Model: strings.Clone(cmp.Or(x.Target.Model, x.Head.Model)), MaxTokens: x.Head.MaxTokens},
	}
	d.s.Reset(d.doc)
	d.s.Enter()
	for d.s.Next() {
		d.readCompletionMember(string(d.s.Key()), i)
	}
	d.s.End()
	if err := d.s.Err(); err != nil {
		return nil, scan.NewSyntaxError(err)
	}
	return d.out, d.err
}

func (d *chatDecoder) readCompletionMember(key string, prompt int) {
	switch key {
	case "model", maxTokens, "echo", "suffix", "best_of": // already in the head, or rejected by the scan
		d.s.Skip()
	case "prompt":
		text := ""
		if d.s.Kind() == splice.Array {
			d.visitElements(key, func(n int) {
				if n == prompt {
					text = d.readText(key)
				} else {
					d.s.Skip()
				}
			})
		} else {
			text = d.readText(key)
		}
		d.out.Messages = []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText(text)}}}
	case "logprobs": // the number of alternatives, which also turns log probabilities on
		d.out.TopLogprobs = d.readNumber(key)
		d.out.Logprobs = d.out.TopLogprobs != ""
	default:
		if !d.readSampling(key) {
			d.drop(key)
		}
	}
}
