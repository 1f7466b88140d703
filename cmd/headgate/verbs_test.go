package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestValidateNamesFileAndLine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/employee-id.wasm", sample(t))
	s.copy("sample.yaml", fromRoot(t, "configs/gateway.yaml"))
	f := s.run("validate", "--config", "sample.yaml")
	assert.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "sample.yaml is valid: 2 providers, 6 routes, 1 tenants, 2 links in the chain")

	chain := "  - stage: pii\n  - {wasm: employee-id.wasm, name: employees}\n"
	good := configText("", chain)
	for _, c := range []struct {
		name, old, new string
		says           []string
	}{
		{"an unknown key", "log: {level: debug}", "logs: {level: debug}", []string{"gateway.yaml:2:", "logs", "log"}},
		{"a bad value", "level: debug", "level: loud", []string{"gateway.yaml:2:", "loud", "debug"}},
		{"an undefined variable", "key: " + testKey, `key: "${HEADGATE_TEST_UNDEFINED}"`, []string{"gateway.yaml:10:", "HEADGATE_TEST_UNDEFINED"}},
		{"an unknown stage", "stage: pii", "stage: pij", []string{"gateway.yaml:13:", "pij", "pii"}},
		{"an unknown provider", "provider: real", "provider: rael", []string{"gateway.yaml:8:", "rael"}},
		{"two links with one name", "name: employees", "name: pii", []string{"gateway.yaml:14:", "pii"}},
		{"broken YAML", "plugins: {dir", "plugins: {dir: [", []string{"gateway.yaml:"}},
		{"settings that the module refuses", "name: employees}", "name: employees, config: {action: shout}}", []string{"shout", "employees"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(good, c.old, c.new, 1)
			require.NotEqual(t, good, text)
			s.write("gateway.yaml", []byte(text))
			for _, verb := range []string{"validate", "serve"} {
				f := s.run(verb, "--config", "gateway.yaml")
				assert.Equal(t, 1, f.code)
				for _, part := range c.says {
					assert.Contains(t, f.err, part)
				}
				assert.NotContains(t, f.err, testKey)
				assert.NotContains(t, f.err, providerKey)
			}
		})
	}
	s.write("gateway.yaml", []byte(strings.Replace(good, "employee-id.wasm", "employees.wasm", 1)))
	f = s.run("validate", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code, "a missing module")
	assert.Contains(t, f.err, `chain link "employees": plugin "employees.wasm": the file is missing`)

	f = s.run("validate", "--config", "nothing.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "nothing.yaml")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	f := newSite(t).run("version")
	assert.Zero(t, f.code)
	assert.Regexp(t, `^headgate \S+ go1\.\S+ \w+/\w+`, f.out)
}

func TestPluginListTellsWhichModulesWouldBeLoaded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	s.copy("plugins/employee-id.wasm", sample(t))
	f := s.run("plugin", "list", "--config", "gateway.yaml")
	assert.Zero(t, f.code, f.err)
	assert.Regexp(
		t,
		`(?m)^employee-id\.wasm +ok +employee-id 1\.0\.0, detector, labels \[employee_id\], trust open, sha256 `+digest(sample(t))+"$",
		f.out,
	)

	s.copy("plugins/garbage.wasm", []byte("this is not a module"))
	s.copy("plugins/table.wasm", guest{table: 100_000_000}.bytes())
	f = s.run("plugin", "list", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Regexp(t, `(?m)^employee-id\.wasm +ok `, f.out)
	assert.Regexp(t, `(?m)^garbage\.wasm +REFUSED +.*not a Wasm module`, f.out)
	assert.Regexp(t, `(?m)^table\.wasm +REFUSED +.*limit`, f.out)

	f = s.run("plugin", "list", "--config", "gateway.yaml", "--set", "plugins.trust=pinned")
	assert.Equal(t, 1, f.code)
	assert.Regexp(t, `(?m)^employee-id\.wasm +REFUSED +.*plugins\.lock`, f.out)
	s.copy("plugins/plugins.lock", []byte(digest(sample(t))+"  employee-id.wasm\n"))
	f = s.run("plugin", "list", "--config", "gateway.yaml", "--set", "plugins.trust=pinned")
	assert.Regexp(t, `(?m)^employee-id\.wasm +ok `, f.out)
	assert.Regexp(t, `(?m)^garbage\.wasm +REFUSED `, f.out)
}

func TestVerifyNamesTheFirstBrokenRecord(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	for range 3 {
		require.NoError(t, g.client(testKey).checkEcho("mock-echo", "hello"))
	}
	g.stop()
	s.verifyAudit("--config", "gateway.yaml")

	db, err := sql.Open("sqlite3", s.path("headgate.db"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	first, data, at, end := storedRecord(t, s.path("headgate.db"), 4)
	put := func(data []byte) {
		_, err := db.Exec("UPDATE audit_segment SET data = ? WHERE first_seq = ?", data, first)
		require.NoError(t, err)
	}
	record := data[at:end]
	for _, c := range []struct {
		name  string
		forge []byte
	}{
		{"a changed payload", bytes.Replace(record, []byte("mock-echo"), []byte("mock-else"), 1)},
		{"a changed tag", append(bytes.Clone(record[:len(record)-1]), record[len(record)-1]^1)},
		{"a removed record", nil},
	} {
		require.NotEqual(t, record, c.forge, c.name)
		put(slices.Concat(data[:at], c.forge, data[end:]))
		f := s.run("audit", "verify", "--config", "gateway.yaml")
		assert.Equal(t, 1, f.code, c.name)
		assert.Contains(t, f.out, "BROKEN at record 4", c.name)
		assert.Contains(t, f.out, "3 records before it hold", c.name)
		f = s.run("audit", "verify", "--json", "--config", "gateway.yaml")
		assert.Equal(t, 1, f.code, c.name)
		assert.Regexp(t, `"seq": 4\b`, f.out, c.name)
		put(data)
		s.verifyAudit("--config", "gateway.yaml")
	}
}

// storedRecord returns the segment that contains the record, its records before compression, and the position of the
// record in them. A record is its length, its bytes, and a tag of 8 bytes. A segment may be stored uncompressed.
func storedRecord(t *testing.T, path string, seq int64) (first int64, data []byte, start, end int) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close(ctx)) }()
	nodes, err := db.Audit().ListNodes(ctx)
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	segment, _, err := db.Audit().GetSegment(ctx, nodes[0], seq)
	require.NoError(t, err)
	for n := segment.First; ; n++ {
		size, length := binary.Uvarint(segment.Data[end:])
		require.Positive(t, length)
		start, end = end, end+length+int(size)+8
		if n == seq {
			return segment.First, segment.Data, start, end
		}
	}
}
