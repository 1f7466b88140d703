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
	x.Response.Offsets = offsets{}
	o, err := openDocument(r.S, r.Doc)
	if err != nil {
		return err
	}
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fCandidates:
			n := int32(0)
			for l := openList(r.S); l.moveToNext(); n++ {
				r.readCandidate(n)
			}
		case fUsageMetadata:
			from := r.S.Pos()
			if u, ok := readUsage(r.S, r.Doc); ok {
				x.Usage = u
			}
			r.AddOddStrings(from, "usageMetadata", -1, -1)
		case fModelVersion, fResponseID:
			r.ScanNonText("answer", -1, -1)
		case fError:
			r.S.Skip()
		default:
			r.readUnknown(o.key, -1, -1)
		}
	}
	r.S.End()
	return r.S.Err()
}

type response struct {
	scan.Response
}

// readUnknown adds segments for the texts of a member that is not known.
func (r *response) readUnknown(key []byte, i, n int32) {
	at := scan.Place{Role: core.RoleAssistant, Kind: core.KindOther, Message: i, Part: n}
	leaves.Add(&r.X.Response, r.S, r.Doc, zerocopy.String(key), at)
}

func (r *response) readCandidate(i int32) {
	if r.S.Kind() != splice.Object {
		r.readUnknown(nil, i, -1)
		return
	}
	tied, from := len(r.X.Response.Tied), len(r.X.Response.Segments)
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fContent:
			r.readContent(i)
		case fLogprobsResult: // it spells the text once more
			null := r.S.Kind() == splice.Null
			if at := r.S.Skip(); !null && r.S.Err() == nil {
				r.X.Response.Tied = append(r.X.Response.Tied, core.Repetition{Message: i, Span: at})
			}
		case fFinishReason, fIndex:
			r.ScanNonText("candidates", i, -1)
		default:
			r.readUnknown(o.key, i, -1)
		}
	}
	r.MarkLooseValues(tied, from)
}

func (r *response) readContent(i int32) {
	if r.S.Kind() != splice.Object {
		r.readUnknown([]byte("content"), i, -1)
		return
	}
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fRole {
			r.ScanNonText("content", i, -1)
			continue
		}
		if f != fParts {
			r.readUnknown(o.key, i, -1)
			continue
		}
		joined, n := false, int32(0)
		for l := openList(r.S); l.moveToNext(); n++ {
			joined = r.readPart(i, n, joined)
		}
	}
}

// readPart reads one part, like the scan of a request.
func (r *response) readPart(i, n int32, joined bool) bool {
	p := &r.X.Response
	if r.S.Kind() != splice.Object {
		r.readUnknown(nil, i, n)
		return false
	}
	from, text, thought, signed := len(p.Segments), false, false, false
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fText:
			if r.S.Kind() != splice.String {
				r.readUnknown(o.key, i, n)
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
			at := r.S.Pos()
			thought = readTrue(r.S)
			r.AddOddStrings(at, "thought", i, n)
		case fThoughtSignature:
			at := r.S.Pos()
			signed = scan.ReadAlias(r.S, r.Doc) != ""
			r.AddOddStrings(at, "thoughtSignature", i, n)
		case fFunctionCall:
			r.readCall(i, n)
		case fInlineData, fFileData:
			r.ScanNonText("data", i, n)
		default:
			r.readUnknown(o.key, i, n)
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
	if r.S.Kind() != splice.Object {
		r.readUnknown([]byte("functionCall"), i, n)
		return
	}
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f != fArgs || r.S.Kind() != splice.Object {
			r.readUnknown(o.key, i, n)
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
	for f, ok := o.readField(); ok; f, ok = o.readField() {
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
