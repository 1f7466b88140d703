package providers

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// NewBatch returns a provider's service for files and batches, or nil. The mock has one per process: NewBatchMock. Files
// belong to an account, so that a pool uses its first credential for all of them.
func NewBatch(p route.Provider) backend.Backend {
	if pool, ok := p.(*Pool); ok {
		p = pool.Provider
	}
	h, ok := p.(*hosted)
	if !ok || !h.batches {
		return nil
	}
	at := h.at[openAIResponses].whole.fixed // beside it: …/v1/responses, …/v1/files
	base := *at
	base.Path, base.RawPath = at.JoinPath("..").Path, ""
	s := BatchSettings{
		Label: h.label, Base: &url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path, RawQuery: base.RawQuery},
		Timeouts: h.s.Timeouts, Client: h.s.Client,
	}
	for _, f := range h.header {
		if f.Name != "Content-Type" {
			s.Header = append(s.Header, f)
		}
	}
	return NewBatchOpenAI(s)
}
