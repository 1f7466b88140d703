package chain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// historyOf returns an exchange with a text in each message. Texts that start with "tool" are outside of the messages.
func historyOf(tenant string, texts ...string) *core.Exchange {
	long := make([]string, len(texts))
	for i, text := range texts {
		long[i] = text + strings.Repeat(" and so on", 8)
	}
	x := memoryExchange(tenant, long...)
	for i := range x.Request.Segments {
		x.Request.Segments[i].Message = int32(i)
		if strings.HasPrefix(texts[i], "tool") {
			x.Request.Segments[i].Message = -1
		}
	}
	return x
}

// listJudged returns the texts that a stage must judge, and notes those that hold an "@".
func listJudged(r *recall.Part, f *recall.Prefix, x *core.Exchange) (out []string) {
	p := &x.Request
	r.LoadPrefix(f, x, p, core.Request)
	for i := 0; ; i++ {
		if i = f.Skip(i); i >= len(p.Segments) {
			break
		}
		text := p.ReadText(i)
		out = append(out, strings.Fields(text)[0])
		if strings.Contains(text, "@") {
			f.MarkRun(i)
		}
	}
	f.Store()
	return out
}

func TestOnlyWhatIsNewInAConversationIsJudged(t *testing.T) {
	m := NewMemory(1 << 20)
	r := recall.NewPart(m, "pii")
	var f recall.Prefix
	for _, turn := range []struct {
		name, tenant string
		texts, want  []string
	}{
		{"all of it is new", "acme", []string{"tool1", "tool@2", "a", "b@", "c"}, []string{"tool1", "tool@2", "a", "b@", "c"}},
		{"sent again", "acme", []string{"tool1", "tool@2", "a", "b@", "c"}, []string{"tool@2", "b@"}},
		{"with more", "acme", []string{"tool1", "tool@2", "a", "b@", "c", "d", "e"}, []string{"tool@2", "b@", "d", "e"}},
		{"with its last messages changed", "acme", []string{"tool1", "tool@2", "a", "b@", "c", "x", "y"}, []string{"tool@2", "b@", "x", "y"}},
		{"with other tools, and these behind", "acme", []string{"a", "b@", "c", "d", "e", "tool3"}, []string{"b@", "tool3"}},
		{"with its first message changed", "acme", []string{"z", "b@", "c", "d", "e"}, []string{"z", "b@", "c", "d", "e"}},
		{"in another order", "acme", []string{"c", "b@", "a", "d", "e"}, []string{"c", "b@", "a", "d", "e"}},
		{"of another tenant", "other", []string{"a", "b@", "c"}, []string{"a", "b@", "c"}},
	} {
		require.Equal(t, turn.want, listJudged(&r, &f, historyOf(turn.tenant, turn.texts...)), turn.name)
	}
	other := recall.NewPart(m, "pii with another type")
	assert.Len(t, listJudged(&other, &f, historyOf("acme", "a", "b@", "c", "d", "e")), 5, "with other settings")

	x := historyOf("acme", "a", "b@", "c", "d", "e")
	x.Request.Segments[4].Role = core.RoleTool
	assert.Equal(t, []string{"b@", "e"}, listJudged(&r, &f, x), "with another role of the last message")
	x = historyOf("acme", "a", "b@", "c", "d", "e")
	x.Request.Segments[2].Joined = true
	assert.Equal(t, []string{"b@", "c", "d", "e"}, listJudged(&r, &f, x), "read as one with what is before it")

	x = historyOf("acme", "a", "b@", "c", "d", "e")
	x.Request.Segments[0].Depth, x.Request.Segments[1].Depth = 0, 0
	listJudged(&r, &f, x)
	x.Request.Apply([]core.Edit{{Segment: 1, Start: 0, End: 1, With: "f"}})
	assert.Equal(t, []string{"a", "f@", "c", "d", "e"}, listJudged(&r, &f, x), "a link has changed a text")
	require.NoError(t, x.Request.Flush())
	assert.Equal(t, []string{"a", "f@", "c", "d", "e"}, listJudged(&r, &f, x), "and the body with it")
	assert.Equal(t, []string{"f@"}, listJudged(&r, &f, x))

	r.LoadPrefix(&f, x, &x.Request, core.Response)
	assert.Zero(t, f.Skip(0), "answers are new")
	none := recall.Part{}
	assert.Len(t, listJudged(&none, &f, historyOf("acme", "a", "b@")), 2, "without a memory")
}

func TestARequestThatWasNotJudgedToItsEndLeavesNothing(t *testing.T) {
	m := NewMemory(1 << 20)
	r := recall.NewPart(m, "pii")
	var f recall.Prefix
	x := historyOf("acme", "a", "b", "c")
	r.LoadPrefix(&f, x, &x.Request, core.Request) // and no Keep: it was blocked
	assert.Len(t, listJudged(&r, &f, historyOf("acme", "a", "b", "c")), 3)
}

func TestAHistoryIsRecalledWithoutAllocations(t *testing.T) {
	m := NewMemory(1 << 20)
	r := recall.NewPart(m, "pii")
	var f recall.Prefix
	texts := make([]string, 50)
	for i := range texts {
		texts[i] = fmt.Sprint("text", i)
	}
	x := historyOf("acme", texts...)
	listJudged(&r, &f, x)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		r.LoadPrefix(&f, x, &x.Request, core.Request)
		if f.Skip(0) != len(texts) {
			t.Fatal("forgotten")
		}
		f.Store()
	}))
}
