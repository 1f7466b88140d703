package compliance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// The types of reports.
const (
	SOC2  = "SOC2"
	HIPAA = "HIPAA"
	GDPR  = "GDPR"
)

// ListTypes returns all types of reports.
func ListTypes() []string { return []string{SOC2, HIPAA, GDPR} }

// Sections is the content of a report, in the spelling of the specification.
type Sections struct {
	Integrity ChainIntegrity   `json:"auditChainIntegrity"`
	Access    AccessSummary    `json:"accessControlSummary"`
	Policy    PolicySummary    `json:"policyEnforcementSummary"`
	Tokens    []ModelTokens    `json:"tokenUsageSummary" nullable:"false"`
	Events    map[string]int64 `json:"eventCountByType" doc:"Records in the span, by type."`
}

// ChainIntegrity is the result of verifying the chains of all nodes in full, not only in the period.
type ChainIntegrity struct {
	Valid    bool  `json:"valid"`
	Verified int64 `json:"verifiedCount" doc:"Records that were verified, over the chains of all nodes."`
}

// AccessSummary counts successful and refused access.
type AccessSummary struct {
	Success int64 `json:"authSuccessCount" doc:"Administrators who have signed in, and governed calls, each of which was authenticated."`
	Failure int64 `json:"authFailureCount"`
}

// PolicySummary counts refusals by policies.
type PolicySummary struct {
	Denied int64 `json:"policyDeniedCount"`
}

// ModelTokens counts the tokens that a tenant used of a model.
type ModelTokens struct {
	TenantID  string `json:"tenantId"`
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	Requests  int64  `json:"requests"`
	Input     int64  `json:"inputTokens"`
	Output    int64  `json:"outputTokens"`
	Total     int64  `json:"totalTokens"`
	Estimated int64  `json:"estimatedRequests" doc:"Requests whose tokens the provider did not count."`
}

// Proof is the state of the chains at creation. The PDF shows it in addition to the sections.
type Proof struct {
	Chains    []Chain          `json:"chains"`
	PublicKey string           `json:"publicKey"` // Base64, of the checkpoints
	Redacted  map[string]int64 `json:"redacted"`  // values by type
	Denied    map[string]int64 `json:"denied"`    // decisions by policy rule
	Took      int64            `json:"tookMs"`    // the duration of verification and counting
}

// Chain is the result for one node.
type Chain struct {
	Node     string    `json:"node"`
	Valid    bool      `json:"valid"`
	Records  int64     `json:"records"`
	First    int64     `json:"first"`
	Last     int64     `json:"last"`
	LastTime time.Time `json:"lastTime"`
	Hash     string    `json:"hash"`
	Signed   int64     `json:"signed"`
	Gaps     int       `json:"gaps"`
	Removed  int64     `json:"removed"` // the last record that retention removed
	Broken   string    `json:"broken,omitempty"`
}

// Scope is the tenant and the period of a report.
type Scope struct {
	Tenant   string // "" for all
	From, To time.Time
}

// Generate verifies the chains and counts their events. key signs the audit chains.
func Generate(ctx context.Context, db *store.DB, key []byte, s Scope) (Sections, Proof, error) {
	began := time.Now()
	proof, err := audit.Verify(ctx, db, key)
	if err != nil {
		return Sections{}, Proof{}, err
	}
	c := counter{events: map[string]*int64{}}
	c.proof.Redacted, c.proof.Denied = map[string]int64{}, map[string]int64{}
	err = db.Audit().Visit(ctx, store.AuditFilter{Tenant: s.Tenant, From: s.From, To: s.To}, c.add)
	if err != nil {
		return Sections{}, Proof{}, fmt.Errorf("compliance report: %w", err)
	}
	usage, err := db.Usage().SumByModel(ctx, s.Tenant, s.From, s.To)
	if err != nil {
		return Sections{}, Proof{}, err
	}
	out := c.buildSections()
	out.Integrity = ChainIntegrity{Valid: proof.Valid(), Verified: proof.Records()}
	out.Tokens = []ModelTokens{}
	for _, u := range usage {
		out.Tokens = append(out.Tokens, ModelTokens{
			TenantID: u.Tenant, Provider: u.Provider, Model: u.Model, Requests: u.Records,
			Input: u.Input, Output: u.Output, Total: u.Input + u.Output, Estimated: u.Estimated,
		})
	}
	for i := range proof.Chains {
		c.proof.Chains = append(c.proof.Chains, convertChain(&proof.Chains[i]))
	}
	if c.proof.PublicKey, err = formatPublicKey(key); err != nil {
		return Sections{}, Proof{}, err
	}
	c.proof.Took = time.Since(began).Milliseconds()
	return out, c.proof, nil
}

func convertChain(r *audit.Report) Chain {
	c := Chain{
		Node: r.Node, Valid: r.Valid(), Records: r.Records, First: r.First, Last: r.Last, LastTime: r.LastTime,
		Hash: fmt.Sprintf("%x", r.LastHash), Signed: r.Signed, Gaps: len(r.Gaps),
	}
	if r.Removed != nil {
		c.Removed = r.Removed.Through
	}
	if r.Broken != nil {
		c.Broken = r.Broken.String()
	}
	return c
}

// FormatFileName returns the file name of a report's PDF.
func FormatFileName(kind, id string) string { return strings.ToLower(kind) + "-report-" + id + ".pdf" }

// IsKnownType reports whether a type of report exists.
func IsKnownType(kind string) bool { return slices.Contains(ListTypes(), kind) }
