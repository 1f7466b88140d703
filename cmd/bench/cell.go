package main

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// The names of the systems that a run compares.
const (
	sysRevproxy   = "revproxy"            // the yardstick of every ratio
	sysRaw        = "raw"                 // net/http server, raw upstream client, no governance
	sysFull       = "headgate"            // key check, PII stage, one Wasm detector, audit and metering on
	sysGoverned   = "headgate-all"        // every built-in stage with its defaults, and the detector
	sysAgent      = "headgate-agent"      // the same, with the guardrail in shadow mode
	sysGovernance = "headgate-governance" // rate limit and budget, audit and metering on
	sysEmpty      = "headgate-empty"      // the same binary with an empty chain; audit and metering stay on
	sysBare       = "headgate-bare"       // and with audit and metering off: plain pass-through behind the key check
)

func listSystems() []string {
	return []string{sysRevproxy, sysRaw, sysFull, sysGoverned, sysAgent, sysGovernance, sysEmpty, sysBare}
}

// redacts reports whether a system has a chain that redacts, and must prove that it did.
func redacts(system string) bool {
	return system == sysFull || system == sysGoverned || system == sysAgent
}

// isGateway reports whether a system is the gateway in one of its forms.
func isGateway(system string) bool {
	return redacts(system) || system == sysGovernance || system == sysEmpty || system == sysBare
}

// cell is one kind of load. Every system of a cell is measured in it once per round.
type cell struct {
	name     string
	prompt   string
	stream   bool
	renumber renumbering
	fresh    bool // the personal data has a running number as well
	agent    bool // Messages of a coding agent
	tls      bool // between client and server, and between server and upstream, where it is HTTP/1.1
	framed   bool // the client speaks HTTP/2
	tool     bool // a call of a tool
}

func listCells() []cell {
	return []cell{
		{name: "plain_1k", prompt: "1k", renumber: renumberAll},
		{name: "plain_8k", prompt: "8k", renumber: renumberAll},
		{name: "plain_100k", prompt: "100k", renumber: renumberAll},
		{name: "plain_100k_seen", prompt: "100k", renumber: renumberFirst},
		{name: "stream_1k", prompt: "1k", stream: true, renumber: renumberAll},
		{name: "plain_1k_fresh_values", prompt: "1k", renumber: renumberAll, fresh: true},
		{name: "tls_1k", prompt: "1k", renumber: renumberAll, tls: true},
		{name: "tls_8k", prompt: "8k", renumber: renumberAll, tls: true},
		{name: "h2_1k", prompt: "1k", renumber: renumberAll, tls: true, framed: true},
		{name: "h2_8k", prompt: "8k", renumber: renumberAll, tls: true, framed: true},
		{name: "mcp_call", prompt: promptTool, renumber: renumberAll, tool: true},
		findAgentCell("agent_75k"), findAgentCell("agent_150k"), findAgentCell("agent_300k"), findAgentCell("agent_600k"),
	}
}

func findAgentCell(name string) cell {
	return cell{name: name, prompt: name, stream: true, renumber: renumberFirst, agent: true}
}

// figure is one number of ratio_to_reverseproxy.
type figure struct {
	key, cell, system string
	demanded          float64 // minimum ratio; 0: shown, not enforced
	extra             bool    // measured only when named
	growth            bool    // compares slopes of cost over the sizes of agents' requests, not costs in a cell
	aim               float64 // the target ratio; shown if no ratio is enforced
}

// listCells returns the cells that a figure is computed from.
func (f *figure) listCells() []string {
	if !f.growth {
		return []string{f.cell}
	}
	return slices.SortedFunc(maps.Keys(agentSizes), func(a, b string) int { return agentSizes[a] - agentSizes[b] })
}

// listFigures holds the targets of the spine, the gateway without stages, and of the gateway with stages: requests per
// CPU-second relative to the tuned httputil.ReverseProxy.
func listFigures() []figure {
	return []figure{
		{key: "plain_1k", cell: "plain_1k", system: sysFull, demanded: 1.0},
		{key: "plain_8k", cell: "plain_8k", system: sysFull, demanded: 0.75},
		{key: "plain_100k", cell: "plain_100k", system: sysFull, demanded: 0.30},
		{key: "plain_100k_seen", cell: "plain_100k_seen", system: sysFull, aim: 1.0},
		{key: "stream_1k", cell: "stream_1k", system: sysFull, demanded: 0.90},
		{key: "empty_chain_1k", cell: "plain_1k", system: sysBare, demanded: 1.4},
		{key: "empty_chain_recorded_1k", cell: "plain_1k", system: sysEmpty},
		{key: "governance_1k", cell: "plain_1k", system: sysGovernance},
		{key: "governance_8k", cell: "plain_8k", system: sysGovernance},
		{key: "governance_100k", cell: "plain_100k", system: sysGovernance, aim: 1.2},
		{key: "all_1k", cell: "plain_1k", system: sysGoverned, aim: 0.85},
		{key: "all_8k", cell: "plain_8k", system: sysGoverned, aim: 0.45},
		{key: "all_100k", cell: "plain_100k", system: sysGoverned, aim: 0.15},
		{key: "all_100k_seen", cell: "plain_100k_seen", system: sysGoverned, aim: 0.90},
		{key: "all_stream", cell: "stream_1k", system: sysGoverned, aim: 0.85},
		{key: "tls_1k", cell: "tls_1k", system: sysFull, aim: 1.0},
		{key: "tls_8k", cell: "tls_8k", system: sysFull, aim: 0.75},
		{key: "h2_1k", cell: "h2_1k", system: sysFull},
		{key: "h2_8k", cell: "h2_8k", system: sysFull},
		{key: "mcp_call", cell: "mcp_call", system: sysGoverned},
		{key: "agent_turn", cell: "agent_300k", system: sysAgent, aim: 0.60},
		{key: "agent_growth", system: sysAgent, growth: true},
		{key: "plain_1k_fresh_values", cell: "plain_1k_fresh_values", system: sysFull, extra: true},
	}
}

// memoryLimitMiB is how much anonymous memory the governed gateway may hold after the run. docs/rationale.md has the
// measurement.
// Half of it is the default of memory.verdicts, which a run of new prompts fills.
const memoryLimitMiB = 64

// part is one system in one cell.
type part struct {
	cell   cell
	system string
}

// listParts lists what must be measured for the named figures (none: all that are not extra) on the allowed systems. The
// floors take part in every cell.
func listParts(only, systems []string) []part {
	var parts []part
	for _, c := range listCells() {
		var in []string
		for _, f := range listFigures() {
			if slices.Contains(f.listCells(), c.name) && (slices.Contains(only, f.key) || len(only) == 0 && !f.extra) {
				in = append(in, f.system)
			}
		}
		if len(in) == 0 {
			continue
		}
		if in = append(in, sysRevproxy); !c.tls { // the raw floor has no TLS
			in = append(in, sysRaw)
		}
		for _, s := range listSystems() {
			if slices.Contains(in, s) && slices.Contains(systems, s) {
				parts = append(parts, part{c, s})
			}
		}
	}
	return parts
}

// shuffleParts returns the parts in the order of one round: the cells in random order, and the systems of a cell in random
// order one after the other, so that figures that are divided by each other see the same neighbours.
func shuffleParts(parts []part) []part {
	out := slices.Clone(parts)
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] }) // an order, not a secret
	rank := map[string]int{}
	for _, p := range out {
		if _, ok := rank[p.cell.name]; !ok {
			rank[p.cell.name] = len(rank)
		}
	}
	slices.SortStableFunc(out, func(a, b part) int { return rank[a.cell.name] - rank[b.cell.name] })
	return out
}
