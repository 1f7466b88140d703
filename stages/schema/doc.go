// Package schema is the stage that holds a model's answer against a JSON Schema of
// the operator's. An answer that does not meet it is asked for again, with what is
// wrong with it, up to a number of times; then it is refused, or passed and recorded.
// See docs/output-schemas.md.
package schema
