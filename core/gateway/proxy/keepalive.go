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
	mu    sync.Mutex
	w     gin.ResponseWriter // nil: the stream is over
	after time.Duration
	timer *time.Timer
	armed bool
}

func (k *keepAlive) open(w gin.ResponseWriter, after time.Duration) { k.w, k.after = w, after }

// held starts the wait, unless it runs already.
func (k *keepAlive) held() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.armed {
		return
	}
	k.armed = true
	if k.timer == nil {
		k.timer = time.AfterFunc(k.after, k.tick)
	} else {
		k.timer.Reset(k.after)
	}
}

func (k *keepAlive) tick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.w == nil || !k.armed {
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
	k.disarm()
	if _, err := k.w.Write(events); err != nil {
		return err
	}
	k.w.Flush()
	return nil
}

func (k *keepAlive) disarm() {
	if k.armed {
		k.armed = false
		k.timer.Stop()
	}
}

// close ends the stream: the writer is not touched after it.
func (k *keepAlive) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.disarm()
	k.w = nil
}
