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

// nodeFile stores the name of a node that shares its database. It is in the working directory.
const nodeFile = "headgate.node"

// readOwnName returns the name of a node that the configuration does not name. It is stored in the database, or in nodeFile
// if the database is shared, and is generated once.
func readOwnName(ctx context.Context, db *store.DB) (string, error) {
	if !db.IsShared() {
		return audit.FindNode(ctx, db)
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
		if err := createNameFile(); err != nil && !errors.Is(err, fs.ErrExist) { // another process may be first
			return "", fmt.Errorf("name of this node: %w", err)
		}
	}
}

// createNameFile creates the file with the name atomically.
func createNameFile() error {
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
