// Package remote is what guards outside of the gateway's own process have in common, be
// they asked over HTTP or run as a process beside it.
package remote
