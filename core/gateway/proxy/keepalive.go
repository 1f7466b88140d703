package proxy

import (
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// keepAliveAfter is how long a client may wait for text that is held back before
// it is told that the stream lives: governance of streams, rule 5.
const keepAliveAfter = 10 * time.Second

// comment is a server-sent event that clients skip.
const comment = ": held\n\n"

// keepAlive is the only writer of a streamed answer. While text is held a timer
// sends comments; the lock keeps it and the exchange's own goroutine apart, and
// what the exchange sends are whole events, so that a comment falls between two.
type keepAlive struct {
	mu      sync.Mutex
	w       gin.ResponseWriter // nil: the stream is over
	after   time.Duration
	timer   *time.Timer
	waiting bool
}

func (k *keepAlive) start(w gin.ResponseWriter, after time.Duration) { k.w, k.after = w, after }

// startWait starts the wait, unless it runs already.
func (k *keepAlive) startWait() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waiting {
		return
	}
	k.waiting = true
	if k.timer == nil {
		k.timer = time.AfterFunc(k.after, k.tick)
	} else {
		k.timer.Reset(k.after)
	}
}

func (k *keepAlive) tick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.w == nil || !k.waiting {
		return
	}
	if _, err := k.w.WriteString(comment); err != nil {
		return // the exchange finds out by itself
	}
	k.w.Flush()
	k.timer.Reset(k.after)
}

// send writes events and ends the wait.
func (k *keepAlive) send(events []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopWait()
	if _, err := k.w.Write(events); err != nil {
		return err
	}
	k.w.Flush()
	return nil
}

func (k *keepAlive) stopWait() {
	if k.waiting {
		k.waiting = false
		k.timer.Stop()
	}
}

// close ends the stream: the writer is not touched after it.
func (k *keepAlive) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopWait()
	k.w = nil
}
