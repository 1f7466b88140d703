// Package policydoc defines the documents of policies: the stored policy, the issues found in its text, and the result
// of evaluating it. The language itself is in stages/policy.
package policydoc
