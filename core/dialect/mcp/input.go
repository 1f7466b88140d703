package mcp

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
)

// ReadInput returns what a retry of a modern call brings: the state, and the action in the answer to the question of a
// name, such as accept or decline. Both are "" if they are not in the request.
func ReadInput(s *splice.Scanner, request []byte, question string) (state, action string) {
	if jsonrpc.Seek(s, request, "params", "requestState") && s.Kind() == splice.String {
		state = readString(s, request)
	}
	if jsonrpc.Seek(s, request, "params", "inputResponses", question, "action") && s.Kind() == splice.String {
		action = readString(s, request)
	}
	return state, action
}

func readString(s *splice.Scanner, doc []byte) string {
	at, _ := s.String()
	if s.Err() != nil {
		return ""
	}
	return zerocopy.String(splice.AppendText(make([]byte, 0, at.Len()), doc[at.Start:at.End]))
}

// HasInput reports whether a request continues an earlier turn of the call.
func HasInput(s *splice.Scanner, request []byte) bool {
	return jsonrpc.Seek(s, request, "params", "requestState") || jsonrpc.Seek(s, request, "params", "inputResponses")
}

// RemoveInput returns a request without its state and its answers to questions, as the first turn of the call was.
func RemoveInput(s *splice.Scanner, request []byte) []byte {
	if !jsonrpc.Seek(s, request, "params") || s.Kind() != splice.Object {
		return request
	}
	out := append(make([]byte, 0, len(request)), request[:s.Pos()]...)
	out = append(out, '{')
	s.Enter()
	for s.Next() {
		key := string(s.Key())
		at := s.Skip()
		if key != "requestState" && key != "inputResponses" && s.Err() == nil {
			out = append(splice.AppendString(splice.AppendComma(out), key), ':')
			out = append(out, request[at.Start:at.End]...)
		}
	}
	if s.Err() != nil {
		return request
	}
	return append(append(out, '}'), request[s.Pos():]...)
}

// ReadElicitation reports in which modes the client of a modern request can ask its user something: with a form, or by
// opening a page. A client that names no mode has the form (specification, "Elicitation").
func ReadElicitation(s *splice.Scanner, request []byte) (form, page bool) {
	if !jsonrpc.Seek(s, request, "params", "_meta", metaCapabilities, "elicitation") || s.Kind() != splice.Object {
		return false, false
	}
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "form":
			form = true
		case "url":
			page = true
		}
		s.Skip()
	}
	return (form || !page) && s.Err() == nil, page && s.Err() == nil
}
