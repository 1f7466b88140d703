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

// Source serves bundles and files and stores the records of nodes.
type Source interface {
	// ReadVersion returns the version of the configuration.
	ReadVersion(ctx context.Context) (int64, error)
	// ReadFull returns the answer to /internal/v1/config/full.
	ReadFull(ctx context.Context) (any, error)
	// DescribeSite returns the part that every bundle contains.
	DescribeSite(ctx context.Context) (Site, error)
	// ReadRows calls begin once, whose argument says whether all records follow or only those changed since a version, and
	// then each for every record. It returns the resulting version.
	ReadRows(ctx context.Context, since int64, begin func(full bool) error, each func(*store.Row) error) (version int64, err error)
	// ReadFile opens a file of the plugins folder by its digest. It returns ErrNoFile for an unknown digest.
	ReadFile(ctx context.Context, digest string) ([]byte, error)
	// StoreRecords stores the records of a node and returns the position up to which they are stored.
	StoreRecords(ctx context.Context, node string, r *Records) (Stored, error)
	// RecordContact is called for each request of a node with its name and its version.
	RecordContact(node string, version int64)
}

// ErrNoFile is returned for an unknown digest.
var ErrNoFile = errors.New("unknown file")

// Options contains the settings of the internal API.
type Options struct {
	Source Source
	Secret string // "" means no authentication and no bundles
	Now    func() time.Time
	Failed func(error) // called with internal errors
}

// NodeHeader names the requesting node, and NonceHeader contains the nonce to which its answer is bound.
const (
	SecretHeader = "X-Internal-Secret"
	NodeHeader   = "X-Headgate-Node"
	NonceHeader  = "X-Headgate-Nonce"
)

// Route is one endpoint of the internal API.
type Route struct{ Method, Path string }

// Routes lists all endpoints of the internal API.
var Routes = []Route{
	{http.MethodGet, "/internal/v1/config/version"},
	{http.MethodGet, "/internal/v1/config/full"},
	{http.MethodGet, "/internal/v1/config/bundle"},
	{http.MethodGet, "/internal/v1/config/files/{digest}"},
	{http.MethodPost, "/internal/v1/records"},
}

// maxNodeName is the maximum length of a node's name in bytes.
const maxNodeName = 63

// maxRecords is the maximum size of a batch of records in bytes.
const maxRecords = 32 << 20

type server struct {
	Options
	sealer *Sealer
	digest [sha256.Size]byte
}

// NewHandler serves the internal API.
func NewHandler(o Options) http.Handler {
	s := &server{Options: o, sealer: NewSealer(o.Secret), digest: sha256.Sum256([]byte(o.Secret))}
	mux := http.NewServeMux()
	handlers := []func(*http.Request) (any, error){s.handleVersion, s.handleFull, s.handleBundle, s.handleFile, s.handleRecords}
	for i, r := range Routes {
		mux.HandleFunc(r.Method+" "+r.Path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, handlers[i]) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.refuse(w, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown endpoint"})
	})
	return mux
}

// isAuthorized reports whether the request carries the internal secret.
func (s *server) isAuthorized(r *http.Request) bool {
	if s.Secret == "" {
		return true
	}
	v := r.Header.Values(SecretHeader)
	if len(v) != 1 {
		return false
	}
	got := sha256.Sum256([]byte(v[0])) // equal lengths, so that timing reveals nothing
	return subtle.ConstantTimeCompare(got[:], s.digest[:]) == 1
}

// sealed is an answer that is not JSON.
type sealed []byte

func (s *server) answer(w http.ResponseWriter, r *http.Request, h func(*http.Request) (any, error)) {
	if !s.isAuthorized(r) {
		s.refuse(
			w,
			&core.Error{Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Public: "send the internal secret in the header " + SecretHeader},
		)
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
		s.refuse(
			w,
			&core.Error{Kind: core.Unavailable, Code: core.CodeOverloaded, Public: "the control plane cannot answer now; its log says why"},
		)
	default:
		if raw, ok := v.(sealed); ok {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(raw) // a disconnected node repeats the request
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // as above
	}
}

func (s *server) refuse(w http.ResponseWriter, e *core.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.HTTPStatus())
	_ = json.NewEncoder(
		w,
	).Encode(
		map[string]any{"error": map[string]string{"type": e.Type(), "code": e.Code, "message": e.Public}},
	) // as above
}
