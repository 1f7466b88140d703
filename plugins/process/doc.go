// Package process runs plugins that are processes of their own: it makes a core.Stage
// of an executable file in the plugins folder. The gateway starts the process, talks to
// it over one gRPC stream for all calls, and restarts it when it has ended. The
// protocol is in pb and in docs/process-plugins.md; sdk/process is for authors.
//
// A process is shared by the runtimes that ask for the same file with the same
// settings, and ends when the last of them lets go of it. It inherits nothing of the
// gateway's environment, sees the fields and texts that it asks for and the operator
// grants, and dies with the gateway.
//
// What a process does wrong is a fault of the call: it crashes, hangs, speaks another
// version, says something that is not a message. An error names the link and the kind of
// fault, and holds nothing that the plugin or the client wrote.
package process
