package gemini

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

var errNoObject = errors.New("the answer is not a JSON object")

// ScanResponse validates a whole answer, finds its texts and reads its usage.
func (Generate) ScanResponse(x *core.Exchange) error {
	r := response{Response: scan.NewResponse(x)}
	o, err := openDocument(r.S, r.Doc)
	if err != nil {
		return err
	}
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fCandidates:
			n := int32(0)
			for l := eachValue(r.S); l.next(); n++ {
				r.readCandidate(n)
			}
		case fUsageMetadata:
			if u, ok := readUsage(r.S, r.Doc); ok {
				x.Usage = u
			}
		default:
			r.S.Skip()
		}
	}
	r.S.End()
	return r.S.Err()
}

type response struct {
	scan.Response
}

func (r *response) readCandidate(i int32) {
	o := openObject(r.S)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fContent:
			r.readContent(i)
		case fLogprobsResult, fGroundingMetadata: // both spell the text once more
			null := r.S.Kind() == splice.Null
			if at := r.S.Skip(); !null && r.S.Err() == nil {
				r.X.Response.Tied = append(r.X.Response.Tied, core.Tied{Message: i, Span: at})
			}
		default:
			r.S.Skip()
		}
	}
}

func (r *response) readContent(i int32) {
	o := openObject(r.S)
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f != fParts {
			r.S.Skip()
			continue
		}
		joined, n := false, int32(0)
		for l := eachValue(r.S); l.next(); n++ {
			joined = r.readPart(i, n, joined)
		}
	}
}

// readPart reads one part, like the scan of a request.
func (r *response) readPart(i, n int32, joined bool) bool {
	p := &r.X.Response
	from, text, thought, signed := len(p.Segments), false, false, false
	o := openObject(r.S)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fText:
			if r.S.Kind() != splice.String {
				r.S.Skip()
				continue
			}
			text = true
			if at, _ := r.S.String(); at.Len() > 0 && r.S.Err() == nil {
				p.Segments = append(p.Segments, core.Segment{
					Role: core.RoleAssistant, Kind: core.KindText, Depth: 1, Joined: joined && len(p.Segments) == from,
					Message: i, Part: n, Field: "content.parts", Span: at,
				})
			}
		case fThought:
			thought = readTrue(r.S)
		case fThoughtSignature:
			signed = scan.Alias(r.S, r.Doc) != ""
		case fFunctionCall:
			r.readCall(i, n)
		case fInlineData, fFileData:
			r.S.Skip()
		default:
			leaves.Add(p, r.S, r.Doc, zerocopy.String(o.key), scan.Place{Role: core.RoleAssistant, Kind: core.KindOther, Message: i, Part: n})
		}
	}
	if !thought {
		return text
	}
	if signed {
		p.Segments = p.Segments[:from]
		return false
	}
	for k := from; k < len(p.Segments); k++ {
		p.Segments[k].Joined = false
		if p.Segments[k].Kind == core.KindText {
			p.Segments[k].Kind = core.KindReasoning
		}
	}
	return false
}

func (r *response) readCall(i, n int32) {
	o := openObject(r.S)
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f != fArgs || r.S.Kind() != splice.Object {
			leaves.Add(&r.X.Response, r.S, r.Doc, zerocopy.String(o.key),
				scan.Place{Role: core.RoleAssistant, Kind: core.KindOther, Message: i, Part: n})
			continue
		}
		if at := r.S.Skip(); r.S.Err() == nil {
			r.X.Response.AddJSON(core.Segment{
				Role: core.RoleAssistant, Kind: core.KindToolArgs, Message: i, Part: n, Field: "functionCall.args", Span: at,
			})
		}
	}
}

// readUsage reads the usage. ok is false for null and for any value but an object.
// Google counts thoughts and tool prompts separately.
func readUsage(s *splice.Scanner, doc []byte) (u llm.Usage, ok bool) {
	if s.Kind() != splice.Object {
		s.Skip()
		return u, false
	}
	o := openObject(s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fPromptTokenCount, fToolUsePromptTokenCount:
			u.Input += readCount(s, doc)
			u.Reported = true
		case fCandidatesTokenCount:
			u.Output += readCount(s, doc)
		case fThoughtsTokenCount:
			u.Reasoning = readCount(s, doc)
		case fCachedContentTokenCount:
			u.Cached = readCount(s, doc)
		default:
			s.Skip()
		}
	}
	u.Output += u.Reasoning
	u.Reported = u.Reported || u.Output > 0
	return u, u.Reported
}
