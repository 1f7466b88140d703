// Package policydoc holds policies as documents: a policy as it is stored, the issues found
// in its text, and the result of evaluating it. The language itself is stages/policy.
package policydoc
