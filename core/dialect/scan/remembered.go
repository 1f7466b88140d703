package scan

import (
	"encoding/binary"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// A conversation is sent again with each turn, and so are the tools. What reading the beginning of such a list has found is
// remembered: where its texts are, and what. It follows from the bytes of the beginning and from the shape alone, so
// those are the key, with the tenant. Only beginnings that leave nothing but texts, names of tools and two flags of the head are
// remembered; in them nothing was wrong.

// listKind says how much of a list is remembered.
type listKind struct {
	name   string
	block  int // bytes; a beginning ends with an element, in the last so many bytes
	blocks int // at most so many
	margin int // so many elements at the end are left out: clients change their last messages
}

var (
	messageList = listKind{name: "messages", block: 16 << 10, blocks: 1 << 10, margin: 4}
	toolList    = listKind{name: "tools", block: 4 << 10, blocks: 12}
)

// maxProbed is how many blocks from the end on are looked up.
const maxProbed = 16

// List is a list that is being read. The zero value is one that is not remembered.
type List struct {
	kind   *listKind
	b      *payload.Beginning // nil if the list is not remembered
	first  int                // segment
	before headState
	begun  bool   // its first block is known
	flags  uint64 // of the head before it

	// Of the beginning that was recalled:
	known    int // blocks
	n        int32
	end      int
	segments int    // the number of segments before its end
	recalled uint64 // flags
}

// Flags of the head that elements of a list may set.
const (
	flagImages = 1 << iota
	flagCustom
)

// headState is all of a request that reading elements must leave as it is.
type headState struct {
	model, effort, user   string
	stream, strict        bool
	maxTokens, each, call int64
	messages, tools       int
	format                llm.FormatKind
	task                  llm.Task
	most                  llm.Usage
	file                  *core.Error
	hosted, marks, tied   int
	fileText              int
}

func (r *Request) readHeadState() headState {
	h := &r.X.Head
	return headState{
		model: h.Model, effort: h.Effort, user: h.User, stream: h.Stream, strict: h.Strict, maxTokens: h.MaxTokens, each: h.AnswersPerPrompt,
		call: h.Prompts, messages: h.Messages, tools: len(h.Tools), format: h.Format, task: h.Task, most: h.MaxUsage, file: h.File,
		hosted: r.CountHosted(), marks: len(r.X.Request.Marks), tied: len(r.X.Request.Tied), fileText: r.fileText,
	}
}

// BeginTools is called in an array of tools before its first element. It returns how many tools are known, which are not to be
// read, and the list to note the others in.
func (r *Request) BeginTools() (l List, known int32) { return r.beginList(&toolList) }

func (r *Request) beginList(kind *listKind) (l List, known int32) {
	p := &r.X.Request
	memory, start := p.Lists.Memory, r.S.Pos()
	blocks := min((len(r.Doc)-start)/kind.block, kind.blocks)
	// A refused file hides those that follow it: a list behind one is not kept, and is read whole.
	if memory == nil || r.Err != nil || blocks < 1 || r.X.Head.Messages > 0 || r.X.Head.File != nil {
		return l, 0
	}
	l = List{kind: kind, b: p.Lists.NewBeginning(), first: len(p.Segments), segments: len(p.Segments), before: r.readHeadState(), end: start}
	l.flags = r.packFlags()
	p.Lists.Elements, p.Lists.Names = p.Lists.Elements[:0], p.Lists.Names[:0]
	value := append(append(append(p.Lists.Value[:0], kind.name...), 0), r.X.Dialect...)
	l.b.Seed = memory.Hash(payload.DomainBlock, value)
	l.b.Span, l.b.Size = splice.Span{Start: start, End: start}, kind.block
	ok := false
	if value, ok = memory.RecallScan(value[:0], l.b.ComputeSum(memory, r.Doc, 1)); ok {
		l.begun, l.known = true, 1
		for k := blocks; k > max(1, blocks-maxProbed); k-- {
			var longer []byte
			if longer, ok = memory.RecallScan(value[len(value):], l.b.ComputeSum(memory, r.Doc, k)); ok {
				value, l.known = longer, k
				break
			}
		}
		r.recallList(&l, value)
	}
	p.Lists.Value = value[:0]
	return l, l.n
}

// recallList takes over what is remembered of a beginning.
func (r *Request) recallList(l *List, b []byte) {
	next := func() int {
		v, n := binary.Uvarint(b)
		b = b[n:]
		return int(v)
	}
	l.n = int32(next())
	if l.n == 0 {
		return
	}
	p, start := &r.X.Request, l.b.Span.Start
	l.end = start + next()
	flags, names := next(), next()
	r.X.Head.Images = r.X.Head.Images || flags&flagImages != 0
	r.X.Head.HasCustomTools = r.X.Head.HasCustomTools || flags&flagCustom != 0
	if l.kind == &messageList {
		r.X.Head.Messages += int(l.n)
	}
	at := start
	for range names {
		at += next()
		name := splice.Span{Start: at, End: at + next()}
		p.Lists.Names = append(p.Lists.Names, name)
		r.X.Head.Tools = append(r.X.Head.Tools, string(r.Doc[name.Start:name.End]))
	}
	segments := next()
	p.Segments = slices.Grow(p.Segments, segments)
	at = start
	for range segments {
		form, place := b[0], b[1]
		b = b[2:]
		s := core.Segment{
			Role: core.Role(form & 15), Kind: core.SegmentKind(form >> 4), Depth: place & 7, Joined: place&8 != 0, Bare: place&16 != 0,
		}
		s.Message, s.Part, s.Field = int32(next())-1, int32(next())-1, fieldNames[next()]
		s.Span.Start = at + next()
		s.Span.End = s.Span.Start + next()
		at = s.Span.End
		p.Segments = append(p.Segments, s)
	}
	l.segments, l.recalled = len(p.Segments), r.packFlags()
	r.S.Jump(l.end)
}

// packFlags returns those of the head.
func (r *Request) packFlags() (f uint64) {
	if r.X.Head.Images {
		f |= flagImages
	}
	if r.X.Head.HasCustomTools {
		f |= flagCustom
	}
	return f
}

// noteElement notes an element that has been read.
func (r *Request) noteElement(l *List) {
	if l.b != nil {
		p := &r.X.Request
		p.Lists.Elements = append(p.Lists.Elements, payload.Element{End: r.S.Pos(), Segments: len(p.Segments), Flags: r.packFlags()})
	}
}

// NoteTool is called for each tool that has been read. name is where its name stands in the body, without quotes and escapes.
func (r *Request) NoteTool(l *List, name splice.Span) {
	if l.b != nil {
		r.noteElement(l)
		r.X.Request.Lists.Names = append(r.X.Request.Lists.Names, name)
	}
}

// EndTools is called when the list of tools has been read.
func (r *Request) EndTools(l *List) { r.endList(l) }

// endList keeps what was found in the beginning of a list, and notes where it ends.
func (r *Request) endList(l *List) {
	if l.b == nil || r.Err != nil || r.S.Err() != nil {
		return
	}
	p, b := &r.X.Request, l.b
	now, elements := r.readHeadState(), p.Lists.Elements
	if n := len(elements) + int(l.n); l.kind == &messageList {
		now.messages -= n
	} else {
		now.tools -= n
	}
	if now != l.before {
		return
	}
	elements = elements[:max(0, len(elements)-l.kind.margin)]
	b.Blocks = l.known
	if len(elements) > 0 {
		b.Blocks = min((elements[len(elements)-1].End-b.Span.Start)/b.Size, l.kind.blocks)
	}
	if b.Blocks < max(1, l.known) { // too short, or what is recalled is from a longer list: where it would end by itself is not known
		return
	}
	most := b.Span.Start + b.Blocks*b.Size
	b.Span.End, b.First, b.End = l.end, l.first, l.segments
	read := 0
	for ; read < len(elements) && elements[read].End <= most; read++ {
		b.Span.End, b.End = elements[read].End, elements[read].Segments
	}
	p.Lists.Beginnings = p.Lists.Beginnings[:len(p.Lists.Beginnings)+1]
	switch memory := p.Lists.Memory; {
	case l.flags != 0 || l.begun && b.Blocks == l.known:
	case l.begun:
		r.storeList(l, b.ComputeSum(memory, r.Doc, b.Blocks), read)
	default: // of a list of which no block is known, only the first is looked up
		for read > 0 && elements[read-1].End > b.Span.Start+b.Size {
			read--
		}
		r.storeList(l, b.ComputeSum(memory, r.Doc, 1), read)
	}
}

// maxKept is how many texts and names of a beginning are kept.
const maxKept = 3000

// storeList keeps what was found in elements, so many of which were read.
func (r *Request) storeList(l *List, of payload.Sum, read int) {
	p, n := &r.X.Request, int(l.n)+read
	last := payload.Element{End: l.end, Segments: l.segments, Flags: l.recalled}
	if read > 0 {
		last = p.Lists.Elements[read-1]
	}
	found := p.Segments[l.first:last.Segments]
	if len(found)+n > maxKept {
		return
	}
	start := l.b.Span.Start
	value := binary.AppendUvarint(p.Lists.Value[:0], uint64(n))
	value = binary.AppendUvarint(value, uint64(last.End-start))
	value = binary.AppendUvarint(value, last.Flags)
	names := p.Lists.Names[:min(n, len(p.Lists.Names))]
	value = binary.AppendUvarint(value, uint64(len(names)))
	at := start
	for i, name := range names {
		if name.Start < at || string(r.Doc[name.Start:name.End]) != r.X.Head.Tools[l.before.tools+i] { // it has escapes, or none
			return
		}
		value = binary.AppendUvarint(value, uint64(name.Start-at))
		value = binary.AppendUvarint(value, uint64(name.Len()))
		at = name.Start
	}
	value = binary.AppendUvarint(value, uint64(len(found)))
	at = start
	for i := range found {
		s := &found[i]
		field := slices.Index(fieldNames, s.Field)
		if s.Base64 || s.Depth > 7 || field < 0 || s.Span.Start < at {
			return
		}
		place := s.Depth
		if s.Joined {
			place |= 8
		}
		if s.Bare {
			place |= 16
		}
		value = append(value, byte(s.Role)|byte(s.Kind)<<4, place)
		value = binary.AppendUvarint(value, uint64(s.Message+1))
		value = binary.AppendUvarint(value, uint64(s.Part+1))
		value = binary.AppendUvarint(value, uint64(field))
		value = binary.AppendUvarint(value, uint64(s.Span.Start-at))
		value = binary.AppendUvarint(value, uint64(s.Span.Len()))
		at = s.Span.End
	}
	p.Lists.Memory.StoreScan(of, value)
	p.Lists.Value = value[:0]
}

// fieldNames are the fields of segments that are remembered. Others are names that a client chose, which are not stored.
var fieldNames = []string{
	"content", "text", "input", "tool_calls", "system", "description", "title", "name", "messages", "refusal", "reasoning_content",
	"reasoning", "arguments", "type", "id", "tool_use_id", "tool_call_id", "call_id", "default", "examples", "pattern", "enum",
	"$comment", "cache_control", "model", "role", "url", "file_id", "const", "format", nameField,
}
