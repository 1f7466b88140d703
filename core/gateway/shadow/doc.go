// Package shadow remembers what links in shadow mode would have done: how many exchanges each of them judged, the share with
// each label, and the newest findings with their context.
//
// A context is text of a request or an answer. It is kept in memory only, and only after redaction: the redactors replace
// personal data and credentials, and a finding that is itself personal data is replaced by its label. If redaction fails, the
// finding is kept without context. Streamed answers have no context: a window may begin or end within a value that no redactor
// would know.
//
// Nothing on the path of an exchange waits for the log. Contexts are cut and redacted by one goroutine, from a bounded queue.
package shadow
