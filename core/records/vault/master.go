package vault

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/crypto/argon2"

	"github.com/headgate-dev/headgate/core/records/store"
)

// ErrWrongMaster means that the master password or key file does not match the database.
var ErrWrongMaster = errors.New("the master key is not the one that this database was created with")

// The cost of deriving the master key from the password: argon2id with 19 MiB, three passes and one lane, slightly
// above the minimum of OWASP's password storage cheat sheet. It is paid once per start.
const (
	argonTime   = 3
	argonMemory = 19 << 10 // KiB
	argonLanes  = 1
)

// The settings that belong to the master key. Neither value is secret.
const (
	settingSalt  = "master.salt"
	settingCheck = "master.check"
)

// The origins of a master key: the first byte of the check value.
const (
	fromPassword = 'p'
	fromFile     = 'f'
)

// Master is the key from which all other keys of the installation are derived.
type Master struct{ root [32]byte }

// LoadMaster derives the master key from the password. If the password is empty, it reads the key file beside the
// database, which it creates at the first start. It returns a warning for the operator, or "". ErrWrongMaster means
// that the key does not match the database.
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
			return nil, "", fmt.Errorf("%w: it was created with a password; set HEADGATE_ENCRYPTION_MASTER_PASSWORD", ErrWrongMaster)
		}
		return nil, "", fmt.Errorf("%w: it was created with %s and without a password; unset "+
			"HEADGATE_ENCRYPTION_MASTER_PASSWORD", ErrWrongMaster, KeyFileName)
	}
	m = &Master{}
	switch {
	case kind == fromPassword:
		err = m.deriveFromPassword(ctx, db, password)
	case db.IsShared():
		err = errors.New("records in PostgreSQL need a master password that all gateways share: set HEADGATE_ENCRYPTION_MASTER_PASSWORD")
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

func (m *Master) deriveFromPassword(ctx context.Context, db *store.DB, password string) error {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	salt, err := db.Settings().InsertOnce(ctx, settingSalt, salt)
	if err != nil {
		return err
	}
	copy(m.root[:], argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, uint32(len(m.root))))
	debug.FreeOSMemory() // return argon2's 19 MiB now; the garbage collector would keep them for a long time
	return nil
}

// FindIdentity returns a name of the database, which is not secret: a hash of the salt that its first start with a master
// password drew, or of the check value if its key is in a file. It returns "" for a database without records, migrated
// or not.
func FindIdentity(ctx context.Context, db *store.DB) (name string, sealedByPassword bool, err error) {
	exist, err := db.Settings().HasTable(ctx)
	if err != nil || !exist {
		return "", false, err
	}
	for _, setting := range []string{settingSalt, settingCheck} {
		value, err := db.Settings().Get(ctx, setting)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", false, err
		}
		sum := sha256.Sum256(append([]byte("headgate database 1\n"), value...))
		return hex.EncodeToString(sum[:16]), setting == settingSalt, nil
	}
	return "", false, nil
}

// String keeps the key out of logs and error texts.
func (*Master) String() string { return "master key" }

// GoString keeps the key out of %#v.
func (*Master) GoString() string { return "master key" }

// AuditKey returns the key that signs the audit chain.
func (m *Master) AuditKey() []byte { return m.derive("headgate audit 1") }

// CaptureKey returns the key that seals captured exchanges.
func (m *Master) CaptureKey() []byte { return m.derive("headgate capture 1") }

// derive returns the key for one purpose.
func (m *Master) derive(purpose string) []byte {
	return expandKey(m.root[:], purpose)
}

// expandKey is HKDF-Expand with SHA-256 to 32 bytes. Its input is already a uniform key.
func expandKey(key []byte, purpose string) []byte {
	out, err := hkdf.Expand(sha256.New, key, purpose, 32)
	if err != nil { // only possible above 8160 bytes
		panic("vault: " + err.Error())
	}
	return out
}
