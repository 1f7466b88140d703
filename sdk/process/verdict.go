package process

import (
	"errors"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

var (
	errUndecided = errors.New("the stage returned no verdict")
	errKeep      = errors.New("a plugin's Keep is a []byte")
)

var actions = map[core.Action]pb.Action{
	core.Pass: pb.Action_ACTION_PASS, core.Rewrite: pb.Action_ACTION_REWRITE, core.Answer: pb.Action_ACTION_ANSWER,
	core.Block: pb.Action_ACTION_BLOCK, core.Retry: pb.Action_ACTION_RETRY,
}

// convertVerdict converts a stage's verdict into an answer.
func convertVerdict(v *core.Verdict, hold int) *pb.FromPlugin {
	action, ok := actions[v.Action]
	if !ok {
		return newFailureMessage(errUndecided)
	}
	out := &pb.Verdict{Action: action, Hold: uint32(hold)}
	switch k := v.Keep.(type) {
	case nil:
	case []byte:
		out.Keep = k
	default:
		return newFailureMessage(errKeep)
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		out.Findings = append(out.Findings, &pb.Finding{
			Segment: uint32(
				max(f.Segment, 0),
			),
			Start: uint32(f.Start),
			End:   uint32(f.End),
			Label: f.Label,
			Kind:  pb.FindingKind(f.Kind),
			Score: f.Score,
		})
	}
	for _, h := range v.Header {
		out.Header = append(out.Header, &pb.Header{Name: h.Name, Value: h.Value})
	}
	switch v.Action {
	case core.Rewrite:
		for i := range v.Edits {
			e := &v.Edits[i]
			out.Edits = append(
				out.Edits,
				&pb.Edit{Segment: uint32(e.Segment), Start: uint32(e.Start), End: uint32(e.End), With: e.With, Type: e.Type, Value: e.Value},
			)
		}
		out.Model, out.MaxTokens = v.Patch.Model, v.Patch.MaxTokens
	case core.Answer:
		if v.Reply != nil {
			out.Reply = &pb.Reply{Body: v.Reply.Raw, ContentType: v.Reply.Header.Get("Content-Type")}
		}
	case core.Block, core.Retry:
		out.Refusal = convertRefusal(v.Err)
		for i := range v.Append {
			out.Append = append(out.Append, convertMessage(&v.Append[i]))
		}
	}
	return &pb.FromPlugin{Body: &pb.FromPlugin_Verdict{Verdict: out}}
}

// Text is the reply of a core.Answer that is a text: the gateway makes an answer of it in
// the client's own shape, streamed where that was asked for. A call that is not answered
// in words, by core.Head.Task, cannot be answered so.
func Text(text string) *core.Payload {
	return &core.Payload{Raw: []byte(text), Header: http.Header{"Content-Type": {"text/plain"}}}
}

// convertRefusal tells why. The gateway knows six reasons; an error of another kind is an
// objection to the content.
func convertRefusal(e *core.Error) *pb.Refusal {
	if e == nil {
		return nil
	}
	r := &pb.Refusal{
		Code: e.Code, Message: e.Public, RetryAfterS: uint32((e.RetryAfter + time.Second - 1) / time.Second),
		NoRetry: e.NoRetry,
	}
	switch {
	case e.Kind == core.Forbidden:
		r.Reason = pb.Reason_REASON_POLICY
	case e.Kind == core.RateLimited && e.NoRetry:
		r.Reason = pb.Reason_REASON_QUOTA
	case e.Kind == core.RateLimited:
		r.Reason = pb.Reason_REASON_RATE
	case e.Kind == core.InvalidRequest:
		r.Reason = pb.Reason_REASON_INVALID
	case e.Kind == core.Unavailable:
		r.Reason = pb.Reason_REASON_OVERLOADED
	}
	return r
}

func convertMessage(m *llm.Message) *pb.Message {
	roles := map[llm.Role]pb.Role{llm.System: pb.Role_ROLE_SYSTEM, llm.User: pb.Role_ROLE_USER, llm.Assistant: pb.Role_ROLE_ASSISTANT}
	return &pb.Message{Role: roles[m.Role], Text: m.Text()}
}
