package bridge

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// Attach lets clients of each era use a server.
func Attach(s *tools.Server, m *Memory) {
	s.ForModern = NewToLegacy(s, m)
	s.ForLegacy = NewToModern(asModern{s}, m)
}

// ConvertToVirtual turns a server into a virtual one, which offers the tools of its members. Attach the members first.
// A list omits a member that does not answer within the timeout.
func ConvertToVirtual(s *tools.Server, members []tools.Member, timeout time.Duration, m *Memory) {
	s.Era, s.Members = mcp.Modern, members
	for i := range s.Members {
		v := &s.Members[i]
		v.Modern = withURIs{asModern{v.Server}, v.Server.Name}
		v.Legacy = withURIs{v.Server.ForLegacy, v.Server.Name}
	}
	join := &Join{server: s, timeout: timeout}
	s.Upstream, s.ForLegacy = join, NewToModern(join, m)
	s.Asker = func(p *core.Principal, id []byte) *tools.Member {
		q, ok := m.find(formatOwner(p), readText(id)).(*question)
		for i := range s.Members {
			if ok && s.Members[i].Server.ForLegacy == q.asker {
				return &s.Members[i]
			}
		}
		return nil
	}
}

// asModern is a server of either era as modern clients reach it.
type asModern struct{ server *tools.Server }

func (a asModern) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	up, err := a.server.OpenUpstream(ctx, mcp.Modern, "")
	if err != nil {
		return nil, err
	}
	return up.Send(ctx, m)
}

// CanListen reports whether the server can be listened to, in whichever era.
func (a asModern) CanListen() bool { return tools.CanListen(a.server.Upstream) }

func (a asModern) Listen(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	up, err := a.server.OpenUpstream(ctx, mcp.Modern, "")
	if err != nil {
		return nil, err
	}
	return tools.Listen(ctx, up, m)
}

func (asModern) End(context.Context, string, string) error { return nil }

func (asModern) Probe(context.Context) (mcp.Era, error) { return mcp.Modern, nil }
