// Package tools holds the MCP servers that the data plane serves: how each is called, who may use which of
// its tools, and what a call costs. It makes no calls itself; an [Upstream] does, which package providers/mcp implements.
//
//	gateway.yaml ──► Server ◄── proxy: Allows, Cost, Speaks
//	                   │
//	                   └─ Upstream ──► the server
//
// A tool is named mcp/{server}/{tool} in policies, limits, budgets and records; see [Name]. Globs of models do not match
// such names.
package tools
