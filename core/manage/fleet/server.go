package fleet

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Source is what a control plane hands out, and takes.
type Source interface {
	// Version is the configuration's.
	Version(ctx context.Context) (int64, error)
	// Full is the answer of /internal/v1/config/full.
	Full(ctx context.Context) (any, error)
	// Site is what goes with every bundle.
	Site(ctx context.Context) (Site, error)
	// Rows hands over what changed after since, or everything, of which begin is told first, and answers the version
	// that it leads to.
	Rows(ctx context.Context, since int64, begin func(full bool) error, each func(*store.Row) error) (version int64, err error)
	// File opens a file of the plugins folder by its digest; ErrNoFile when there is none.
	File(ctx context.Context, digest string) ([]byte, error)
	// Take stores what a node hands over, and answers up to where it is stored.
	Take(ctx context.Context, node string, r *Records) (Stored, error)
	// Seen hears of a node's question: its name, and the version that it has.
	Seen(node string, version int64)
}

// ErrNoFile means that there is no file of a digest.
var ErrNoFile = errors.New("there is no such file")

// Options say how the internal API is served.
type Options struct {
	Source Source
	Secret string // "": open, and without bundles
	Now    func() time.Time
	Failed func(error) // hears of faults
}

// NodeHeader names the node that asks, and NonceHeader holds what its answer must be bound to.
const (
	SecretHeader = "X-Internal-Secret"
	NodeHeader   = "X-Headgate-Node"
	NonceHeader  = "X-Headgate-Nonce"
)

// Route is one endpoint of the internal API.
type Route struct{ Method, Path string }

// Routes are all of them.
var Routes = []Route{
	{http.MethodGet, "/internal/v1/config/version"},
	{http.MethodGet, "/internal/v1/config/full"},
	{http.MethodGet, "/internal/v1/config/bundle"},
	{http.MethodGet, "/internal/v1/config/files/{digest}"},
	{http.MethodPost, "/internal/v1/records"},
}

// longestNode bounds the name of a node, in bytes.
const longestNode = 63

// mostRecords bounds what a node hands over at once, in bytes.
const mostRecords = 32 << 20

type server struct {
	Options
	sealer *Sealer
	digest [sha256.Size]byte
}

// Handler serves the internal API.
func Handler(o Options) http.Handler {
	s := &server{Options: o, sealer: NewSealer(o.Secret), digest: sha256.Sum256([]byte(o.Secret))}
	mux := http.NewServeMux()
	handlers := []func(*http.Request) (any, error){s.handleVersion, s.handleFull, s.handleBundle, s.handleFile, s.handleRecords}
	for i, r := range Routes {
		mux.HandleFunc(r.Method+" "+r.Path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, handlers[i]) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.refuse(w, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "there is no such endpoint"})
	})
	return mux
}

// isAuthorized answers whether the request may be served.
func (s *server) isAuthorized(r *http.Request) bool {
	if s.Secret == "" {
		return true
	}
	v := r.Header.Values(SecretHeader)
	if len(v) != 1 {
		return false
	}
	got := sha256.Sum256([]byte(v[0])) // of equal length, so that the time taken tells nothing
	return subtle.ConstantTimeCompare(got[:], s.digest[:]) == 1
}

// sealed is an answer that is no JSON.
type sealed []byte

func (s *server) answer(w http.ResponseWriter, r *http.Request, h func(*http.Request) (any, error)) {
	if !s.isAuthorized(r) {
		s.refuse(w, &core.Error{Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Public: "send the internal secret in the header " + SecretHeader})
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	if s.Secret == "" {
		w.Header().Set("Warning", `299 headgate "the internal API is open: set fleet.secret"`)
	}
	v, err := h(r)
	var e *core.Error
	switch {
	case errors.As(err, &e):
		s.refuse(w, e)
	case err != nil:
		if r.Context().Err() == nil {
			s.Failed(err)
		}
		s.refuse(w, &core.Error{Kind: core.Unavailable, Code: core.CodeOverloaded, Public: "the control plane cannot answer now; its log says why"})
	default:
		if raw, ok := v.(sealed); ok {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(raw) // a node that is gone asks again
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // as above
	}
}

func (s *server) refuse(w http.ResponseWriter, e *core.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.HTTPStatus())
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"type": e.Type(), "code": e.Code, "message": e.Public}}) // as above
}
