package plugintool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

// benchSizes are the lengths of the texts, in bytes. The first one shows the cost of a call.
var benchSizes = []int{1, 64, 256, 1 << 10, 4 << 10, 16 << 10, 100 << 10}

func newBenchCommand(f *node.Options) *cobra.Command {
	var asJSON bool
	var text string
	c := &cobra.Command{
		Use:   "bench FILE",
		Short: "Benchmark a module, or the stage of a case file, on texts of 1 byte to 100 KB",
		Long: `Times the judgement of one text in a request, as the chain asks for it, with a deadline set and the meter on: the least of
several rounds. Beside it stands the floor, the time of a scanner in Go that is compiled in. Allocations are those of the host.
Loading is all that happens to a new module: check, meter, compile, start, try out.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			b, err := newBencher(f, c.ErrOrStderr(), args[0], text)
			if err != nil {
				return err
			}
			report, err := b.run(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(c.OutOrStdout(), report)
			}
			return report.print(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	c.Flags().StringVar(&text, "text", "", "`file` with the text to use, repeated as often as a size needs; ordinary prose, unless named")
	return c
}

// bencher measures one stage.
type bencher struct {
	tried *node.Trial
	link  config.Link
	dir   string
	text  string
}

func newBencher(f *node.Options, log io.Writer, file, text string) (*bencher, error) {
	t, err := node.NewTrial(f, log)
	if err != nil {
		return nil, err
	}
	b := &bencher{tried: t, text: benchProse}
	switch {
	case strings.HasSuffix(file, cases.Suffix):
		list, err := cases.Read(file, "")
		if err != nil {
			return nil, err
		}
		b.link, b.dir = list.Cases[0].Link, filepath.Dir(file)
	case strings.HasSuffix(file, ".wasm"):
		if _, err := os.Stat(file); err != nil {
			return nil, err
		}
		b.link.Wasm, b.dir = filepath.Base(file), filepath.Dir(file)
	default:
		return nil, fmt.Errorf("%s: name a module, file.wasm, or a case file, file%s, whose link is measured", file, cases.Suffix)
	}
	if text != "" {
		body, err := os.ReadFile(text) // the file that the user names
		if err != nil {
			return nil, err
		}
		if b.text = strings.ToValidUTF8(string(body), "?"); b.text == "" {
			return nil, fmt.Errorf("%s: the file is empty; write the text with which to time a judgement", text)
		}
	}
	return b, nil
}

func (b *bencher) buildDeps() cases.Given {
	name := b.link.Name
	if name == "" {
		name = "tested"
	}
	return cases.Given{
		Name:  name,
		State: state.NewMemory(state.Options{}),
		Now:   time.Now,
		Links: []string{name},
		Chain: []string{b.link.Kind()},
	}
}

func (b *bencher) run(ctx context.Context) (r *benchReport, err error) {
	r = &benchReport{What: b.stageName(), Floor: floorText}
	if b.link.Wasm != "" {
		if err := b.measureLoading(ctx, r); err != nil {
			return nil, err
		}
	}
	made, err := b.tried.BuildLink(ctx, &b.link, b.dir, b.buildDeps())
	if err != nil {
		return nil, err
	}
	defer func() {
		if s, ok := made.Link.Stage.(core.Closer); ok {
			err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
	}()
	var failed error
	for _, n := range benchSizes {
		size, err := b.measureSize(ctx, &made, n)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			size = benchSize{Bytes: n, Err: err.Error()} // the other sizes are measured all the same
			failed = fmt.Errorf("a text of %d bytes: %w", n, err)
		}
		r.Sizes = append(r.Sizes, size)
	}
	if failed != nil && !slices.ContainsFunc(r.Sizes, func(s benchSize) bool { return s.Err == "" }) {
		return nil, failed
	}
	if b.link.Wasm != "" {
		r.Memory = b.tried.MeasureInstance(b.link.Wasm, b.dir)
	}
	return r, nil
}

// stageName returns the name of the stage. For a webhook it omits the address, which may contain a credential.
func (b *bencher) stageName() string {
	switch {
	case b.link.Stage != "":
		return "stage " + b.link.Stage
	case b.link.Wasm != "":
		return filepath.Base(b.link.Wasm)
	}
	return b.link.Kind()
}

// measureLoading times a module from the file to its first instance, with an empty cache and with a filled one.
func (b *bencher) measureLoading(ctx context.Context, r *benchReport) (err error) {
	folder, file := b.tried.Locate(b.link.Wasm, b.dir)
	body, err := os.ReadFile(filepath.Join(folder, file)) // the file that the user names
	if err != nil {
		return err
	}
	r.Bytes, r.Digest = len(body), plugins.DigestBytes(body)
	cache, err := os.MkdirTemp("", "headgate-bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(cache)) }()
	for _, into := range []*float64{&r.Cold, &r.Warm} {
		t := node.NewTrialWith(cache, io.Discard)
		start := time.Now()
		made, err := t.BuildLink(ctx, &b.link, b.dir, b.buildDeps())
		if err != nil {
			return err
		}
		*into = float64(time.Since(start).Microseconds()) / 1000
		if err := made.Link.Stage.(core.Closer).Close(ctx); err != nil {
			return err
		}
	}
	return nil
}
