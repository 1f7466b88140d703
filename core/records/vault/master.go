package vault

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/crypto/argon2"

	"github.com/headgate-dev/headgate/core/records/store"
)

// ErrWrongMaster means that the master password or the key file is not the one the database was made with.
var ErrWrongMaster = errors.New("the master key is not the one this database was made with")

// Cost of deriving the master key from the password: argon2id with 19 MiB, three passes and one lane, a little above
// the least that OWASP's password storage cheat sheet asks for. It is paid once, at the start.
const (
	argonTime   = 3
	argonMemory = 19 << 10 // KiB
	argonLanes  = 1
)

// Names under which the database keeps what belongs to the master key. Neither value is secret.
const (
	settingSalt  = "master.salt"
	settingCheck = "master.check"
)

// Where a master key comes from: the first byte of the check value.
const (
	fromPassword = 'p'
	fromFile     = 'f'
)

// Master is the key from which all other keys of the installation derive.
type Master struct{ root [32]byte }

// LoadMaster derives the master key from the password or, when that is empty, reads it from the key file beside the
// database, which it makes at the first start. The warning is for the operator and empty when all is well. A key that
// does not fit the database is ErrWrongMaster.
func LoadMaster(ctx context.Context, db *store.DB, password string) (m *Master, warning string, err error) {
	kind := byte(fromFile)
	if password != "" {
		kind = fromPassword
	}
	known, err := db.Settings().Get(ctx, settingCheck)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, "", fmt.Errorf("load master key: %w", err)
	}
	if len(known) > 0 && known[0] != kind {
		if kind == fromFile {
			return nil, "", fmt.Errorf("%w: it was made with a password; set HEADGATE_ENCRYPTION_MASTER_PASSWORD", ErrWrongMaster)
		}
		return nil, "", fmt.Errorf("%w: it was made with %s and without a password; unset "+
			"HEADGATE_ENCRYPTION_MASTER_PASSWORD", ErrWrongMaster, KeyFileName)
	}
	m = &Master{}
	switch {
	case kind == fromPassword:
		err = m.fromPassword(ctx, db, password)
	case db.Shared():
		err = errors.New("records in PostgreSQL want a master password that all gateways have: set HEADGATE_ENCRYPTION_MASTER_PASSWORD")
	case db.Path() == "":
		_, err = rand.Read(m.root[:])
		warning = "the database lives in memory and so does its master key"
	default:
		path := filepath.Join(filepath.Dir(db.Path()), KeyFileName)
		if len(known) == 0 {
			err = refuseEmptyDatabase(ctx, db, path)
		}
		if err == nil {
			m.root, warning, err = readKeyFile(path, len(known) == 0)
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("load master key: %w", err)
	}
	check := append([]byte{kind}, m.derive("headgate check 1")[:16]...)
	if known, err = db.Settings().InsertOnce(ctx, settingCheck, check); err != nil {
		return nil, "", fmt.Errorf("load master key: %w", err)
	}
	if subtle.ConstantTimeCompare(known, check) != 1 {
		return nil, "", fmt.Errorf("load master key: %w", ErrWrongMaster)
	}
	return m, warning, nil
}

func (m *Master) fromPassword(ctx context.Context, db *store.DB, password string) error {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	salt, err := db.Settings().InsertOnce(ctx, settingSalt, salt)
	if err != nil {
		return err
	}
	copy(m.root[:], argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, uint32(len(m.root))))
	debug.FreeOSMemory() // argon2's 19 MiB are not needed again; left to the collector they would stay for long
	return nil
}

// String keeps the key out of logs and error texts.
func (*Master) String() string { return "master key" }

// GoString does the same for the %#v verb.
func (*Master) GoString() string { return "master key" }

// AuditKey is the key that signs the audit chain.
func (m *Master) AuditKey() []byte { return m.derive("headgate audit 1") }

// CaptureKey is the key that captured exchanges are sealed with.
func (m *Master) CaptureKey() []byte { return m.derive("headgate capture 1") }

// derive makes the key for one purpose.
func (m *Master) derive(purpose string) []byte {
	return expand(m.root[:], purpose)
}

// expand is HKDF-Expand with SHA-256 to 32 bytes; its input is a uniform key already.
func expand(key []byte, purpose string) []byte {
	out, err := hkdf.Expand(sha256.New, key, purpose, 32)
	if err != nil { // only for a length above 8160 bytes
		panic("vault: " + err.Error())
	}
	return out
}
