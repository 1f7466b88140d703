package node

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
)

// NewID returns an opaque identifier of 80 random bits in RFC 4648 base 32. It is short because every usage record
// contains it.
func NewID() string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // rand.Read never returns an error
	return encodeID(b[:])
}

func encodeID(b []byte) string { return strings.ToLower(base32.StdEncoding.EncodeToString(b)) }

// writesFile reports whether a gateway writes the tenants of its file to the database.
func writesFile(g *gateway, cfg *config.Config) bool {
	return g.flags.replica == nil && cfg.Role != config.RoleConsole
}

// releaseTenants hands the tenants that the configuration file no longer names to the API, which can delete them. They keep the keys that
// were created for them. Call it once the configuration is in force: until then the one before it names them.
func releaseTenants(ctx context.Context, db *store.DB, cfg *config.Config) error {
	listed := make([]string, len(cfg.Tenants))
	for i := range cfg.Tenants {
		listed[i] = cfg.Tenants[i].ID
	}
	return db.Tenants().ReleaseUnlisted(ctx, listed)
}

// syncTenants writes the tenants and keys of the configuration file to the store. It removes nothing: loadKeys decides
// which keys of the file are in force, so that a key that is removed from the file and added again is still the same
// key.
func syncTenants(ctx context.Context, db *store.DB, cfg *config.Config) error {
	for i := range cfg.Tenants {
		t := &cfg.Tenants[i]
		if err := SaveTenant(ctx, db, t); err != nil {
			return err
		}
		stored, err := db.Keys().ListByTenant(ctx, t.ID)
		if err != nil {
			return err
		}
		if err := syncKeys(ctx, db, t, stored); err != nil {
			return err
		}
	}
	return nil
}

func SaveTenant(ctx context.Context, db *store.DB, t *config.Tenant) error {
	_, err := db.Tenants().Upsert(ctx, store.Tenant{
		ID: t.ID, Name: t.Name, Status: string(t.Status), Region: t.Region, Tier: string(t.Tier),
		Metadata: t.Metadata, Tags: t.Tags, Source: store.SourceFile,
	})
	return err
}

// syncKeys stores the file's new keys. A key that replaces another of the same name keeps its lineage, so that values
// redacted for the old key are restored for the new one.
func syncKeys(ctx context.Context, db *store.DB, t *config.Tenant, stored []store.Key) error {
	for i := range t.Keys {
		k := &t.Keys[i]
		plain := k.Key.Reveal()
		if plain == "" { // generated at the first start and kept
			continue
		}
		hash, known, lineage := auth.Hash(plain), false, ""
		for _, s := range stored { // ordered by creation
			known = known || s.Hash == hash
			if s.Name == k.Name && (s.Source == store.SourceFile || s.Source == sourceFirstStart) {
				lineage = s.Lineage
			}
		}
		if known {
			continue
		}
		row := convertFileKey(t, k, plain)
		row.ID, row.Lineage = findFileKeyID(t.ID, k.Name, stored), lineage
		if err := db.Keys().Insert(ctx, row); err != nil {
			return fmt.Errorf("tenant %q, key %q: %w", t.ID, k.Name, err)
		}
	}
	return nil
}

// sourceFirstStart marks a key that the file names without a value.
const sourceFirstStart = "first-start"

// findFileKey returns the file's key that a stored one represents, or nil if it was removed from the file.
func findFileKey(cfg *config.Config, s *store.Key) *config.Key {
	for i := range cfg.Tenants {
		t := &cfg.Tenants[i]
		for j := range t.Keys {
			k, plain := &t.Keys[j], t.Keys[j].Key.Reveal()
			if t.ID != s.TenantID {
				continue
			}
			if s.Source == sourceFirstStart && plain == "" && k.Name == s.Name ||
				// The operator may write the printed key into the file.
				(s.Source == sourceFirstStart || s.Source == store.SourceFile) && plain != "" && auth.Hash(plain) == s.Hash {
				return k
			}
		}
	}
	return nil
}

// findFileKeyID returns the id of a key of the file. Gateways with separate databases and the same file derive the same id,
// and so share counters. It depends on names only: an id derived from the key's value could be used to guess it.
func findFileKeyID(tenant, name string, stored []store.Key) string {
	for n := 0; ; n++ { // the next free number, if a key of that name was replaced
		sum := sha256.Sum256(fmt.Appendf(nil, "headgate file key\x00%s\x00%s\x00%d", tenant, name, n))
		id := encodeID(sum[:10])
		if !slices.ContainsFunc(stored, func(k store.Key) bool { return k.ID == id }) {
			return id
		}
	}
}

func convertFileKey(t *config.Tenant, k *config.Key, plain string) store.Key {
	tier := k.Tier
	if tier == "" {
		tier = t.Tier
	}
	return store.Key{
		ID: NewID(), TenantID: t.ID, Name: k.Name, Prefix: auth.CutVisiblePrefix(plain), Hash: auth.Hash(plain),
		Scopes: k.Scopes, Tier: string(tier), Metadata: k.Metadata, Tags: k.Tags, Models: k.Models,
		Status: store.KeyActive, Source: store.SourceFile, ExpiresAt: k.ExpiresAt,
	}
}

// startHints is what the lines printed by bootstrap refer to.
type startHints struct {
	addr  string // where the gateway listens
	tls   bool
	file  string // configuration file as given to --config
	first bool   // the gateway is starting; otherwise the configuration was reloaded
	site  string // address of the console, or ""
}

// bootstrapKeys creates the keys whose value the file leaves empty and prints each once, with a command that works when
// pasted. Later starts cannot print them again and explain how to create another.
func bootstrapKeys(ctx context.Context, db *store.DB, cfg *config.Config, d startHints, out io.Writer) error {
	scheme, file := "http", ""
	if d.tls {
		scheme = "https"
	}
	if d.file != "" {
		file = " --config " + d.file
	}
	for i := range cfg.Tenants {
		t := &cfg.Tenants[i]
		stored, err := db.Keys().ListByTenant(ctx, t.ID)
		if err != nil {
			return err
		}
		for j := range t.Keys {
			k := &t.Keys[j]
			if k.Key.Reveal() != "" {
				continue
			}
			have := slices.ContainsFunc(stored, func(s store.Key) bool {
				return s.Source == sourceFirstStart && s.Name == k.Name && s.Status == store.KeyActive
			})
			switch {
			case have && !d.first:
			case have:
				_, err = fmt.Fprintf(
					out,
					"\nThe key %q of tenant %q was printed at the first start. Another one:\n\n  headgate keys create%s --tenant %s --name %s-2\n\n",
					k.Name,
					t.ID,
					file,
					t.ID,
					k.Name,
				)
			default:
				plain := auth.NewKey()
				row := convertFileKey(t, k, plain)
				row.Source = sourceFirstStart
				if err := db.Keys().Insert(ctx, row); err != nil {
					return fmt.Errorf("tenant %q, key %q: %w", t.ID, k.Name, err)
				}
				_, err = fmt.Fprintf(out, firstKey, k.Name, t.ID, plain, scheme, d.addr, plain, scheme, d.addr)
				if err == nil && d.site != "" {
					_, err = fmt.Fprintf(out, "The console is at %s\n\n", d.site)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

const firstKey = `
The key %q of tenant %q, shown this once:

  %s

Try it:

  curl %s://%s/v1/chat/completions -H "Authorization: Bearer %s" -H "Content-Type: application/json" -d '{"model":"mock-echo","messages":[{"role":"user","content":"My card is 4111 1111 1111 1111 and my badge is EMP-123456"}]}'

or in a browser: %s://%s/try

`
