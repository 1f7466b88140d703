package openai

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/splice"
)

// Scan checks a chat completion request and finds its texts. It refuses what no
// provider could read one way only: broken JSON, duplicate keys, wrong types.
func (Chat) Scan(x *core.Exchange) *core.Error {
	r := request{x: x, s: &x.Scanner, doc: x.Request.Raw, notes: notesOf(x)}
	r.notes.wantsUsage, r.notes.options, r.notes.optionsEmpty = false, false, false
	x.Request.Marks = append(x.Request.Marks[:0], make([]splice.Span, marks)...)
	r.s.Reset(r.doc)
	e := r.body()
	if err := r.s.Err(); err != nil {
		return syntax(err)
	}
	return e
}

// syntax makes the client's error of a scanner's.
func syntax(err error) *core.Error {
	e := &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Err: err}
	var se *splice.SyntaxError
	if errors.As(err, &se) {
		if se.Reason == splice.ReasonDuplicateKey {
			e.Code = core.CodeDuplicateKey
			e.Public = "an object in the body names a key twice, at byte " + strconv.Itoa(se.Offset) + "; send each key once"
			return e
		}
		e.Public = "the body is not valid JSON: " + string(se.Reason) + " at byte " + strconv.Itoa(se.Offset)
		return e
	}
	e.Public = "the body is not valid JSON"
	return e
}

// request is the state of one scan.
type request struct {
	x     *core.Exchange
	s     *splice.Scanner
	doc   []byte
	notes *notes
	seen  fields
	err   *core.Error
}

type fields struct{ model, messages, maxTokens, maxCompletion bool }

func (r *request) mark(i int, at splice.Span) { r.x.Request.Marks[i] = at }

func (r *request) fail(e *core.Error) {
	if r.err == nil {
		r.err = e
	}
}

// wrongType notes the error and skips the value, so that the rest is checked.
func (r *request) wrongType(param, want string) {
	r.fail(bad(param, "invalid type for "+strconv.Quote(param)+": expected "+want))
	r.s.Skip()
}

func (r *request) body() *core.Error {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return bad("", "the body must be a JSON object")
	}
	r.s.Enter()
	r.mark(markOpen, splice.Span{Start: r.s.Pos(), End: r.s.Pos()})
	var limit, completion int64
	for r.s.Next() {
		start := r.s.Pos()
		switch key := r.s.Key(); string(key) {
		case "model":
			r.model()
		case "messages":
			r.messages()
		case "stream":
			r.x.Head.Stream = r.boolean("stream")
		case "stream_options":
			r.streamOptions()
		case "max_tokens":
			r.seen.maxTokens = true
			limit = r.limit("max_tokens", start, markMaxTokens)
		case "max_completion_tokens":
			r.seen.maxCompletion = true
			completion = r.limit("max_completion_tokens", start, markMaxCompletionTokens)
		case "temperature":
			r.number("temperature", 0, 2)
		case "top_p":
			r.number("top_p", 0, 1)
		case "frequency_penalty":
			r.number("frequency_penalty", -2, 2)
		case "presence_penalty":
			r.number("presence_penalty", -2, 2)
		case "n":
			r.integer("n", 1)
		case "seed":
			r.seed()
		case "user":
			r.x.Head.User = r.name("user")
		case "reasoning_effort":
			r.x.Head.Effort = r.name("reasoning_effort")
		case "parallel_tool_calls":
			r.boolean("parallel_tool_calls")
		case "tools":
			r.tools()
		case "tool_choice":
			r.toolChoice()
		case "stop":
			r.stop()
		case "response_format":
			r.object("response_format", core.KindDefinition)
		default:
			r.unknown(string(key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.s.End()
	if r.s.Err() != nil || r.err != nil {
		return r.err
	}
	return r.finish(limit, completion)
}

func (r *request) finish(limit, completion int64) *core.Error {
	switch {
	case !r.seen.model:
		return missing("model")
	case !r.seen.messages:
		return missing("messages")
	case limit != 0 && completion != 0 && limit != completion:
		return bad("max_tokens", `"max_tokens" and "max_completion_tokens" have different values; send one of them`)
	case r.notes.options && !r.x.Head.Stream:
		return bad("stream_options", `"stream_options" is only allowed when "stream" is true`)
	}
	r.x.Head.MaxTokens = max(limit, completion)
	return nil
}

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

// limit reads a token limit; null counts as absent, but keeps its place.
func (r *request) limit(name string, start, mark int) int64 {
	from := r.s.Pos()
	var v int64
	switch r.s.Kind() {
	case splice.Null:
		from = r.s.Pos()
		r.s.Null()
	case splice.Number:
		from = r.s.Pos()
		v = r.integer(name, 1)
	default:
		r.wrongType(name, "an integer")
	}
	r.mark(mark, splice.Span{Start: from, End: r.s.Pos()})
	r.mark(mark+1, splice.Span{Start: start, End: r.s.Pos()})
	return v
}

func (r *request) streamOptions() {
	switch r.s.Kind() {
	case splice.Null:
		from := r.s.Pos()
		r.s.Null()
		r.mark(markStreamOptions, splice.Span{Start: from, End: r.s.Pos()})
		return
	case splice.Object:
	default:
		r.wrongType("stream_options", "an object")
		return
	}
	from := r.s.Pos()
	r.notes.options, r.notes.optionsEmpty = true, true
	r.s.Enter()
	for r.s.Next() {
		r.notes.optionsEmpty = false
		if string(r.s.Key()) != "include_usage" {
			r.s.Skip()
			continue
		}
		r.s.Kind()
		at := r.s.Pos()
		r.notes.wantsUsage = r.boolean("stream_options.include_usage")
		r.mark(markIncludeUsage, splice.Span{Start: at, End: r.s.Pos()})
	}
	r.mark(markStreamOptions, splice.Span{Start: from, End: r.s.Pos()})
}

func (r *request) boolean(param string) bool {
	switch r.s.Kind() {
	case splice.True, splice.False:
		return r.s.Bool()
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "a boolean")
	}
	return false
}

func (r *request) text(param string) string {
	switch r.s.Kind() {
	case splice.String:
		return str(r.s, r.doc)
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "a string")
	}
	return ""
}

// maxName bounds names that go into records.
const maxName = 512

func (r *request) name(param string) string {
	s := r.text(param)
	if len(s) > maxName {
		r.fail(bad(param, strconv.Quote(param)+" is longer than "+strconv.Itoa(maxName)+" bytes"))
		return ""
	}
	return s
}

// object reads a field whose texts describe something: a schema, a choice.
func (r *request) object(param string, kind core.SegmentKind) {
	if k := r.s.Kind(); k != splice.Object && k != splice.Null {
		r.wrongType(param, "an object")
		return
	}
	r.unknown(param, core.RoleSystem, kind, -1, -1)
}

func (r *request) toolChoice() {
	switch r.s.Kind() {
	case splice.String, splice.Null:
		r.s.Skip()
	case splice.Object:
		r.object("tool_choice", core.KindOther)
	default:
		r.wrongType("tool_choice", "a string or an object")
	}
}

// seed reads an integer of any size: it is the provider's to judge.
func (r *request) seed() {
	if r.s.Kind() != splice.Number {
		r.integer("seed", -1<<63)
		return
	}
	at := r.s.Number()
	if r.s.Err() != nil {
		return
	}
	raw := r.doc[at.Start:at.End]
	if _, ok := wholeNumber(raw); !ok && bytes.ContainsAny(raw, ".eE") {
		r.fail(bad("seed", `"seed" must be an integer`))
	}
}

func (r *request) number(param string, lo, hi float64) {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
	case splice.Number:
		at := r.s.Number()
		if r.s.Err() != nil {
			return
		}
		v, err := strconv.ParseFloat(string(r.doc[at.Start:at.End]), 64)
		if err != nil || v < lo || v > hi {
			r.fail(bad(param, strconv.Quote(param)+" must be between "+strconv.FormatFloat(lo, 'g', -1, 64)+" and "+strconv.FormatFloat(hi, 'g', -1, 64)))
		}
	default:
		r.wrongType(param, "a number")
	}
}

func (r *request) integer(param string, least int64) int64 {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return 0
	case splice.Number:
	default:
		r.wrongType(param, "an integer")
		return 0
	}
	at := r.s.Number()
	if r.s.Err() != nil {
		return 0
	}
	v, ok := wholeNumber(r.doc[at.Start:at.End])
	if !ok || v < least {
		r.fail(bad(param, strconv.Quote(param)+" must be an integer of at least "+strconv.FormatInt(least, 10)))
		return 0
	}
	return v
}

// wholeNumber reads a JSON number that is an integer, however it is spelled.
func wholeNumber(raw []byte) (int64, bool) {
	if v, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return v, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != float64(int64(f)) || f >= 1<<53 || f <= -1<<53 {
		return 0, false
	}
	return int64(f), true
}

// stop reads the texts that end an answer. The model answers with placeholders,
// so what is redacted in its prompt is redacted here.
func (r *request) stop() {
	switch r.s.Kind() {
	case splice.Null, splice.String:
		r.unknown("stop", core.RoleSystem, core.KindOther, -1, -1)
	case splice.Array:
		r.s.Enter()
		for n := int32(0); r.s.Next(); n++ {
			if r.s.Kind() != splice.String {
				r.wrongType("stop", "a string or an array of strings")
				continue
			}
			r.unknown("stop", core.RoleSystem, core.KindOther, -1, n)
		}
	default:
		r.wrongType("stop", "a string or an array of strings")
	}
}

// quiet are the names of fields whose strings are identifiers, enum values,
// addresses or sealed data. They are never shown to a detector and never
// edited: an edit would break the call, or a signature.
var quiet = map[string]bool{
	"id": true, "type": true, "role": true, "function_call": true, "name": true, "model": true, "user": true, "user_id": true,
	"tool_call_id": true, "call_id": true, "item_id": true, "file_id": true, "previous_response_id": true,
	"format": true, "detail": true, "service_tier": true, "reasoning_effort": true, "effort": true, "verbosity": true,
	"safety_identifier": true, "prompt_cache_key": true, "prompt_cache_retention": true, "voice": true, "syntax": true,
	"mode": true, "modalities": true, "data": true, "file_data": true, "image_url": true, "url": true, "input_audio": true,
	"encrypted_content": true, "signature": true, "thought_signature": true, "$ref": true, "$schema": true, "$id": true,
	"required": true, "enum": true, "const": true, "pattern": true, "cache_control": true, "finish_reason": true,
	"index": true, "object": true, "status": true, "kind": true, "mime_type": true, "media_type": true, "country": true, "timezone": true,
}

// longToken is the length from which a string without a space is taken for
// encoded data rather than text.
const longToken = 256

func (r *request) unknown(name string, role core.Role, kind core.SegmentKind, message, part int32) {
	leaves(r.x, &r.x.Request, r.s, r.doc, name, place{role, kind, message, part})
}

type place struct {
	role          core.Role
	kind          core.SegmentKind
	message, part int32
}

// leaves makes segments of the strings in a value whose meaning is not known,
// but for those under quiet names. An object under such a name is looked into:
// a schema's properties have any names.
func leaves(x *core.Exchange, p *core.Payload, s *splice.Scanner, doc []byte, name string, at place) {
	switch s.Kind() {
	case splice.String:
		span, _ := s.String()
		if s.Err() != nil || quiet[name] || span.Len() == 0 || sealed(doc[span.Start:span.End]) {
			return
		}
		p.Segments = append(p.Segments, core.Segment{
			Role: at.role, Kind: at.kind, Depth: 1, Message: at.message, Part: at.part, Field: field(name), Span: span,
		})
	case splice.Object:
		s.Enter()
		for s.Next() {
			leaves(x, p, s, doc, string(s.Key()), at)
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			leaves(x, p, s, doc, name, at)
		}
	default:
		s.Skip()
	}
}

// field keeps names of fields short in findings; they are the client's words.
func field(name string) string {
	const most = 40
	if len(name) <= most {
		return name
	}
	n := most
	for n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

// sealed reports whether a string is data rather than text.
func sealed(raw []byte) bool {
	if len(raw) > 5 && string(raw[:5]) == "data:" {
		raw = raw[5:]
		comma := bytes.IndexByte(raw, ',')
		return comma >= 0 && bytes.IndexByte(raw, ' ') < 0 && base64Text(raw[comma+1:])
	}
	return len(raw) > longToken && base64Text(raw)
}

// base64Text reports whether there is nothing but letters of base64; an escape
// could spell anything, and only that of the slash is taken.
func base64Text(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && raw[i+1] == '/' {
			i++
		} else if !base64Byte[raw[i]] {
			return false
		}
	}
	return true
}

// base64Byte marks the letters of both base64 alphabets (RFC 4648).
var base64Byte = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=" {
		t[c] = true
	}
	return t
}()
