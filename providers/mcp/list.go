package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// maxPages limits the pages of one list.
const maxPages = 100

// ErrPages means that a list of tools does not end.
var ErrPages = errors.New("the list of tools has too many pages")

// ListTools asks the server for its tools, page by page. In the legacy era it opens a session for that, and ends it.
func (v *Server) ListTools(ctx context.Context, era mcp.Era, page func(doc []byte, list []mcp.Definition) error) error {
	o := ownSession{server: v, era: era}
	if err := o.open(ctx); err != nil {
		return err
	}
	defer o.end(ctx)
	cursor := ""
	for range maxPages {
		member := ""
		if cursor != "" {
			member = `"cursor":` + string(splice.AppendString(nil, cursor))
		}
		call, data, err := o.ask(ctx, mcp.MethodListTools, member)
		if err != nil {
			return err
		}
		if call.Answer.Failed {
			_, message := call.ReadError(data)
			return fmt.Errorf("the server answered with the error %d: %s", call.Answer.Code, message)
		}
		if err := page(data, call.Answer.Definitions); err != nil {
			return err
		}
		if cursor = readNextCursor(data); cursor == "" {
			return nil
		}
	}
	return ErrPages
}

// ownSession is a conversation that the gateway itself has with a server.
type ownSession struct {
	server  *Server
	era     mcp.Era
	session *Session // of the legacy era
}

func (o *ownSession) open(ctx context.Context) (err error) {
	if o.era == mcp.Legacy {
		o.session, err = o.server.Open(ctx)
	}
	return err
}

// end ends the session. Servers may refuse that.
func (o *ownSession) end(ctx context.Context) {
	if o.session != nil && o.session.ID != "" {
		_ = o.server.End(context.WithoutCancel(ctx), o.session.ID, o.session.Version)
	}
}

// ask sends a request without a target; params are its members.
func (o *ownSession) ask(ctx context.Context, method, params string) (*mcp.Call, []byte, error) {
	body, session := `{"jsonrpc":"2.0","id":"own","method":"`+method+`","params":{`+params, ""
	head := map[string][]string{}
	if o.era == mcp.Modern {
		if params != "" {
			body += ","
		}
		body += `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + mcp.ModernVersion +
			`","io.modelcontextprotocol/clientInfo":` + clientInfo + `,"io.modelcontextprotocol/clientCapabilities":{}}`
		head[mcp.HeaderVersion], head[mcp.HeaderMethod] = []string{mcp.ModernVersion}, []string{method}
	} else {
		head[mcp.HeaderVersion], session = []string{o.session.Version}, o.session.ID
	}
	call, _, data, err := o.server.ask(ctx, body+"}}", head, session)
	return call, data, err
}

// readNextCursor returns the cursor of a list's next page, or "" after the last page.
func readNextCursor(doc []byte) string {
	var s splice.Scanner
	s.Reset(doc)
	for _, want := range [...]string{"result", "nextCursor"} {
		if s.Kind() != splice.Object || !s.Enter() {
			return ""
		}
		for {
			if !s.Next() {
				return ""
			}
			if string(s.Key()) == want {
				break
			}
			s.Skip()
		}
	}
	if s.Kind() != splice.String {
		return ""
	}
	at, _ := s.String()
	if s.Err() != nil {
		return ""
	}
	return string(splice.AppendText(nil, doc[at.Start:at.End]))
}
