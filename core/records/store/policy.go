package store

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// policyVersions is how many versions of a policy are kept.
const policyVersions = 50

var policyTable = newTable(table[policydoc.Record]{
	name: "policy", noun: "policy", kind: "policy", owner: "tenant_id",
	// The caller maintains the version: a change of the status does not create one.
	head:  func(p *policydoc.Record) head { return head{id: &p.ID, created: &p.Created, updated: &p.Updated} },
	saved: savePolicyVersion,
	fields: func(p *policydoc.Record) []field {
		return []field{
			newFixedField("id", &p.ID),
			{column: "tenant_id", at: &p.Tenant},
			{column: "name", at: &p.Name},
			{column: "description", at: &p.Description},
			{column: "dsl", at: &p.DSL},
			{column: "status", at: &p.Status},
			{column: "version", at: &p.Version},
			newFixedField("source", &p.Source),
			newFixedField("created_at", newInstantCodec(&p.Created)),
			{column: "updated_at", at: newInstantCodec(&p.Updated)},
		}
	},
})

// Policies reads and writes the policies and their versions. A change that raises the version keeps the previous one.
type Policies struct{ Records[policydoc.Record] }

// Policies returns the operations on stored policies.
func (db *DB) Policies() Policies { return Policies{Records[policydoc.Record]{db, policyTable}} }

// Insert adds a policy as its first version.
func (ps Policies) Insert(ctx context.Context, p policydoc.Record) (policydoc.Record, error) {
	p.Version = 1
	return ps.Records.Insert(ctx, p)
}

func savePolicyVersion(ctx context.Context, tx *Tx, before, p *policydoc.Record) error {
	if before != nil && p.Version == before.Version {
		return nil
	}
	_, err := tx.ExecContext(
		ctx,
		"INSERT INTO policy_version (policy_id, version, name, description, dsl, created_at) VALUES (?, ?, ?, ?, ?, ?)",
		p.ID,
		p.Version,
		p.Name,
		p.Description,
		p.DSL,
		convertToMicros(p.Updated),
	)
	if err == nil {
		_, err = tx.ExecContext(ctx, "DELETE FROM policy_version WHERE policy_id = ? AND version <= ?", p.ID, p.Version-policyVersions)
	}
	return err
}

// ListVersions returns the stored versions of a policy, newest first. Updated is the time of the version.
func (ps Policies) ListVersions(ctx context.Context, id string) ([]policydoc.Record, error) {
	list, err := policyTable.read(ctx, ps.db.read.bound, `
		SELECT p.id, p.tenant_id, v.name, v.description, v.dsl, p.status, v.version, p.source, p.created_at, v.created_at AS updated_at
		FROM policy_version AS v JOIN policy AS p ON p.id = v.policy_id
		WHERE v.policy_id = ? ORDER BY v.version DESC`, id)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of a policy: %w", err)
	}
	return list, nil
}

// Delete removes a policy with its versions and its shadow events, unless check returns an error.
func (ps Policies) Delete(ctx context.Context, id string, check func(policydoc.Record) error) error {
	return ps.delete(ctx, id, check, func(tx *Tx, _ *policydoc.Record) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM policy_shadow_event WHERE policy_id = ?", id)
		return err
	})
}
