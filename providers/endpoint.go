package providers

import (
	"errors"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// service is the endpoint of one shape: a path below the provider's base URL, in which {model} stands for the model's
// name.
type service struct {
	// root is the part of the path that belongs to the API as a whole, such as "/v1". A base_url may end with it, as in
	// the vendors' own clients.
	root string
	path string
	// stream is the path of streamed calls, if it differs.
	stream string
	query  string
	// bearer is set if only this service expects the key as a bearer token.
	bearer bool
}

// endpoint is a service at its full URL.
type endpoint struct {
	whole, stream target
	bearer        bool
}

// target is a URL whose path may contain a model's name.
type target struct {
	fixed *url.URL // the whole URL, or the part before the name
	named bool
	tail  string // the part after the name
}

const modelMark = "{model}"

// buildEndpoints returns the services of a provider at its base URL.
func buildEndpoints(base string, services map[string]service) (map[string]*endpoint, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("base_url is not an http or https URL")
	}
	if u.User != nil || u.Fragment != "" {
		return nil, errors.New("base_url contains a user name, a password or a fragment; use api_key")
	}
	u = cutRoot(u, services)
	out := make(map[string]*endpoint, len(services))
	for wire, s := range services {
		e := &endpoint{bearer: s.bearer, whole: newTarget(u, s.root+s.path, s.query)}
		e.stream = e.whole
		if s.stream != "" {
			path, query, _ := strings.Cut(s.stream, "?")
			e.stream = newTarget(u, s.root+path, query)
		}
		out[wire] = e
	}
	return out, nil
}

// cutRoot removes from a base URL the part that the services add: a whole root, or its beginning.
func cutRoot(u *url.URL, services map[string]service) *url.URL {
	best := ""
	for _, s := range services {
		for root := s.root; root != ""; root = root[:strings.LastIndexByte(root, '/')] {
			if strings.HasSuffix(u.Path, root) && len(root) > len(best) {
				best = root
			}
		}
	}
	if best == "" || !strings.HasSuffix(u.EscapedPath(), best) {
		return u
	}
	cut := *u
	cut.Path, cut.RawPath = strings.TrimSuffix(u.Path, best), strings.TrimSuffix(u.EscapedPath(), best)
	return &cut
}

func newTarget(base *url.URL, path, query string) target {
	before, after, named := strings.Cut(path, modelMark)
	u := *base
	u.Path, u.RawPath = base.Path+before, base.EscapedPath()+before
	switch {
	case u.RawQuery == "":
		u.RawQuery = query
	case query != "":
		u.RawQuery += "&" + query
	}
	return target{fixed: &u, named: named, tail: after}
}

// buildURL returns the URL for a model.
func (e *endpoint) buildURL(model string, stream bool) (*url.URL, error) {
	t := &e.whole
	if stream {
		t = &e.stream
	}
	if !t.named {
		return t.fixed, nil
	}
	// Such names would lead to another path of the provider.
	if model == "" || model == "." || model == ".." {
		return nil, &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeModelNotFound, Param: "model", Public: "the model's name is empty or made of dots",
		}
	}
	u := *t.fixed
	u.Path += model + t.tail
	u.RawPath += escapeSegment(model) + t.tail
	return &u, nil
}

// escapeSegment writes a name as one segment of a path. It escapes everything except the characters that RFC 3986 never
// reserves, as AWS does for signatures.
func escapeSegment(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '~':
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
