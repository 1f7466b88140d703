package bridge

import (
	"bytes"
	"context"
	"net/http"
	"sync"

	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// fan joins several streams of notifications into one. Its goroutines end with its context, and Close waits for them.
type fan struct {
	ctx    context.Context
	cancel func()
	out    chan []byte
	wait   sync.WaitGroup
	failed chan error // of a stream without which the fan makes no sense
}

func newFan(ctx context.Context) *fan {
	f := &fan{out: make(chan []byte), failed: make(chan error, 1)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// start runs a stream. A panic over a server's answer ends the fan with an error, because it would end the process.
func (f *fan) start(run func()) {
	f.wait.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				f.fail(errInvalid)
			}
		}()
		run()
	})
}

// fail ends the fan with an error.
func (f *fan) fail(err error) {
	select {
	case f.failed <- err:
	default:
	}
}

// send hands a message to the client, which takes it when it can. It reports false once the fan has ended.
func (f *fan) send(message []byte) bool {
	select {
	case f.out <- bytes.Clone(message):
		return true
	case <-f.ctx.Done():
		return false
	}
}

// Head returns what is known before the messages.
func (*fan) Head() tools.Head { return tools.Head{Status: http.StatusOK, Streamed: true} }

// Next returns the next message for the client.
func (f *fan) Next(ctx context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	select {
	case out := <-f.out:
		_, err := isResponse(out)
		return out, err
	case err := <-f.failed:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends all streams.
func (f *fan) Close() error {
	f.cancel()
	f.wait.Wait()
	return nil
}
