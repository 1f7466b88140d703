// Package dsl is the language of policies, version 1: rules in YAML, each with
// conditions on a request or its answer and an action. It parses them, says
// which inputs they need, and decides what they come to for given facts. One
// parser serves dry-runs, saving and serving.
//
// A condition is true when the rule should fire. What is not known makes it
// Unknown, which only a dry-run answers as such: to a request that is served,
// an unknown input does not fire a rule.
package dsl
