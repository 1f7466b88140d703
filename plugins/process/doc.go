// Package process runs plugins as separate processes: it turns an executable file of the plugins folder into a
// core.Stage. The gateway starts the process, talks to it over one gRPC stream for all calls, and restarts it when it
// has ended. The protocol is in pb and in docs/process-plugins.md; sdk/process is for authors.
//
// A process is shared by the runtimes that request the same file with the same settings, and ends when the last of them
// releases it. It does not inherit the gateway's environment, it reads only the fields and texts that it requests and
// the operator grants, and it dies with the gateway.
//
// Misbehaviour of a process is a fault of the call: it crashes, hangs, speaks another version, or sends something that
// is not a message. An error names the link and the kind of fault, and contains nothing that the plugin or the client
// wrote.
package process
