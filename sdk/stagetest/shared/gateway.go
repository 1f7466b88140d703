package shared

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
)

// buildPatience bounds a build of the gateway from an empty cache on a busy machine.
const buildPatience = 15 * time.Minute

// Gateway returns the path of the gateway's program, built once for all who share the folder, with the race detector
// or without.
func Gateway(race bool) (string, error) {
	name, args := "gateway", []string{"build", "-tags", "nomsgpack,grpcnotrace"}
	if race {
		name, args = "gateway-race", append(args, "-race")
	}
	dir, err := Folder(name, func(dir string) error {
		ctx, cancel := context.WithTimeout(context.Background(), buildPatience)
		defer cancel()
		args := append(args, "-o", filepath.Join(dir, "headgate"), "github.com/headgate-dev/headgate/cmd/headgate")
		if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("build the gateway: %w\n%s", err, out)
		}
		return nil
	})
	return filepath.Join(dir, "headgate"), err
}
