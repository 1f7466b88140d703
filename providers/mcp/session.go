package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// ErrVersion means that a server chose an unsupported revision.
var ErrVersion = errors.New("the server does not speak a supported revision of the protocol")

// Session is an open session of the legacy era.
type Session struct {
	ID      string // empty if the server has no sessions
	Version string
	// Result is the server's result of initialize, a whole response.
	Result []byte
}

// clientInfo is how the gateway introduces itself.
const clientInfo = `{"name":"headgate","version":"1"}`

// Open opens a session of the legacy era as a client without capabilities, so that the server sends no requests.
func (v *Server) Open(ctx context.Context) (*Session, error) {
	const body = `{"jsonrpc":"2.0","id":"open","method":"` + mcp.MethodInitialize + `","params":{"protocolVersion":"` + mcp.LegacyVersion +
		`","capabilities":{},"clientInfo":` + clientInfo + `}}`
	call, a, data, err := v.ask(ctx, body, nil, "")
	if err != nil {
		return nil, err
	}
	version := call.Answer.Protocol
	if era, ok := mcp.FindEra(version); !ok || era != mcp.Legacy {
		return nil, ErrVersion
	}
	s := &Session{ID: a.Session(), Version: version, Result: data}
	ready := &mcp.Call{Form: mcp.Notification, Era: mcp.Legacy, Version: version, Method: mcp.NoticeInitialized}
	told, err := v.Send(ctx, &Message{Call: ready, Body: []byte(`{"jsonrpc":"2.0","method":"` + mcp.NoticeInitialized + `"}`), Session: s.ID})
	if err != nil {
		return nil, fmt.Errorf("report that the session is open: %w", err)
	}
	return s, told.Close()
}

// Probe finds out which eras a server speaks. Modern servers must know server/discover, or say in
// their own way which revisions they support (specification, "Backward Compatibility").
func (v *Server) Probe(ctx context.Context) (mcp.Era, error) {
	const body = `{"jsonrpc":"2.0","id":"probe","method":"` + mcp.MethodDiscover + `","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"` + mcp.ModernVersion + `","io.modelcontextprotocol/clientInfo":` + clientInfo + `,` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
	head := map[string][]string{mcp.HeaderVersion: {mcp.ModernVersion}, mcp.HeaderMethod: {mcp.MethodDiscover}}
	call, _, data, err := v.ask(ctx, body, head, "")
	var status *StatusError
	switch {
	case errors.As(err, &status):
		if status.Status >= 500 || status.Status == 401 || status.Status == 403 || status.Status == 429 {
			return 0, err // such a failure does not reveal the era
		}
		return mcp.Legacy, nil
	case err != nil:
		return 0, err
	case !call.Answer.Failed:
		return detectEra(data, "result", "supportedVersions"), nil
	case call.Answer.Code == codeUnsupportedVersion:
		return detectEra(data, "error", "data", "supported"), nil
	case call.Answer.Code == codeHeaderMismatch, call.Answer.Code == mcp.NumberMissingCapability:
		return mcp.Modern, nil
	}
	return mcp.Legacy, nil
}

// Error codes that only modern servers use.
const (
	codeHeaderMismatch     = -32020
	codeUnsupportedVersion = -32022
)

// ask sends a request of the gateway itself, in a legacy session if one is given, and reads its response.
func (v *Server) ask(ctx context.Context, body string, header map[string][]string, session string) (*mcp.Call, *Answer, []byte, error) {
	x, call := &core.Exchange{}, &mcp.Call{}
	x.Request.Raw, x.Request.Header = []byte(body), header
	if e := call.Scan(x); e != nil {
		return nil, nil, nil, e
	}
	a, err := v.Send(ctx, &Message{Call: call, Body: x.Request.Raw, Session: session})
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { _ = a.Close() }()
	for {
		data, _, err := a.Next(ctx, func(data []byte) (bool, error) {
			form, err := call.ReadForm(x, data)
			return form.IsResponse(), err
		})
		if errors.Is(err, io.EOF) {
			err = ErrNoResponse
		}
		if err != nil {
			return nil, nil, nil, err
		}
		if !a.done {
			continue // a notification
		}
		x.Response.Status, x.Response.Raw = a.Status, append([]byte{}, data...)
		if err := call.ScanResponse(x); err != nil {
			return nil, nil, nil, fmt.Errorf("read the response to %s: %w", call.Method, err)
		}
		return call, a, x.Response.Raw, nil
	}
}

// detectEra returns the eras of the revisions in a list of a message.
func detectEra(doc []byte, path ...string) mcp.Era {
	var s splice.Scanner
	s.Reset(doc)
	for _, want := range path {
		if s.Kind() != splice.Object || !s.Enter() {
			return mcp.Legacy
		}
		for {
			if !s.Next() {
				return mcp.Legacy
			}
			if string(s.Key()) == want {
				break
			}
			s.Skip()
		}
	}
	if s.Kind() != splice.Array || !s.Enter() {
		return mcp.Legacy
	}
	var eras mcp.Era
	for s.Next() {
		if at := s.Skip(); s.Err() == nil && at.Len() > 2 {
			era, _ := mcp.FindEra(string(doc[at.Start+1 : at.End-1]))
			eras |= era
		}
	}
	if eras == 0 {
		return mcp.Legacy
	}
	return eras
}
