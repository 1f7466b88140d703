package admin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// AuditEvent is a record of an audit chain.
type AuditEvent audit.ExportedRecord

// AuditQuery filters audit events. The fields are the texts of the request.
type AuditQuery struct {
	Tenant, Type string
	From, To     string
	Exchange     string // id of an exchange, or of its trace
}

// List lists audit events, newest first.
func (s AuditLog) List(ctx context.Context, who *auth.Actor, q AuditQuery, page Page) (List[AuditEvent], error) {
	f, err := s.buildFilter(ctx, who, q)
	if err != nil {
		return List[AuditEvent]{}, err
	}
	f.Limit = page.Limit
	if page.After != "" {
		if f.Behind, err = readEventCursor(page.After); err != nil {
			return List[AuditEvent]{}, newInvalidValueError("cursor", "send next_cursor of the previous page unchanged")
		}
	}
	return List[AuditEvent]{Cursor: formatEventCursor, All: iterateEvents(ctx, s.svc.Store, f)}, nil
}

// errLeft stops a walk whose remaining records are not needed.
var errLeft = errors.New("left")

// iterateEvents reads records while the caller iterates.
func iterateEvents(ctx context.Context, db *store.DB, f store.AuditFilter) iter.Seq2[AuditEvent, error] {
	return func(yield func(AuditEvent, error) bool) {
		err := db.Audit().Visit(ctx, f, func(r *store.AuditRecord) error {
			if !yield(AuditEvent(audit.ViewRecord(r)), nil) {
				return errLeft
			}
			return nil
		})
		if err != nil && !errors.Is(err, errLeft) {
			yield(AuditEvent{}, err)
		}
	}
}

// formatEventCursor returns the cursor behind an event: its time and its id, which names the node and the sequence number.
func formatEventCursor(e AuditEvent) string { return e.Timestamp + " " + e.EventID }

func readEventCursor(cursor string) (store.AuditPlace, error) {
	at, id, _ := strings.Cut(cursor, " ")
	node, seq, _, err := store.ParseEventID(id)
	if err != nil {
		return store.AuditPlace{}, err
	}
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return store.AuditPlace{}, err
	}
	return store.AuditPlace{At: t.UnixMicro(), Node: node, Seq: seq}, nil
}

// buildFilter translates a query into a filter that is limited to what the actor may see.
func (s AuditLog) buildFilter(ctx context.Context, who *auth.Actor, q AuditQuery) (f store.AuditFilter, err error) {
	if f.Tenant, err = s.svc.authorize(ctx, who, auth.AuditRead, q.Tenant); err != nil {
		return f, err
	}
	f.Type, f.Exchange = q.Type, q.Exchange
	f.From, f.To, err = parseExportSpan(q.From, q.To)
	return f, err
}

// parseExportSpan parses the two ends of a period. Either can be empty.
func parseExportSpan(from, to string) (a, b time.Time, err error) {
	if a, err = ParseTime("from", from); err != nil {
		return a, b, err
	}
	b, err = ParseTime("to", to)
	return a, b, err
}

// writeAction writes an audit event for an action that changed no record.
func (s *Service) writeAction(ctx context.Context, who *auth.Actor, action, resource, id, tenant string) error {
	var e audit.Payload
	e.AddStr("actor", who.ID)
	e.AddStr("action", action)
	e.AddStr("resource", resource)
	e.AddStr("id", id)
	return s.writeEvent(ctx, tenant, audit.ConfigChanged, &e)
}

// AuditProof is the result of verifying the audit chains.
type AuditProof struct {
	Valid     bool          `json:"valid"`
	Records   int64         `json:"records" doc:"The number of verified records in all chains."`
	PublicKey string        `json:"public_key" doc:"The Ed25519 key, in Base64, that verifies the checkpoints."`
	Chains    []ProvenChain `json:"chains" nullable:"false"`
}

// ProvenChain is the result for the chain of one node.
type ProvenChain struct {
	Node       string         `json:"node"`
	Valid      bool           `json:"valid"`
	Records    int64          `json:"records"`
	First      int64          `json:"first"`
	Last       int64          `json:"last"`
	Signed     int64          `json:"signed" doc:"The last record that a checkpoint covers."`
	Head       string         `json:"head" doc:"The hash of the chain after its last record. A copy kept elsewhere proves that the chain was not replaced by an older one."`
	Starts     int64          `json:"starts"`
	Gaps       int            `json:"gaps" doc:"How often the node stopped without a shutdown. After each, up to 50 ms of records can be missing."`
	Unanswered int64          `json:"unanswered" doc:"Requests without a response: how the exchange ended is not recorded."`
	Killed     int64          `json:"killed" doc:"Requests that were in progress when the node stopped without a shutdown."`
	Running    int64          `json:"running" doc:"Requests that may still be answered."`
	Removed    *RemovedEvents `json:"removed,omitempty" doc:"The events that retention removed."`
	Broken     *BrokenEvent   `json:"broken,omitempty" doc:"The first record that failed verification."`
}

// RemovedEvents are the events that retention removed.
type RemovedEvents struct {
	Through int64            `json:"through" doc:"The last removed record."`
	At      time.Time        `json:"at" doc:"When the records were removed."`
	Types   map[string]int64 `json:"types" doc:"The number of removed records by type."`
}

// BrokenEvent is a record that failed verification.
type BrokenEvent struct {
	Seq     int64  `json:"seq"`
	EventID string `json:"event_id,omitempty"`
	Reason  string `json:"reason"`
}

// Verify verifies the chains of all nodes.
func (s AuditLog) Verify(ctx context.Context, who *auth.Actor) (AuditProof, error) {
	if _, err := s.svc.authorize(ctx, who, auth.AuditRead, ""); err != nil {
		return AuditProof{}, err
	}
	if who.Tenant != "" {
		return AuditProof{}, NewMissingRoleError(auth.AuditRead)
	}
	p, err := audit.Verify(ctx, s.svc.Store, s.svc.AuditKey)
	if err != nil {
		return AuditProof{}, err
	}
	public, err := audit.DerivePublicKey(s.svc.AuditKey)
	if err != nil {
		return AuditProof{}, err
	}
	out := AuditProof{Valid: p.Valid(), Records: p.Records(), PublicKey: base64.StdEncoding.EncodeToString(public), Chains: []ProvenChain{}}
	for i := range p.Chains {
		out.Chains = append(out.Chains, describeProvenChain(&p.Chains[i]))
	}
	return out, nil
}

func describeProvenChain(r *audit.Report) ProvenChain {
	c := ProvenChain{
		Node: r.Node, Valid: r.Valid(), Records: r.Records, First: r.First, Last: r.Last, Signed: r.Signed,
		Head: fmt.Sprintf("%x", r.LastHash), Starts: r.Starts, Gaps: len(r.Gaps),
		Unanswered: r.Unanswered, Killed: r.Killed, Running: r.Running,
	}
	if m := r.Removed; m != nil {
		c.Removed = &RemovedEvents{Through: m.Through, At: m.At, Types: m.ByType}
	}
	if b := r.Broken; b != nil {
		c.Broken = &BrokenEvent{Seq: b.Seq, EventID: b.EventID, Reason: b.Reason}
	}
	return c
}
