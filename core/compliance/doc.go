// Package compliance makes reports for auditors from the audit chains and the usage records: it counts what the chains
// hold of a span of time, verifies all of them, and writes both as sections and as a PDF.
//
// It imports core/audit, core/license, core/pdf and core/store.
package compliance
