package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// nameSource returns the name of a kind of text, as used in grants.
func nameSource(r core.Role, k core.SegmentKind) string {
	switch k {
	case core.KindToolArgs:
		return "tool_args"
	case core.KindToolResult:
		return "tool_result"
	case core.KindReasoning:
		return "reasoning"
	case core.KindDefinition:
		return "definition"
	case core.KindOther:
		return "other"
	case core.KindRefusal:
		return "assistant"
	}
	switch r {
	case core.RoleSystem:
		return "system"
	case core.RoleUser:
		return "user"
	case core.RoleAssistant:
		return "assistant"
	case core.RoleTool:
		return "tool_result"
	}
	return "other"
}

// shows reports whether the plugin may read a text.
func (a *agreed) shows(r core.Role, k core.SegmentKind) bool {
	return int(r) < len(a.shown) && int(k) < len(a.shown[r]) && a.shown[r][k]
}

// told is the set of fields that the plugin gets, as bits by their position in pb.Fields.
type told uint32

func buildFieldSet(names []string) (t told) {
	for i, f := range pb.Fields[:pb.Told] {
		for _, n := range names {
			if n == f {
				t |= 1 << i
			}
		}
	}
	return t
}

// buildExchange returns the plugin's view of an exchange. Its strings are valid as long as the exchange.
func (t told) buildExchange(x *core.Exchange) *pb.Exchange {
	if t == 0 {
		return nil
	}
	var p core.Principal
	if x.Principal != nil {
		p = *x.Principal
	}
	e := new(pb.Exchange)
	for i, to := range []struct {
		at *string
		is string
	}{
		{&e.Model, x.Head.Model},
		{&e.Tenant, p.Tenant},
		{&e.KeyId, p.KeyID},
		{&e.KeyName, p.KeyName},
		{&e.User, x.Head.User},
		{&e.Dialect, x.Dialect},
		{&e.Route, x.Target.Route},
		{&e.Provider, x.Target.Provider},
		{&e.Target, x.Target.Model},
		{&e.Region, x.Target.Region},
	} {
		if t&(1<<i) != 0 {
			*to.at = to.is
		}
	}
	if t&(1<<10) != 0 {
		e.Stream = x.Head.Stream
	}
	if t&(1<<11) != 0 {
		e.MaxTokens = x.Head.MaxTokens
	}
	if t&(1<<12) != 0 {
		e.Effort = x.Head.Effort
	}
	if t&(1<<13) != 0 {
		e.Exchange = x.ID
	}
	if t&(1<<14) != 0 {
		e.Trace = x.Trace
	}
	if t&(1<<15) != 0 {
		e.Tools = x.Head.Tools
	}
	if t&(1<<16) != 0 {
		e.Scopes = p.Scopes
	}
	if t&(1<<17) != 0 {
		e.Status = int32(x.Response.Status)
	}
	if t&(1<<18) != 0 && (x.Usage.Reported || x.Usage.Estimated) {
		e.Usage = &pb.Usage{Input: x.Usage.Input, Output: x.Usage.Output, Total: x.Usage.Input + x.Usage.Output}
	}
	if t&(1<<19) != 0 {
		e.Outcome = x.Outcome.Kind.String()
	}
	if t&(1<<20) != 0 {
		e.Cost = x.Cost
	}
	if t&(1<<22) != 0 {
		e.Task = x.Head.Task.String()
	}
	e.Finish = t.readFinishReason(x)
	return e
}

// buildCheckedExchange returns the plugin's view of an exchange in a phase. It fails if the body, whose digest is included,
// cannot be assembled.
func (t told) buildCheckedExchange(x *core.Exchange, p core.Phase) (*pb.Exchange, error) {
	e := t.buildExchange(x)
	if t&(1<<21) == 0 || p == core.Response {
		return e, nil
	}
	body, err := x.Request.AppendBody(nil)
	if err != nil {
		return nil, fmt.Errorf("the digest: %w", err)
	}
	sum := sha256.Sum256(body)
	e.Digest = hex.EncodeToString(sum[:])
	return e, nil
}

// readFinishReason returns why an answer ended, if the plugin may know.
func (t told) readFinishReason(x *core.Exchange) string {
	if t&(1<<23) == 0 {
		return ""
	}
	return x.Finish
}

// listSegments returns the texts that the plugin may read, and their positions in the body.
func (a *agreed) listSegments(body *core.Payload) (out []*pb.Segment, at []int) {
	if len(a.texts) == 0 {
		return nil, nil
	}
	all := make([]pb.Segment, len(body.Segments))
	out, at = make([]*pb.Segment, 0, len(all)), make([]int, 0, len(all))
	for i := range body.Segments {
		s := &body.Segments[i]
		if !a.shows(s.Role, s.Kind) {
			continue
		}
		m := &all[i]
		m.Role, m.Kind, m.Path, m.Text = pb.Role(s.Role), pb.Kind(s.Kind), s.Path(), body.ReadText(i)
		m.Joined = s.Joined && len(at) > 0 && at[len(at)-1] == i-1
		out, at = append(out, m), append(at, i)
	}
	return out, at
}

// measureTimeLeft returns how much time a call has, in milliseconds, at least 1.
func measureTimeLeft(ctx context.Context) uint32 {
	until, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return uint32(max(time.Until(until).Milliseconds(), 1))
}
