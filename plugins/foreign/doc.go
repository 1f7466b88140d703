// Package foreign contains the limits for code that is not compiled into the gateway, which are modules and processes:
// what such code may read, and which headers it must not set.
package foreign
