package mcp

import (
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Notifications of servers about what has changed.
const (
	NoticeResourceUpdated  = "notifications/resources/updated"
	NoticeToolsChanged     = "notifications/tools/list_changed"
	NoticePromptsChanged   = "notifications/prompts/list_changed"
	NoticeResourcesChanged = "notifications/resources/list_changed"
	NoticeAcknowledged     = "notifications/subscriptions/acknowledged"
)

// MetaSubscription is the key of _meta that names the request subscriptions/listen to which a notification belongs.
const MetaSubscription = "io.modelcontextprotocol/subscriptionId"

// MaxSubscribed limits the resources of one subscription, or of one session.
const MaxSubscribed = 64

// Subscription is what a client wants to hear about. It neither holds nor refers to the request's body.
type Subscription struct {
	Tools, Prompts, Resources bool // changes of the lists
	URIs                      []string
}

// IsEmpty reports whether nothing is subscribed to.
func (s *Subscription) IsEmpty() bool {
	return !s.Tools && !s.Prompts && !s.Resources && len(s.URIs) == 0
}

// Wants reports whether a notification of a server belongs to the subscription.
func (s *Subscription) Wants(notice string) bool {
	switch notice {
	case NoticeToolsChanged:
		return s.Tools
	case NoticePromptsChanged:
		return s.Prompts
	case NoticeResourcesChanged:
		return s.Resources
	case NoticeResourceUpdated:
		return len(s.URIs) > 0
	}
	return false
}

// ListNotices returns the notifications about lists that are subscribed to.
func (s *Subscription) ListNotices() (list []string) {
	for _, notice := range [...]string{NoticeToolsChanged, NoticePromptsChanged, NoticeResourcesChanged} {
		if s.Wants(notice) {
			list = append(list, notice)
		}
	}
	return list
}

// Append appends the subscription as the member `notifications` has it.
func (s *Subscription) Append(dst []byte) []byte {
	dst = append(dst, '{')
	for name, wanted := range s.visitFlags {
		if wanted {
			dst = append(splice.AppendString(splice.AppendComma(dst), name), ":true"...)
		}
	}
	if len(s.URIs) > 0 {
		dst = append(splice.AppendComma(dst), `"resourceSubscriptions":[`...)
		for _, uri := range s.URIs {
			dst = splice.AppendString(splice.AppendComma(dst), uri)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func (s *Subscription) visitFlags(yield func(string, bool) bool) {
	_ = yield("toolsListChanged", s.Tools) && yield("promptsListChanged", s.Prompts) && yield("resourcesListChanged", s.Resources)
}

// ReadSubscription reads what a request subscriptions/listen, or its acknowledgement, asks for. It fails if that is missing or
// is not what the protocol defines.
func ReadSubscription(sc *splice.Scanner, doc []byte) (s Subscription, e *core.Error) {
	const param = "params.notifications"
	if !jsonrpc.Seek(sc, doc, "params", "notifications") {
		return s, scan.NewMissing(param)
	}
	if sc.Kind() != splice.Object {
		return s, scan.NewInvalid(param, `"`+param+`" must be an object`)
	}
	for sc.Enter(); sc.Next(); {
		switch key := string(sc.Key()); key {
		case "toolsListChanged":
			s.Tools = readFlag(sc, doc)
		case "promptsListChanged":
			s.Prompts = readFlag(sc, doc)
		case "resourcesListChanged":
			s.Resources = readFlag(sc, doc)
		case "resourceSubscriptions":
			if s.URIs, e = readURIs(sc, doc, param+"."+key); e != nil {
				return s, e
			}
		default:
			sc.Skip()
		}
	}
	return s, nil
}

func readFlag(sc *splice.Scanner, doc []byte) bool {
	at := sc.Skip()
	return sc.Err() == nil && string(doc[at.Start:at.End]) == "true"
}

func readURIs(sc *splice.Scanner, doc []byte, param string) (list []string, e *core.Error) {
	if sc.Kind() != splice.Array {
		return nil, scan.NewInvalid(param, `"`+param+`" must be an array of addresses`)
	}
	for sc.Enter(); sc.Next(); {
		if sc.Kind() != splice.String {
			return nil, scan.NewInvalid(param, `"`+param+`" must be an array of addresses`)
		}
		uri := readString(sc, doc)
		if uri == "" || len(uri) > maxTarget || !utf8.ValidString(uri) || strings.ContainsFunc(uri, isControl) {
			return nil, scan.NewInvalid(param, `an address in "`+param+`" must hold between 1 and 4096 bytes and no invisible characters`)
		}
		if list = append(list, uri); len(list) > MaxSubscribed {
			return nil, scan.NewInvalid(param, `"`+param+`" must hold at most 64 addresses`)
		}
	}
	return list, nil
}

// ReadNotice returns the method of a notification, and the address that it names, or "".
func ReadNotice(sc *splice.Scanner, doc []byte) (method, uri string) {
	if jsonrpc.Seek(sc, doc, "method") && sc.Kind() == splice.String {
		method = readString(sc, doc)
	}
	if jsonrpc.Seek(sc, doc, "params", "uri") && sc.Kind() == splice.String {
		uri = readString(sc, doc)
	}
	return method, uri
}

// FormatListenEnd writes the response that ends the stream of a request subscriptions/listen in good order.
func (c *Call) FormatListenEnd() []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), c.ID...)
	b = append(b, `,"result":{"resultType":"complete","_meta":{"`+MetaSubscription+`":`...)
	return append(append(b, c.ID...), "}}}"...)
}
