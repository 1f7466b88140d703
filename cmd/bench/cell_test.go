package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAPlanHoldsWhatItsFiguresNeed(t *testing.T) {
	names := func(parts []part) (out []string) {
		for _, p := range parts {
			out = append(out, p.cell.name+" "+p.system)
		}
		return out
	}
	assert.Equal(t, []string{"plain_1k revproxy", "plain_1k raw", "plain_1k headgate"}, names(listParts([]string{"plain_1k"}, listSystems())))
	assert.Equal(
		t,
		[]string{"plain_1k revproxy", "plain_1k raw", "plain_1k headgate-bare"},
		names(listParts([]string{"empty_chain_1k"}, listSystems())),
	)
	assert.Equal(t, []string{"stream_1k revproxy", "stream_1k raw"}, names(listParts([]string{"stream_1k"}, []string{sysRevproxy, sysRaw})))
	all := listParts(nil, listSystems())
	assert.Len(t, all, 48, "two systems in two cells of TLS and two of HTTP/2, three in one of tools, five cells of three systems, the two empty chains in one, every stage in five, rate limit and budget in three; three systems in four cells of agents")
	assert.Equal(t, []string{"agent_300k revproxy", "agent_300k raw", "agent_300k headgate-agent"}, names(listParts([]string{"agent_turn"}, listSystems())))
	assert.Len(t, listParts([]string{"agent_growth"}, listSystems()), 12, "a growth needs a cell of each size")
	assert.NotContains(t, names(all), "plain_1k_fresh_values headgate", "measured only when named")
}

func TestEveryFigureHasItsCell(t *testing.T) {
	cells := map[string]bool{}
	for _, c := range listCells() {
		cells[c.name] = true
	}
	for _, f := range listFigures() {
		for _, c := range f.listCells() {
			assert.True(t, cells[c], "%s: %s", f.key, c)
		}
	}
}

func TestARoundHoldsEveryPartOnceCellByCell(t *testing.T) {
	parts := listParts(nil, listSystems())
	for range 50 {
		got := shuffleParts(parts)
		assert.ElementsMatch(t, parts, got)
		changes := 0
		for i := 1; i < len(got); i++ {
			if got[i].cell != got[i-1].cell {
				changes++
			}
		}
		assert.Equal(t, 13, changes, "the systems of a cell follow each other")
	}
}
