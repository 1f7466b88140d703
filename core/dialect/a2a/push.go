package a2a

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// PushTarget is where a client wants to be notified of a task.
type PushTarget struct {
	URL   string
	Token string // sent in X-A2A-Notification-Token; optional
	// Scheme and Credentials are those of the Authorization field. Optional.
	Scheme, Credentials string
}

// HeaderToken is the header with the client's own token.
const HeaderToken = "X-A2a-Notification-Token"

// maxPushValue limits the bytes of an address, a token and credentials: together they travel inside an address.
const maxPushValue = 1 << 10

// HidePushTargets returns a request with the names that hide returns in place of the addresses for push notifications, and without
// their tokens and credentials, or doc itself if it configures none. The message must be valid.
func (c *Call) HidePushTargets(doc []byte, hide func(PushTarget) (string, *core.Error)) ([]byte, *core.Error) {
	list, e := c.findPushConfigs(doc, "params")
	if e != nil {
		return doc, e
	}
	return replaceConfigs(doc, list, func(config []byte) (string, *core.Error) {
		target, e := readPushTarget(config, c.Op == PushConfig)
		if e != nil {
			return "", e
		}
		return hide(target)
	})
}

// SetPushURLs returns a message with the addresses for push notifications that set returns for those in it; "" removes one. root is
// "params" for a request and "result" for a response, which shows no tokens, because an agent is given none.
func (c *Call) SetPushURLs(doc []byte, root string, set func(url string) string) ([]byte, *core.Error) {
	list, e := c.findPushConfigs(doc, root)
	if e != nil {
		return doc, e
	}
	return replaceConfigs(doc, list, func(config []byte) (string, *core.Error) {
		var s splice.Scanner
		if !jsonrpc.Seek(&s, config, "url") {
			return "", nil
		}
		return set(scan.ReadText(&s, config)), nil
	})
}

// replaceConfigs replaces the addresses of configurations, and removes their tokens and credentials.
func replaceConfigs(doc []byte, list []splice.Span, address func(config []byte) (string, *core.Error)) ([]byte, *core.Error) {
	if len(list) == 0 {
		return doc, nil
	}
	var cuts []splice.Cut
	for _, at := range list {
		config := doc[at.Start:at.End]
		url, e := address(config)
		if e != nil {
			return doc, e
		}
		quoted := ""
		if url != "" {
			quoted = string(splice.AppendString(nil, url))
		}
		with := changeMembers(config, map[string]string{"url": quoted, "token": "", "authentication": ""})
		cuts = append(cuts, splice.Cut{Span: at, With: string(with)})
	}
	out, err := splice.Append(nil, doc, cuts)
	if err != nil {
		return doc, core.ConvertError(err)
	}
	return out, nil
}

// findPushConfigs returns where the configurations of push notifications of a message are.
func (c *Call) findPushConfigs(doc []byte, root string) (list []splice.Span, e *core.Error) {
	add := func(path ...string) bool {
		var s splice.Scanner
		if !jsonrpc.Seek(&s, doc, path...) || s.Kind() == splice.Null {
			return false
		}
		kind := s.Kind()
		if at := s.Skip(); kind == splice.Object && s.Err() == nil {
			list = append(list, at)
			return true
		}
		if root == "params" {
			e = scan.NewInvalid(path[len(path)-1], "must be an object")
		}
		return false
	}
	switch {
	case root == "params" && c.Op.Sends():
		add("params", "configuration", "pushNotificationConfig")
		add("params", "configuration", "taskPushNotificationConfig")
	case c.Op != PushConfig || root == "params" && !c.setsPush():
	case c.Version == Version03:
		if !add(root, "pushNotificationConfig") {
			list = append(list, findElements(doc, "pushNotificationConfig", root)...)
		}
	default:
		if elements := findElements(doc, "", root, "configs"); elements != nil || !add(root) {
			list = elements
		}
	}
	return list, e
}

// setsPush reports whether the method sets a configuration of push notifications.
func (c *Call) setsPush() bool {
	return c.Method == "tasks/pushNotificationConfig/set" || c.Method == "CreateTaskPushNotificationConfig"
}

// deletesPush reports whether the method deletes a configuration. Its result is null, which the official SDK for Python omits.
func (c *Call) deletesPush() bool {
	return c.Method == "tasks/pushNotificationConfig/delete" || c.Method == "DeleteTaskPushNotificationConfig"
}

// findElements returns where the objects of the list at a path are, or their member of a name.
func findElements(doc []byte, member string, path ...string) (list []splice.Span) {
	var s splice.Scanner
	if !jsonrpc.Seek(&s, doc, path...) || s.Kind() != splice.Array {
		return nil
	}
	for s.Enter(); s.Next(); {
		if s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		at := s.Skip()
		if s.Err() != nil {
			return nil
		}
		if member == "" {
			list = append(list, at)
			continue
		}
		var in splice.Scanner
		if jsonrpc.Seek(&in, doc[at.Start:at.End], member) && in.Kind() == splice.Object {
			of := in.Skip()
			list = append(list, splice.Span{Start: at.Start + of.Start, End: at.Start + of.End})
		}
	}
	return list
}

// readPushTarget reads the configuration of a client. Members that the specification does not have are refused, because an agent
// may read one of them as an address.
func readPushTarget(config []byte, aboutTask bool) (t PushTarget, e *core.Error) {
	const path = "pushNotificationConfig"
	var s splice.Scanner
	s.Reset(config)
	text := func(name string) string {
		kind, v := s.Kind(), scan.ReadText(&s, config)
		if kind != splice.String && kind != splice.Null || len(v) > maxPushValue {
			e = scan.NewInvalid(path+"."+name, "must be a string of at most 1,024 bytes")
		}
		return v
	}
	for s.Enter(); s.Next(); {
		switch name := string(s.Key()); {
		case name == "url":
			t.URL = text(name)
		case name == "token":
			t.Token = text(name)
		case name == "authentication" && s.Kind() == splice.Object:
			t.Scheme, t.Credentials = readAuthentication(&s, config, text)
		case name == "authentication" && s.Kind() == splice.Null, name == "id":
			s.Skip()
		case name == "tenant" || name == "taskId":
			if v := text(name); v != "" && !aboutTask {
				e = scan.NewInvalid(path+"."+name, "must be empty inside a message")
			}
		case name == "metadata" && aboutTask:
			s.Skip()
		default:
			s.Skip()
			e = scan.NewInvalid(path, `has a member other than "id", "url", "token" and "authentication"`)
		}
	}
	if s.End(); s.Err() != nil {
		return t, scan.NewSyntaxError(s.Err())
	}
	if e == nil && t.URL == "" {
		e = scan.NewMissing(path + ".url")
	}
	return t, e
}

// readAuthentication reads how the client wants notifications to authenticate: {"schemes":["Bearer"],"credentials":"x"} in 0.3, and
// {"scheme":"Bearer","credentials":"x"} in 1.0.
func readAuthentication(s *splice.Scanner, doc []byte, text func(name string) string) (scheme, credentials string) {
	for s.Enter(); s.Next(); {
		switch name := string(s.Key()); {
		case name == "scheme":
			scheme = text(name)
		case name == "credentials":
			credentials = text(name)
		case name == "schemes" && s.Kind() == splice.Array:
			for s.Enter(); s.Next(); {
				if v := text(name); scheme == "" {
					scheme = v
				}
			}
		default:
			s.Skip()
		}
	}
	return scheme, credentials
}
