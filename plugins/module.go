package plugins

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// suffix is the extension of plugin files, besideSuffix that of manifests beside them.
const (
	suffix       = ".wasm"
	besideSuffix = ".wasm.yaml"
)

// Size limits in bytes. Larger files are not read.
const (
	maxModule = 8 << 20
	maxBeside = 64 << 10
)

// module is one file as read: its bytes, and the manifest beside it.
type module struct {
	file     string
	source   []byte
	digest   string
	manifest *wasm.Manifest
	beside   string // digest of the manifest beside it; empty if there is none
	// extra are the other files that belong to it, by name: the manifest beside it, and signatures.
	extra map[string][]byte
}

// equals reports whether both have the same bytes.
func (m *module) equals(n *module) bool { return m.digest == n.digest && m.beside == n.beside }

// read reads a file and the files that belong to it, once, and checks that it is trusted. The digest is set if the file
// could be read.
func (d *Dir) read(file string) (module, error) { return d.readFrom(d.o.Dir, file) }

// readFrom is read for another folder. The lock, the keys and the decisions of this folder apply.
func (d *Dir) readFrom(dir, file string) (module, error) {
	m := module{file: file, extra: map[string][]byte{}}
	var err error
	if m.source, err = readFile(filepath.Join(dir, file), maxModule); err != nil {
		return m, err
	}
	m.digest = DigestBytes(m.source)
	t, err := d.buildTrust()
	if err != nil {
		return m, err
	}
	t.dir, t.kept = dir, dir != d.o.Dir
	if err = t.verify(file, m.source, m.extra); err != nil {
		return m, err
	}
	if err = d.checkRejected(file, m.digest); err != nil {
		return m, err
	}
	name, _ := findManifestName(file)
	text, err := readFile(filepath.Join(dir, name), maxBeside)
	switch {
	case errors.Is(err, errMissing):
		return m, nil
	case err != nil:
		return m, fmt.Errorf("%s: %w", name, err)
	}
	if err = t.verify(name, text, m.extra); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	m.beside, m.extra[name] = DigestBytes(text), text
	m.manifest, err = ReadManifest(text)
	return m, err
}

var errMissing = errors.New("the file is missing")

// readFile reads a regular file of at most the given number of bytes. Its errors do not contain the path, because
// status pages show them.
func readFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errMissing
	case err != nil:
		return nil, fmt.Errorf("read the file: %w", core.RemovePath(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > most:
		return nil, fmt.Errorf("the file has %d bytes, at most %d are allowed", info.Size(), most)
	}
	f, err := os.Open(path) // within the plugins folder
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", core.RemovePath(err))
	}
	defer func() { _ = f.Close() }() // only read
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", core.RemovePath(err))
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("the file has more than %d bytes", most)
	}
	return b, nil
}
