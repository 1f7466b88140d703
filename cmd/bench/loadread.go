package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"time"
)

// maxAnswer bounds the bytes of an answer that a connection keeps for its checks.
const maxAnswer = 4 << 20

// answerHead is what the reader needs from the header of an answer.
type answerHead struct {
	status           string
	length           int // -1: not given
	chunked, closing bool
}

// read reads one answer from the connection and leaves its body in w.answer.
func (w *loadWorker) read(due time.Time, t *timing) (status string, closing bool, err error) {
	if _, err := w.r.Peek(1); err != nil {
		var ne net.Error
		if errors.As(err, &ne) && ne.Timeout() {
			return "", false, errTimeout
		}
		return "", false, errClosed
	}
	t.firstByte = time.Since(due)
	h, err := w.readHead()
	if err != nil {
		return "", false, err
	}
	w.answer = w.answer[:0]
	switch {
	case h.chunked:
		err = w.readChunks(due, t)
	case h.length >= 0:
		err = w.readBody(h.length, due, t)
	default:
		h.closing = true
		if err = w.readBody(maxAnswer, due, t); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if errors.Is(err, io.EOF) {
		err = errAnswerBody
	}
	return h.status, h.closing, err
}

func (w *loadWorker) readLine() ([]byte, error) {
	l, err := w.r.ReadSlice('\n')
	if err != nil {
		return nil, errAnswerHead
	}
	if w.raw != nil {
		w.raw.Write(l)
	}
	return bytes.TrimRight(l, "\r\n"), nil
}

func (w *loadWorker) readHead() (answerHead, error) {
	h := answerHead{length: -1}
	l, err := w.readLine()
	if err != nil || len(l) < len("HTTP/1.1 200") {
		return h, errAnswerHead
	}
	h.status = "200"
	if s := l[9:12]; string(s) != h.status {
		h.status = string(s)
	}
	for {
		if l, err = w.readLine(); err != nil || len(l) == 0 {
			return h, err
		}
		name, value, _ := bytes.Cut(l, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			if h.length, err = strconv.Atoi(string(value)); err != nil {
				return h, errAnswerHead
			}
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			h.chunked = true
		case bytes.EqualFold(name, []byte("connection")):
			h.closing = bytes.EqualFold(value, []byte("close"))
		}
	}
}

func (w *loadWorker) readChunks(due time.Time, t *timing) error {
	for {
		l, err := w.readLine()
		if err != nil {
			return errAnswerBody
		}
		n, err := strconv.ParseUint(string(l), 16, 31)
		if err != nil {
			return errAnswerBody
		}
		if err := w.readBody(int(n), due, t); err != nil {
			return err
		}
		if l, err = w.readLine(); err != nil || len(l) != 0 {
			return errAnswerBody
		}
		if n == 0 {
			return nil
		}
	}
}

// readBody reads n bytes into the answer and records when the first token arrived. It returns io.EOF if the server closed
// the connection before that.
func (w *loadWorker) readBody(n int, due time.Time, t *timing) error {
	if n > maxAnswer-len(w.answer) {
		return errAnswerBody
	}
	for n > 0 {
		if w.r.Buffered() == 0 {
			if _, err := w.r.Peek(1); err != nil {
				if errors.Is(err, io.EOF) {
					return io.EOF
				}
				return errAnswerBody
			}
		}
		b, err := w.r.Peek(min(n, w.r.Buffered()))
		if err != nil {
			return errAnswerBody
		}
		if w.raw != nil {
			w.raw.Write(b)
		}
		seen := max(0, len(w.answer)-len(w.plan.first))
		w.answer = append(w.answer, b...)
		if w.plan.stream && t.firstToken == 0 && bytes.Contains(w.answer[seen:], []byte(w.plan.first)) {
			t.firstToken = time.Since(due)
		}
		w.bytes += int64(len(b))
		n -= len(b)
		if _, err := w.r.Discard(len(b)); err != nil {
			return errAnswerBody
		}
	}
	return nil
}
