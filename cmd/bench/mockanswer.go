package main

import (
	"bytes"
	"encoding/json"
	"net"
	"strconv"
	"time"
)

// outbound is the writing half of a connection, with the buffer in which its answers are assembled.
type outbound struct {
	c    net.Conn
	buf  []byte
	sent int64 // bytes of the answer under way
}

func (o *outbound) write(b []byte) error {
	n, err := o.c.Write(b)
	o.sent += int64(n)
	return err
}

// answer sends the script's answer to the request in.
func (m *mock) answer(o *outbound, in *inbound) error {
	o.sent = 0
	defer func() { m.bytesOut.Add(o.sent) }()
	switch {
	case bytes.HasSuffix(in.path, []byte("/chat/completions")):
		return m.complete(o, in.body, m.stream)
	case bytes.HasPrefix(in.path, []byte(toolPath)):
		return m.complete(o, in.body, nil)
	case bytes.HasSuffix(in.path, []byte("/messages")) && wantsStream(in.body):
		return m.complete(o, in.body, m.streamAgent)
	case bytes.HasSuffix(in.path, []byte("/models")):
		return o.write(m.script.models)
	case bytes.HasSuffix(in.path, []byte("/stats")):
		b, err := json.Marshal(m.readStats())
		if err != nil {
			return err
		}
		return o.write(formatAnswer("200 OK", b))
	}
	m.unknown.Add(1)
	return o.write(m.script.notFound)
}

// complete answers a prompt and repeats its first placeholder in the answer. stream, if not nil, writes the answer as a
// stream if requested; for a tool call, which is not streamed, it is nil.
func (m *mock) complete(o *outbound, body []byte, stream func(o *outbound, echo []byte) error) error {
	m.requests.Add(1)
	m.bytesIn.Add(int64(len(body)))
	echo := findPlaceholder(body)
	held := echo != nil
	if held {
		m.placeholders.Add(1)
	} else {
		echo = []byte(noPlaceholder)
	}
	var err error
	if stream != nil && wantsStream(body) {
		m.streams.Add(1)
		err = stream(o, echo)
	} else {
		err = m.writeWhole(o, echo, stream == nil)
	}
	if err == nil && held {
		m.echoes.Add(1)
	}
	return err
}

func (m *mock) writeWhole(o *outbound, echo []byte, isTool bool) error {
	s := *m.script
	if isTool {
		s.wholeBefore, s.wholeAfter = s.toolBefore, s.toolAfter
	}
	b := append(o.buf[:0], s.wholeHead...)
	b = strconv.AppendInt(b, int64(len(s.wholeBefore)+len(echo)+len(s.wholeAfter)), 10)
	b = append(b, "\r\n\r\n"...)
	b = append(b, s.wholeBefore...)
	b = append(b, echo...)
	o.buf = append(b, s.wholeAfter...)
	return o.write(o.buf)
}

// stream writes each event separately, as a provider does: the number of reads that a stream costs a gateway is part of
// the measurement.
func (m *mock) stream(o *outbound, echo []byte) error {
	s := m.script
	if err := o.write([]byte(streamHead)); err != nil {
		return err
	}
	for i, chunk := range s.chunks {
		if i == s.echoAt {
			chunk = o.appendChunk(s.chunkBefore, echo, s.chunkAfter)
		}
		if err := m.writeEvent(o, chunk); err != nil {
			return err
		}
	}
	return nil
}

// writeEvent writes one event of a stream when it is due.
func (m *mock) writeEvent(o *outbound, chunk []byte) error {
	if m.chunkDelay > 0 {
		time.Sleep(m.chunkDelay)
	}
	return o.write(chunk)
}

// appendChunk assembles an HTTP chunk in the buffer: the echo, with the bytes before and after it.
func (o *outbound) appendChunk(before, echo, after []byte) []byte {
	b := strconv.AppendInt(o.buf[:0], int64(len(before)+len(echo)+len(after)), 16)
	b = append(b, "\r\n"...)
	b = append(b, before...)
	b = append(b, echo...)
	b = append(b, after...)
	o.buf = append(b, "\r\n"...)
	return o.buf
}

// wantsStream finds "stream":true in a body without parsing it. A quote inside
// a JSON string is escaped, so the name with its quotes is never prose.
func wantsStream(b []byte) bool {
	for {
		_, rest, found := bytes.Cut(b, []byte(`"stream"`))
		if !found {
			return false
		}
		b = bytes.TrimLeft(rest, " \t\r\n")
		if len(b) > 0 && b[0] == ':' {
			return bytes.HasPrefix(bytes.TrimLeft(b[1:], " \t\r\n"), []byte("true"))
		}
	}
}
