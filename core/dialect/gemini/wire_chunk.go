package gemini

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// chunkReader reads a GenerateContentResponse: a whole answer or one event. It is
// reused.
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
	o, err := openDocument(s, doc)
	if err != nil {
		return err
	}
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fCandidates:
			for l := openList(s); l.moveToNext(); {
				c.readCandidate(doc)
			}
		case fUsageMetadata:
			if u, ok := readUsage(s, doc); ok {
				c.usage = u
			}
		case fModelVersion:
			c.model = readRepeatedString(c.model, s, doc)
		case fResponseID:
			c.id = readRepeatedString(c.id, s, doc)
		case fPromptFeedback:
			p := openObject(s)
			for g, ok := p.readField(); ok; g, ok = p.readField() {
				c.blocked = c.blocked || g == fBlockReason && s.Kind() != splice.Null
				s.Skip()
			}
		case fError:
			if b := scan.ReadRaw(s, doc); b != nil {
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

// readRepeatedString reads a string that all events of a stream repeat, and allocates it once.
func readRepeatedString(was string, s *splice.Scanner, doc []byte) string {
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

func (c *chunkReader) readCandidate(doc []byte) {
	s := &c.s
	var a candidate
	if n := len(c.candidates); n < cap(c.candidates) {
		a.parts = c.candidates[:n+1][n].parts[:0]
	}
	o := openObject(s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fIndex:
			a.index = int(min(readCount(s, doc), 1<<30))
		case fFinishReason:
			a.finish = scan.ReadText(s, doc)
		case fLogprobsResult:
			a.logprobs = readChatLogprobs(s, doc)
		case fContent:
			p := openObject(s)
			for g, ok := p.readField(); ok; g, ok = p.readField() {
				if g != fParts {
					s.Skip()
					continue
				}
				for l := openList(s); l.moveToNext(); {
					a.parts = append(a.parts, readPart(s, doc))
				}
			}
		default:
			s.Skip()
		}
	}
	c.candidates = append(c.candidates, a)
}
