// Package samples holds the sample plugins, each in a folder of its own with
// its source, and hands out the one that the sample configuration names.
package samples

import _ "embed" // the module is part of the package

// EmployeeIDFile is the sample detector's name in a plugins folder.
const EmployeeIDFile = "employee-id.wasm"

// EmployeeID is the module, which finds employee numbers such as EMP-123456. Its
// digest stands beside it, and its Makefile makes it anew from its source.
//
//go:embed employee-id/employee-id.wasm
var EmployeeID []byte
