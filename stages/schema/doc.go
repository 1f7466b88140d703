// Package schema is the stage that checks a model's answer against the operator's JSON Schema. If an answer does not
// match, the model is asked again, with a description of what is wrong, a limited number of times. After that the
// answer is refused, or passed and recorded. See docs/output-schemas.md.
package schema
