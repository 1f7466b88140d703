package vault

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// KeyFileName is the name of the master key file beside the database. It is used if no password is set.
const KeyFileName = "headgate.key"

// keyFileMark starts the file, so that a different file is not mistaken for a key.
const keyFileMark = "headgate-key-1 "

// readKeyFile reads the master key from path. If the file does not exist and mayMake is set, it creates the file.
func readKeyFile(path string, mayMake bool) (root [32]byte, warning string, err error) {
	made := false
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if !mayMake {
			return root, "", fmt.Errorf("key file: the database was created with a %s that is gone; restore its backup "+
				"beside the database: %w", filepath.Base(path), ErrWrongMaster)
		}
		if made, err = makeKeyFile(path); err == nil {
			b, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return root, "", fmt.Errorf("key file: %w", err)
	}
	digits, ok := strings.CutPrefix(strings.TrimSpace(string(b)), keyFileMark)
	if n, err := hex.Decode(root[:], []byte(truncateText(digits, 2*len(root)))); !ok || err != nil || n != len(root) || len(digits) != 2*n {
		return root, "", fmt.Errorf("key file %s: it is damaged; restore its backup", filepath.Base(path))
	}
	name := filepath.Base(path)
	if made {
		return root, name + " was created beside the database and holds the master key; keep a copy of it apart from the " +
			"database, or set HEADGATE_ENCRYPTION_MASTER_PASSWORD before the first start", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return root, "", fmt.Errorf("key file: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return root, fmt.Sprintf("%s can be read by others (mode %04o); make it 0600", name, info.Mode().Perm()), nil
	}
	return root, "the master key is taken from " + name + " beside the database", nil
}

// firstStart is how long another process may take between creating the key file and storing its check value.
const firstStart = 2 * time.Second

// refuseEmptyDatabase refuses a database without a check value beside a key file: that key has sealed records, and this
// database does not hold them. It first waits for another process that may be starting for the first time.
func refuseEmptyDatabase(ctx context.Context, db *store.DB, path string) error {
	if _, err := os.Stat(path); err != nil {
		return nil // the file does not exist, or readKeyFile reports what is wrong with it
	}
	ctx, cancel := context.WithTimeout(ctx, firstStart)
	defer cancel()
	tick := time.NewTicker(firstStart / 100)
	defer tick.Stop()
	for {
		known, err := db.Settings().Get(ctx, settingCheck)
		if err == nil && len(known) > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s exists but the database %s beside it is empty: its records were removed; restore a backup "+
				"(headgate restore), or move %[1]s away to start over", filepath.Base(path), filepath.Base(db.Path()))
		}
	}
}

// makeKeyFile writes a new key under a temporary name and links it into place, which fails if path exists. The file is
// therefore complete or absent, and two processes that start at once both use the first one's key.
func makeKeyFile(path string) (made bool, err error) {
	var key [32]byte
	if _, err := rand.Read(key[:]); err != nil {
		return false, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // created with mode 0600
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(keyFileMark + hex.EncodeToString(key[:]) + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	if err := os.Link(f.Name(), path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return false, err
	}
	return true, syncDir(filepath.Dir(path))
}

// syncDir makes the new file name durable. Without the key the database is lost.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func truncateText(s string, n int) string { return s[:min(len(s), n)] }
