package anthropic

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Scan validates a request and finds its texts. It rejects ambiguous JSON, and tools
// that run at the provider.
func (Messages) Scan(x *core.Exchange) *core.Error {
	r := newRequest(x)
	return r.ChooseError(r.readBody())
}

// request is the state of one scan.
type request struct {
	scan.Request
	count bool // a request to count tokens
	seen  struct{ model, messages bool }
	at    scan.Place // of what is being read
}

func newRequest(x *core.Exchange) request {
	scan.FindNotes[notes](x).tokens = tokens{}
	return request{Request: scan.NewRequest(x, marks)}
}

func (r *request) readBody() *core.Error {
	if e := r.Enter(); e != nil {
		return e
	}
	r.MarkFrom(markOpen, r.S.Pos())
	for r.S.Next() {
		start := r.S.Pos()
		r.at = scan.Place{Role: core.RoleSystem, Kind: core.KindOther, Message: -1, Part: -1}
		switch key := r.S.Key(); string(key) {
		case "model":
			r.readModel()
		case "messages":
			r.readMessages()
		case "system":
			r.readSystem()
		case "max_tokens":
			r.readLimit()
		case "stream":
			r.X.Head.Stream = r.ReadBool("stream") && !r.count
		case "temperature":
			r.ReadBoundedNumber("temperature", 0, 1)
		case "top_p":
			r.ReadBoundedNumber("top_p", 0, 1)
		case "top_k":
			r.ReadInteger("top_k", 0)
		case "stop_sequences":
			r.readStop()
		case "metadata":
			r.readMetadata()
		case "tools":
			r.readTools()
		case "tool_choice", "thinking":
			r.readObject(string(key))
		case "output_config":
			r.readOutput()
		case "output_format": // of the beta that output_config came from
			r.readFormat("output_format")
		case "mcp_servers", "container":
			r.rejectPresent(string(key), start)
		default:
			if scan.IsHostedMember(string(key)) {
				r.rejectPresent(string(key), start)
				continue
			}
			r.readUnknown(key)
		}
	}
	r.S.End()
	switch {
	case r.S.Err() != nil || r.Err != nil:
		return r.Err
	case !r.seen.model:
		return scan.NewMissing("model")
	case !r.seen.messages:
		return scan.NewMissing("messages")
	}
	return nil
}

// readUnknown adds segments for the texts of a member that is not known.
func (r *request) readUnknown(key []byte) {
	r.AddLeaves(&leaves, zerocopy.String(key), r.at)
}

func (r *request) add(name string, at splice.Span, joined bool) {
	r.X.Request.Segments = append(r.X.Request.Segments, core.Segment{
		Role: r.at.Role, Kind: r.at.Kind, Depth: 1, Joined: joined, Message: r.at.Message, Part: r.at.Part, Field: name, Span: at,
	})
}
