package bridge

import (
	"bytes"
	"context"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// withURIs is a member of a virtual server. The addresses of resources in its results become those that the virtual server
// has for them, so that clients can read them there.
type withURIs struct {
	tools.Upstream
	server string
}

func (w withURIs) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	a, err := w.Upstream.Send(ctx, m)
	if err != nil {
		return nil, err
	}
	return uriAnswer{a, tools.FormatURIPrefix(w.server)}, nil
}

// CanListen reports whether the member can be listened to.
func (w withURIs) CanListen() bool { return tools.CanListen(w.Upstream) }

// Listen opens a stream of the member's notifications.
func (w withURIs) Listen(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	a, err := tools.Listen(ctx, w.Upstream, m)
	if err != nil {
		return nil, err
	}
	return uriAnswer{a, tools.FormatURIPrefix(w.server)}, nil
}

type uriAnswer struct {
	tools.Answer
	prefix string
}

func (u uriAnswer) Next(ctx context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	data, err := u.Answer.Next(ctx, isResponse)
	if err != nil {
		return nil, err
	}
	return addPrefix(data, u.prefix), nil
}

// addPrefix adds a prefix to the addresses of resources in a response: in the blocks of a tool's result, of a prompt's messages
// and of a resource's contents; and to that of a notification. It returns doc itself if it contains no addresses.
func addPrefix(doc []byte, prefix string) []byte {
	var s splice.Scanner
	s.Reset(doc)
	if s.Kind() != splice.Object || !s.Enter() {
		return doc
	}
	var cuts []splice.Cut
	for s.Next() {
		key := string(s.Key())
		if key == "params" && bytes.Contains(doc, []byte(mcp.NoticeResourceUpdated)) {
			cuts = findURIs(cuts, &s, doc, prefix, 0)
			continue
		}
		if key != "result" || s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		for s.Enter(); s.Next(); {
			switch string(s.Key()) {
			case "content", "contents", "messages":
				cuts = findURIs(cuts, &s, doc, prefix, 0)
			default:
				s.Skip()
			}
		}
	}
	if s.Err() != nil || len(cuts) == 0 {
		return doc
	}
	out, err := splice.Append(make([]byte, 0, len(doc)+len(cuts)*len(prefix)), doc, cuts)
	if err != nil {
		return doc
	}
	return out
}

// findURIs appends the cuts of the next value: a list of blocks, or a block.
func findURIs(dst []splice.Cut, s *splice.Scanner, doc []byte, prefix string, depth int) []splice.Cut {
	const deepest = 4 // messages, a message, its content, a resource
	if depth > deepest || s.Kind() != splice.Array && s.Kind() != splice.Object {
		s.Skip()
		return dst
	}
	if s.Kind() == splice.Array {
		for s.Enter(); s.Next(); {
			dst = findURIs(dst, s, doc, prefix, depth+1)
		}
		return dst
	}
	for s.Enter(); s.Next(); {
		switch key := string(s.Key()); {
		case key == "uri" && s.Kind() == splice.String:
			at, _ := s.String()
			if s.Err() == nil {
				dst = append(dst, splice.Cut{Span: at, With: prefix + string(doc[at.Start:at.End])})
			}
		case key == "resource", key == "content":
			dst = findURIs(dst, s, doc, prefix, depth+1)
		default:
			s.Skip()
		}
	}
	return dst
}
