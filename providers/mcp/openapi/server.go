package openapi

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// Settings describe an API.
type Settings struct {
	// Name is the server's name.
	Name string
	// URL is the API's address, http or https, without a query. Addresses in the document are ignored.
	URL string
	// AllowPrivate admits plain http, and addresses of this machine and of private networks.
	AllowPrivate bool
	// Document holds the document's text. If nil, it is fetched from DocumentURL when first needed, and again when it is old.
	Document    []byte
	DocumentURL string
	// Operations are globs of the names of operations that become tools.
	Operations []string
	// Header is sent with each call, such as a credential.
	Header []upstream.Field
	// Timeouts limits the phases of a call.
	Timeouts upstream.Timeouts
	// MaxAnswer is the number of bytes of one answer.
	MaxAnswer int
	// Client sends the calls. It must connect through an upstream.PublicDialer.
	Client upstream.Client
}

// Server is an API as a server of tools. Its methods may be called from many goroutines.
type Server struct {
	set   Settings
	base  string // the URL without a slash at its end
	url   *url.URL
	guard mcp.Guard
	api   source
}

var (
	_ tools.Upstream = (*Server)(nil)
	_ tools.Lister   = (*Server)(nil)
)

// New returns a server. It fails for a URL that must not be called, and for a document that cannot be used.
func New(s Settings) (*Server, error) {
	u, err := checkURL(s.URL, s.AllowPrivate)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.ForceQuery {
		return nil, errors.New("url: contains a query; remove it")
	}
	v := &Server{set: s, url: u, base: strings.TrimSuffix(u.String(), "/"), guard: mcp.NewGuard(s.Header)}
	if s.Document != nil {
		v.api.known, err = v.read(s.Document)
		return v, err
	}
	if _, err := checkURL(s.DocumentURL, s.AllowPrivate); err != nil {
		return nil, errors.New("from_openapi.document: neither a file nor a URL that may be called")
	}
	return v, nil
}

// checkURL refuses a URL that must not be called. It does not look up names in DNS.
func checkURL(raw string, allowPrivate bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "":
		return nil, errors.New("url: not an http or https URL without user and fragment")
	case u.Scheme != "https" && (u.Scheme != "http" || !allowPrivate):
		return nil, errors.New("url: not https; write https://, or allow_private: true for an API in your own network")
	}
	return u, upstream.CheckHost(u.Hostname(), allowPrivate)
}

// End does nothing: there are no sessions.
func (*Server) End(context.Context, string, string) error { return nil }

// Probe says which era the server speaks.
func (*Server) Probe(context.Context) (dialect.Era, error) { return dialect.Modern, nil }

// Send answers a message.
func (v *Server) Send(ctx context.Context, m *tools.Message) (tools.Answer, error) {
	if m.Call.Form != dialect.Request {
		return mcp.NewAcceptedAnswer(), nil
	}
	switch m.Call.Method {
	case dialect.MethodDiscover:
		return v.introduce(m), nil
	case dialect.MethodListTools, dialect.MethodCallTool:
		api, err := v.loadDocument(ctx)
		switch {
		case err != nil:
			return nil, err
		case m.Call.Method == dialect.MethodCallTool:
			return v.call(ctx, m, api)
		}
		return mcp.NewResultAnswer(m.Call.ID, api.list), nil
	}
	return mcp.NewErrorAnswer(m.Call.ID, mcp.NumberMethodNotFound, "the server has tools alone"), nil
}

// introduce answers with the server's name, even while its document cannot be read.
func (v *Server) introduce(m *tools.Message) tools.Answer {
	b := []byte(`{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":[`)
	b = splice.AppendString(b, dialect.ModernVersion)
	b = append(b, `],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":`...)
	b = append(splice.AppendString(b, v.set.Name), `,"version":"1"}}}`...)
	return mcp.NewResultAnswer(m.Call.ID, b)
}

// ListTools passes the tools to the caller as one page.
func (v *Server) ListTools(ctx context.Context, _ dialect.Era, page func(doc []byte, list []dialect.Definition) error) error {
	api, err := v.loadDocument(ctx)
	if err != nil {
		return err
	}
	var list []dialect.Definition
	at := bytes.IndexByte(api.list, '[') + 1
	for _, o := range api.operations {
		end := at + len(o.definition)
		list = append(list, dialect.Definition{Name: o.tool, At: splice.Span{Start: at, End: end}})
		at = end + 1
	}
	return page(api.list, list)
}
