package main

import (
	"bufio"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

func newAuditExportCommand(f *node.Options) *cobra.Command {
	var format, from, to, out string
	var filter store.AuditFilter
	c := &cobra.Command{
		Use:   "export",
		Short: "Write audit records as JSON or CSV, newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			write := audit.WriteJSON
			switch format {
			case "csv":
				write = audit.WriteCSV
			case "json":
			default:
				return fmt.Errorf("--format: write json or csv")
			}
			if filter.From, err = admin.ParseTime("--from", from); err != nil {
				return err
			}
			if filter.To, err = admin.ParseTime("--to", to); err != nil {
				return err
			}
			cfg, _, err := f.Load()
			if err != nil {
				return err
			}
			ctx := c.Context()
			r, err := node.OpenExisting(ctx, cfg)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.Close(ctx)) }()
			if out == "" || out == "-" {
				return write(ctx, c.OutOrStdout(), r.DB, filter)
			}
			file, err := os.OpenFile(out, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
			if err != nil {
				return err
			}
			return errors.Join(write(ctx, file, r.DB, filter), file.Close())
		},
	}
	c.Flags().StringVar(&format, "format", "json", "json or csv")
	c.Flags().StringVar(&filter.Tenant, "tenant", "", "of this tenant alone, by its `id`")
	c.Flags().StringVar(&filter.Type, "type", "", "of this `type` alone")
	c.Flags().StringVar(&from, "from", "", "from this `time` on, as 2026-01-31 or 2026-01-31T12:00:00Z")
	c.Flags().StringVar(&to, "to", "", "before this `time`")
	c.Flags().StringVarP(&out, "output", "o", "", "the `file` to write; standard output without it")
	return c
}

// exportFile is an export that is verified.
type exportFile struct {
	path, public string
	complete     bool
}

func (e *exportFile) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&e.path, "file", "", "verify this export, JSON or CSV, instead of the database; - is standard input")
	c.Flags().StringVar(&e.public, "public-key", "", "the `key` that audit key has printed")
	c.Flags().BoolVar(&e.complete, "complete", false, "for an export: fail if a record between the first and the last is missing")
}

func (e *exportFile) verify(c *cobra.Command, key []byte, asJSON bool) (err error) {
	var public ed25519.PublicKey
	if e.public != "" {
		raw, err := base64.StdEncoding.DecodeString(e.public)
		if err != nil || len(raw) != ed25519.PublicKeySize {
			return errors.New("--public-key: write the 44 characters that headgate audit key prints")
		}
		public, key = raw, nil
	}
	in := c.InOrStdin()
	if e.path != "-" {
		f, err := os.Open(e.path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		in = f
	}
	rep, err := audit.VerifyExport(in, public, key)
	if err != nil {
		return err
	}
	if key != nil && rep.Records > 0 && rep.Tagged == 0 {
		return fmt.Errorf("the export was not checked: its records were written with another key than that of the configured database; "+
			"write --public-key with the key that `headgate audit key` prints where they were written (%s)", formatPlural(rep.Records, "record"))
	}
	valid := rep.Valid()
	for i := range rep.Chains {
		valid = valid && (!e.complete || rep.Chains[i].Whole)
	}
	if asJSON {
		enc := json.NewEncoder(c.OutOrStdout())
		enc.SetIndent("", "  ")
		err = enc.Encode(map[string]any{"valid": valid, "records": rep.Records, "chains": convertChains(&rep)})
	} else {
		err = printExport(c.OutOrStdout(), &rep, valid)
	}
	return errors.Join(err, newUnprovenError(valid))
}

func convertChains(rep *audit.ExportReport) []map[string]any {
	out := make([]map[string]any, len(rep.Chains))
	for i, ch := range rep.Chains {
		out[i] = map[string]any{
			"node": ch.Node, "records": ch.Records, "first": ch.First, "last": ch.Last, "complete": ch.Whole, "checkpoints": ch.Checkpoints,
			"proven_from": ch.From, "proven_through": ch.Through, "authentic": ch.Authentic, "notes": ch.Notes,
		}
		if b := ch.Broken; b != nil {
			out[i]["broken"] = map[string]any{"seq": b.Seq, "event_id": b.EventID, "reason": b.Reason}
		}
	}
	return out
}

func printExport(out io.Writer, rep *audit.ExportReport, valid bool) error {
	w := bufio.NewWriter(out)
	word := "holds"
	if !valid {
		word = "does NOT hold"
	}
	of := formatPlural(int64(len(rep.Chains)), "node")
	_, _ = fmt.Fprintf(w, "the export %s: %s of %s\n", word, formatPlural(rep.Records, "record"), of) // the writer keeps an error
	for _, ch := range rep.Chains {
		_, _ = fmt.Fprintf(w, "node %q: %d records, %d to %d", ch.Node, ch.Records, ch.First, ch.Last)
		if ch.Through > 0 && ch.From > 0 {
			_, _ = fmt.Fprintf(w, "; %d to %d are proven by signed checkpoints", ch.From, ch.Through)
		}
		_, _ = fmt.Fprintln(w)
		if ch.Broken != nil {
			_, _ = fmt.Fprintf(w, "  BROKEN at %s\n", ch.Broken)
		}
		for _, n := range ch.Notes {
			_, _ = fmt.Fprintf(w, "  %s\n", n)
		}
	}
	return w.Flush()
}
