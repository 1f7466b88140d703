package bridge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// DefaultListTimeout is how long a member may take to list what it has.
const DefaultListTimeout = 5 * time.Second

// maxPages limits the pages of one member's list.
const maxPages = 100

// Join answers messages to a virtual server as a whole: discovery and lists. All other messages go to one member. It speaks
// the modern era.
type Join struct {
	server  *tools.Server
	timeout time.Duration
}

var _ tools.Upstream = (*Join)(nil)

// End does nothing: sessions are with members.
func (*Join) End(context.Context, string, string) error { return nil }

// Probe says which era it speaks.
func (*Join) Probe(context.Context) (mcp.Era, error) { return mcp.Modern, nil }

// lists are the members of results that are lists.
var lists = map[string]string{
	mcp.MethodListTools: "tools", mcp.MethodListPrompts: "prompts", mcp.MethodListResources: "resources",
	mcp.MethodListTemplates: "resourceTemplates",
}

// Send answers a message.
func (j *Join) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	switch {
	case m.Call.Form != mcp.Request:
		return newAcceptedAnswer(), nil
	case m.Call.Method == mcp.MethodDiscover:
		return j.describeServer(m), nil
	case lists[m.Call.Method] != "":
		return j.joinLists(ctx, m)
	}
	return newAnswer(formatFailure(m.Call.ID, -32601, "the virtual server does not know this method")), nil
}

// describeServer describes the server. It asks no member: an unreachable member must not keep clients from the others.
func (j *Join) describeServer(m *tools.Message) tools.Answer {
	name := j.server.Name
	if name == tools.All {
		name = "headgate"
	}
	info := appendMember([]byte{'{'}, "name", splice.AppendString(nil, name))
	info = append(appendMember(info, "version", []byte(`"1"`)), '}')
	result := appendMember([]byte{'{'}, "supportedVersions", formatVersions())
	result = appendMember(result, "capabilities", []byte(`{"tools":{"listChanged":true},"prompts":{"listChanged":true},`+
		`"resources":{"listChanged":true,"subscribe":true},"completions":{}}`))
	result = append(appendMember(result, "_meta", append(appendMember([]byte{'{'}, metaServer, info), '}')), '}')
	return newAnswer(formatResponse(string(m.Call.ID), "result", convertModernResult(mcp.MethodDiscover, result)))
}

// part is the list of one member.
type part struct {
	elements [][]byte
	err      error
}

// joinLists asks all members that the caller may use concurrently, and joins their lists in the order of the
// configuration.
func (j *Join) joinLists(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	var asked []*tools.Member
	for i := range j.server.Members {
		if v := &j.server.Members[i]; m.Principal == nil || v.Server.Admits(m.Principal) {
			asked = append(asked, v)
		}
	}
	c, space := readClient(findMember(m.Body, "params")), &space{reserve: m.Reserve}
	parts := make([]part, len(asked))
	var done sync.WaitGroup
	for i, v := range asked {
		done.Go(func() { parts[i] = j.readMemberList(ctx, m, v, c, space) })
	}
	done.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	list, away := []byte{'['}, []byte{'['}
	failed, size := 0, int64(0)
	for i := range parts {
		for _, element := range parts[i].elements {
			size += int64(len(element))
		}
	}
	for i := range parts {
		if parts[i].err != nil {
			failed++
			away = splice.AppendString(splice.AppendComma(away), asked[i].Server.Name)
		}
		for _, element := range parts[i].elements {
			list = append(splice.AppendComma(list), element...)
		}
	}
	if failed > 0 && failed == len(parts) {
		return nil, parts[0].err
	}
	if err := space.reserveBytes(size); err != nil {
		return nil, err
	}
	result := appendMember([]byte(`{"resultType":"complete","ttlMs":0,"cacheScope":"private"`), lists[m.Call.Method], append(list, ']'))
	if failed > 0 {
		result = appendMember(result, "_meta", append(appendMember([]byte{'{'}, "headgate.dev/unavailable", append(away, ']')), '}'))
	}
	return newAnswer(formatResponse(string(m.Call.ID), "result", append(result, '}'))), nil
}

// readMemberList reads the list of one member. After a failure it keeps the pages before.
func (j *Join) readMemberList(ctx context.Context, m *tools.Message, v *tools.Member, c client, space *space) (p part) {
	ctx, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil { // it must not end the process
			p.err = fmt.Errorf("panic while listing what the MCP server %s offers: %v", v.Server.Name, r)
		}
	}()
	for cursor, page := "", 0; page < maxPages; page++ {
		params := []byte(`{}`)
		if cursor != "" {
			params = append(appendMember([]byte{'{'}, "cursor", splice.AppendString(nil, cursor)), '}')
		}
		body := formatRequest(newID(), m.Call.Method, convertModernParams(params, c, nil))
		call, x, err := scanMessage(body, mcp.Modern, mcp.ModernVersion)
		if err != nil {
			p.err = err
			return p
		}
		arriving := space.newPageReserver()
		data, _, err := sendRequest(ctx, v.Modern, &tools.Message{
			Call: call, Body: body, Header: m.Header, Principal: m.Principal, Reserve: arriving,
		}, x)
		if err == nil {
			err = arriving(int64(len(data)))
		}
		if err != nil {
			p.err = err
			return p
		}
		if call.Answer.Failed {
			if call.Answer.Code != -32601 { // a server without prompts has no list of them
				p.err = errInvalid
			}
			return p
		}
		var withheld map[string]bool
		if m.Call.Method == mcp.MethodListTools {
			withheld = v.Server.ReviewTools(data, call.Answer.Definitions) // as the member spells them
		}
		if p.err = p.add(space, v.Server.Name, m.Call.Method, call.Answer.Definitions, withheld, data); p.err != nil {
			return p
		}
		if cursor = readText(findMember(data, "result", "nextCursor")); cursor == "" {
			return p
		}
	}
	p.err = &core.Error{Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Public: "a list has too many pages"}
	return p
}

// space counts the memory of a list that members fill concurrently.
type space struct {
	mu      sync.Mutex
	reserve func(n int64) error // optional: without it, there is no limit
	taken   int64
}

// reserveBytes takes n bytes more, unless a limit would be exceeded.
func (s *space) reserveBytes(n int64) error {
	if s.reserve == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reserve(s.taken + n); err != nil {
		return err
	}
	s.taken += n
	return nil
}

// newPageReserver returns the function that a page calls before it takes memory for n bytes in all.
func (s *space) newPageReserver() func(n int64) error {
	had := int64(0)
	return func(n int64) error {
		if n <= had {
			return nil
		}
		err := s.reserveBytes(n - had)
		if err == nil {
			had = n
		}
		return err
	}
}

// sliceSize is what an element of a list takes besides its bytes.
const sliceSize = 24

// add adds the elements of a list under the names that the virtual server has for them, if there is memory for them.
func (p *part) add(
	space *space, server, method string, definitions []mcp.Definition, withheld map[string]bool, doc []byte,
) error {
	prefix := tools.JoinName(server, "")
	if method == mcp.MethodListResources || method == mcp.MethodListTemplates {
		prefix = tools.FormatURIPrefix(server)
	}
	size := int64(0)
	for _, d := range definitions {
		size += int64(d.At.Len() + len(prefix) + sliceSize)
	}
	if err := space.reserveBytes(size); err != nil {
		return err
	}
	for _, d := range definitions {
		if withheld[d.Name] {
			continue
		}
		element := make([]byte, 0, d.At.Len()+len(prefix))
		element = append(append(element, doc[d.At.Start:d.NameAt.Start]...), prefix...)
		p.elements = append(p.elements, append(element, doc[d.NameAt.Start:d.At.End]...))
	}
	return nil
}
