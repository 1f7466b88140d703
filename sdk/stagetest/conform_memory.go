package stagetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/recall"
)

// Conversations of remembers.
const (
	conversations = 12
	conversation  = 8       // turns, each of which repeats all earlier ones
	smallMemory   = 8 << 10 // bytes: it forgets most
)

// checkRemembers tests a stage which declares that its findings in a run depend on that run alone: in conversations of several
// tenants, in turn, it must give the same verdicts as a second stage without a memory, byte for byte.
func checkRemembers(t testing.TB, s *Suite) {
	for _, size := range []int64{1 << 20, smallMemory} {
		plain, with := s.makeStage(t), s.makeStage(t)
		r, ok := with.Stage.(recall.Stage)
		if !ok {
			return
		}
		r.SetMemory(chain.NewMemory(size))
		random := rand.New(rand.NewPCG(1, uint64(size)))
		for n := range conversations {
			said := new(core.Exchange)
			for range conversation {
				addTurn(random, said, s.listShortTexts())
				for _, tenant := range []string{"one", "other"}[:1+n%2] {
					for _, p := range s.Phases {
						require.Equal(t, describeVerdict(t, plain, said, tenant, p), describeVerdict(t, with, said, tenant, p))
					}
				}
			}
		}
	}
}

// addTurn adds texts to a conversation: some are read as one, and some occurred before with another role.
func addTurn(r *rand.Rand, x *core.Exchange, texts []string) {
	roles := []core.Role{core.RoleSystem, core.RoleUser, core.RoleAssistant, core.RoleTool}
	kinds := []core.SegmentKind{core.KindText, core.KindText, core.KindToolArgs, core.KindToolResult, core.KindDefinition, core.KindOther}
	for k := range 1 + r.IntN(4) {
		text := texts[r.IntN(len(texts))] + strings.Repeat(" "+texts[r.IntN(len(texts))], r.IntN(3))
		if r.IntN(2) == 0 { // long enough to be remembered
			text += strings.Repeat(" and so on", 6)
		}
		message := int32(len(x.Request.Segments)) // a few
		seg := core.Segment{Role: roles[r.IntN(len(roles))], Kind: kinds[r.IntN(len(kinds))], Message: message, Part: -1}
		if last := len(x.Request.Segments) - 1; k > 0 && r.IntN(3) == 0 {
			seg.Role, seg.Kind, seg.Joined = x.Request.Segments[last].Role, x.Request.Segments[last].Kind, true
		}
		seg.Span.Start = len(x.Request.Raw)
		x.Request.Raw = append(x.Request.Raw, text...)
		seg.Span.End = len(x.Request.Raw)
		x.Request.Segments = append(x.Request.Segments, seg)
	}
}

// describeVerdict returns a stage's verdict on a conversation as text. The texts are in the request, or in the response
// depending on the phase.
func describeVerdict(t testing.TB, st *guardedStage, said *core.Exchange, tenant string, p core.Phase) string {
	x := &core.Exchange{ID: "stagetest", Dialect: "openai.chat", Principal: &core.Principal{Tenant: tenant, KeyID: "key-" + tenant}}
	body := findBody(x, p)
	body.Raw = said.Request.Raw
	for i := range said.Request.Segments { // without the results of the last exchange
		o := &said.Request.Segments[i]
		body.Segments = append(body.Segments, core.Segment{
			Role: o.Role, Kind: o.Kind, Joined: o.Joined, Message: o.Message, Part: o.Part, Span: splice.Span{Start: o.Span.Start, End: o.Span.End},
		})
	}
	v, err := st.Check(context.Background(), x, p, nil)
	out := fmt.Sprintf("%v %+v %+v %+v %+v %v", v.Action, v.Findings, v.Edits, v.Patch, v.Header, err)
	if v.Err != nil {
		out += fmt.Sprintf(" %+v", *v.Err)
	}
	require.NoError(t, st.finish(context.Background(), x, v.Keep))
	return out
}

func explainMemorySkip(t testing.TB, s *Suite) string {
	if _, ok := s.makeStage(t).Stage.(recall.Stage); !ok {
		return "it judges every request"
	}
	return ""
}
