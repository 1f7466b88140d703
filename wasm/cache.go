package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Cache keeps compiled modules on disk. It holds machine code that will be executed, so the directory must belong to this user and no
// other user may write to it.
//
// The validator bounds the time of every step tightly except compilation. Compilation therefore runs in a child process with a time
// limit, which leaves its result in the directory, where this process finds it.
type Cache struct {
	dir   string
	child Child
	mu    sync.Mutex // one compilation at a time
}

// Child is the program that compiles, by default this one.
type Child struct {
	// Exe is the program. If empty, modules are compiled in this process.
	Exe string
	// Args precede the directory, for example "plugin", "compile".
	Args []string
}

// OpenCache creates the directory with mode 0700. It fails if an existing directory is not safe.
func OpenCache(dir string, child Child) (*Cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the cache of compiled modules: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the cache of compiled modules: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("open the cache of compiled modules: %w", err)
	}
	if !info.IsDir() {
		return nil, errors.New("open the cache of compiled modules: it is not a directory")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf(
			"the cache of compiled modules has mode %04o: others could put code there that would be run; make it 0700",
			info.Mode().Perm(),
		)
	}
	if err := checkOwner(info); err != nil {
		return nil, err
	}
	return &Cache{dir: dir, child: child}, nil
}

// open returns a view of the directory for one runtime.
func (c *Cache) open() (wazero.CompilationCache, error) {
	files, err := wazero.NewCompilationCacheWithDir(c.dir)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), c.dir, "its folder"))
	}
	return files, nil
}

// formatMarker returns the file that records that a module was compiled here: the version of the meter and of Go, and the machine's
// architecture. The runtime's own key contains the runtime's version.
func (c *Cache) formatMarker(module []byte) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %s %s %s\n", meter.Version, runtime.Version(), runtime.GOARCH, readRuntimeVersion())
	_, _ = h.Write(module)
	return filepath.Join(c.dir, hex.EncodeToString(h.Sum(nil))+".compiled")
}

// fill compiles a module into the directory unless it is already there.
func (c *Cache) fill(ctx context.Context, module []byte) error {
	if c.child.Exe == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	marker := c.formatMarker(module)
	if _, err := os.Stat(marker); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the cache: %w", core.RemovePath(err))
	}
	if err := CompileChild(ctx, c.child.Exe, append(c.child.Args[:len(c.child.Args):len(c.child.Args)], c.dir), module); err != nil {
		return err
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		return fmt.Errorf("record what was compiled: %w", core.RemovePath(err))
	}
	return nil
}
