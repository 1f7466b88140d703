// Package equal proves that plugins have the powers of the compiled-in stages: it runs the stages' own cases on samples that stand in for
// them, and writes what it found into docs/stages.md.
package equal
