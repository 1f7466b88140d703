package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// recordRun writes the chain of one run of a gateway: a start, the events and, if it is clean, a shutdown.
func (s *shell) recordRun(clean bool, events ...audit.Event) {
	s.t.Helper()
	ctx := s.t.Context()
	f := node.Options{Config: filepath.Join(filepath.Dir(s.args[1]), "gateway.yaml")}
	cfg, _, err := f.Load()
	require.NoError(s.t, err)
	r, err := node.OpenStore(ctx, cfg)
	require.NoError(s.t, err)
	w := store.NewWriter(r.DB, store.WriterOptions{})
	log, _, err := audit.Open(ctx, r.DB, w, r.Master.AuditKey())
	require.NoError(s.t, err)
	for _, e := range events {
		require.NoError(s.t, log.Append(ctx, e))
	}
	if clean {
		require.NoError(s.t, log.Close(ctx))
	}
	require.NoError(s.t, w.Close(ctx))
	if !clean {
		require.ErrorIs(s.t, log.Close(ctx), store.ErrClosed, "the shutdown is not recorded")
	}
	require.NoError(s.t, r.Close(ctx))
}

func TestAuditVerifyExitsWithAStatusOfItsOwnForRequestsWithoutResponses(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef"
	request := audit.Event{Type: audit.GatewayRequest, Payload: fmt.Appendf(nil, `{"request_id":%q,"shape":"openai.chat"}`, id)}
	response := audit.Event{Type: audit.GatewayResponse, Payload: fmt.Appendf(nil, `{"request_id":%q}`, id)}
	for name, c := range map[string]struct {
		events          []audit.Event
		killed          bool
		status, accepts cli.StatusError
		says            string
	}{
		"every request has a response": {events: []audit.Event{request, response}},
		"a response is missing although the gateway shut down": {
			events: []audit.Event{request}, status: 3, accepts: 3,
			says: "1 request without a response: how the exchange ended is not recorded",
		},
		"a response is missing because the gateway was killed": {
			events: []audit.Event{request}, killed: true, status: 3,
			says: "1 request without a response, under way when a gateway ended without a shutdown",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			s.recordRun(!c.killed, c.events...)
			s.recordRun(true) // the next start tells a kill from a gateway that still runs
			for _, verb := range []struct {
				words []string
				want  cli.StatusError
			}{
				{[]string{"audit", "verify"}, c.status},
				{[]string{"audit", "verify", "--accept-gaps"}, c.accepts},
			} {
				out, err := s.run(verb.words...)
				var status cli.StatusError
				if !errors.As(err, &status) {
					assert.NoError(t, err, "%v", verb.words)
				}
				assert.Equal(t, verb.want, status, "%v: %s", verb.words, out)
				assert.Contains(t, out, "the audit chain is whole")
				if c.says == "" {
					assert.NotContains(t, out, id)
					continue
				}
				assert.Contains(t, out, c.says)
				assert.Contains(t, out, ": request "+id+"\n")
			}
		})
	}
}

// The export is that of docs/compatibility: a gateway of an earlier version wrote it.
func TestAuditVerifyAcceptsAnExportOfAnEarlierVersion(t *testing.T) {
	folder, err := filepath.Abs("../../docs/compatibility/testdata/audit-1")
	require.NoError(t, err)
	public, err := os.ReadFile(filepath.Join(folder, "public-key.txt"))
	require.NoError(t, err)
	for _, form := range []string{"json", "csv"} {
		path := filepath.Join(folder, "chain."+form)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		changed := filepath.Join(t.TempDir(), "changed."+form)
		require.NoError(t, os.WriteFile(changed, bytes.Replace(text, []byte("exchange-c"), []byte("exchange-d"), 1), 0o600))
		s := newShell(t)
		out, err := s.run("audit", "verify", "--complete", "--file", path, "--public-key", strings.TrimSpace(string(public)))
		require.NoError(t, err, out)
		assert.Contains(t, out, "the export holds: 28 records of 1 node")
		out, err = s.run("audit", "verify", "--file", changed, "--public-key", strings.TrimSpace(string(public)))
		require.Error(t, err)
		assert.Contains(t, out, "the export does NOT hold", "one byte was altered")
	}
}
