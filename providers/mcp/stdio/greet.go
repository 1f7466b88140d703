package stdio

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core/body/splice"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// clientInfo is how the gateway introduces itself.
const clientInfo = `{"name":"headgate","version":"1"}`

// askTime limits the question about the era: servers of the legacy era may leave an unknown method unanswered.
const askTime = 5 * time.Second

// errGreeting says that a process does not speak the protocol.
var errGreeting = errors.New("the process does not answer as a server of the Model Context Protocol of a supported revision")

// openSession determines which era the process speaks, and opens its session if it needs one (specification 2026-07-28,
// "Backward Compatibility": a server without server/discover is legacy).
func (c *child) openSession(ctx context.Context) error {
	if c.era = c.server.spec.Era; c.era == dialect.Modern {
		return nil
	}
	if c.era == 0 && !c.server.simple {
		c.asked = true
		asking, cancel := context.WithTimeout(ctx, askTime)
		isModern := c.speaksModern(asking)
		cancel()
		if isModern {
			return nil
		}
		select {
		case <-c.done:
			return errGreeting
		default:
		}
	}
	c.era = dialect.Legacy
	call, data, err := c.ask(ctx, dialect.MethodInitialize, []byte(`{"protocolVersion":"`+dialect.LegacyVersion+
		`","capabilities":{},"clientInfo":`+clientInfo))
	switch {
	case err != nil:
		return errors.Join(errGreeting, err)
	case call.Answer.Failed:
		return errGreeting
	}
	if era, ok := dialect.FindEra(call.Answer.Protocol); !ok || era != dialect.Legacy {
		return errGreeting
	}
	c.version, c.greeting = call.Answer.Protocol, bytes.Clone(findMember(data, "result"))
	return c.post(ctx, []byte(`{"jsonrpc":"2.0","method":"`+dialect.NoticeInitialized+"\"}\n"))
}

// speaksModern asks the process which revisions it supports.
func (c *child) speaksModern(ctx context.Context) bool {
	c.era = dialect.Modern
	call, data, err := c.ask(ctx, dialect.MethodDiscover, []byte{'{'})
	if err != nil || call.Answer.Failed {
		return false
	}
	at, ok := findSpan(data, splice.Span{End: len(data)}, "result", "supportedVersions")
	return ok && bytes.Contains(data[at.Start:at.End], []byte(`"`+dialect.ModernVersion+`"`))
}

// repeatGreeting answers initialize with the process's greeting, in the client's revision.
func (c *child) repeatGreeting(m *tools.Message) tools.Answer {
	if c.greeting == nil {
		return mcp.NewErrorAnswer(m.Call.ID, mcp.NumberMethodNotFound, "the server has no sessions")
	}
	result := c.greeting
	at, ok := findSpan(result, splice.Span{End: len(result)}, "protocolVersion")
	if era, known := dialect.FindEra(m.Call.Version); ok && known && era == dialect.Legacy {
		version := splice.AppendString(nil, m.Call.Version)
		if out, err := splice.Append(nil, result, []splice.Cut{{Span: at, With: string(version)}}); err == nil {
			result = out
		}
	}
	return mcp.NewResultAnswer(m.Call.ID, result)
}
