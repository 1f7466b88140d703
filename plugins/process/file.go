package process

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/headgate-dev/headgate/core"
)

// executable is a file that was opened and read once. It stays open, so that every later start, even after a crash,
// runs the file whose digest was computed.
type executable struct {
	path   string
	file   *os.File
	digest string
}

// openExecutable opens a file of the folder. Its errors do not contain the path, because status pages show them.
func openExecutable(dir, name string) (*executable, error) {
	if !filepath.IsLocal(name) {
		return nil, errors.New("must be the name of a file within the plugins folder")
	}
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("find the plugins folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // within the plugins folder; it must not wait if this is a pipe
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("no such file in the plugins folder")
		}
		return nil, fmt.Errorf("the file cannot be read: %w", core.RemovePath(err))
	}
	e := &executable{path: path, file: f}
	if err := e.check(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if e.digest, err = e.computeDigest(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return e, nil
}

func (e *executable) check() error {
	info, err := e.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("the file cannot be read: %w", core.RemovePath(err))
	case !info.Mode().IsRegular():
		return errors.New("the plugin is not a regular file")
	case info.Mode().Perm()&0o111 == 0:
		return errors.New("the file is not executable; chmod 755 makes it so")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others than its owner can write to the file; chmod 755 prevents that")
	}
	return nil
}

// computeDigest returns the digest of the file's current content.
func (e *executable) computeDigest() (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(e.file, 0, 1<<62)); err != nil {
		return "", fmt.Errorf("the file cannot be read: %w", core.RemovePath(err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// maxFile is the maximum size, in bytes, of a file whose signature is checked: it is read as a whole.
const maxFile = 512 << 20

// readBytes returns the content of the file, after checking that its digest has not changed.
func (e *executable) readBytes() ([]byte, error) {
	text, err := io.ReadAll(io.NewSectionReader(e.file, 0, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", core.RemovePath(err))
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("the file has more than %d MiB, and is too large for its signature to be checked", maxFile>>20)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != e.digest {
		return nil, errors.New("the file changed while it was read")
	}
	return text, nil
}
