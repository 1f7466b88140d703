package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// AuditEvent is one event on its way into the chain. When a Sealer sees it, its texts are valid during the call only.
type AuditEvent struct {
	Tenant, Type string
	Payload      string // JSON
	At           int64  // microseconds since 1970 UTC
}

// AuditHead is the last record of the chain, signed by itself so that missing records at the end are noticed. The zero
// head is that of a chain without records.
type AuditHead struct {
	Seq, At   int64
	Hash, Sig [32]byte
}

// Sealer makes the chain: the audit package, which holds the key. The writer's goroutine calls it within the
// transaction of a batch: Resume once with the head that the database holds, Seal for each event in order, Head once
// for the head to store, and Committed when all of it is durable. A batch that failed is sealed again from Resume on.
type Sealer interface {
	Resume(head AuditHead) error
	Seal(e AuditEvent) (seq, at int64, hash, sig *[32]byte)
	Head() AuditHead
	Committed()
}

type auditEntry struct {
	at                    int64
	tenant, kind, payload span
}

// SetSealer says who seals audit events from now on.
func (w *Writer) SetSealer(s Sealer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealer = s
}

// AppendAudit queues one audit event and copies what it is given. The time of the event is now; payload is JSON text.
// It waits when the queue is full, see ErrBusy.
func (w *Writer) AppendAudit(ctx context.Context, tenant, kind string, payload []byte) error {
	if err := w.enter(ctx, len(tenant)+len(kind)+len(payload)); err != nil {
		return err
	}
	if w.sealer == nil {
		w.mu.Unlock()
		return ErrNoSealer
	}
	q := w.in
	q.audit = append(q.audit, auditEntry{
		at: w.db.now().UnixMicro(), tenant: put(q, tenant), kind: put(q, kind), payload: put(q, payload),
	})
	w.leave()
	return nil
}

const (
	auditInsertSQL = `INSERT INTO audit_event (seq, at, tenant_id, event_type, payload, hash, sig) VALUES (?, ?, ?, ?, ?, ?, ?)`
	auditHeadSQL   = `SELECT seq, at, hash, sig FROM audit_head WHERE one = 1`

	auditSaveHeadSQL = `INSERT INTO audit_head (one, seq, at, hash, sig) VALUES (1, ?, ?, ?, ?)
		ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, at = excluded.at, hash = excluded.hash, sig = excluded.sig`
)

type auditInsert struct {
	insert, saveHead driver.StmtExecContext
	readHead         driver.StmtQueryContext

	args         [7]driver.NamedValue
	tenant, kind boxed
	hash, sig    [32]byte // args hold slices of these two for ever; only their bytes change
}

func (a *auditInsert) run(q *queue, s Sealer) error {
	if len(q.audit) == 0 {
		return nil
	}
	if s == nil {
		return ErrNoSealer
	}
	head, err := a.head()
	if err != nil {
		return err
	}
	if err := s.Resume(head); err != nil {
		return err
	}
	if a.args[0].Ordinal == 0 {
		for i := range a.args {
			a.args[i].Ordinal = i + 1
		}
		a.args[5].Value, a.args[6].Value = a.hash[:], a.sig[:]
	}
	for i := range q.audit {
		e := &q.audit[i]
		tenant, kind, payload := q.text(e.tenant), q.text(e.kind), q.text(e.payload)
		seq, at, hash, sig := s.Seal(AuditEvent{Tenant: tenant, Type: kind, Payload: payload, At: e.at})
		a.hash, a.sig = *hash, *sig
		a.args[0].Value, a.args[1].Value = seq, at
		a.args[2].Value, a.args[3].Value = a.tenant.of(tenant), a.kind.of(kind)
		a.args[4].Value = payload
		if _, err := a.insert.ExecContext(direct, a.args[:]); err != nil {
			return err
		}
	}
	return a.save(s.Head())
}

// head reads the head inside the transaction: another process may have written since the last batch.
func (a *auditInsert) head() (AuditHead, error) {
	var dest [4]driver.Value
	err := row(a.readHead, dest[:])
	if errors.Is(err, sql.ErrNoRows) {
		return AuditHead{}, nil
	}
	if err != nil {
		return AuditHead{}, err
	}
	var h AuditHead
	h.Seq, _ = dest[0].(int64)
	h.At, _ = dest[1].(int64)
	hash, _ := dest[2].([]byte)
	sig, _ := dest[3].([]byte)
	if copy(h.Hash[:], hash) != len(h.Hash) || copy(h.Sig[:], sig) != len(h.Sig) {
		return AuditHead{}, errors.New("the stored head of the chain is damaged")
	}
	return h, nil
}

func (a *auditInsert) save(h AuditHead) error {
	args := []driver.NamedValue{
		{Ordinal: 1, Value: h.Seq}, {Ordinal: 2, Value: h.At}, {Ordinal: 3, Value: h.Hash[:]}, {Ordinal: 4, Value: h.Sig[:]},
	}
	_, err := a.saveHead.ExecContext(direct, args)
	return err
}
