package proxy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// boundsHead begins the part of docs/parity.md that this test generates. TestEveryGuardSeesEveryPlace generates the
// part before it.
const boundsHead = "\n# Where each bound holds\n"

// boundsTable collects the results of TestEveryBoundHoldsInEveryShape.
type boundsTable struct {
	seen  map[string]bool
	cells map[string]string
}

func newBoundsTable() *boundsTable {
	return &boundsTable{map[string]bool{}, map[string]string{}}
}

func (b *bounded) row() string { return fmt.Sprintf("| %s | %s |", b.shape, b.provider) }

func (p *boundsTable) note(stage string, b *bounded, m manner, acts bool) {
	k := stage + b.row()
	p.seen[k+string(m)] = true
	if acts {
		p.cells[k] += string(m)[:1]
	}
}

// complete reports whether every cell was run.
func (p *boundsTable) complete() bool {
	for _, s := range stagesThatCount {
		for _, b := range bounds() {
			for _, m := range b.manners() {
				if !p.seen[s.name+b.row()+string(m)] {
					return false
				}
			}
		}
	}
	return true
}

// String renders the second part of the page.
func (p *boundsTable) String() string {
	var b strings.Builder
	b.WriteString(boundsHead + `
Made by ` + "`TestEveryBoundHoldsInEveryShape`" + ` (` + "`go generate ./core/gateway/proxy`" + `), for each shape on a provider of its own and on one that is sent a translation. ` + "`w`" + `: in whole
answers, ` + "`s`" + `: in streamed ones. What is seen, in the error body of the shape: the second request of a limit of one is 429 ` + "`rate_limit_exceeded`" + ` with
` + "`Retry-After`" + ` and ` + "`x-ratelimit-*`" + `; an exhausted budget is 429 ` + "`insufficient_quota`" + ` with ` + "`x-should-retry: false`" + `, and served answers carry
` + "`X-Budget-Remaining-*`" + `; a denial is 403 ` + "`POLICY_DENIED`" + ` with the deny_message; a cap reaches the provider in its own field; an answer that does not fit its
schema is asked for again, then 502.

A dash says that the stage lets such requests pass, which is seen too. A count of tokens uses nothing up, so no budget is asked; nothing is written, so there is no answer to
cap, to judge by its finish reason or to hold against a schema. The same goes for embeddings, but that they cost money and are taken from budgets. Rate limits of requests and
policies hold for all.

`)
	b.WriteString("| shape | provider |")
	for _, s := range stagesThatCount {
		b.WriteString(" " + s.name + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(stagesThatCount)) + "\n")
	for _, r := range bounds() {
		b.WriteString(r.row())
		for _, s := range stagesThatCount {
			cell := p.cells[s.name+r.row()]
			if cell == "" {
				cell = "–"
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// check compares the part with the page, or writes it.
func (p *boundsTable) check(t *testing.T) { checkPart(t, p.String(), true) }

// checkPart compares the first or the second part of docs/parity.md with what a run saw,
// or writes it.
func checkPart(t *testing.T, text string, second bool) {
	t.Helper()
	doc := filepath.Join("..", "..", "..", "docs", "parity.md")
	page, err := os.ReadFile(doc)
	require.NoError(t, err)
	guards, rest, _ := strings.Cut(string(page), boundsHead)
	limits := boundsHead + rest
	old := &guards
	if second {
		old = &limits
	}
	if *update {
		*old = text
		require.NoError(t, os.WriteFile(doc, []byte(guards+limits), 0o644))
		return
	}
	assert.Equal(t, *old, text, "docs/parity.md differs from this run: run go generate ./core/gateway/proxy")
}
