// Package dsl is the language of policies, version 1: rules in YAML, each with conditions on a request or its answer
// and an action. It parses rules, reports which inputs they need, and decides their results for given facts. One parser
// serves dry runs, saving and serving.
//
// A condition is true if the rule should fire. Unknown inputs make it Unknown. Only a dry run reports that as its
// result: for a served request, an unknown input does not fire a rule.
package dsl
