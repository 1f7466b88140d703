package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// maxURL is the maximum length of an address, in bytes.
const maxURL = 8 << 10

// callError describes wrong arguments of a call. It names arguments of the tool but quotes no value.
type callError struct{ argument, what string }

func (e *callError) Error() string { return "the argument `" + e.argument + "` " + e.what }

// call calls an operation.
func (v *Server) call(ctx context.Context, m *tools.Message, a *api) (tools.Answer, error) {
	o := a.byName[m.Call.Target]
	if o == nil {
		return mcp.NewErrorAnswer(m.Call.ID, mcp.NumberInvalidParams, "unknown tool"), nil
	}
	r, err := v.buildRequest(o, m)
	if err != nil {
		return mcp.NewErrorAnswer(m.Call.ID, mcp.NumberInvalidParams, err.Error()), nil
	}
	resp, err := v.set.Client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := v.buildResult(resp, m.Reserve)
	if err != nil {
		return nil, err
	}
	return mcp.NewResultAnswer(m.Call.ID, result), nil
}

// buildRequest writes the request of a call.
func (v *Server) buildRequest(o *operation, m *tools.Message) (*upstream.Request, error) {
	arguments, err := o.readArguments(m.Body)
	if err != nil {
		return nil, err
	}
	r := &upstream.Request{Method: o.method, Timeouts: v.set.Timeouts}
	r.Header = append(r.Header, upstream.Field{Name: "Accept", Value: "application/json, text/*;q=0.5, image/*;q=0.4, */*;q=0.1"})
	path, query := o.path, ""
	for i := range o.params {
		p := &o.params[i]
		raw := arguments[p.arg]
		if raw == nil {
			continue
		}
		text := ""
		switch p.in {
		case "path":
			text, err = escapePathText(raw)
			path = strings.Replace(path, "{"+p.name+"}", text, 1)
		case "query":
			query, err = p.appendQuery(query, raw)
		default:
			text, err = formatHeaderText(raw)
			r.Header = append(r.Header, upstream.Field{Name: p.name, Value: text})
		}
		if err != nil {
			return nil, &callError{p.arg, err.Error()}
		}
	}
	if r.URL, err = v.buildURL(path, query); err != nil {
		return nil, err
	}
	if raw := arguments[o.bodyArg]; raw != nil && o.body != bodyNone {
		if r.Body, err = o.body.encodeBody(raw); err != nil {
			return nil, &callError{o.bodyArg, err.Error()}
		}
		r.Header = append(r.Header, upstream.Field{Name: "Content-Type", Value: o.body.nameMediaType()})
	}
	for _, f := range m.Header {
		if strings.EqualFold(f.Name, "Traceparent") || strings.EqualFold(f.Name, "Tracestate") {
			r.Header = append(r.Header, f)
		}
	}
	r.Header = append(r.Header, v.set.Header...)
	return r, nil
}

// buildURL returns the address of a call. It is always below the API's address, whatever the path contains.
func (v *Server) buildURL(path, query string) (*url.URL, error) {
	text := v.base + path
	if query != "" {
		text += "?" + query
	}
	if len(text) > maxURL {
		return nil, errors.New("the arguments lead to an address of more than 8 KiB")
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != v.url.Scheme || u.Host != v.url.Host || u.User != nil || u.Fragment != "" ||
		u.EscapedPath() != strings.TrimSuffix(v.url.EscapedPath(), "/")+path {
		return nil, errors.New("the arguments lead to an address outside the API")
	}
	return u, nil
}

// readArguments reads the arguments of a call. Null counts as absent.
func (o *operation) readArguments(body []byte) (map[string]json.RawMessage, error) {
	var arguments map[string]json.RawMessage
	// Only this exact name, which the links and the digest know: a struct would also accept "Arguments".
	if s := new(splice.Scanner); jsonrpc.Seek(s, body, "params", "arguments") {
		at := s.Skip()
		if s.Err() != nil || splice.Unmarshal(body[at.Start:at.End], &arguments) != nil {
			return nil, errors.New("the arguments cannot be read")
		}
	}
	maps.DeleteFunc(arguments, func(_ string, raw json.RawMessage) bool { return len(raw) == 0 || raw[0] == 'n' })
	known := 0
	check := func(name string, required bool) error {
		if arguments[name] != nil {
			known++
		} else if required {
			return &callError{name, "is missing"}
		}
		return nil
	}
	for i := range o.params {
		if err := check(o.params[i].arg, o.params[i].required); err != nil {
			return nil, err
		}
	}
	if o.body != bodyNone {
		if err := check(o.bodyArg, o.needsBody); err != nil {
			return nil, err
		}
	}
	if known < len(arguments) {
		return nil, errors.New("the tool has no such argument; known arguments are " + strings.Join(o.listArgumentNames(), ", "))
	}
	return arguments, nil
}

// listArgumentNames returns the names of all arguments.
func (o *operation) listArgumentNames() (names []string) {
	for i := range o.params {
		names = append(names, o.params[i].arg)
	}
	if o.body != bodyNone {
		names = append(names, o.bodyArg)
	}
	if len(names) == 0 {
		return []string{"none"}
	}
	slices.Sort(names)
	return names
}

// encodeBody returns the body of a request. JSON keeps the client's spelling.
func (f bodyForm) encodeBody(raw json.RawMessage) ([]byte, error) {
	switch f {
	case bodyFields:
		if raw[0] != '{' {
			return nil, errors.New("must be an object of texts and numbers")
		}
		fields := param{style: "form", explode: true}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, err
		}
		text := ""
		for _, name := range slices.Sorted(maps.Keys(members)) {
			var err error
			if fields.name = name; members[name][0] == 'n' {
				continue
			}
			if text, err = fields.appendQuery(text, members[name]); err != nil {
				return nil, errors.New("must be an object of texts and numbers")
			}
		}
		return []byte(text), nil
	case bodyText:
		text, err := formatScalar(raw)
		return []byte(text), err
	}
	return raw, nil
}
