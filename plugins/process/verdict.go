package process

import (
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// Limits of a verdict.
const (
	maxFindings = 1024
	maxEdits    = 1024
	maxMessage  = 500 // bytes shown to a client
	maxHeaders  = 16
	maxAppend   = 8
	maxType     = 31 // bytes of a placeholder's type
	maxRule     = 256
)

// reader converts a plugin's verdict into one of the chain. It is strict: an invalid label, span or name makes the
// whole verdict invalid. Its errors never contain anything from the verdict.
type reader struct {
	unit     pb.Unit
	phase    core.Phase
	link     string
	segments []*pb.Segment // the texts that the plugin was shown
	at       []int         // their positions in the body; nil in a window
	x        *core.Exchange
	answer   foreign.Answerer // turns texts into replies; optional
	rulers   []ruler          // of the texts; made with the first offset
}

var actions = map[pb.Action]core.Action{
	pb.Action_ACTION_PASS: core.Pass, pb.Action_ACTION_REWRITE: core.Rewrite, pb.Action_ACTION_ANSWER: core.Answer,
	pb.Action_ACTION_BLOCK: core.Block, pb.Action_ACTION_RETRY: core.Retry,
}

// read fills v and returns "", or returns what is wrong with the verdict.
func (r *reader) read(in *pb.Verdict, v *core.Verdict) string {
	if in == nil {
		return "the plugin answered with something that is not a verdict"
	}
	v.Action = actions[in.Action]
	switch {
	case v.Action == core.Undecided:
		return "the plugin's verdict has no action, or an unknown one"
	case v.Action == core.Answer && r.phase != core.Request:
		return "the plugin answers in the provider's place, which only the request phase can"
	case v.Action == core.Retry && r.phase != core.Response:
		return "the plugin asks for another answer before the first one"
	case v.Action != core.Rewrite && (len(in.Edits) > 0 || in.Model != "" || in.MaxTokens != 0):
		return "the plugin's verdict has edits or a patch, which go with REWRITE alone"
	case v.Action != core.Answer && in.Reply != nil:
		return "the plugin's verdict has a reply, which goes with ANSWER alone"
	case v.Action != core.Retry && len(in.Append) > 0:
		return "the plugin's verdict has messages, which go with RETRY alone"
	case len(in.Keep) > pb.MaxKeep:
		return fmt.Sprintf("the plugin keeps more than %d bytes for an exchange", pb.MaxKeep)
	case in.MaxTokens < 0 || len(in.Model) > 256:
		return "the plugin's patch names no usable model or limit"
	}
	if len(in.Keep) > 0 {
		v.Keep = in.Keep
	}
	v.Patch = core.Patch{Model: foreign.FindPatchedModel(r.x, in.Model), MaxTokens: in.MaxTokens}
	for _, read := range []func(*pb.Verdict, *core.Verdict) string{
		r.readFindings, r.readEdits, readHeaders, r.readReply, r.readRefusal,
		readRetry,
	} {
		if wrong := read(in, v); wrong != "" {
			return wrong
		}
	}
	return ""
}

// readSpan converts a position in the texts that the plugin was shown into one in the body.
func (r *reader) readSpan(segment, start, end uint32) (at, from, to int, ok bool) {
	if int(segment) >= len(r.segments) {
		return 0, 0, 0, false
	}
	if r.rulers == nil {
		r.rulers = make([]ruler, len(r.segments))
	}
	measure := &r.rulers[segment]
	measure.text, measure.unit = r.segments[segment].Text, r.unit
	from, ok = measure.findOffset(start)
	to, ok2 := measure.findOffset(end)
	if r.at != nil {
		at = r.at[segment]
	}
	return at, from, to, ok && ok2 && from <= to
}

func (r *reader) readFindings(in *pb.Verdict, v *core.Verdict) string {
	if len(in.Findings) > maxFindings {
		return fmt.Sprintf("the plugin has more than %d findings", maxFindings)
	}
	if len(in.Findings) > 0 {
		v.Findings = make([]core.Finding, 0, len(in.Findings))
	}
	for i, f := range in.Findings {
		at, start, end, ok := r.readSpan(f.Segment, f.Start, f.End)
		if !ok && f.Segment == 0 && f.End == 0 { // it is about no text
			at, ok = -1, true
		}
		switch {
		case !ok:
			return fmt.Sprintf("finding %d lies outside the text that it was shown, or splits a character", i)
		case !isValidMark(f.Label) && (f.Kind != pb.FindingKind_FINDING_POLICY || !isValidRule(f.Label)):
			return fmt.Sprintf("finding %d has no label, or one that is not of letters, digits, dots, dashes and underscores", i)
		case !(f.Score >= 0 && f.Score <= 1): // also NaN
			return fmt.Sprintf("finding %d has a score that is not between 0 and 1", i)
		case f.Kind < 0 || f.Kind > pb.FindingKind_FINDING_POLICY:
			return fmt.Sprintf("finding %d has an unknown kind", i)
		}
		if r.at == nil {
			at = -1
		}
		v.Findings = append(
			v.Findings,
			core.Finding{Label: f.Label, Kind: core.FindingKind(f.Kind), Segment: at, Start: start, End: end, Score: f.Score},
		)
	}
	return ""
}

func (r *reader) readEdits(in *pb.Verdict, v *core.Verdict) string {
	if len(in.Edits) > maxEdits {
		return fmt.Sprintf("the plugin has more than %d edits", maxEdits)
	}
	if len(in.Edits) > 0 {
		v.Edits = make([]core.Edit, 0, len(in.Edits))
	}
	for i, e := range in.Edits {
		at, start, end, ok := r.readSpan(e.Segment, e.Start, e.End)
		switch {
		case !ok:
			return fmt.Sprintf("edit %d lies outside the text that it was shown, or splits a character", i)
		case e.Type != "" && !isValidType(e.Type):
			return fmt.Sprintf("edit %d asks for a placeholder whose type is not of capitals, digits and underscores", i)
		case e.Type == "" && e.Value != "":
			return fmt.Sprintf("edit %d has a value and asks for no placeholder", i)
		}
		v.Edits = append(v.Edits, core.Edit{Segment: at, Start: start, End: end, With: e.With, Type: e.Type, Value: e.Value})
	}
	return ""
}

func readHeaders(in *pb.Verdict, v *core.Verdict) string {
	if len(in.Header) > maxHeaders {
		return fmt.Sprintf("the plugin adds more than %d header lines", maxHeaders)
	}
	for i, h := range in.Header {
		if !isValidHeader(h.Name) || len(h.Value) > 256 || !isVisible(h.Value) {
			return fmt.Sprintf("header line %d is neither Age nor starts with X-, is too long, or contains characters that a header must not have", i)
		}
		if foreign.IsGatewayHeader(h.Name) {
			return fmt.Sprintf("header line %d is one that the gateway itself sets", i)
		}
		v.Header = append(v.Header, core.Field{Name: h.Name, Value: h.Value})
	}
	return ""
}

func (r *reader) readReply(in *pb.Verdict, v *core.Verdict) string {
	if v.Action != core.Answer {
		return ""
	}
	if in.Reply == nil || len(in.Reply.Body) == 0 {
		return "the plugin answers without a body"
	}
	v.Reply = &core.Payload{Raw: in.Reply.Body}
	switch in.Reply.ContentType {
	case "", "application/json":
	case "text/event-stream":
		v.Reply.Header = http.Header{"Content-Type": {"text/event-stream"}}
	case "text/plain":
		return r.readText(string(in.Reply.Body), v)
	default:
		return "the plugin's answer is neither application/json, nor text/event-stream, nor text/plain"
	}
	return ""
}

// readText converts a text into a reply in the client's shape.
func (r *reader) readText(text string, v *core.Verdict) string {
	if r.answer == nil {
		return "the plugin answers with a text, which cannot be turned into a reply here"
	}
	if !utf8.ValidString(text) {
		return "the plugin answers with a text that is not UTF-8"
	}
	reply, err := r.answer(r.x, text)
	if err != nil {
		return "the plugin answers with a text: " + err.Error()
	}
	v.Reply = reply
	return ""
}

// reasons are the errors for the client.
var reasons = map[pb.Reason]core.Error{
	pb.Reason_REASON_CONTENT: {Kind: core.ContentFiltered, Code: core.CodeContentFilter},
	pb.Reason_REASON_POLICY:  {Kind: core.Forbidden, Code: core.CodePolicyDenied},
	pb.Reason_REASON_RATE:    {Kind: core.RateLimited, Code: core.CodeRateLimit},
	pb.Reason_REASON_QUOTA:   {Kind: core.RateLimited, Code: core.CodeQuota, NoRetry: true},
	pb.Reason_REASON_INVALID: {Kind: core.InvalidRequest, Code: core.CodeInvalidValue},

	pb.Reason_REASON_OVERLOADED: {Kind: core.Unavailable, Code: core.CodeOverloaded},
}

func (r *reader) readRefusal(in *pb.Verdict, v *core.Verdict) string {
	if v.Action != core.Block && v.Action != core.Retry {
		if in.Refusal != nil {
			return "the plugin's verdict has a refusal, which goes with BLOCK and RETRY alone"
		}
		return ""
	}
	e, ok := reasons[in.Refusal.GetReason()]
	switch {
	case !ok:
		return "the plugin refuses for an unknown reason"
	case in.Refusal.GetCode() != "" && !isValidLabel(in.Refusal.GetCode()):
		return "the plugin refuses with a code that is not of letters, digits and underscores"
	case in.Refusal.GetCode() != "":
		e.Code = in.Refusal.GetCode()
	}
	e.RetryAfter = time.Duration(in.Refusal.GetRetryAfterS()) * time.Second
	e.NoRetry = e.NoRetry || in.Refusal.GetNoRetry()
	if e.Public = remote.CleanText(in.Refusal.GetMessage(), maxMessage); e.Public == "" {
		what := "this request"
		if r.phase == core.Response {
			what = "the answer"
		}
		e.Public = fmt.Sprintf("the guard %q does not let %s pass", r.link, what)
	}
	v.Err = &e
	return ""
}

func readRetry(in *pb.Verdict, v *core.Verdict) string {
	if v.Action != core.Retry {
		return ""
	}
	if len(in.Append) == 0 || len(in.Append) > maxAppend {
		return fmt.Sprintf("the plugin asks for another answer without a message, or with more than %d", maxAppend)
	}
	roles := map[pb.Role]llm.Role{pb.Role_ROLE_SYSTEM: llm.System, pb.Role_ROLE_USER: llm.User, pb.Role_ROLE_ASSISTANT: llm.Assistant}
	for _, m := range in.Append {
		role, ok := roles[m.Role]
		if !ok || m.Text == "" {
			return "the plugin asks for another answer with a message that has no text, or not of system, user or assistant"
		}
		v.Append = append(v.Append, llm.Message{Role: role, Parts: []llm.Part{{Kind: llm.TextPart, Text: m.Text}}})
	}
	return ""
}
