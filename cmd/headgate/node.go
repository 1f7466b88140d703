package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/headgate-dev/headgate/core/audit"
	"github.com/headgate-dev/headgate/core/store"
)

// nodeFile keeps the name of a node whose database is shared with others. It lies in the working directory.
const nodeFile = "headgate.node"

// nodeName names this node, whose audit chain bears the name: the one that its database keeps when the database is its
// own, else that of a file of its own. Either is made once.
func nodeName(ctx context.Context, db *store.DB) (string, error) {
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
		f, err := os.OpenFile(nodeFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) { // another process was first
			continue
		}
		if err != nil {
			return "", fmt.Errorf("name of this node: %w", err)
		}
		_, err = f.WriteString(audit.NewNode() + "\n")
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("name of this node: %w", err)
		}
	}
}
