package bridge_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
)

// lister is a modern server that lists its tools page by page, or never answers.
type lister struct {
	pages []string // results, but for what stands around them
	hangs bool
}

func (l *lister) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	if l.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	page := l.pages[0]
	l.pages = l.pages[1:]
	return &said{body: []byte(`{"jsonrpc":"2.0","id":` + string(m.Call.ID) + `,"result":{"resultType":"complete",` + page + `}}`)}, nil
}

func (*lister) End(context.Context, string, string) error { return nil }

func (*lister) Probe(context.Context) (mcp.Era, error) { return mcp.Modern, nil }

type said struct{ body []byte }

func (*said) Head() tools.Head { return tools.Head{Status: 200} }

func (s *said) Next(context.Context, func([]byte) (bool, error)) ([]byte, error) {
	if s.body == nil {
		return nil, io.EOF
	}
	body := s.body
	s.body = nil
	return body, nil
}

func (*said) Close() error { return nil }

// listAll lists the tools of a virtual server of listers, named a, b and so on.
func listAll(t *testing.T, timeout time.Duration, of ...*lister) string {
	t.Helper()
	a, err := sendList(t, timeout, nil, of...)
	require.NoError(t, err)
	data, err := a.Next(t.Context(), func([]byte) (bool, error) { return true, nil })
	require.NoError(t, err)
	return string(data)
}

func sendList(t *testing.T, timeout time.Duration, reserve func(n int64) error, of ...*lister) (tools.Answer, error) {
	t.Helper()
	memory := bridge.NewMemory()
	members := make([]tools.Member, len(of))
	for i, l := range of {
		s := &tools.Server{Name: string(rune('a' + i)), Upstream: l, Era: mcp.Modern}
		bridge.Attach(s, memory)
		members[i].Server = s
	}
	v := &tools.Server{Name: "all"}
	bridge.ConvertToVirtual(v, members, timeout, memory)
	x, call := &core.Exchange{}, &mcp.Call{}
	x.Request.Raw = []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	x.Request.Header = map[string][]string{mcp.HeaderVersion: {mcp.ModernVersion}, mcp.HeaderMethod: {mcp.MethodListTools}}
	require.Nil(t, call.Scan(x))
	return v.Upstream.Send(t.Context(), &tools.Message{Call: call, Body: x.Request.Raw, Reserve: reserve})
}

func TestOneOfFiveServersHangsAndTheOtherFourAreListedWithinTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		tool := func(name string) *lister {
			return &lister{pages: []string{`"tools":[{"description":"x","name":"` + name + `", "inputSchema":{"type":"object"}}]`}}
		}
		got := listAll(t, 3*time.Second, tool("t1"), tool("t2"), &lister{hangs: true}, tool("t4"), tool("t5"))
		assert.Equal(t, 3*time.Second, time.Since(began))
		want := `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[`
		for i, name := range []string{"a__t1", "b__t2", "d__t4", "e__t5"} {
			if i > 0 {
				want += ","
			}
			want += `{"description":"x","name":"` + name + `", "inputSchema":{"type":"object"}}`
		}
		assert.Equal(t, want+`],"_meta":{"headgate.dev/unavailable":["c"]}}}`, got)
	})
}

func TestAllPagesOfAMemberAreListed(t *testing.T) {
	first := []string{`"tools":[{"name":"x"},{"name":"y"}],"nextCursor":"2"`, `"tools":[{"name":"z"}]`}
	got := listAll(t, time.Minute, &lister{pages: first}, &lister{pages: []string{`"tools":[]`}})
	assert.Contains(t, got, `"tools":[{"name":"a__x"},{"name":"a__y"},{"name":"a__z"}]`)
	assert.NotContains(t, got, "unavailable")
}

func TestMemoryIsAskedForBeforeAListTakesIt(t *testing.T) {
	const limit = 10_000
	long := `"tools":[{"name":"x","description":"` + strings.Repeat("d", 1000) + `"}],"nextCursor":"n"`
	greedy := &lister{pages: slices.Repeat([]string{long}, 90)}
	most := int64(0)
	_, err := sendList(t, time.Minute, func(n int64) error { // one at a time, or the race detector objects
		if n > limit {
			return errors.New("no memory")
		}
		most = max(most, n)
		return nil
	}, greedy, &lister{pages: []string{`"tools":[{"name":"y"}]`}})
	assert.LessOrEqual(t, most, int64(limit))
	assert.Greater(t, len(greedy.pages), 80, "the other pages are not asked for")
	if err != nil {
		assert.ErrorContains(t, err, "no memory")
	}
}
