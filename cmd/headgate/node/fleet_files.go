package node

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/manage/fleet"
	"github.com/headgate-dev/headgate/plugins"
)

// maxFile is the maximum size of a plugin file that nodes accept, in bytes.
const maxFile = 64 << 20

// fleetFiles are the files of the plugins folder that nodes receive.
type fleetFiles struct {
	dir string

	mu    sync.Mutex
	known map[string]knownFile // by name
}

type knownFile struct {
	fleet.File
	at time.Time
}

// isForNodes reports whether a module needs the file to run.
func isForNodes(name string) bool {
	return name == plugins.LockFile ||
		!strings.HasPrefix(name, ".") && slices.Contains([]string{".wasm", ".sig", ".minisig"}, filepath.Ext(name))
}

// list returns the files with their digests. It does not read unchanged files again.
func (f *fleetFiles) list() ([]fleet.File, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the plugins folder: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := make(map[string]knownFile, len(entries))
	var list []fleet.File
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !isForNodes(e.Name()) || info.Size() > maxFile {
			continue
		}
		k, ok := f.known[e.Name()]
		if !ok || k.Size != info.Size() || !k.at.Equal(info.ModTime()) {
			b, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
			if err != nil {
				continue // it is being replaced; a later call lists it
			}
			k = knownFile{fleet.File{Name: e.Name(), Digest: digestBytes(b), Size: int64(len(b))}, info.ModTime()}
		}
		now[e.Name()] = k
		list = append(list, k.File)
	}
	f.known = now
	return list, nil
}

func digestBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// open opens the file with the digest.
func (f *fleetFiles) open(digest string) ([]byte, error) {
	list, err := f.list()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(one fleet.File) bool { return one.Digest == digest })
	if i < 0 {
		return nil, fleet.ErrNoFile
	}
	b, err := os.ReadFile(filepath.Join(f.dir, list[i].Name))
	if err != nil || digestBytes(b) != digest {
		return nil, fleet.ErrNoFile
	}
	return b, nil
}
