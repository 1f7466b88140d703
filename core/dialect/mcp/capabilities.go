package mcp

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
)

// HideSubscriptions returns a response to initialize or server/discover in which the server promises no subscriptions and no
// notices of changed lists, for clients to which the gateway passes on no messages outside of requests. It returns doc itself
// if the server promises none, or if the response cannot be read.
func (c *Call) HideSubscriptions(doc []byte) []byte {
	if c.Method != MethodInitialize && c.Method != MethodDiscover {
		return doc
	}
	var s splice.Scanner
	if !jsonrpc.Seek(&s, doc, "result", "capabilities") || s.Kind() != splice.Object {
		return doc
	}
	var cuts []splice.Cut
	for s.Enter(); s.Next(); {
		s.Key()
		if s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		for s.Enter(); s.Next(); {
			name := string(s.Key())
			at := s.Skip()
			if (name == "listChanged" || name == "subscribe") && s.Err() == nil && string(doc[at.Start:at.End]) == "true" {
				cuts = append(cuts, splice.Cut{Span: at, With: "false"})
			}
		}
	}
	if s.Err() != nil || len(cuts) == 0 {
		return doc
	}
	if out, err := splice.Append(make([]byte, 0, len(doc)+len(cuts)), doc, cuts); err == nil {
		return out
	}
	return doc
}
