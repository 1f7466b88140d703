package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// Encode appends the whole answer. The dialect has no field for the stop sequence and
// the time.
func (Generate) Encode(dst []byte, r *llm.Request, a *llm.Response) []byte {
	dst = append(dst, `{"candidates":[`...)
	for i := range a.Choices {
		c := &a.Choices[i]
		dst = append(appendCommaAt(dst, i), `{"content":{"parts":[`...)
		for k := range c.Parts {
			if p := &c.Parts[k]; p.Kind != llm.ReasoningPart || r.Thoughts {
				dst = appendPart(dst, p)
			}
		}
		dst = append(dst, `],"role":"model"},"finishReason":"`...)
		dst = append(append(dst, mapFinish(c.Finish)...), `","index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = appendLogprobs(dst, c.Logprobs)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	dst = appendUsage(dst, a.Usage)
	return append(appendIdentity(dst, a.ID, a.Model), '}')
}

// appendPart appends one part to an array. It omits sealed reasoning and signatures of
// reasoning, which the dialect cannot carry.
func appendPart(dst []byte, p *llm.Part) []byte {
	text, thought := p.Text, false
	switch p.Kind {
	case llm.CallPart:
		return append(appendCall(appendComma(dst), p.Call), '}')
	case llm.ImagePart:
		if p.Image.Data == "" {
			return appendFile(appendComma(dst), p.Image)
		}
		return appendInline(appendComma(dst), p.Image)
	case llm.ReasoningPart:
		text, thought = p.Reasoning.Text, true
	}
	if text == "" {
		return dst
	}
	return appendText(appendComma(dst), text, thought)
}

// appendComma appends a comma unless the array is empty.
func appendComma(dst []byte) []byte {
	if dst[len(dst)-1] == '[' {
		return dst
	}
	return append(dst, ',')
}

func appendText(dst []byte, text string, thought bool) []byte {
	dst = append(splice.AppendEscaped(append(dst, `{"text":"`...), text), '"')
	if thought {
		dst = append(dst, `,"thought":true`...)
	}
	return append(dst, '}')
}

func appendInline(dst []byte, img *llm.Image) []byte {
	dst = append(splice.AppendEscaped(append(dst, `{"inlineData":{"mimeType":"`...), img.MediaType), `","data":"`...)
	return append(splice.AppendEscaped(dst, img.Data), `"}}`...)
}

// appendCall appends a call and leaves the part open for more members.
func appendCall(dst []byte, c *llm.Call) []byte {
	dst = append(dst, `{"functionCall":{`...)
	if c.ID != "" {
		dst = append(splice.AppendEscaped(append(dst, `"id":"`...), c.ID), `",`...)
	}
	dst = append(splice.AppendEscaped(append(dst, `"name":"`...), c.Name), `","args":`...)
	dst = append(appendArgs(dst, c.Input), '}')
	if c.Signature != "" {
		dst = append(splice.AppendEscaped(append(dst, `,"thoughtSignature":"`...), c.Signature), '"')
	}
	return dst
}

// appendArgs appends the arguments of a call, which must be an object. Other text of a
// model goes under "input".
func appendArgs(dst []byte, input string) []byte {
	if input == "" {
		return append(dst, "{}"...)
	}
	if isObject(input) {
		return splice.AppendOneLine(dst, input)
	}
	return append(splice.AppendEscaped(append(dst, `{"input":"`...), input), `"}`...)
}

// isObject reports whether text is one JSON object.
func isObject(text string) bool {
	var s splice.Scanner
	s.Reset([]byte(text))
	if s.Kind() != splice.Object {
		return false
	}
	s.Skip()
	return s.End()
}

// mapFinish returns the mapFinish of an answer. Calls are STOP; a refusal is
// SAFETY.
func mapFinish(f llm.Finish) string {
	switch f {
	case llm.FinishStop, llm.FinishTools:
		return "STOP"
	case llm.FinishLength:
		return "MAX_TOKENS"
	case llm.FinishFiltered, llm.FinishRefusal:
		return "SAFETY"
	}
	return "OTHER"
}

// appendUsage appends a comma and the usage. The dialect has no field for tokens written
// to a cache.
func appendUsage(dst []byte, u llm.Usage) []byte {
	if !u.Reported {
		return dst
	}
	dst = appendCount(dst, `,"usageMetadata":{"promptTokenCount":`, u.Input)
	dst = appendCount(dst, `,"candidatesTokenCount":`, u.Output-u.Reasoning)
	dst = appendCount(dst, `,"totalTokenCount":`, u.Total())
	if u.Cached > 0 {
		dst = appendCount(dst, `,"cachedContentTokenCount":`, u.Cached)
	}
	if u.Reasoning > 0 {
		dst = appendCount(dst, `,"thoughtsTokenCount":`, u.Reasoning)
	}
	return append(dst, '}')
}

func appendCount(dst []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(dst, name...), n, 10)
}

// appendIdentity appends model and id.
func appendIdentity(dst []byte, id, model string) []byte {
	if model != "" {
		dst = append(splice.AppendEscaped(append(dst, `,"modelVersion":"`...), model), '"')
	}
	if id != "" {
		dst = append(splice.AppendEscaped(append(dst, `,"responseId":"`...), id), '"')
	}
	return dst
}
