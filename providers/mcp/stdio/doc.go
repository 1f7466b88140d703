// Package stdio runs servers of the Model Context Protocol that speak over standard input and output.
//
//	Host ──► Server ──► child: one process, its group
//	           │          ├─ stdin   ◄── requests of all callers, under ids of the gateway's own
//	           │          ├─ stdout  ──► lines, each a message ──► the caller that waits for it
//	           │          └─ stderr  ──► the log, bounded, without the values of the environment
//	           └─ starts it when it is needed, again after a pause when it has ended
//
// One process serves all callers, so the gateway claims no capabilities towards it: a request of the server could belong to
// any of them. Only the operator's configuration names commands; no setting of a tenant reaches this package.
package stdio
