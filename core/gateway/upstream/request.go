package upstream

import (
	"net/url"
	"strconv"
	"strings"
)

// appendHead checks the request and appends its head, including the empty line, to dst. host is the value of the Host
// field, which newPeer has checked.
func appendHead(dst []byte, req *Request, host string) ([]byte, error) {
	dst = append(dst, req.Method...)
	dst = append(dst, ' ')
	start := len(dst)
	dst = appendTarget(dst, req.URL)
	if !hasOnly(dst[start:], classTarget) {
		return dst, refusal("the request target holds a character that must be escaped")
	}
	dst = append(dst, " HTTP/1.1\r\nHost: "...)
	dst = append(dst, host...)
	dst = append(dst, "\r\n"...)
	for i := range req.Header {
		f := &req.Header[i]
		dst = append(dst, f.Name...)
		dst = append(dst, ": "...)
		dst = append(dst, f.Value...)
		dst = append(dst, "\r\n"...)
	}
	if len(req.Body) > 0 || req.Method == "POST" || req.Method == "PUT" || req.Method == "PATCH" {
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, int64(len(req.Body)), 10)
		dst = append(dst, "\r\n"...)
	}
	return append(dst, "\r\n"...), nil
}

// appendTarget appends path and query.
func appendTarget(dst []byte, u *url.URL) []byte {
	path := u.EscapedPath()
	if path == "" || path[0] != '/' {
		dst = append(dst, '/')
	}
	dst = append(dst, path...)
	if u.RawQuery != "" || u.ForceQuery {
		dst = append(dst, '?')
		dst = append(dst, u.RawQuery...)
	}
	return dst
}

// checkRequest refuses what must not be sent. The URL's host is checked by newPeer.
func checkRequest(req *Request) error {
	if !isToken(req.Method) {
		return refusal("the method is not a token")
	}
	if req.Method == "CONNECT" {
		return refusal("CONNECT is not for this client")
	}
	u := req.URL
	if u == nil {
		return refusal("no URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return refusal("the scheme is neither http nor https")
	}
	if u.Opaque != "" {
		return refusal("the URL has no host part")
	}
	if u.User != nil {
		return refusal("the URL holds user information")
	}
	for i := range req.Header {
		f := &req.Header[i]
		if !isToken(f.Name) {
			return refusal("the name of header field " + strconv.Itoa(i) + " is not a token")
		}
		if isReserved(f.Name) {
			return refusal("header field " + strconv.Itoa(i) + " is one that the client writes itself")
		}
		if !hasOnly(f.Value, classText) {
			return refusal("the value of header field " + strconv.Itoa(i) + " holds a control character")
		}
	}
	return nil
}

// isReserved reports whether a field belongs to the connection. The lengths come first, since they rule out nearly every
// field without a comparison.
func isReserved(name string) bool {
	switch len(name) {
	case 2:
		return strings.EqualFold(name, "TE")
	case 4:
		return strings.EqualFold(name, "Host")
	case 6:
		return strings.EqualFold(name, "Expect")
	case 7:
		return strings.EqualFold(name, "Trailer") || strings.EqualFold(name, "Upgrade")
	case 10:
		return strings.EqualFold(name, "Connection") || strings.EqualFold(name, "Keep-Alive")
	case 14:
		return strings.EqualFold(name, "Content-Length")
	case 16:
		return strings.EqualFold(name, "Proxy-Connection")
	case 17:
		return strings.EqualFold(name, "Transfer-Encoding")
	}
	return false
}
