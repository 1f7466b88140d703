package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core"
)

func (s *server) handleVersion(r *http.Request) (any, error) {
	v, err := s.Source.ReadVersion(r.Context())
	if err != nil {
		return nil, err
	}
	// Only a node has the secret. Names and versions of other callers are not stored, because "headgate fleet resume" relies
	// on them.
	if node := r.Header.Get(NodeHeader); s.Secret != "" && node != "" && len(node) <= maxNodeName {
		since, err := parseSince(r)
		if err != nil {
			return nil, err
		}
		s.Source.RecordContact(node, since)
	}
	return map[string]int64{"version": v}, nil
}

func (s *server) handleFull(r *http.Request) (any, error) {
	if _, err := parseSince(r); err != nil {
		return nil, err
	}
	return s.Source.ReadFull(r.Context())
}

// parseSince parses since_version, 0 by default.
func parseSince(r *http.Request) (int64, error) {
	text := r.URL.Query().Get("since_version")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, &core.Error{
			Kind:   core.InvalidRequest,
			Code:   core.CodeInvalidValue,
			Public: "`since_version` is not a version: write a whole number of at least 0",
		}
	}
	return n, nil
}

// requireSecret fails if no secret is set, because bundles need one.
func (s *server) requireSecret() error {
	if s.Secret != "" {
		return nil
	}
	return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "bundles require a secret: set fleet.secret"}
}

func (s *server) handleBundle(r *http.Request) (any, error) {
	from, err := parseSince(r)
	if err = errors.Join(s.requireSecret(), err); err != nil {
		return nil, err
	}
	ctx := r.Context()
	site, err := s.Source.DescribeSite(ctx)
	if err != nil {
		return nil, err
	}
	p, err := newPacker()
	if err != nil {
		return nil, err
	}
	version, err := s.Source.ReadRows(ctx, from, func(full bool) error { return p.begin(full, site) }, p.packRow)
	if err != nil {
		return nil, err
	}
	body, err := p.end()
	if err != nil {
		return nil, err
	}
	return s.sealAnswer(r, purposeBundle, version, body)
}

func (s *server) sealAnswer(r *http.Request, purpose string, version int64, body []byte) (any, error) {
	nonce := r.Header.Get(NonceHeader)
	if len(nonce) < 16 || len(nonce) > 128 {
		return nil, &core.Error{
			Kind:   core.InvalidRequest,
			Code:   core.CodeInvalidValue,
			Public: "send 16 to 128 random characters in the header " + NonceHeader,
		}
	}
	b, err := s.sealer.seal(purpose, Head{Version: version, Issued: s.Now().UTC(), Nonce: nonce}, body)
	return sealed(b), err
}

func (s *server) handleFile(r *http.Request) (any, error) {
	if err := s.requireSecret(); err != nil {
		return nil, err
	}
	b, err := s.Source.ReadFile(r.Context(), r.PathValue("digest"))
	if errors.Is(err, ErrNoFile) {
		return nil, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "no file has this digest"}
	}
	if err != nil {
		return nil, err
	}
	return s.sealAnswer(r, purposeModule, 0, b)
}

func (s *server) handleRecords(r *http.Request) (any, error) {
	if err := s.requireSecret(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRecords+1))
	if err != nil || len(body) > maxRecords {
		return nil, &core.Error{
			Kind: core.TooLarge, Code: core.CodeTooLarge,
			Public: fmt.Sprintf("the batch of records was cut off, or is larger than %d MiB", maxRecords>>20),
		}
	}
	h, plain, err := s.sealer.unseal(purposeRecords, body)
	if err != nil || h.Node == "" {
		return nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: ErrSealed.Error()}
	}
	batch, err := readRecords(plain)
	if err != nil {
		return nil, &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue,
			Public: "the batch of records cannot be decoded; run the same release on the node and on the control plane",
		}
	}
	stored, err := s.Source.StoreRecords(r.Context(), h.Node, batch)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	return s.sealAnswer(r, purposeAnswer, 0, b)
}
