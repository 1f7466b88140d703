package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// The ways in which an exchange can fail, which are also their names in the report.
var (
	errDial        = errors.New("cannot connect")
	errWrite       = errors.New("cannot send the request")
	errTimeout     = errors.New("no answer in time")
	errClosed      = errors.New("closed before an answer")
	errAnswerHead  = errors.New("bad answer head")
	errAnswerBody  = errors.New("bad answer body")
	errTail        = errors.New("answer lacks the expected end")
	errNoToken     = errors.New("stream without a first token")
	errPlaceholder = errors.New("answer holds the forbidden text")
	errNotRestored = errors.New("answer lacks the wanted text")
)

// timing is how long the parts of one exchange took, from when it was due.
type timing struct{ total, firstByte, firstToken time.Duration }

// loadWorker is one connection. It implements HTTP/1.1 itself: net/http's client would use more CPU than the gateway
// under test.
type loadWorker struct {
	plan    *loadPlan
	number  int // of the worker
	request []byte
	marks   []int
	want    []byte
	wantAt  []int // marks in want
	conn    net.Conn
	r       *bufio.Reader
	answer  []byte        // the body of the last answer
	raw     *bytes.Buffer // a copy of all received bytes, if set

	timings  []timing
	answered int64 // whole answers, good or bad
	errs     map[string]int64
	bytes    int64
	dials    int64
}

func newLoadWorker(p *loadPlan) *loadWorker {
	w := &loadWorker{plan: p, request: p.buildRequest(), want: []byte(p.want), r: bufio.NewReaderSize(nil, 16<<10), errs: map[string]int64{}}
	w.marks, w.wantAt = findMarks(w.request, p.renumber), findMarks(w.want, renumberAll)
	return w
}

func (w *loadWorker) closeConn() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

// sendExchange sends request number n and checks its answer.
func (w *loadWorker) sendExchange(n uint64, due time.Time) (timing, error) {
	var t timing
	if len(w.plan.framed) > 0 {
		return w.sendFramed(n, due)
	}
	limit := time.Now().Add(w.plan.timeout)
	if w.conn == nil {
		c, err := net.DialTimeout("tcp", w.plan.url.Host, w.plan.timeout)
		if err != nil {
			return t, errDial
		}
		w.dials++
		if w.plan.trust != nil {
			c = tls.Client(c, w.plan.trust)
		}
		w.conn = c
		w.r.Reset(c)
	}
	writeSequence(w.request, w.marks, n)
	writeSequence(w.want, w.wantAt, n)
	if err := w.conn.SetDeadline(limit); err != nil {
		return t, errClosed
	}
	if _, err := w.conn.Write(w.request); err != nil {
		return t, errWrite
	}
	status, closing, err := w.read(due, &t)
	t.total = time.Since(due)
	if closing {
		w.closeConn()
	}
	if err != nil {
		return t, err
	}
	w.answered++
	if status != "200" {
		return t, errors.New("status " + status)
	}
	return t, w.check(&t)
}

// check judges a complete answer.
func (w *loadWorker) check(t *timing) error {
	p := w.plan
	switch {
	case p.forbid != "" && bytes.Contains(w.answer, []byte(p.forbid)):
		return errPlaceholder
	case !bytes.Contains(w.answer, w.want):
		return errNotRestored
	case !bytes.Contains(w.answer[max(0, len(w.answer)-512):], []byte(p.tail)):
		return errTail
	case p.stream && t.firstToken == 0:
		return errNoToken
	}
	return nil
}
