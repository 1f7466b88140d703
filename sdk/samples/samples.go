// Package samples holds the sample plugins, each in its own folder with its source, and embeds the module that the sample
// configuration names.
package samples

import _ "embed" // the module is part of the package

// EmployeeIDFile is the sample detector's name in a plugins folder.
const EmployeeIDFile = "employee-id.wasm"

// EmployeeID is the module, which finds employee numbers such as EMP-123456. Its
// digest is in the file beside it, and its Makefile rebuilds it from source.
//
//go:embed employee-id/employee-id.wasm
var EmployeeID []byte
