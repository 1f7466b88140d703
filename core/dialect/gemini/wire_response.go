package gemini

import (
	"errors"
	"hash/fnv"
	"strconv"

	"github.com/headgate-dev/headgate/core/llm"
)

var errNoCandidates = errors.New("the answer has no candidates")

// DecodeResponse reads a whole answer. A blocked prompt is a filtered answer without
// parts.
func (GenerateWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var c chunkReader
	if err := c.read(body); err != nil {
		return nil, err
	}
	a := &llm.Response{ID: c.id, Model: c.model, Usage: c.usage}
	for i := range c.candidates {
		a.Choices = append(a.Choices, c.decodeAnswer(&c.candidates[i]))
	}
	if len(a.Choices) == 0 {
		if !c.blocked {
			return nil, errNoCandidates
		}
		a.Choices = []llm.Answer{{Finish: llm.FinishFiltered}}
	}
	return a, nil
}

// decodeAnswer converts one candidate.
func (c *chunkReader) decodeAnswer(from *candidate) llm.Answer {
	a := llm.Answer{Finish: parseFinish(from.finish), Logprobs: from.logprobs}
	calls := 0
	for i := range from.parts {
		p := &from.parts[i]
		switch {
		case p.call != nil:
			a.Parts = append(a.Parts, llm.Part{Kind: llm.CallPart, Call: &llm.Call{
				ID: c.makeCallID(p.call, calls), Name: p.call.name, Input: p.call.encodeInput(), Signature: p.signature,
			}})
			calls++
			continue
		case p.inline != nil && p.inline.decodeImage() != nil:
			a.Parts = append(a.Parts, llm.Part{Kind: llm.ImagePart, Image: p.inline.decodeImage()})
		case p.thought:
			r := &llm.Reasoning{Vendor: vendor, Text: p.text, Signature: p.signature}
			a.Parts = append(a.Parts, llm.Part{Kind: llm.ReasoningPart, Reasoning: r})
			continue
		case p.text != "":
			if n := len(a.Parts); n > 0 && a.Parts[n-1].Kind == llm.TextPart {
				a.Parts[n-1].Text += p.text
			} else {
				a.Parts = append(a.Parts, llm.NewText(p.text))
			}
		}
		if p.signature != "" { // of text: it goes back as reasoning without words
			a.Parts = append(a.Parts, llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Signature: p.signature}})
		}
	}
	if calls > 0 && a.Finish == llm.FinishStop {
		a.Finish = llm.FinishTools
	}
	return a
}

// makeCallID returns the id of a call: the provider's, or one derived from the answer's id,
// so that calls of different turns differ.
func (c *chunkReader) makeCallID(k *call, n int) string {
	if k.id != "" {
		return k.id
	}
	if c.id == "" {
		h := fnv.New64a()
		_, _ = h.Write([]byte(k.name))
		_, _ = h.Write(k.args)
		return "call_" + strconv.FormatUint(h.Sum64(), 36) + "_" + strconv.Itoa(n)
	}
	return "call_" + c.id + "_" + strconv.Itoa(n)
}

// unspecified is the finish reason of an unfinished answer, which some relays send.
const unspecified = "FINISH_REASON_UNSPECIFIED"

// parseFinish maps a mapFinish.
func parseFinish(reason string) llm.Finish {
	switch reason {
	case "", unspecified:
		return llm.FinishUnsaid
	case "MAX_TOKENS":
		return llm.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return llm.FinishFiltered
	}
	return llm.FinishStop
}
