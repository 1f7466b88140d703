package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/headgate-dev/headgate/core/records/pins"
)

// ToolPin is the trusted definition of a tool, and another one if its server offers that.
type ToolPin struct {
	ID           string // server/tool
	Server, Tool string
	pins.Pin
	Definition           string    // the trusted one in canonical form; "" if none is trusted
	OfferedDefinition    string    // "" if the server offers the trusted one
	DriftedAt            time.Time // when the server was first seen to offer something else; zero: it does not
	DecidedAt            time.Time // of the last decision
	DecidedBy            string    // id of the actor
	Version              int64
	CreatedAt, UpdatedAt time.Time // set by the store
}

var toolPinTable = newTable(table[ToolPin]{
	name: "tool_pin", noun: "tool", kind: "tool_pin", owner: "server", idle: true,
	head: func(p *ToolPin) head { return head{&p.ID, &p.Version, &p.CreatedAt, &p.UpdatedAt} },
	fields: func(p *ToolPin) []field {
		return []field{
			newFixedField("id", &p.ID),
			newFixedField("server", &p.Server),
			newFixedField("tool", &p.Tool),
			{column: "state", at: (*string)(&p.State)},
			{column: "digest", at: &p.Digest},
			{column: "definition", at: &p.Definition},
			{column: "offered_digest", at: &p.Offered},
			{column: "offered", at: &p.OfferedDefinition, large: true},
			{column: "drifted_at", at: newInstantCodec(&p.DriftedAt)},
			{column: "decided_at", at: newInstantCodec(&p.DecidedAt)},
			{column: "decided_by", at: &p.DecidedBy},
			{column: "version", at: &p.Version},
			newFixedField("created_at", newInstantCodec(&p.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&p.UpdatedAt)},
		}
	},
})

// ToolPins reads and writes the pinned definitions of tools. Lists leave out what servers offer instead of the trusted definition.
type ToolPins struct{ Records[ToolPin] }

// ToolPins returns the pinned definitions of tools.
func (db *DB) ToolPins() ToolPins { return ToolPins{Records[ToolPin]{db, toolPinTable}} }

// Cursor is the place of the pin in a list.
func (p *ToolPin) Cursor() Cursor { return Cursor{p.CreatedAt, p.ID} }

// ListAll lists all pins.
func (ps ToolPins) ListAll(ctx context.Context) iter.Seq2[ToolPin, error] {
	return toolPinTable.listRecords(ctx, ps.db, page{})
}

// OfferedTool is a definition that a server offers.
type OfferedTool struct {
	Server, Tool string
	Digest       string
	Definition   string // canonical
	Required     bool   // a tool that was not seen before needs an approval
}

// Record stores what a server offers, and returns the resulting pin. drifted reports that the tool is no longer served
// because of it. It fails with pins.ErrFull for a new tool of a server that has pins.MaxTools. The pins of a node are
// its own: a replica stores them too, without a configuration version.
func (ps ToolPins) Record(ctx context.Context, o *OfferedTool) (now ToolPin, drifted bool, err error) {
	err = ps.mutate(ctx, func(tx *Tx) (changed bool, err error) {
		now, drifted, changed, err = ps.record(ctx, tx, o)
		return changed, err
	})
	if err != nil {
		return ToolPin{}, false, fmt.Errorf("record the definition of %s: %w", pins.FormatID(o.Server, o.Tool), err)
	}
	return now, drifted, nil
}

// mutate is DB.mutate, and on a replica a transaction without a configuration version.
func (ps ToolPins) mutate(ctx context.Context, fn func(tx *Tx) (bool, error)) error {
	err := ps.db.mutate(ctx, fn)
	if errors.Is(err, ErrReplica) {
		err = ps.db.transact(ctx, func(tx *Tx) error {
			_, err := fn(tx)
			return err
		})
	}
	return err
}

func (ps ToolPins) record(ctx context.Context, tx *Tx, o *OfferedTool) (now ToolPin, drifted, changed bool, err error) {
	now, err = toolPinTable.find(ctx, tx.bound, "id = ?", pins.FormatID(o.Server, o.Tool))
	isNew := errors.Is(err, sql.ErrNoRows)
	if err != nil && !isNew {
		return now, false, false, err
	}
	next, changed, drifted := now.Observe(o.Digest, o.Required)
	if !changed {
		return now, false, false, nil
	}
	if isNew {
		var n int
		if err = tx.GetContext(ctx, &n, "SELECT COUNT(*) FROM tool_pin WHERE server = ?", o.Server); err != nil || n >= pins.MaxTools {
			return now, false, false, cmp.Or(err, pins.ErrFull)
		}
	}
	apply := func(p *ToolPin) error {
		p.Pin = next
		switch {
		case next.Offered != "":
			p.OfferedDefinition = o.Definition
			if drifted {
				p.DriftedAt = ps.db.readClock()
			}
		default:
			p.Definition, p.OfferedDefinition, p.DriftedAt = o.Definition, "", time.Time{}
		}
		return nil
	}
	if !isNew {
		_, err = toolPinTable.update(ctx, ps.db, tx, &now, apply)
		return now, drifted, true, err
	}
	now = ToolPin{ID: pins.FormatID(o.Server, o.Tool), Server: o.Server, Tool: o.Tool}
	if err = toolPinTable.stamp(&now, ps.db.readClock()); err == nil {
		_ = apply(&now)
		err = toolPinTable.insert(ctx, tx, now)
	}
	return now, drifted, true, err
}

// Decide approves or rejects the definition that a server offers, which the digest must name. It returns the pin before and
// after. Errors are ErrNotFound, pins.ErrDigest and pins.ErrDecided.
func (ps ToolPins) Decide(ctx context.Context, id, digest string, approve bool, by string) (before, now ToolPin, err error) {
	err = ps.mutate(ctx, func(tx *Tx) (bool, error) {
		if now, err = toolPinTable.lock(ctx, tx, id); err != nil {
			return false, err
		}
		before = now
		return toolPinTable.update(ctx, ps.db, tx, &now, func(p *ToolPin) error {
			next, err := p.Pin.Decide(digest, approve)
			if err != nil {
				return err
			}
			if approve {
				p.Definition, p.OfferedDefinition, p.DriftedAt = p.OfferedDefinition, "", time.Time{}
			}
			p.Pin, p.DecidedAt, p.DecidedBy = next, ps.db.readClock(), by
			return nil
		})
	})
	if err != nil {
		return ToolPin{}, ToolPin{}, fmt.Errorf("decide about %s: %w", id, err)
	}
	return before, now, nil
}
