package proxy_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

//go:generate go test -tags nomsgpack,grpcnotrace -run TestEveryShapeOnEveryProvider -update .

var update = flag.Bool("update", false, "rewrite the tables in docs")

// finding is a row of the table for one cell.
type finding struct {
	verdict verdict
	wire    string
	dropped []string
}

const tableHead = `# Every client shape on every provider

Written by the test ` + "`TestEveryShapeOnEveryProvider`" + ` from the bytes of its run; ` + "`go generate ./core/gateway/proxy`" + ` writes it anew, and the test fails where it is not what the run saw.

- **native**: the provider gets the client's own bytes, but for the routed model, the token limit and the wish for usage, and the client the provider's.
- **translated**: the provider is asked for it in its own shape, and the client reads the answer in its own.
- **dropped (counted)**: it is left out, logged, and counted in ` + "`headgate_dropped_fields_total`" + `; the rest is answered.
- **refused**: the client gets a 400 that says what to change, in its own shape, and the provider is not called.
- -: the shape has no words for it.

The test of a cell is ` + "`TestEveryShapeOnEveryProvider/cells/<provider>/<shape>/<feature>/<whole or stream>`" + `; the features are named in brackets. Where whole and streamed answers differ,
the cell says both. ` + "`ide-chat` and `ide-responses`" + ` are the editor client's two bodies. ` + "`completions`" + ` is the legacy shape: a prompt and no more.

`

// tableOf renders the document.
func tableOf(seen map[string]finding) string {
	var b strings.Builder
	b.WriteString(tableHead)
	b.WriteString("| provider | asked for | in the shapes |\n|---|---|---|\n")
	for _, v := range vendors {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", v.name, v.model, strings.Join(wiresOf(seen, v.name), ", "))
	}
	for _, f := range features {
		fmt.Fprintf(&b, "\n## %s (`%s`)\n\n%s\n\n| |", f.title, f.name, f.about)
		for _, v := range vendors {
			fmt.Fprintf(&b, " %s |", v.name)
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(vendors)) + "\n")
		var gone []string
		for _, s := range shapesOf {
			fmt.Fprintf(&b, "| %s |", s.name)
			for _, v := range vendors {
				whole, isWhole := seen[v.name+"/"+s.name+"/"+f.name+"/"+string(wholly)]
				stream := seen[v.name+"/"+s.name+"/"+f.name+"/"+string(streamed)]
				gone = append(append(gone, whole.dropped...), stream.dropped...)
				if stream.verdict == "" {
					stream.verdict, whole.verdict = "-", "-"
				}
				if !isWhole || whole.verdict == stream.verdict {
					fmt.Fprintf(&b, " %s |", stream.verdict)
				} else {
					fmt.Fprintf(&b, " %s, streamed %s |", whole.verdict, stream.verdict)
				}
			}
			b.WriteString("\n")
		}
		if gone = unique(gone); len(gone) > 0 {
			fmt.Fprintf(&b, "\nLeft out somewhere: `%s`.\n", strings.Join(gone, "`, `"))
		}
	}
	return b.String()
}

func wiresOf(seen map[string]finding, vendor string) (wires []string) {
	for name, f := range seen {
		if strings.HasPrefix(name, vendor+"/") && f.wire != "" {
			wires = append(wires, f.wire)
		}
	}
	return unique(wires)
}

func unique(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}
