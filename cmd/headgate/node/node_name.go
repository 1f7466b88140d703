package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// nodeFile keeps the name of a node whose database is shared with others. It lies in the working directory.
const nodeFile = "headgate.node"

// ownName names a node that the configuration does not name: by what its database keeps when the database is its own,
// else by a file of its own. Either is made once.
func ownName(ctx context.Context, db *store.DB) (string, error) {
	if !db.Shared() {
		return audit.NodeOf(ctx, db)
	}
	for {
		b, err := os.ReadFile(nodeFile)
		if err == nil {
			name := strings.TrimSpace(string(b))
			if err := audit.CheckNode(name); err != nil {
				return "", fmt.Errorf("%s: %w", nodeFile, err)
			}
			return name, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("name of this node: %w", err)
		}
		if err := nameNode(); err != nil && !errors.Is(err, fs.ErrExist) { // another process may be first
			return "", fmt.Errorf("name of this node: %w", err)
		}
	}
}

// nameNode makes the file with the name. It is whole when it is there.
func nameNode() error {
	f, err := os.CreateTemp(".", nodeFile+".*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(audit.NewNode() + "\n")
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Link(f.Name(), nodeFile)
	}
	return errors.Join(err, os.Remove(f.Name()))
}
