package downstream

import (
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is a connection that counts the calls of its methods.
type counted struct {
	net.Conn
	reads, deadlines atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	c.reads.Add(1)
	return c.Conn.Read(p)
}

func (c *counted) SetReadDeadline(t time.Time) error {
	c.deadlines.Add(1)
	return c.Conn.SetReadDeadline(t)
}

// newServed returns a connection whose request is being served, and its peer.
func newServed(t *testing.T) (*client, *counted, net.Conn) {
	near, far := net.Pipe()
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	c := &counted{Conn: near}
	cl := newClient(&clients{open: map[*client]struct{}{}}, c)
	cl.recordWait(forNothing)
	return cl, c, far
}

var longAgo = time.Unix(1, 0) // as net/http interrupts a read

func listen(cl *client) <-chan error {
	heard := make(chan error, 1)
	go func() {
		_, err := cl.Read(make([]byte, 1))
		heard <- err
	}()
	return heard
}

func assertBrokenOff(t *testing.T, err error) {
	t.Helper()
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	assert.True(t, timeout.Timeout())
}

func TestAnAnswerThatIsGivenSoonAsksNothingOfTheConnection(t *testing.T) {
	cl, c, _ := newServed(t)
	cl.delay.after = time.Hour
	for range 100 {
		heard := listen(cl)
		require.Eventually(t, func() bool {
			cl.delay.mu.Lock()
			defer cl.delay.mu.Unlock()
			return cl.delay.waits
		}, 10*time.Second, 10*time.Microsecond)
		require.NoError(t, cl.SetReadDeadline(longAgo))
		assertBrokenOff(t, <-heard)
		require.NoError(t, cl.SetReadDeadline(time.Time{}))
	}
	assert.Zero(t, c.reads.Load())
	assert.Zero(t, c.deadlines.Load())
}

func TestAClientThatLeavesIsHeard(t *testing.T) {
	cl, _, far := newServed(t)
	heard := listen(cl)
	require.NoError(t, far.Close())
	require.Error(t, <-heard)
}

func TestAReadIsBrokenOffBeforeItBeginsAndWhileItLasts(t *testing.T) {
	cl, c, far := newServed(t)
	require.NoError(t, cl.SetReadDeadline(longAgo))
	assertBrokenOff(t, <-listen(cl))
	require.NoError(t, cl.SetReadDeadline(time.Time{}))

	heard := listen(cl)
	require.Eventually(t, func() bool { return c.reads.Load() > 0 }, 10*time.Second, time.Millisecond)
	require.NoError(t, cl.SetReadDeadline(longAgo))
	assertBrokenOff(t, <-heard)
	require.NoError(t, cl.SetReadDeadline(time.Time{}))

	go func() { _, _ = far.Write([]byte("next")) }()
	b := make([]byte, 4)
	n, err := cl.Read(b)
	require.NoError(t, err, "no deadline is left behind")
	assert.Equal(t, "next", string(b[:n]))
}

func TestBreakingOffIsNeverLostWhenBothHappenAtOnce(t *testing.T) {
	cl, _, _ := newServed(t)
	cl.delay.after = hangupReadDelay / 20
	for i := range 300 {
		heard := listen(cl)
		time.Sleep(time.Duration(i%4) * cl.delay.after / 3) // aims at the moment when the delay ends, and around it
		require.NoError(t, cl.SetReadDeadline(longAgo))
		select {
		case err := <-heard:
			assertBrokenOff(t, err)
		case <-time.After(30 * time.Second):
			require.Fail(t, "the read hangs")
		}
		require.NoError(t, cl.SetReadDeadline(time.Time{}))
	}
}

func TestADeadlineThatAHandlerLiftsOrSetsDoesNotEndItsRequest(t *testing.T) {
	for name, way := range ways {
		if way.secure { // as with net/http, which serves it
			continue
		}
		t.Run(name, func(t *testing.T) {
			_, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c := http.NewResponseController(w)
				assert.NoError(t, c.SetReadDeadline(time.Time{}))
				assert.NoError(t, c.SetReadDeadline(time.Now().Add(time.Hour)))
				assert.NoError(t, c.SetWriteDeadline(time.Now().Add(time.Hour)))
				assert.NoError(t, c.SetReadDeadline(time.Time{}))
				assert.NoError(t, r.Context().Err())
			}), Options{})
			c := dial(t, addr, false)
			for range 5 { // of one connection, without a body
				say(t, c, "GET / HTTP/1.1\r\nHost: x\r\n"+way.mark+"\r\n")
				require.Empty(t, readAnswer(t, c))
			}
		})
	}
}
