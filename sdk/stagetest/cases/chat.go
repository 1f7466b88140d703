package cases

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// formatChatAnswer returns a chat answer with one text.
func formatChatAnswer(text string) []byte {
	b := append(
		[]byte(nil),
		`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"test-model","choices":[{"index":0,"message":{"role":"assistant","content":`...)
	b = splice.AppendString(b, text)
	return append(b, `},"finish_reason":"stop"}]}`...)
}

// chatAnswer has the fields of a chat answer that a stream splits.
type chatAnswer struct {
	Choices []struct {
		Index   int32 `json:"index"`
		Message struct {
			Content   any    `json:"content"`
			Reasoning string `json:"reasoning_content"`
			Refusal   string `json:"refusal"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// readChat reads an answer. It returns false if a stream cannot carry all of its texts.
func readChat(body []byte) (a chatAnswer, ok bool) {
	if json.Unmarshal(body, &a) != nil || len(a.Choices) == 0 {
		return a, false
	}
	for i := range a.Choices {
		switch a.Choices[i].Message.Content.(type) {
		case nil, string:
		default: // a list of parts has no form in a stream
			return a, false
		}
	}
	return a, true
}

// splitChatEvents returns a chat answer as a stream with one event per text, or nil if the answer has no streamed form.
func splitChatEvents(body []byte) []byte {
	a, ok := readChat(body)
	if !ok {
		return nil
	}
	var out bytes.Buffer
	event := func(choice int32, delta, finish string) {
		fmt.Fprintf(
			&out,
			`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"test-model","choices":[{"index":%d,"delta":%s,"finish_reason":%s}]}`+"\n\n",
			choice,
			delta,
			finish,
		)
	}
	text := func(choice int32, field, text string) {
		if text != "" {
			event(choice, `{"`+field+`":`+string(splice.AppendString(nil, text))+`}`, "null")
		}
	}
	for i := range a.Choices {
		c := &a.Choices[i]
		event(c.Index, `{"role":"assistant"}`, "null")
		text(c.Index, "reasoning_content", c.Message.Reasoning)
		content, _ := c.Message.Content.(string)
		text(c.Index, "content", content)
		text(c.Index, "refusal", c.Message.Refusal)
		for k := range c.Message.ToolCalls {
			t := &c.Message.ToolCalls[k]
			event(c.Index, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`,
				k, splice.AppendString(nil, t.ID), splice.AppendString(nil, t.Function.Name)), "null")
			if t.Function.Arguments != "" {
				event(
					c.Index,
					fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, k, splice.AppendString(nil, t.Function.Arguments)),
					"null",
				)
			}
		}
		finish := c.FinishReason
		if finish == "" {
			finish = "stop"
		}
		event(c.Index, "{}", string(splice.AppendString(nil, finish)))
	}
	out.WriteString("data: [DONE]\n\n")
	return out.Bytes()
}

// splitChatParts returns the texts of a chat answer as the parts of a stream.
func splitChatParts(body []byte) (out parts) {
	a, _ := readChat(body)
	for i := range a.Choices {
		c := &a.Choices[i]
		content, _ := c.Message.Content.(string)
		out.add(core.Part{Kind: core.KindReasoning, Choice: c.Index}, c.Message.Reasoning)
		out.add(core.Part{Kind: core.KindText, Choice: c.Index}, content)
		out.add(core.Part{Kind: core.KindRefusal, Choice: c.Index}, c.Message.Refusal)
		for k := range c.Message.ToolCalls {
			out.add(
				core.Part{Kind: core.KindToolArgs, Choice: c.Index, Index: int32(k)},
				c.Message.ToolCalls[k].Function.Arguments,
			) // the number of written events
		}
	}
	return out
}
