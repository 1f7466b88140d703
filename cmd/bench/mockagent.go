package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// agentChunks is how many pieces of text, and of a tool call's arguments, the streamed answer to an agent has.
const agentChunks = 10

// agentScript holds the events of a streamed answer of the Messages API, split at the echo: some text, then a tool call.
type agentScript struct {
	before, after [][]byte // whole events
	head, tail    []byte   // the event around the echo
}

func newAgentScript() agentScript {
	event := func(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }
	delta := func(index int, kind, field, text string) string {
		return event("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":%s}}`, index, kind, field, strconv.Quote(text)))
	}
	var s agentScript
	const opening = `{"type":"message_start","message":{"id":"msg_mock0000000000000000001","type":"message","role":"assistant","model":"` + agentModel +
		`","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":120,"cache_creation_input_tokens":0,"output_tokens":1}}}`
	s.before = append(s.before,
		formatChunk(event("message_start", opening)),
		formatChunk(event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)))
	for i := range agentChunks {
		s.before = append(s.before, formatChunk(delta(0, "text_delta", "text", generateWords(20, i)+" ")))
	}
	const mark = "ECHO"
	head, tail, _ := strings.Cut(delta(0, "text_delta", "text", generateWords(10, 0)+" "+mark+" "+generateWords(10, 10)), mark)
	s.head, s.tail = []byte(head), []byte(tail)
	s.after = append(s.after,
		formatChunk(event("content_block_stop", `{"type":"content_block_stop","index":0}`)),
		formatChunk(event("content_block_start", `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_mock000000000000000001","name":"read_file_1","input":{}}}`)))
	arguments := `{"path":"src/net/http/server.go","from":"` + generateWords(12, 3) + `","lines":"` + generateWords(12, 7) + `"}`
	for i := range agentChunks {
		s.after = append(s.after, formatChunk(delta(1, "input_json_delta", "partial_json", arguments[i*len(arguments)/agentChunks:(i+1)*len(arguments)/agentChunks])))
	}
	s.after = append(s.after,
		formatChunk(event("content_block_stop", `{"type":"content_block_stop","index":1}`)),
		formatChunk(event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":240}}`)),
		append(formatChunk(event("message_stop", `{"type":"message_stop"}`)), "0\r\n\r\n"...))
	return s
}

// streamAgent writes each event separately, like stream.
func (m *mock) streamAgent(o *outbound, echo []byte) error {
	s := &m.script.agent
	if err := o.write([]byte(streamHead)); err != nil {
		return err
	}
	for _, chunk := range s.before {
		if err := m.writeEvent(o, chunk); err != nil {
			return err
		}
	}
	time.Sleep(m.hold)
	if err := m.writeEvent(o, o.appendChunk(s.head, echo, s.tail)); err != nil {
		return err
	}
	for _, chunk := range s.after {
		if err := m.writeEvent(o, chunk); err != nil {
			return err
		}
	}
	return nil
}
