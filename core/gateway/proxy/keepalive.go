package proxy

import (
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// keepAliveAfter is how long a client may wait for held text before it gets a comment. Clients and proxies end connections
// that are silent for a minute.
const keepAliveAfter = 10 * time.Second

// comment is a server-sent event that clients ignore.
const comment = ": held\n\n"

// keepAlive is the only writer of a streamed answer. While text is held, a timer sends comments. The lock separates the
// timer from the exchange's goroutine; the exchange sends whole events, so a comment always falls between two.
type keepAlive struct {
	mu      sync.Mutex
	w       gin.ResponseWriter // nil after the stream has ended
	after   time.Duration
	timer   *time.Timer
	waiting bool
}

func (k *keepAlive) attachWriter(w gin.ResponseWriter, after time.Duration) { k.w, k.after = w, after }

// startWait starts the timer, unless it is running.
func (k *keepAlive) startWait() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waiting {
		return
	}
	k.waiting = true
	if k.timer == nil {
		k.timer = time.AfterFunc(k.after, k.writeComment)
	} else {
		k.timer.Reset(k.after)
	}
}

func (k *keepAlive) writeComment() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.w == nil || !k.waiting {
		return
	}
	if _, err := k.w.WriteString(comment); err != nil {
		return // the exchange notices the error on its own
	}
	k.w.Flush()
	k.timer.Reset(k.after)
}

// send writes events and stops the timer.
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

// close ends the stream: the writer is not used afterwards.
func (k *keepAlive) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopWait()
	k.w = nil
}
