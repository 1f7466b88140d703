package vault

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Share returns the key itself, for a node that reads and writes what this installation does. Its holder can open every
// stored secret.
func (m *Master) Share() []byte { return append([]byte(nil), m.root[:]...) }

// OpenShared returns the master key that another installation has shared.
func OpenShared(key []byte) (*Master, error) {
	m := &Master{}
	if copy(m.root[:], key) != len(m.root) || len(key) != len(m.root) {
		return nil, errors.New("the shared master key has another length")
	}
	return m, nil
}

// ComputeDigest returns a keyed digest of text. Without the key it reveals nothing.
func (m *Master) ComputeDigest(purpose string, text []byte) []byte {
	h := hmac.New(sha256.New, m.derive("headgate mark 1 "+purpose))
	h.Write(text) // Write on a hash never fails
	return h.Sum(nil)
}

// CreateMissingKeys creates the missing keys of tenants, because nodes cannot create keys.
func CreateMissingKeys(ctx context.Context, db *store.DB, m *Master) error {
	ids, err := db.Vault().ListTenantsWithoutKey(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	wrap, err := newAEAD(m.derive("headgate vault wrap 1"))
	if err != nil {
		return fmt.Errorf("prepare vault: %w", err)
	}
	v := &Vault{wrap: wrap}
	keys := make(map[string][]byte, len(ids))
	for _, id := range ids {
		if keys[id], err = v.generateSecret(id); err != nil {
			return err
		}
	}
	return db.Vault().AddKeys(ctx, keys)
}
