package process

import (
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// frame is an encoded message. Callers encode their messages, because the texts of an exchange may be gone when the
// message is sent.
type frame struct{ buf *[]byte }

// codec sends encoded frames unchanged and decodes received messages.
type codec struct{}

var pool = mem.DefaultBufferPool()

// encodeFrame encodes a frame. Its buffer returns to the pool when it has been sent.
func encodeFrame(m *pb.FromHost) (frame, error) {
	size := proto.Size(m)
	b := pool.Get(size)
	out, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend((*b)[:0], m)
	if err != nil {
		pool.Put(b)
		return frame{}, err // the caller describes it
	}
	*b = out
	return frame{b}, nil
}

// drop returns the buffer of an unsent frame to the pool.
func (f frame) drop() { pool.Put(f.buf) }

// Marshal takes over the buffer of the frame.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(frame)
	if !ok {
		return nil, fmt.Errorf("a %T is not a frame", v)
	}
	return mem.BufferSlice{mem.NewBuffer(f.buf, pool)}, nil
}

// Unmarshal decodes a message of the plugin.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*pb.FromPlugin)
	if !ok {
		return fmt.Errorf("a %T is not a message of a plugin", v)
	}
	buf := data.MaterializeToBuffer(pool)
	defer buf.Free()
	return proto.Unmarshal(buf.ReadOnlyData(), m) // the caller describes it
}

// Name returns the name of the wire format.
func (codec) Name() string { return "proto" }
