package gemini

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"strconv"

	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
)

var errNoCandidates = errors.New("the answer has no candidates")

// DecodeResponse reads a whole answer. A prompt that was blocked is an answer
// without parts, which the filter has ended.
func (GenerateWire) DecodeResponse(body []byte) (*llm.Response, error) {
	var c chunkReader
	if err := c.read(body); err != nil {
		return nil, err
	}
	a := &llm.Response{ID: c.id, Model: c.model, Usage: c.usage}
	for i := range c.candidates {
		a.Choices = append(a.Choices, c.answer(&c.candidates[i]))
	}
	if len(a.Choices) == 0 {
		if !c.blocked {
			return nil, errNoCandidates
		}
		a.Choices = []llm.Answer{{Finish: llm.FinishFiltered}}
	}
	return a, nil
}

// answer makes one of the answers.
func (c *chunkReader) answer(from *candidate) llm.Answer {
	a := llm.Answer{Finish: finish(from.finish), Logprobs: from.logprobs}
	calls := 0
	for i := range from.parts {
		p := &from.parts[i]
		switch {
		case p.call != nil:
			a.Parts = append(a.Parts, llm.Part{Kind: llm.CallPart, Call: &llm.Call{
				ID: c.callID(p.call, calls), Name: p.call.name, Input: p.call.input(), Signature: p.signature,
			}})
			calls++
			continue
		case p.inline != nil && p.inline.image() != nil:
			a.Parts = append(a.Parts, llm.Part{Kind: llm.ImagePart, Image: p.inline.image()})
		case p.thought:
			a.Parts = append(a.Parts, llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Text: p.text, Signature: p.signature}})
			continue
		case p.text != "":
			if n := len(a.Parts); n > 0 && a.Parts[n-1].Kind == llm.TextPart {
				a.Parts[n-1].Text += p.text
			} else {
				a.Parts = append(a.Parts, llm.Text(p.text))
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

// callID is the id of a call: the provider's, or one made of the answer's id, so
// that calls of different turns never share one.
func (c *chunkReader) callID(k *call, n int) string {
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

// finish reads why an answer ended.
func finish(reason string) llm.Finish {
	switch reason {
	case "":
		return llm.FinishUnsaid
	case "MAX_TOKENS":
		return llm.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return llm.FinishFiltered
	}
	return llm.FinishStop
}

// chunkReader reads a GenerateContentResponse: a whole answer, or a piece of one.
// It is reused from event to event.
type chunkReader struct {
	s          splice.Scanner
	id, model  string
	usage      llm.Usage
	candidates []candidate
	blocked    bool
	failure    *llm.Failure
}

type candidate struct {
	index    int
	parts    []part
	finish   string
	logprobs json.RawMessage
}

func (c *chunkReader) read(doc []byte) error {
	c.candidates, c.blocked, c.failure = c.candidates[:0], false, nil
	s := &c.s
	s.Reset(doc)
	if s.Kind() != splice.Object {
		if err := s.Err(); err != nil {
			return err
		}
		return errNoObject
	}
	o := open(s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fCandidates:
			for l := each(s); l.next(); {
				c.candidate(doc)
			}
		case fUsageMetadata:
			if u, ok := usage(s, doc); ok {
				c.usage = u
			}
		case fModelVersion:
			c.model = same(c.model, s, doc)
		case fResponseID:
			c.id = same(c.id, s, doc)
		case fPromptFeedback:
			p := open(s)
			for g, ok := p.next(); ok; g, ok = p.next() {
				c.blocked = c.blocked || g == fBlockReason && s.Kind() != splice.Null
				s.Skip()
			}
		case fError:
			if b := raw(s, doc); b != nil {
				e := readError(append(append([]byte(`{"error":`), b...), '}'))
				c.failure = &llm.Failure{Status: e.Code, Code: e.Status, Message: e.Message}
			}
		default:
			s.Skip()
		}
	}
	s.End()
	return s.Err()
}

// same reads a string that all events of a stream repeat.
func same(was string, s *splice.Scanner, doc []byte) string {
	if s.Kind() == splice.String {
		if at, escaped := s.String(); s.Err() == nil && !escaped && string(doc[at.Start:at.End]) == was {
			return was
		} else if s.Err() == nil {
			return string(splice.AppendText(nil, doc[at.Start:at.End]))
		}
		return was
	}
	s.Skip()
	return was
}

func (c *chunkReader) candidate(doc []byte) {
	s := &c.s
	var a candidate
	if n := len(c.candidates); n < cap(c.candidates) {
		a.parts = c.candidates[:n+1][n].parts[:0]
	}
	o := open(s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fIndex:
			a.index = int(min(count(s, doc), 1<<30))
		case fFinishReason:
			a.finish = str(s, doc)
		case fLogprobsResult:
			a.logprobs = chatLogprobs(s, doc)
		case fContent:
			p := open(s)
			for g, ok := p.next(); ok; g, ok = p.next() {
				if g != fParts {
					s.Skip()
					continue
				}
				for l := each(s); l.next(); {
					a.parts = append(a.parts, readPart(s, doc))
				}
			}
		default:
			s.Skip()
		}
	}
	c.candidates = append(c.candidates, a)
}
