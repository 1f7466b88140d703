package anthropic

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (r *request) readModel() {
	r.seen.model = true
	r.ReadModel(markModel)
}

// readLimit reads the token limit. Null means absent, but its place is marked. Zero is
// valid: it fills the prompt cache without an answer.
func (r *request) readLimit() {
	r.S.Kind()
	from := r.S.Pos()
	r.X.Head.MaxTokens = r.ReadInteger("max_tokens", 0)
	r.Mark(markMaxTokens, splice.Span{Start: from, End: r.S.Pos()})
}

// readSystem reads the system text.
func (r *request) readSystem() {
	r.at.Kind = core.KindText
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
	case splice.String, splice.Array:
		r.readContent("system")
	default:
		r.RejectType("system", "a string or an array of text blocks")
	}
}

// readStop reads the stop sequences as texts: the model answers with placeholders, so
// values that are redacted in the prompt must be redacted here too.
func (r *request) readStop() {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return
	case splice.Array:
	default:
		r.RejectType("stop_sequences", "an array of strings")
		return
	}
	r.S.Enter()
	for r.at.Part = 0; r.S.Next(); r.at.Part++ {
		if r.S.Kind() != splice.String {
			r.RejectType("stop_sequences", "an array of strings")
			continue
		}
		at, _ := r.S.String()
		if r.S.Err() == nil && at.Len() > 0 {
			r.add("stop_sequences", at, false)
		}
	}
}

// readMetadata reads the end user from a plain id. It ignores an object or JSON text,
// which some clients send there.
func (r *request) readMetadata() {
	if !r.EnterObject("metadata") {
		return
	}
	for r.S.Next() {
		key := r.S.Key()
		switch {
		case string(key) != "user_id":
			r.readUnknown(key)
		case r.S.Kind() == splice.String:
			r.X.Head.User = strings.Clone(cleanID(r.ReadUserID("metadata.user_id")))
		default:
			r.readUnknown(key)
		}
	}
}

// cleanID returns a plain id, or "" for JSON in its place.
func cleanID(s string) string {
	t := strings.TrimSpace(s)
	if len(s) > scan.MaxName || t == "" || t[0] == '{' || t[0] == '[' || t[0] == '"' || strings.ContainsAny(s, "\r\n\t\x00") {
		return ""
	}
	return s
}

// readObject reads an object whose texts describe something.
func (r *request) readObject(param string) {
	if k := r.S.Kind(); k != splice.Object && k != splice.Null {
		r.RejectType(param, "an object")
		return
	}
	r.readUnknown([]byte(param))
}

func (r *request) readOutput() {
	if !r.EnterObject("output_config") {
		return
	}
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "effort":
			effort := r.ReadText("output_config.effort")
			if len(effort) > scan.MaxName {
				r.Fail(scan.NewInvalid("output_config.effort", `"output_config.effort" is too long for a name`))
				continue
			}
			r.X.Head.Effort = strings.Clone(effort)
		case "format":
			r.readFormat("output_config.format")
		default:
			r.readUnknown(key)
		}
	}
}

func (r *request) readFormat(param string) {
	if r.S.Kind() == splice.Object {
		r.X.Head.Format = llm.FormatSchema
	}
	r.at.Kind = core.KindDefinition
	r.readObject(param)
	r.at.Kind = core.KindOther
}

// rejectPresent rejects a member that names what runs at the provider, unless it is null or empty. The member starts
// at start.
func (r *request) rejectPresent(param string, start int) {
	if r.S.Kind() == splice.Null {
		r.S.Null()
		return
	}
	from := r.S.Pos()
	r.readUnknown([]byte(param))
	r.RejectHostedMember(param, start, from)
}

func isEmptyList(value []byte) bool {
	return value[0] == '[' && strings.TrimSpace(zerocopy.String(value[1:len(value)-1])) == ""
}
