package chain

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/recall"
)

func memoryKey(n int) recall.Key {
	return recall.Key{Hi: uint64(n) * 0x9e3779b97f4a7c15, Lo: uint64(n) * 0xbf58476d1ce4e5b9}
}

func TestAMemoryStaysWithinItsBudgetAndKeepsWhatIsUsed(t *testing.T) {
	const budget = 1 << 20
	m := NewMemory(budget)
	value := []byte("0123456789")
	hot := memoryKey(-1)
	m.Store(hot, []byte("hot"))
	for n := range 200_000 {
		m.Store(memoryKey(n), value)
		got, ok := m.Recall(nil, hot, 100)
		require.True(t, ok, "after %d others", n)
		require.Equal(t, "hot", string(got))
	}
	u := m.Use()
	assert.LessOrEqual(t, u.Bytes, int64(budget))
	assert.Greater(t, u.Bytes, int64(budget/3))
	assert.Equal(t, uint64(200_000), u.Hits)
	assert.Equal(t, uint64(20_000_000), u.Spared)
	_, ok := m.Recall(nil, memoryKey(0), 1)
	assert.False(t, ok, "what is not used goes")
	got, ok := m.Recall([]byte("before "), memoryKey(199_999), 1)
	assert.True(t, ok)
	assert.Equal(t, "before 0123456789", string(got))

	m.SetLimit(0)
	assert.Zero(t, m.Use().Bytes)
	m.Store(hot, value)
	_, ok = m.Recall(nil, hot, 1)
	assert.False(t, ok)
}

func TestAMemoryServesManyAtOnce(t *testing.T) {
	m := NewMemory(64 << 10)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			var buf []byte
			for n := range 20_000 {
				k := memoryKey(n*7 + g)
				m.Store(k, binary.LittleEndian.AppendUint64(nil, k.Hi))
				var ok bool
				if buf, ok = m.Recall(buf[:0], k, 8); ok {
					assert.Equal(t, k.Hi, binary.LittleEndian.Uint64(buf))
				}
			}
		})
	}
	all.Wait()
}

func TestARecallAllocatesNothing(t *testing.T) {
	m := NewMemory(1 << 20)
	m.Store(memoryKey(1), []byte("value"))
	buf := make([]byte, 0, 64)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf, _ = m.Recall(buf[:0], memoryKey(1), 1) }))
}

// memoryExchange returns an exchange of a tenant with a text in each segment.
func memoryExchange(tenant string, parts ...string) *core.Exchange {
	x := &core.Exchange{Principal: &core.Principal{Tenant: tenant}}
	for _, text := range parts {
		at := len(x.Request.Raw)
		x.Request.Raw = append(x.Request.Raw, text...)
		x.Request.Segments = append(x.Request.Segments, core.Segment{
			Role: core.RoleUser, Kind: core.KindText, Depth: 1, Span: splice.Span{Start: at, End: len(x.Request.Raw)},
		})
	}
	return x
}

func TestWhatIsRememberedBelongsToATextATenantAndAConfiguration(t *testing.T) {
	m := NewMemory(1 << 20)
	text := strings.Repeat("the same text, ", 10)
	mine := recall.NewPart(m, "pii {types: [EMAIL]}")
	x := memoryExchange("acme", text)
	run := mine.ComputeRun(x, &x.Request, 0, core.Request)
	mine.Store(&run, []byte("found"))
	ask := func(r recall.Part, x *core.Exchange, p core.Phase) string {
		run := r.ComputeRun(x, &x.Request, 0, p)
		value, ok := r.Recall(nil, &run)
		if !ok {
			return "-"
		}
		return string(value)
	}
	assert.Equal(t, "found", ask(mine, memoryExchange("acme", text, "and more that is new"), core.Request), "in another exchange")
	assert.Equal(t, "-", ask(mine, memoryExchange("other", text), core.Request), "another tenant")
	assert.Equal(t, "-", ask(mine, memoryExchange("acme", text+"."), core.Request), "another text")
	assert.Equal(t, "-", ask(mine, memoryExchange("acme", text), core.Response), "another phase")
	assert.Equal(t, "-", ask(recall.NewPart(m, "pii {types: [IBAN]}"), memoryExchange("acme", text), core.Request), "another configuration")
	y := memoryExchange("acme", text)
	y.Request.Segments[0].Role = core.RoleAssistant
	assert.Equal(t, "-", ask(mine, y, core.Request), "another role")
	y = memoryExchange("acme", text)
	y.Request.Segments[0].Depth = 2
	assert.Equal(t, "-", ask(mine, y, core.Request), "spelled with other escapes")
	y = memoryExchange("acme", text, "x")
	y.Request.Segments[1].Joined = true
	assert.Equal(t, "-", ask(mine, y, core.Request), "read as one with what follows")
	assert.Equal(t, "-", ask(recall.NewPart(NewMemory(1<<20), "pii {types: [EMAIL]}"), memoryExchange("acme", text), core.Request), "another process")

	y = memoryExchange("acme", text)
	y.Request.Segments[0].Depth = 0
	mine.ComputeRun(y, &y.Request, 0, core.Request) // its sum is known
	y.Request.Apply([]core.Edit{{Start: 0, End: 3, With: "our"}})
	assert.Equal(t, "-", ask(mine, y, core.Request), "a link has changed the text")
	edited := mine.ComputeRun(y, &y.Request, 0, core.Request)
	mine.Store(&edited, []byte("edited"))
	assert.Equal(t, "edited", ask(mine, y, core.Request))
	require.NoError(t, y.Request.Flush())
	assert.Equal(t, "-", ask(mine, y, core.Request), "as the new body spells it")
	z := memoryExchange("acme", "our"+text[3:])
	z.Request.Segments[0].Depth = 0
	spelled := mine.ComputeRun(z, &z.Request, 0, core.Request)
	mine.Store(&spelled, []byte("spelled"))
	assert.Equal(t, "spelled", ask(mine, y, core.Request), "a body that was rewritten is one like others")
}

func TestNoMemoryHoldsWhatIsReadable(t *testing.T) {
	m := NewMemory(1 << 20)
	r := recall.NewPart(m, "config with a secret-word")
	x := memoryExchange("tenant-name", strings.Repeat("prompt-text ", 20))
	run := r.ComputeRun(x, &x.Request, 0, core.Request)
	r.Store(&run, []byte{1, 2, 3})
	dump := fmt.Sprintf("%q", fmt.Sprint(&m.shards, m.keys))
	for _, word := range []string{"prompt-text", "tenant-name", "secret-word"} {
		assert.NotContains(t, dump, word)
	}
}

func BenchmarkRecall(b *testing.B) {
	m := NewMemory(32 << 20)
	r := recall.NewPart(m, "x")
	x := memoryExchange("acme", strings.Repeat("a line of source\\n\\t", 250))
	run := r.ComputeRun(x, &x.Request, 0, core.Request)
	r.Store(&run, nil)
	b.SetBytes(int64(len(x.Request.Raw)))
	b.ReportAllocs()
	for b.Loop() {
		x.Request.Segments[0] = core.Segment{Role: core.RoleUser, Kind: core.KindText, Depth: 1, Span: x.Request.Segments[0].Span}
		run := r.ComputeRun(x, &x.Request, 0, core.Request)
		if _, ok := r.Recall(nil, &run); !ok {
			b.Fatal("forgotten")
		}
	}
}

func TestAFileInBase64IsAnotherTextThanItsBytes(t *testing.T) {
	m := NewMemory(1 << 20)
	bytes := strings.Repeat("aGVs", 30)
	file, text := memoryExchange("acme", bytes), memoryExchange("acme", bytes)
	file.Request.Segments[0].Base64 = true
	a, size := file.Request.SumSegment(m, 0)
	assert.Equal(t, 90, size)
	b, _ := text.Request.SumSegment(m, 0)
	assert.NotEqual(t, a, b)
	spelled := memoryExchange("acme", "data:text/plain;base64,"+bytes)
	spelled.Request.Segments[0].Base64 = true
	c, _ := spelled.Request.SumSegment(m, 0)
	assert.Equal(t, a, c)
}
