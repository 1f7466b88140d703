// Package description holds Headgate ABI 1 as data: abi.json lists the exports, the imports with their parameters, capabilities and
// breaches, the fields, the numbers and the bounds. The SDK files of all languages and the tables of docs/plugin-abi.md are generated
// from it, and tests compare the host and package abi with it.
package description

//go:generate go test -tags nomsgpack,grpcnotrace -run TestTheGeneratedPartsAreCurrent -update .
