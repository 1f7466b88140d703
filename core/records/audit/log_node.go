package audit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/store"
)

// nodeSetting is the setting that stores the name of the database's node.
const nodeSetting = "node.id"

// FindNode returns the name of the database's node. The first call creates it at random and stores it.
func FindNode(ctx context.Context, db *store.DB) (string, error) {
	kept, err := db.Settings().InsertOnce(ctx, nodeSetting, []byte(NewNode()))
	if err != nil {
		return "", fmt.Errorf("name of this node: %w", err)
	}
	return string(kept), nil
}

// NewNode returns a random node name.
func NewNode() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // rand.Read never fails
	return "n" + hex.EncodeToString(b[:])
}

// CheckNode returns an error if name is not a valid node name.
func CheckNode(name string) error {
	if name == "" || len(name) > 63 {
		return fmt.Errorf("node %.70q: a name has 1 to 63 characters", name)
	}
	for i, c := range []byte(name) {
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '-' && c != '_' && c != '.') {
			return fmt.Errorf("node %q: write letters, digits and, after the first character, - _ and dots", name)
		}
	}
	return nil
}

// Node returns the name of the chain that the log writes.
func (l *Log) Node() string { return l.chain.node }
