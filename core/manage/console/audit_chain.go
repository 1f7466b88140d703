package console

import (
	"net/http"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// proofs holds the outcome of the last verification. One runs at a time, since it reads all records.
type proofs struct {
	running sync.Mutex
	mu      sync.Mutex
	last    *proof
}

// proof is the outcome of a verification.
type proof struct {
	admin.AuditProof
	At   time.Time
	By   string
	Took time.Duration
}

// ChainOf returns the outcome for the chain of a node, or nil if the chain is newer.
func (p *proof) ChainOf(node string) *admin.ProvenChain {
	if p == nil {
		return nil
	}
	for i := range p.Chains {
		if p.Chains[i].Node == node {
			return &p.Chains[i]
		}
	}
	return nil
}

func (p *proofs) findLastProof() *proof {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// chainsPage is the data of the page of the chains.
type chainsPage struct {
	Chains []admin.ChainState
	Proof  *proof
}

// Records returns the number of records in all chains.
func (p *chainsPage) Records() (n int64) {
	for _, c := range p.Chains {
		n += c.Last - c.Removed
	}
	return n
}

// MissingChains returns the chains that the verification found missing.
func (p *chainsPage) MissingChains() (out []admin.ProvenChain) {
	if p.Proof == nil {
		return nil
	}
	there := map[string]bool{}
	for _, c := range p.Chains {
		there[c.Node] = true
	}
	for _, c := range p.Proof.Chains {
		if !there[c.Node] {
			out = append(out, c)
		}
	}
	return out
}

func (h *auditHandlers) showChains(r *request) error {
	chains, err := r.service().AuditLog().ListChains(r.ctx(), r.who)
	if err != nil {
		return err
	}
	return r.show("audit-chains", "Audit chains", &chainsPage{chains, h.proofs.findLastProof()})
}

func (h *auditHandlers) verifyAudit(r *request) error {
	if !h.proofs.running.TryLock() {
		return &core.Error{
			Kind: core.InvalidRequest, Status: http.StatusConflict,
			Public: "A verification is already running. Reload the chains in a moment to see its result.",
		}
	}
	defer h.proofs.running.Unlock()
	began := h.now()
	p, err := r.service().AuditLog().Verify(r.ctx(), r.who)
	if err != nil {
		return err
	}
	now := h.now()
	h.proofs.mu.Lock()
	h.proofs.last = &proof{p, now, r.who.Name, now.Sub(began)}
	h.proofs.mu.Unlock()
	r.Redirect(http.StatusSeeOther, "/audit/chains")
	return nil
}
