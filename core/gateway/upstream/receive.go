package upstream

import (
	"net/http"
	"time"
)

// inlineFields is the number of header fields that fit into an answer without a second allocation.
const inlineFields = 12

// answer is everything that one call allocates, apart from the text of the head.
type answer struct {
	Response
	body   leanBody
	fields [inlineFields]Field
}

// allocateAnswer returns an empty answer.
func (r *Request) allocateAnswer() *answer {
	if r.Room == nil {
		return new(answer)
	}
	a := &r.Room.answer
	a.Response, a.body = Response{}, leanBody{} // the memory for fields is reused
	return a
}

// headTimeouts holds the limits for the parts of a head.
type headTimeouts struct {
	from  time.Time     // start of the wait for the answer
	first time.Duration // limit until the final answer begins; 0: none
	head  time.Duration // limit from the first byte of a head to its last
}

// receive reads heads until that of the final answer, and prepares its body. The phase says where an error occurred.
func (c *conn) receive(req *Request, wait headTimeouts, limit int) (*answer, Phase, error) {
	for spent := 0; ; {
		size, phase, err := c.receiveHead(wait, limit-spent)
		if err != nil {
			return nil, phase, err
		}
		spent += size // interim answers share the limit, so that there cannot be many
		text := string(c.buf[c.r : c.r+size])
		c.r += size
		line, fields, err := parseHead(text, c.fields[:0])
		c.fields = fields
		if err != nil {
			return nil, PhaseHead, err
		}
		m, err := frameMessage(line, fields, req.Method == http.MethodHead)
		if err != nil {
			return nil, PhaseHead, err
		}
		if line.status == http.StatusSwitchingProtocols {
			return nil, PhaseHead, malformedError("a change of protocol that was not requested")
		}
		if line.status < 200 {
			if line.minor == 0 {
				return nil, PhaseHead, malformedError("an interim answer in HTTP/1.0")
			}
			continue
		}
		a := req.allocateAnswer()
		a.Status, a.ContentLength = line.status, m.length
		a.Header = append(a.fields[:0:inlineFields], fields...)
		clear(fields) // the scratch buffer must not keep the text alive
		a.body.message = m
		a.Body = &a.body
		return a, 0, nil
	}
}

// receiveHead waits for a whole head at the beginning of the buffer and returns its length.
func (c *conn) receiveHead(wait headTimeouts, limit int) (int, Phase, error) {
	var scan headScan
	phase := PhaseHead
	if c.r == c.w {
		phase = PhaseFirstByte
		if wait.first > 0 {
			c.setReadTimeout(wait.from, wait.first)
		} else {
			c.setReadDeadline(time.Time{})
		}
	}
	timed := false
	for {
		if c.w > c.r {
			end, err := scan.findEnd(c.buf[c.r:c.w])
			if err != nil {
				return 0, PhaseHead, err
			}
			if end > limit {
				return 0, PhaseHead, tooLargeError("head")
			}
			if end > 0 {
				return end, 0, nil
			}
			// Most heads arrive in one piece and never reach this point.
			if phase = PhaseHead; !timed {
				timed = true
				c.setReadDeadline(readClock().Add(wait.head))
			}
		}
		if c.w-c.r >= limit || !c.reserve(limit) {
			return 0, PhaseHead, tooLargeError("head")
		}
		if err := c.fill(); err != nil {
			if isTimeout(err) {
				return 0, phase, err
			}
			return 0, phase, convertToCut(err)
		}
	}
}
