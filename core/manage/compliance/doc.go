// Package compliance creates reports for auditors from the audit chains and the usage records: it counts the events of
// a period, verifies all chains, and renders both as sections and as a PDF.
//
// It imports core/records/audit, core/records/license, core/records/meter/pdf and core/records/store.
package compliance
