package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// MaxBody bounds the body of a call in bytes. The gateway sends about 2 MiB at
// most, and cuts what is longer into several calls.
const MaxBody = 8 << 20

// Judge decides about one call. An error is answered with 500, which the gateway
// takes for a failure of this receiver.
type Judge func(ctx context.Context, r *Request) (*Verdict, error)

// Handler serves calls: each is verified, judged, and answered with a signed
// reply.
func Handler(v *Verifier, judge Judge) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "only POST is served", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		call, err := v.Verify(r.Header, body)
		switch {
		case errors.Is(err, ErrBusy):
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		var in Request
		if err := json.Unmarshal(body, &in); err != nil || in.Version != Version {
			http.Error(w, "the body is not a call of version 1", http.StatusBadRequest)
			return
		}
		out, err := judge(r.Context(), &in)
		if err != nil || out == nil {
			http.Error(w, "the receiver failed", http.StatusInternalServerError)
			return
		}
		out.Version = Version
		reply, err := json.Marshal(out)
		if err != nil {
			http.Error(w, "the receiver failed", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set(HeaderSignature, call.Sign(reply))
		_, _ = w.Write(reply) // the gateway has left
	})
}
