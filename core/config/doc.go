// Package config reads the gateway's one configuration file, together with
// HEADGATE_ environment variables and --set flags, into plain Go values, and
// says what is wrong with it: every problem at once, each with its file, line,
// column, key and what to write instead.
//
// The layers (file < environment < --set) are merged by koanf; the merged tree
// keeps the place of every value, and is decoded by walking the types of this
// package. Those types are also the source of configs/gateway.schema.json.
//
// koanf is imported nowhere else.
package config

//go:generate go test -run TestSchemaIsThatOfTheTypes -update .
