package openai

import (
	"cmp"
	"time"

	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeStream writes an answer as chunks.
func (Chat) EncodeStream(r *llm.Request) wire.StreamEncoder {
	return &chatEncoder{r: r}
}

// chatEncoder is the state of one streamed answer.
type chatEncoder struct {
	r       *llm.Request
	head    []byte // start of every chunk
	choices map[int]*chatEncoderChoice
	last    *chatEncoderChoice // of the event before
	lastAt  int
	usage   llm.Usage
}

// chatEncoderChoice is the state of one choice.
type chatEncoderChoice struct {
	greeted bool // the role was sent
	refused bool
	thought bool // some reasoning was sent
	apart   bool // the next reasoning is a separate part
	part    llm.Part
	call    int    // index of the call that is open
	calls   int    // calls begun
	filled  bool   // the open call has some input
	input   []byte // of a custom tool's call, which goes out in one piece
	delta   []byte // held for the log probabilities that come with it
}

// Append appends the chunks for ev.
func (e *chatEncoder) Append(dst []byte, ev *llm.Event) []byte {
	switch ev.Kind {
	case llm.Started:
		e.setHead(ev)
		return dst
	case llm.UsageEvent:
		e.usage = ev.Usage
		return dst
	case llm.Ended:
		dst = e.flushAll(dst)
		for i, c := range e.choices { // only choices that the provider never finished are open
			dst = e.closePart(dst, i, c)
		}
		// Sent even if the client did not ask for it: the scan of the answer reads it
		// and withholds it.
		if e.usage.Reported {
			dst = append(e.appendHead(dst), `],"usage":`...)
			dst = append(appendChatUsage(dst, e.usage), "}\n\n"...)
		}
		return append(dst, "data: [DONE]\n\n"...)
	case llm.Failed:
		return appendChatFailure(e.flushAll(dst), ev.Error)
	}
	c := e.findChoice(ev.Choice)
	if ev.Kind != llm.Logprobs && c.delta != nil {
		dst = appendPendingChunk(dst, c, nil)
	}
	switch ev.Kind {
	case llm.Opened:
		dst = e.closePart(dst, ev.Choice, c)
		dst = e.openPart(dst, ev, c)
	case llm.Delta:
		dst = e.appendText(dst, ev, c)
	case llm.Signed:
		if c.part.Kind != llm.CallPart {
			e.r.RecordDropped("reasoning.signature") // the dialect has no field for it
			break
		}
		if c.part.Call.Kind == llm.CustomTool { // sent with the call
			c.part.Call.Signature = ev.Text
			break
		}
		dst = appendChatInt(append(e.appendChunk(dst, ev.Choice, c), `"tool_calls":[{"index":`...), int64(c.call))
		// Clients expect "function" in every chunk of a call.
		dst = append(dst, `,"function":{"arguments":""}`...)
		dst = append(appendChatExtra(dst, ev.Text), `}]`...)
		dst = appendChatEnd(dst, nil, "")
	case llm.Logprobs:
		if c.delta == nil {
			c.delta = e.appendChunk(nil, ev.Choice, c)
		}
		dst = appendPendingChunk(dst, c, ev.Raw)
	case llm.Finished:
		dst = e.closePart(dst, ev.Choice, c)
		if ev.StopSequence != "" {
			e.r.RecordDropped("stop_sequence") // the dialect has no field for it
		}
		dst = appendChatEnd(e.appendChunk(dst, ev.Choice, c), nil, mapFinish(ev.Finish, c.refused))
	}
	return dst
}

func (e *chatEncoder) setHead(ev *llm.Event) {
	id, created := ev.ID, ev.Created
	if id == "" {
		id = makeChatID("chatcmpl-")
	}
	if created == 0 {
		created = time.Now().Unix()
	}
	e.head = appendChatString(append(e.head[:0], `data: {"id":`...), id)
	e.head = appendChatInt(append(e.head, `,"object":"chat.completion.chunk","created":`...), created)
	e.head = appendChatMember(e.head, "model", cmp.Or(ev.Model, e.r.Model))
	e.head = append(e.head, `,"choices":[`...)
}

// appendHead appends the start of a chunk, up to its choices.
func (e *chatEncoder) appendHead(dst []byte) []byte {
	if e.head == nil {
		e.setHead(&llm.Event{})
	}
	return append(dst, e.head...)
}

// appendChunk appends a chunk up to the members of its delta. The first chunk of a
// choice carries the role.
func (e *chatEncoder) appendChunk(dst []byte, choice int, c *chatEncoderChoice) []byte {
	if !c.greeted {
		c.greeted = true
		dst = appendChatInt(append(e.appendHead(dst), `{"index":`...), int64(choice))
		dst = append(dst, `,"delta":{"role":"assistant","content":""`...)
		dst = appendChatEnd(dst, nil, "")
	}
	dst = appendChatInt(append(e.appendHead(dst), `{"index":`...), int64(choice))
	return append(dst, `,"delta":{`...)
}

// appendChatEnd appends the rest of a chunk after the members of its delta.
func appendChatEnd(dst, logprobs []byte, finish string) []byte {
	dst = append(dst, `},"logprobs":`...)
	if logprobs == nil {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, logprobs...)
	}
	if finish == "" {
		return append(dst, ",\"finish_reason\":null}]}\n\n"...)
	}
	dst = append(append(dst, `,"finish_reason":"`...), finish...)
	return append(dst, "\"}]}\n\n"...)
}

// appendPendingChunk appends the chunk that waited for log probabilities.
func appendPendingChunk(dst []byte, c *chatEncoderChoice, logprobs []byte) []byte {
	dst = append(dst, c.delta...)
	c.delta = nil
	return appendChatEnd(dst, logprobs, "")
}

// flushAll appends the chunks that still wait for log probabilities.
func (e *chatEncoder) flushAll(dst []byte) []byte {
	for _, c := range e.choices {
		if c.delta != nil {
			dst = appendPendingChunk(dst, c, nil)
		}
	}
	return dst
}

func (e *chatEncoder) findChoice(i int) *chatEncoderChoice {
	if e.last != nil && e.lastAt == i {
		return e.last
	}
	c := e.choices[i]
	if c == nil {
		if e.choices == nil {
			e.choices = make(map[int]*chatEncoderChoice)
		}
		c = &chatEncoderChoice{}
		e.choices[i] = c
	}
	e.last, e.lastAt = c, i
	return c
}
