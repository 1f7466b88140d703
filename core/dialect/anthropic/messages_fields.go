package anthropic

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// maxName bounds names that go into records.
const maxName = 512

func (r *request) model() {
	r.seen.model = true
	if r.s.Kind() != splice.String {
		r.wrongType("model", "a string")
		return
	}
	at, escaped := r.s.String()
	if r.s.Err() != nil {
		return
	}
	if at.Len() == 0 {
		r.fail(bad("model", `"model" must not be empty`))
	}
	if at.Len() > maxName {
		r.fail(bad("model", `"model" is too long for a name`))
		return
	}
	r.mark(markModel, at)
	raw := r.doc[at.Start:at.End]
	if escaped {
		raw = splice.AppendText(nil, raw)
	}
	r.x.Head.Model = view(raw)
}

// limit reads the token limit; null counts as absent, but keeps its place. Zero
// is a limit: it fills the prompt cache and asks for no answer.
func (r *request) limit() {
	r.s.Kind()
	from := r.s.Pos()
	r.x.Head.MaxTokens = r.integer("max_tokens", 0)
	r.mark(markMaxTokens, splice.Span{Start: from, End: r.s.Pos()})
}

// system reads the text that stands before the conversation.
func (r *request) system() {
	r.at.kind = core.KindText
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
	case splice.String, splice.Array:
		r.content("system")
	default:
		r.wrongType("system", "a string or an array of text blocks")
	}
}

// stop reads the texts that end an answer. The model answers with placeholders,
// so what is redacted in its prompt is redacted here.
func (r *request) stop() {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return
	case splice.Array:
	default:
		r.wrongType("stop_sequences", "an array of strings")
		return
	}
	r.s.Enter()
	for r.at.part = 0; r.s.Next(); r.at.part++ {
		if r.s.Kind() != splice.String {
			r.wrongType("stop_sequences", "an array of strings")
			continue
		}
		at, _ := r.s.String()
		if r.s.Err() == nil && at.Len() > 0 {
			r.add("stop_sequences", at, false)
		}
	}
}

// metadata reads the end user, who is named by a plain id. Some clients send an
// object there, or one as text: it leaves as it came and names nobody.
func (r *request) metadata() {
	if !r.enter("metadata") {
		return
	}
	for r.s.Next() {
		key := r.s.Key()
		switch {
		case string(key) != "user_id":
			leaves(r.s, r.doc, key, r)
		case r.s.Kind() == splice.String:
			r.x.Head.User = strings.Clone(plainID(str(r.s, r.doc)))
		default:
			r.s.Skip()
		}
	}
}

// plainID gives an id that is one, and "" for JSON in its place.
func plainID(s string) string {
	t := strings.TrimSpace(s)
	if len(s) > maxName || t == "" || t[0] == '{' || t[0] == '[' || t[0] == '"' || strings.ContainsAny(s, "\r\n\t\x00") {
		return ""
	}
	return s
}

// enter opens an object; null stands for none.
func (r *request) enter(param string) bool {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
	case splice.Object:
		return r.s.Enter()
	default:
		r.wrongType(param, "an object")
	}
	return false
}

// object reads a field whose texts describe something.
func (r *request) object(param string) {
	if k := r.s.Kind(); k != splice.Object && k != splice.Null {
		r.wrongType(param, "an object")
		return
	}
	leaves(r.s, r.doc, []byte(param), r)
}

func (r *request) output() {
	if !r.enter("output_config") {
		return
	}
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "effort":
			effort := r.text("output_config.effort")
			if len(effort) > maxName {
				r.fail(bad("output_config.effort", `"output_config.effort" is too long for a name`))
				continue
			}
			r.x.Head.Effort = strings.Clone(effort)
		case "format":
			r.format("output_config.format")
		default:
			leaves(r.s, r.doc, key, r)
		}
	}
}

func (r *request) format(param string) {
	if r.s.Kind() == splice.Object {
		r.x.Head.Format = core.FormatSchema
	}
	r.at.kind = core.KindDefinition
	r.object(param)
	r.at.kind = core.KindOther
}

// never reads a field that no route takes. An empty one asks for nothing.
func (r *request) never(param string) {
	if r.s.Kind() == splice.Null {
		r.s.Null()
		return
	}
	if at := r.s.Skip(); r.s.Err() == nil && r.doc[at.Start] == '[' && len(strings.TrimSpace(view(r.doc[at.Start+1:at.End-1]))) == 0 {
		return
	}
	r.fail(unsupported(param, strconv.Quote(param)+" is not supported: what it names runs at the provider, out of the gateway's sight; leave it out"))
}
