package cache

import (
	"encoding/binary"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// unsaidMeta are the members of the metadata of a call that do not change its result.
var unsaidMeta = []string{"progressToken", "traceparent", "tracestate"}

// matchTool reports whether the results of a call's tool are reused: the proxy knows it as read-only, and the settings
// list it.
func (s *Stage) matchTool(x *core.Exchange) bool {
	if x.Head.Task != llm.TaskTool || x.Reuse == nil {
		return false
	}
	name := strings.TrimPrefix(x.Head.Model, "mcp/")
	server, tool, ok := strings.Cut(name, "/")
	if !ok {
		return false
	}
	for _, glob := range s.Tools { // a * of the server's part must not match the start of a tool's name
		of, named, _ := strings.Cut(glob, "/")
		if match.MatchesGlob(of, server) && match.MatchesGlob(named, tool) {
			return true
		}
	}
	return false
}

// computeToolKey returns the key of a call of a tool. ok is false if the call has parameters besides the arguments, such as
// the answers to questions of the server: then it continues an earlier call.
func (w *work) computeToolKey(x *core.Exchange, generation string) (k key, ok bool, err error) {
	body, err := x.Request.AppendBody(w.body[:0])
	if err != nil {
		return k, false, err
	}
	if len(body) > 0 && len(x.Request.Raw) > 0 && &body[0] != &x.Request.Raw[0] {
		w.body = body
	}
	arguments, meta, ok, err := w.findParams(body)
	if err != nil || !ok {
		return k, false, err
	}
	w.hash.Reset()
	w.text = append(w.text[:0], versionTool)
	w.add(generation, x.Principal.Tenant, x.Dialect, x.Head.Model)
	w.text = binary.AppendUvarint(w.text, uint64(len(x.Reuse)))
	w.add(x.Reuse...)
	for _, part := range [...]struct {
		doc  []byte
		skip []string
	}{{arguments, nil}, {meta, unsaidMeta}} {
		w.canonical.out = w.canonical.out[:0]
		if part.doc != nil {
			if err := w.canonical.write(part.doc, part.skip); err != nil {
				return k, false, err
			}
		}
		w.add(string(w.canonical.out))
	}
	_, _ = w.hash.Write(w.text) // a hash accepts any write
	w.text = w.hash.Sum(w.text[:0])
	copy(k[:], w.text)
	return k, true, nil
}

// findParams returns the arguments and the metadata of a call, or nil for one that is missing. ok is false if the call has
// other parameters besides its name.
func (w *work) findParams(body []byte) (arguments, meta []byte, ok bool, err error) {
	s := &w.scan
	s.Reset(body)
	defer s.Reset(nil)
	ok = s.Kind() == splice.Object && s.Enter()
	for ok && s.Next() {
		if string(s.Key()) != "params" {
			s.Skip()
			continue
		}
		for ok = s.Kind() == splice.Object && s.Enter(); ok && s.Next(); {
			name := string(s.Key())
			at := s.Skip()
			switch name {
			case "name":
			case "arguments":
				arguments = body[at.Start:at.End]
			case "_meta":
				meta = body[at.Start:at.End]
			default:
				return nil, nil, false, nil
			}
		}
	}
	return arguments, meta, ok, s.Err()
}

// isLastingResult reports whether the result of a tool may answer another call. A result that links to a resource may not: the
// link can expire, or be meant for one session.
func isLastingResult(x *core.Exchange, body []byte) bool {
	if x.Reuse == nil {
		return false
	}
	var s splice.Scanner
	s.Reset(body)
	lasts := true
	visit := func(member string, then func()) {
		scan.VisitMembers(&s, func(key string) {
			if key == member {
				then()
			} else {
				s.Skip()
			}
		})
	}
	visit("result", func() {
		visit("content", func() {
			if s.Kind() != splice.Array {
				s.Skip()
				return
			}
			for s.Enter(); s.Next(); {
				visit("type", func() { lasts = lasts && scan.ReadText(&s, body) != "resource_link" })
			}
		})
	})
	return lasts && s.Err() == nil
}
