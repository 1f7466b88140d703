// Package script holds the script that the playgrounds of the console and of the gateway share.
package script

import _ "embed"

// Answer reads the answers of models. See answer.js.
//
//go:embed answer.js
var Answer []byte
