// Package compliance makes reports for auditors from the audit chains and the usage records: it counts what the chains
// hold of a span of time, verifies all of them, and writes both as sections and as a PDF.
//
// It imports core/records/audit, core/records/license, core/records/meter/pdf and core/records/store.
package compliance
