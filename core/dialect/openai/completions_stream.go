package openai

import (
	"cmp"

	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeStream writes an answer as chunks.
func (c Completions) EncodeStream(r *llm.Request) wire.StreamEncoder { return c.EncodeStreams(r, 1) }

// EncodeStreams writes the answers to n prompts as one stream of chunks.
func (Completions) EncodeStreams(r *llm.Request, n int) wire.StreamEncoder {
	return &completionsEncoder{r: r, left: n}
}

// completionsEncoder is the state of one streamed answer.
type completionsEncoder struct {
	r       *llm.Request
	left    int    // answers that have not ended
	base    int    // index of the current answer's first choice
	head    []byte // start of every chunk
	choices map[int]*completionsChoice
	total   llm.Usage // of the answers that have ended
	usage   llm.Usage // of the current answer
}

// completionsChoice is the state of one choice.
type completionsChoice struct {
	text   bool // the open part is text
	offset int  // characters that log probabilities have covered
	held   string
	holds  bool // held waits for its log probabilities
}

// Append appends the chunks for ev.
func (e *completionsEncoder) Append(dst []byte, ev *llm.Event) []byte {
	switch ev.Kind {
	case llm.Started:
		e.setHead(ev)
		return dst
	case llm.UsageEvent:
		e.usage = ev.Usage
		return dst
	case llm.Ended:
		return e.appendEnd(dst)
	case llm.Failed:
		return appendChatFailure(e.flushAll(dst), ev.Error)
	}
	index := e.base + ev.Choice
	c := e.choices[index]
	if c == nil {
		if e.choices == nil {
			e.choices = make(map[int]*completionsChoice)
		}
		c = &completionsChoice{}
		e.choices[index] = c
	}
	if ev.Kind == llm.Logprobs {
		return e.appendChunk(dst, index, c, ev, "")
	}
	if c.holds {
		dst = e.appendChunk(dst, index, c, nil, "")
	}
	switch ev.Kind {
	case llm.Opened:
		c.text = keepsCompletionsText(e.r, ev.Part.Kind)
	case llm.Delta:
		if !c.text || ev.Text == "" {
			break
		}
		if c.held = ev.Text; e.r.Logprobs { // log probabilities arrive in the next event and belong in this chunk
			c.holds = true
			break
		}
		dst = e.appendChunk(dst, index, c, nil, "")
	case llm.Finished:
		if ev.StopSequence != "" {
			e.r.RecordDropped("stop_sequence") // the dialect has no field for it
		}
		dst = e.appendChunk(dst, index, c, nil, mapFinish(ev.Finish, false))
	}
	return dst
}

// setHead keeps the head of the first answer for all chunks.
func (e *completionsEncoder) setHead(ev *llm.Event) {
	if e.head == nil {
		e.head = appendCompletionsHead([]byte("data: "), ev.ID, cmp.Or(ev.Model, e.r.Model), ev.Created)
	}
}

// appendChunk appends a chunk with the held text.
func (e *completionsEncoder) appendChunk(dst []byte, index int, c *completionsChoice, logprobs *llm.Event, finish string) []byte {
	e.setHead(&llm.Event{})
	dst = appendChatString(append(append(dst, e.head...), `{"text":`...), c.held)
	dst = appendChatInt(append(dst, `,"index":`...), int64(index))
	dst = append(dst, `,"logprobs":`...)
	if logprobs != nil {
		dst = appendCompletionsLogprobs(dst, logprobs.Raw, &c.offset)
	} else {
		dst = append(dst, "null"...)
	}
	c.held, c.holds = "", false
	if finish == "" {
		return append(dst, ",\"finish_reason\":null}]}\n\n"...)
	}
	return append(appendChatMember(dst, "finish_reason", finish), "}]}\n\n"...)
}

// flushAll appends the texts that still wait for log probabilities.
func (e *completionsEncoder) flushAll(dst []byte) []byte {
	for index, c := range e.choices {
		if c.holds {
			dst = e.appendChunk(dst, index, c, nil, "")
		}
	}
	return dst
}

// appendEnd ends one answer, and with the last one the stream.
func (e *completionsEncoder) appendEnd(dst []byte) []byte {
	dst = e.flushAll(dst)
	e.total, e.usage = e.total.Add(e.usage), llm.Usage{}
	e.base += max(e.r.Count, 1)
	if e.left--; e.left > 0 {
		return dst
	}
	if e.total.Reported { // always: the scan of the answer withholds it
		e.setHead(&llm.Event{})
		dst = append(append(dst, e.head...), `],"usage":`...)
		dst = append(appendChatUsage(dst, e.total), "}\n\n"...)
	}
	return append(dst, "data: [DONE]\n\n"...)
}
