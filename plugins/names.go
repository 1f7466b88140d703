package plugins

// BesideName returns the name of the manifest beside a module's file.
func BesideName(file string) string {
	name, _ := manifestName(file)
	return name
}

// SignatureName returns the name of the signature beside a module's file. One that ends in .minisig is accepted too.
func SignatureName(file string) string { return file + sigSuffix }

// IsFileName reports whether a name can be that of a file in the plugins folder: no path, and nothing that a line of plugins.lock cannot
// hold.
func IsFileName(name string) bool { return plainFile(name) }
