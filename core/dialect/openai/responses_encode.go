package openai

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// Encode appends a whole answer. It writes only the first choice, because a Responses
// request asks for one.
func (Responses) Encode(dst []byte, r *llm.Request, answer *llm.Response) []byte {
	a := encodedAnswer{r: r, usage: answer.Usage}
	a.setIdentity(answer.ID, answer.Model, answer.Created)
	if len(answer.Choices) > 0 {
		first := &answer.Choices[0]
		a.finish = first.Finish
		for i := range first.Parts {
			a.addPart(&first.Parts[i])
		}
		a.setLogprobs(listLogprobTokens(first.Logprobs))
	}
	status, reason := a.findStatus()
	return a.append(dst, status, reason)
}

// setLogprobs sets the log probabilities on the first text. They come from chat, which has one.
func (a *encodedAnswer) setLogprobs(all []json.RawMessage) {
	for i := range a.items {
		for k := range a.items[i].parts {
			if p := &a.items[i].parts[k]; a.items[i].typ == itemMessage && !p.refusal {
				p.logprobs = all
				return
			}
		}
	}
}

// addPart adds a whole part.
func (a *encodedAnswer) addPart(p *llm.Part) {
	part := encodedPart{refusal: p.Kind == llm.RefusalPart, text: []byte(p.Text)}
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart:
		if n := len(a.items); n > 0 && a.items[n-1].typ == itemMessage {
			a.items[n-1].parts = append(a.items[n-1].parts, part)
			return
		}
	case llm.ReasoningPart: // sealed reasoning is never sent to a client
		if part.text = []byte(p.Reasoning.Text); len(part.text) == 0 {
			return
		}
	case llm.CallPart:
		a.items = append(a.items, a.newItem(p))
		return
	default:
		return
	}
	it := a.newItem(p)
	it.parts = []encodedPart{part}
	a.items = append(a.items, it)
}

// EncodeStream writes a streamed answer in the Responses shape.
func (Responses) EncodeStream(r *llm.Request) wire.StreamEncoder {
	return &responsesEncoder{a: encodedAnswer{r: r}}
}
