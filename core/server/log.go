package server

import (
	"log"

	"github.com/headgate-dev/headgate/core/telemetry"
)

// quiet takes what net/http has to say about broken connections: it is noise
// from the network, worth a debug line.
func quiet(t *telemetry.Telemetry) *log.Logger { return log.New(sink{t}, "", 0) }

type sink struct{ t *telemetry.Telemetry }

func (s sink) Write(b []byte) (int, error) {
	s.t.Log.Debug().Str("source", "net/http").Msg(string(b))
	return len(b), nil
}
