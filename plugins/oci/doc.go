// Package oci keeps plugins in registries of the OCI distribution specification: a module, the manifest beside it and their signatures as
// one artifact. What is pulled is named by its digest, comes from the registry that the operator names and from no other host, and is
// checked before any of it is written.
package oci
