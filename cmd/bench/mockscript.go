package main

import (
	"fmt"
	"strconv"
	"strings"
)

// streamChunks is how many content chunks a measured stream has.
const streamChunks = 50

// streamHead opens every streamed answer.
const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n" +
	"X-Request-Id: req_mock_0001\r\nTransfer-Encoding: chunked\r\n\r\n"

const mockWords = "the quick answer to this question is that a gateway should add as little latency as it can while it applies every rule of the house"

// script holds the answers, split at the echo.
type script struct {
	wholeHead               []byte // up to the number of the content length
	wholeBefore, wholeAfter []byte // the body around the echo
	chunks                  [][]byte
	echoAt                  int    // index of the chunk that is assembled around the echo
	chunkBefore, chunkAfter []byte // that event's data around the echo
	toolBefore, toolAfter   []byte // the result of a tool around the echo
	models, notFound        []byte
	agent                   agentScript
}

// generateWords returns n words of the answer's text; salt varies where it begins.
func generateWords(n, salt int) string {
	w := strings.Fields(mockWords)
	out := make([]string, n)
	for i := range out {
		out[i] = w[(i+salt)%len(w)]
	}
	return strings.Join(out, " ")
}

func formatAnswer(status string, body []byte) []byte {
	return append([]byte("HTTP/1.1 "+status+"\r\nContent-Type: application/json\r\nX-Request-Id: req_mock_0001\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\n\r\n"), body...)
}

func formatChunk(s string) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(s), s) }

func newScript(chunks, wordsPerChunk int) *script {
	s := &script{}
	const tokens = 40
	s.wholeHead = []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: req_mock_0001\r\nContent-Length: ")
	s.wholeBefore = []byte(
		`{"id":"chatcmpl-mock0000000000000000000001","object":"chat.completion","created":1790000000,"model":"gpt-4o-mini",` +
			`"choices":[{"index":0,"message":{"role":"assistant","content":"` + generateWords(16, 0) + ` `,
	)
	s.wholeAfter = fmt.Appendf(nil, ` %s","refusal":null},"logprobs":null,"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":120,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":0},`+
		`"completion_tokens_details":{"reasoning_tokens":0}},"system_fingerprint":"fp_mock"}`, generateWords(16, 16), tokens, 120+tokens)
	s.toolBefore = []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + generateWords(60, 0) + ` `)
	s.toolAfter = []byte(` ` + generateWords(60, 16) + `"}],"isError":false}}`)
	s.models = formatAnswer(
		"200 OK",
		[]byte(`{"object":"list","data":[{"id":"gpt-4o-mini","object":"model","created":1790000000,"owned_by":"mock"}]}`),
	)
	s.notFound = formatAnswer(
		"404 Not Found",
		[]byte(`{"error":{"message":"no such path","type":"invalid_request_error","param":null,"code":null}}`),
	)
	s.addChunks(chunks, wordsPerChunk)
	s.agent = newAgentScript()
	return s
}

// addChunks writes the events of a stream: the role, the content with the echo
// in its middle chunk, the end, the usage.
func (s *script) addChunks(chunks, wordsPerChunk int) {
	const head = `data: {"id":"chatcmpl-mock0000000000000000000001","object":"chat.completion.chunk","created":1790000000,"model":"gpt-4o-mini","system_fingerprint":"fp_mock","choices":[`
	const content, contentEnd = head + `{"index":0,"delta":{"content":"`, ` "},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
	s.chunks = append(
		s.chunks,
		formatChunk(head+`{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n"),
	)
	for i := range chunks {
		if i == chunks/2 {
			s.echoAt = len(s.chunks)
			s.chunkBefore = []byte(content + generateWords(wordsPerChunk/2, i) + " ")
			s.chunkAfter = []byte(" " + generateWords(wordsPerChunk-wordsPerChunk/2, i) + contentEnd)
			s.chunks = append(s.chunks, nil)
			continue
		}
		s.chunks = append(s.chunks, formatChunk(content+generateWords(wordsPerChunk, i)+contentEnd))
	}
	s.chunks = append(
		s.chunks,
		formatChunk(head+`{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`+"\n\n"),
		formatChunk(
			fmt.Sprintf(
				head+`],"usage":{"prompt_tokens":120,"completion_tokens":%d,"total_tokens":%d}}`+"\n\n",
				chunks*wordsPerChunk,
				120+chunks*wordsPerChunk,
			),
		),
		append(formatChunk("data: [DONE]\n\n"), "0\r\n\r\n"...),
	)
}
